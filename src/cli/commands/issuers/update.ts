import { changesOf, clearOption } from "../../arguments/changes.ts";
import { argument, named, option } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { issuerOptions, issuerRole } from "../../options/issuer-options.ts";

export const command = remoteCommand({
  summary: "Change a trusted issuer: the tokens that it issued stop working immediately",
  arguments: { id: argument("the trusted issuer's id") },
  options: {
    subject: option("a pattern of the token's sub", named("PATTERN")),
    role: option("what the tokens may do", issuerRole),
    ...issuerOptions,
    ...clearOption("audience", "claims", "project", "branchClaim"),
  },
  examples: [
    {
      command: "tollgate issuers update trst_0QGzNqW81Kx8VhTb3mPcRdZu --subject 'repo:acme/shop:*'",
      text: "All jobs of the repository.",
    },
  ],
  call: (client, { id, subject, role, audience, claim, project, environment, branchClaim, clear }) =>
    client.trustedIssuers.update(
      id,
      changesOf({ subject, role, audience, claims: claim, project, environments: environment, branchClaim }, clear),
    ),
  show: showFields,
});
