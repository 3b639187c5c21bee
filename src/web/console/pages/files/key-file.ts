import type { ApiKey, ApiKeyCreate, ListedApiKey, Tollgate } from "../../../../client/index.ts";
import type { CsvItem } from "../../../../lib/text/csv-items.ts";
import { command } from "../../../lib/shell.ts";
import { existingConsumers } from "./consumer-file.ts";
import type { CsvTable } from "./export-file.tsx";
import { errorsBy, type FileKind, ignored, listOf, repeated } from "./file-kind.ts";

const columns = {
  consumer: String,
  key: String,
  description: String,
  expiresOn: (text: string) => {
    const time = new Date(text);
    if (!/^\d{4}-\d\d-\d\dT/.test(text) || Number.isNaN(time.getTime()))
      throw new Error(`must be a time such as 2030-01-31T10:00:00Z, not "${text}"`);
    return time.toISOString();
  },
  isEnabled: (text: string) => {
    if (text !== "true" && text !== "false") throw new Error(`must be true or false, not "${text}"`);
    return text === "true";
  },
  permissions: listOf,
  allowedIps: listOf,
  id: ignored,
  masked: ignored,
  createdOn: ignored,
  lastUsedOn: ignored,
};

const example = `consumer,description,expiresOn,permissions,allowedIps,key
acme,Production,2030-01-31T10:00:00Z,orders:read;orders:write,192.0.2.0/24,
globex,Kept from the old system,,,,key-of-the-old-system-42`;

type Made = ApiKey & { consumer: string };

/** Keys from a file: generated, or with the given value. */
export function keyFile(api: Tollgate, bucket: string): FileKind<Made> {
  return {
    title: "Create keys from a file",
    noun: "key",
    columns,
    example,
    describe: ({ fields }) => [fields.consumer, fields.description].filter(Boolean).join(", "),
    check: async (items) => {
      const existing = await existingConsumers(api, bucket, items.map(consumerOf));
      return new Map([...errorsBy(items, (item) => errorOf(item, existing)), ...repeated(items, "key")]);
    },
    sample: { consumer: "acme" },
    create: async (to, { consumer, ...key }) => ({
      ...(await to.keys(bucket, String(consumer)).create(key as ApiKeyCreate)),
      consumer: String(consumer),
    }),
    command: (file) => command("keys", "create", "--bucket", bucket, "--file", file),
    valuesOf: (made) =>
      made.length > 0
        ? {
            columns: ["consumer", "description", "key"],
            rows: made.map(({ consumer, description, key }) => [consumer, description, key]),
          }
        : undefined,
  };
}

const consumerOf = ({ fields }: CsvItem): string => String(fields.consumer ?? "");

function errorOf(item: CsvItem, existing: ReadonlySet<string>): string | undefined {
  const consumer = consumerOf(item);
  if (consumer === "") return "consumer is missing";
  if (!existing.has(consumer)) return `the consumer ${consumer} does not exist`;
  const { key } = item.fields;
  if (typeof key === "string" && !/^[\x21-\x7e]{16,512}$/.test(key))
    return "key must be 16 to 512 visible ASCII characters, without spaces";
  return undefined;
}

/** All matching keys. Their values are masked. */
export async function keyTable(keys: AsyncIterable<ListedApiKey>): Promise<CsvTable> {
  return {
    columns: [
      ...["consumer", "id", "masked", "description", "isEnabled", "permissions", "allowedIps"],
      ...["createdOn", "lastUsedOn", "expiresOn"],
    ],
    rows: (await Array.fromAsync(keys)).map((key) => [
      key.consumer.name,
      key.id,
      key.key,
      key.description,
      key.isEnabled,
      key.permissions?.join(";"),
      key.allowedIps?.join(";"),
      key.createdOn,
      key.lastUsedOn,
      key.expiresOn,
    ]),
  };
}
