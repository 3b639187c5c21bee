import { changesOf, clearOption } from "../../arguments/changes.ts";
import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { consumerOptions } from "../../options/key-bucket-options.ts";
import { scopesOption } from "../../options/portal-scope-option.ts";

export const command = remoteCommand({
  summary: "Change what a manager may do in the portal",
  arguments: { consumer: argument("the consumer's name"), id: argument("the manager's id") },
  options: { ...consumerOptions, scope: scopesOption(), ...clearOption("scopes") },
  examples: [
    {
      command: "tollgate managers update acme mngr_0QGzNqW81Kx8VhTb3mPcRdZu --scope usage:read",
      text: "From their next request on.",
    },
    {
      command: "tollgate managers update acme mngr_0QGzNqW81Kx8VhTb3mPcRdZu --clear scopes",
      text: "They may do everything.",
    },
  ],
  call: (client, { consumer, id, bucket, ifTag, scope, clear }) =>
    client.managers(bucket, consumer).update(id, changesOf({ scopes: scope }, clear), { tag: ifTag }),
  show: showFields,
});
