import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { consumerOptions } from "../../options/key-bucket-options.ts";

export const command = remoteCommand({
  summary: "Accept an invite: the invited person becomes a manager",
  arguments: {
    consumer: argument("the consumer's name"),
    id: argument("the invite's id"),
    sub: argument("the person's subject at your identity provider"),
  },
  options: consumerOptions,
  examples: [
    {
      command: "tollgate managers accept acme mngi_0QGzNqW81Kx8VhTb3mPcRdZu 'auth0|bob'",
      text: "The invite cannot be used again.",
    },
  ],
  call: (client, { consumer, id, sub, bucket, ifTag }) =>
    client.managerInvites(bucket, consumer).accept(id, { sub }, { tag: ifTag }),
  show: showFields,
});
