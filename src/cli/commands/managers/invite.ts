import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { consumerOptions } from "../../options/key-bucket-options.ts";
import { scopesOption } from "../../options/portal-scope-option.ts";

export const command = remoteCommand({
  summary: "Invite a person to manage a consumer's keys",
  details:
    "They sign in to the portal with this address, or your own page accepts the invite by its id. No mail is sent for it.",
  arguments: { consumer: argument("the consumer's name"), email: argument("their address") },
  options: { ...consumerOptions, scope: scopesOption() },
  examples: [{ command: "tollgate managers invite acme bob@acme.example", text: "Then: tollgate managers accept" }],
  call: (client, { consumer, email, bucket, ifTag, scope }) =>
    client.managerInvites(bucket, consumer).create({ email, ...(scope ? { scopes: scope } : {}) }, { tag: ifTag }),
  show: showFields,
});
