import { changesOf, clearOption } from "../arguments/changes.ts";
import {
  argument,
  formed,
  listOption,
  named,
  oneOf,
  option,
  optionOr,
  requiredOption,
  valuesByName,
} from "../arguments/values.ts";
import { group, resource } from "../connection/resource.ts";

const environments = oneOf("production", "preview");

/** What a trusted issuer has, in addition to its issuer, subject and role. */
const issuerOptions = {
  audience: option("the token's aud; by default SERVER/v1/accounts/ACCOUNT", named("TEXT")),
  claim: valuesByName(
    "a further claim and its pattern, in which * is any text; may be repeated",
    formed(
      "NAME=PATTERN",
      /^([^=]+)=(.+)$/s,
      (name, pattern) => [name, pattern] as const,
      "a claim and its pattern, such as ref=main",
    ),
  ),
  project: option("limits the tokens to this project", named("NAME")),
  environment: listOption("an environment; by default only previews", {
    ...environments,
    parse: (text: string) => environments.parse(text).toUpperCase() as "PRODUCTION" | "PREVIEW",
  }),
  branchClaim: option("the claim that names the only branch, such as head_ref", named("NAME")),
};

const issuerRole = oneOf("editor", "reader", "billing", "verifier");

const issuer = resource({
  one: "a trusted issuer",
  id: { id: argument("the trusted issuer's id") },
  sample: "trst_0QGzNqW81Kx8VhTb3mPcRdZu",
  api: (client) => client.trustedIssuers,
});

export const issuers = group({
  name: "issuers",
  summary: "Trusted issuers: CI services whose jobs need no stored token",
  commands: {
    list: issuer.list({
      columns: ["id", "issuer", "subject", "role", "project", "environments", "branchClaim"],
      examples: "Whose tokens can be exchanged, and for what.",
    }),
    create: issuer.command({
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
      examples: {
        "tollgate issuers create https://token.actions.githubusercontent.com --subject repo:acme/shop:pull_request --project shop --branch-claim head_ref":
          "Pull requests of a repository on GitHub deploy previews of their own branch.",
        "tollgate issuers create https://token.actions.githubusercontent.com --subject repo:acme/shop:ref:refs/heads/main --project shop --environment production":
          "Its main branch deploys production.",
      },
      call: (
        api,
        { issuer, subject, role, audience, claim: claims, project, environment: environments, branchClaim },
      ) => api.create({ issuer, subject, role, audience, claims, project, environments, branchClaim }),
    }),
    show: issuer.show({ examples: "With its audience and claims." }),
    update: issuer.action({
      summary: "Change a trusted issuer: the tokens that it issued stop working immediately",
      options: {
        subject: option("a pattern of the token's sub", named("PATTERN")),
        role: option("what the tokens may do", issuerRole),
        ...issuerOptions,
        ...clearOption("audience", "claims", "project", "branchClaim"),
      },
      examples: {
        "tollgate issuers update trst_0QGzNqW81Kx8VhTb3mPcRdZu --subject 'repo:acme/shop:*'":
          "All jobs of the repository.",
      },
      call: (api, id, { subject, role, audience, claim, project, environment, branchClaim, clear }) =>
        api.update(
          id,
          changesOf({ subject, role, audience, claims: claim, project, environments: environment, branchClaim }, clear),
        ),
    }),
    delete: issuer.delete({
      summary: "Stop trusting an issuer: the tokens that it issued stop working immediately",
      effect: "whose tokens stop working immediately",
      examples: "Asks first.",
    }),
  },
});
