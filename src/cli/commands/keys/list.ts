import type { ApiKey, List, ListedApiKey } from "../../../client/index.ts";
import { oneOf, option, optionalArgument } from "../../arguments/values.ts";
import { listCommand } from "../../connection/remote.ts";
import { consumerOptions, requireKeyBucket } from "../../options/key-bucket-options.ts";
import { keyFilterOptions } from "../../options/key-filter-options.ts";
import { UsageError } from "../../process/usage-error.ts";

const filters = Object.keys(keyFilterOptions) as (keyof typeof keyFilterOptions)[];

type Shown = ApiKey & Partial<Pick<ListedApiKey, "consumer">>;

export const command = listCommand({
  summary: "List the keys of a consumer, or of the whole bucket",
  details: "Without <consumer>: all keys of the bucket, masked, or those that match the options.",
  arguments: { consumer: optionalArgument("the consumer's name; by default all consumers") },
  options: {
    ...consumerOptions,
    ...keyFilterOptions,
    keyFormat: option("the format of the values; masked by default", oneOf("none", "masked", "visible")),
  },
  examples: [
    { command: "tollgate keys list acme", text: "Masked." },
    {
      command: "tollgate keys list acme --key-format visible",
      text: "With the values, if they are retrievable.",
    },
    { command: "tollgate keys list --unused-since 90d", text: "Keys of all consumers that were not used for 90 days." },
    { command: "tollgate keys list --permission orders:write --enabled true", text: "Keys with a permission." },
  ],
  things: "keys",
  filters,
  columns: ["id", "consumer", "key", "description", "isEnabled", "leak", "lastUsedOn", "createdOn", "expiresOn"],
  row: ({ consumer }: Shown) => (consumer ? { consumer: consumer.name } : {}),
  async list(client, { consumer, bucket, ifTag, keyFormat, limit, offset, ...given }): Promise<List<Shown>> {
    const filter = Object.fromEntries(filters.map((name) => [name, given[name]]));
    if (consumer === undefined) {
      if (keyFormat !== undefined || ifTag !== undefined)
        throw new UsageError("--key-format and --if-tag require a <consumer>.");
      await requireKeyBucket(client, bucket);
      return client.bucketKeys(bucket).list({ ...filter, limit, offset });
    }
    if (filters.some((name) => given[name] !== undefined))
      throw new UsageError("Filters apply to all keys of a bucket: omit <consumer>.");
    return client.keys(bucket, consumer).list({ tag: ifTag, keyFormat, limit, offset });
  },
});
