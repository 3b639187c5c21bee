import type { PortalSessionCreate } from "../../../client/index.ts";
import { argument, listOption, named, oneOf, option, requiredOption } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { bucketOption } from "../../options/key-bucket-options.ts";
import { portalScopes } from "../../options/portal-scope-option.ts";
import { showHandoff } from "../../output/portal.ts";

export const command = remoteCommand({
  summary: "Make an address that signs a customer in to the portal",
  details:
    "It works once, for two minutes. Your own backend does the same when a customer opens the portal from your site.",
  arguments: { consumer: argument("the customer") },
  options: {
    ...bucketOption,
    subject: requiredOption("who it is for; the audit log shows it"),
    scope: listOption("what the session may do; everything by default", oneOf(...portalScopes)),
    returnUrl: option("where the portal leads back to", named("URL")),
  },
  examples: [
    { command: "tollgate portal hand-off acme --subject jo@acme.example", text: "Open it in a browser." },
    {
      command: "tollgate portal hand-off acme --subject jo@acme.example --scope keys:read --scope usage:read",
      text: "Without changes.",
    },
  ],
  call: (client, { consumer, bucket, subject, scope, returnUrl }) => {
    const granted: PortalSessionCreate["scopes"] = scope.length === 0 ? [...portalScopes] : scope;
    const given = { consumerName: consumer, subject, scopes: granted };
    return client.portal(bucket).handOff(returnUrl === undefined ? given : { ...given, returnUrl });
  },
  show: showHandoff,
});
