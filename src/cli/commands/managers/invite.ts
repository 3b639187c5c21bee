import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { consumerOptions } from "../../keys/key-bucket-options.ts";

export const command = remoteCommand({
  summary: "Invite a person to manage a consumer's keys",
  details: "The server sends no e-mail: the id is what your own page accepts.",
  arguments: { consumer: argument("the consumer's name"), email: argument("their address") },
  options: consumerOptions,
  examples: [{ command: "tollgate managers invite acme bob@acme.example", text: "Then: tollgate managers accept" }],
  call: (client, { consumer, email, bucket, ifTag }) =>
    client.managerInvites(bucket, consumer).create({ email }, { tag: ifTag }),
  show: showFields,
});
