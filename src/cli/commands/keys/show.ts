import { argument, oneOf, option } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { consumerOptions } from "../../options/key-bucket-options.ts";

export const command = remoteCommand({
  summary: "Show a key",
  arguments: { consumer: argument("the consumer's name"), id: argument("the key's id") },
  options: {
    ...consumerOptions,
    keyFormat: option("the format of the value; masked by default", oneOf("none", "masked", "visible")),
  },
  examples: [
    {
      command: "tollgate keys show acme key_0QGzNqW81Kx8VhTb3mPcRdZu --key-format visible",
      text: "With its value, if it is retrievable.",
    },
  ],
  call: (client, { consumer, id, bucket, ifTag, keyFormat }) =>
    client.keys(bucket, consumer).get(id, { tag: ifTag, keyFormat }),
  show: showFields,
});
