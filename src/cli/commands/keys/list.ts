import type { ApiKey, List, ListedApiKey } from "../../../client/index.ts";
import { oneOf, option, optionalArgument } from "../../arguments/values.ts";
import { listCommand } from "../../connection/remote.ts";
import { consumerOptions } from "../../keys/key-bucket-options.ts";
import { keyFilterOptions } from "../../keys/key-filter.ts";
import { UsageError } from "../../process/usage-error.ts";

const filters = Object.keys(keyFilterOptions) as (keyof typeof keyFilterOptions)[];

type Shown = ApiKey & Partial<Pick<ListedApiKey, "consumer">>;

export const command = listCommand({
  summary: "List the keys of a consumer, or of the whole bucket",
  details: "Without <consumer>: all keys of the bucket, masked, or those that fit the options.",
  arguments: { consumer: optionalArgument("the consumer's name; without it, of all consumers") },
  options: {
    ...consumerOptions,
    ...keyFilterOptions,
    keyFormat: option("how much of the values is shown; masked by default", oneOf("none", "masked", "visible")),
  },
  examples: [
    { command: "tollgate keys list acme", text: "Masked." },
    {
      command: "tollgate keys list acme --key-format visible",
      text: "With the values, where the bucket keeps them retrievable.",
    },
    { command: "tollgate keys list --unused-since 90d", text: "Keys of all consumers that were not used for 90 days." },
    { command: "tollgate keys list --permission orders:write --enabled true", text: "Who may write orders." },
  ],
  things: "keys",
  filters,
  columns: ["id", "consumer", "key", "description", "isEnabled", "lastUsedOn", "createdOn", "expiresOn"],
  row: ({ consumer }: Shown) => (consumer ? { consumer: consumer.name } : {}),
  list(client, { consumer, bucket, ifTag, keyFormat, limit, offset, ...given }): List<Shown> {
    const filter = Object.fromEntries(filters.map((name) => [name, given[name]]));
    if (consumer === undefined) {
      if (keyFormat !== undefined || ifTag !== undefined)
        throw new UsageError("--key-format and --if-tag are for the keys of one consumer.");
      return client.bucketKeys(bucket).list({ ...filter, limit, offset });
    }
    if (filters.some((name) => given[name] !== undefined))
      throw new UsageError("Keys are filtered among all of a bucket: leave <consumer> out.");
    return client.keys(bucket, consumer).list({ tag: ifTag, keyFormat, limit, offset });
  },
});
