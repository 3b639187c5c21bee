import type { Consumer, ConsumerCreate, Tollgate } from "../../../../client/index.ts";
import type { CsvItem } from "../../../../lib/text/csv-items.ts";
import { command } from "../../../lib/shell.ts";
import { objectOf, typedTag } from "../../components/pairs.tsx";
import { isConsumerName } from "../../queries/display-names.tsx";
import type { CsvTable } from "./export-file.tsx";
import { errorsBy, type FileKind, forEachAtOnce, ignored, listOf, repeated } from "./file-kind.ts";

const columns = {
  name: String,
  displayName: String,
  description: String,
  "tags.*": typedTag,
  metadata: (text: string) => {
    const value = objectOf(text);
    if (value instanceof Error) throw value;
    return value;
  },
  managers: listOf,
  createdOn: ignored,
};

const example = `name,displayName,tags.plan,metadata,managers
acme,Acme Ltd,gold,"{""seats"": 12}",ann@acme.example;bob@acme.example
globex,,silver,,`;

/** Consumers from a file, each with a first key if wanted. */
export function consumerFile(api: Tollgate, bucket: string, withKey: boolean): FileKind<Consumer> {
  return {
    title: "Create consumers from a file",
    noun: "consumer",
    columns,
    example,
    describe: ({ fields }) => String(fields.name ?? ""),
    check: async (items) => {
      const existing = await existingConsumers(api, bucket, items.map(nameOf));
      return new Map([...errorsBy(items, (item) => errorOf(nameOf(item), existing)), ...repeated(items, "name")]);
    },
    sample: { name: "acme" },
    create: (to, fields) =>
      to.consumers(bucket).create(fields as unknown as ConsumerCreate, withKey ? { withApiKey: true } : {}),
    command: (file) =>
      command("consumers", "create", "--bucket", bucket, "--file", file, ...(withKey ? ["--with-key"] : [])),
    valuesOf: (made) =>
      withKey && made.length > 0
        ? { columns: ["consumer", "key"], rows: made.map(({ name, apiKeys }) => [name, apiKeys?.[0]?.key]) }
        : undefined,
  };
}

const nameOf = ({ fields }: CsvItem): string => String(fields.name ?? "");

function errorOf(name: string, existing: ReadonlySet<string>): string | undefined {
  if (name === "") return "name is missing";
  if (!isConsumerName(name)) return "name must be 1 to 128 characters of a-z, 0-9 and -";
  return existing.has(name) ? "a consumer of this name exists" : undefined;
}

/** All matching consumers, in the columns that a file may have. */
export async function consumerTable(consumers: AsyncIterable<Consumer>): Promise<CsvTable> {
  const all = await Array.fromAsync(consumers);
  const tags = [...new Set(all.flatMap((consumer) => Object.keys(consumer.tags ?? {})))].sort();
  return {
    columns: [
      "name",
      "displayName",
      "description",
      ...tags.map((tag) => `tags.${tag}`),
      "metadata",
      "managers",
      "createdOn",
    ],
    rows: all.map((consumer) => [
      consumer.name,
      consumer.displayName,
      consumer.description,
      ...tags.map((tag) => consumer.tags?.[tag]),
      consumer.metadata && JSON.stringify(consumer.metadata),
      addressesOf(consumer).join(";"),
      consumer.createdOn,
    ]),
  };
}

function addressesOf({ managers = [], managerInvites = [] }: Consumer): string[] {
  return [...managers, ...managerInvites].flatMap(({ email }) => email ?? []);
}

/** The names of a request: as long as they may be, they fit into its address. */
const listed = 50;
const atOnce = 4;

/** The names that are consumers of the bucket. */
export async function existingConsumers(api: Tollgate, bucket: string, names: string[]): Promise<Set<string>> {
  const unique = [...new Set(names)].filter(isConsumerName);
  const chunks = Array.from({ length: Math.ceil(unique.length / listed) }, (_, index) =>
    unique.slice(index * listed, (index + 1) * listed),
  );
  const existing = new Set<string>();
  await forEachAtOnce(chunks, atOnce, async (chunk) => {
    const { data } = await api.consumers(bucket).list({ names: chunk, limit: listed }).page();
    for (const { name } of data) existing.add(name);
  });
  return existing;
}
