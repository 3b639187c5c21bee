import { argument, named, optionOr, requiredOption } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { issuerOptions, issuerRole } from "../../options/issuer-options.ts";

export const command = remoteCommand({
  summary: "Trust an issuer: its tokens can be exchanged for tokens of the account",
  details:
    "For CI services: their jobs need no stored secret. In patterns, * is any text, and a bare * is rejected. The tokens are valid for\n" +
    "15 minutes, and by default only for previews.",
  arguments: { issuer: argument("the provider's URL, as in the token's iss") },
  options: {
    subject: requiredOption("a pattern of the token's sub", named("PATTERN")),
    role: optionOr("what the tokens may do", "editor", issuerRole),
    ...issuerOptions,
  },
  examples: [
    {
      command:
        "tollgate issuers create https://token.actions.githubusercontent.com --subject repo:acme/shop:pull_request --project shop --branch-claim head_ref",
      text: "Pull requests of a repository on GitHub deploy previews of their own branch.",
    },
    {
      command:
        "tollgate issuers create https://token.actions.githubusercontent.com --subject repo:acme/shop:ref:refs/heads/main --project shop --environment production",
      text: "Its main branch deploys production.",
    },
  ],
  call: (client, { issuer, subject, role, audience, claim: claims, project, environment: environments, branchClaim }) =>
    client.trustedIssuers.create({ issuer, subject, role, audience, claims, project, environments, branchClaim }),
  show: showFields,
});
