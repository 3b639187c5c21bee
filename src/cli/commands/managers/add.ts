import { argument, option } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { consumerOptions } from "../../options/key-bucket-options.ts";

export const command = remoteCommand({
  summary: "Add a manager to a consumer",
  arguments: {
    consumer: argument("the consumer's name"),
    sub: argument("the person's subject at your identity provider"),
  },
  options: { ...consumerOptions, email: option("their address") },
  examples: [
    {
      command: "tollgate managers add acme 'auth0|ann' --email ann@acme.example",
      text: "Immediately, without an invite.",
    },
  ],
  call: (client, { consumer, sub, bucket, ifTag, email }) =>
    client.managers(bucket, consumer).add({ sub, email }, { tag: ifTag }),
  show: showFields,
});
