import { consumerOptions } from "../../support/key-bucket-options.ts";
import { listCommand } from "../../support/remote.ts";
import { argument, oneOf, option } from "../../support/values.ts";

export const command = listCommand({
  summary: "List the keys of a consumer",
  arguments: { consumer: argument("the consumer's name") },
  options: {
    ...consumerOptions,
    keyFormat: option("how much of the values is shown; masked by default", oneOf("none", "masked", "visible")),
  },
  examples: [
    { command: "tollgate keys list acme", text: "Masked." },
    {
      command: "tollgate keys list acme --key-format visible",
      text: "With the values, where the bucket keeps them retrievable.",
    },
  ],
  things: "keys",
  columns: ["id", "key", "description", "createdOn", "expiresOn"],
  list: (client, { consumer, bucket, ifTag, keyFormat, limit, offset }) =>
    client.keys(bucket, consumer).list({ tag: ifTag, keyFormat, limit, offset }),
});
