import type { TrustedIssuerCreate } from "../../client/index.ts";
import { changesOf, clearOption } from "../arguments/changes.ts";
import type { Option } from "../arguments/command.ts";
import { argument, listOption, named, oneOf, option, optionOr, requiredOption } from "../arguments/values.ts";
import { group, resource } from "../connection/resource.ts";
import { UsageError } from "../process/usage-error.ts";

type Claims = NonNullable<TrustedIssuerCreate["claims"]>;

/** What a trusted issuer has, in addition to its issuer, subject and role. */
const issuerOptions = {
  audience: option("the token's aud; by default SERVER/v1/accounts/ACCOUNT", named("TEXT")),
  claim: claimsOption(),
  project: option("limits the tokens to this project", named("NAME")),
  environment: environmentsOption(),
  branchClaim: option("the claim that names the only branch, such as head_ref", named("NAME")),
};

const issuerRole = oneOf("editor", "reader", "billing", "verifier");

/** `--claim ref=refs/heads/main --claim ref=refs/heads/next`: several patterns of one claim are alternatives. */
function claimsOption(): Option<Claims | undefined> {
  const pairs = listOption("a further claim and its pattern, in which * is any text", {
    placeholder: "NAME=PATTERN",
    parse(text) {
      const [, name, pattern] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
      if (name === undefined) throw new UsageError(`must be a claim and its pattern, such as ref=main, not "${text}"`);
      return [name, pattern!] as const;
    },
  });
  return {
    ...pairs,
    read(given) {
      const byName = Map.groupBy(pairs.read(given), ([name]) => name);
      if (byName.size === 0) return undefined;
      const patternsOf = (found: (readonly [string, string])[]) => found.map(([, pattern]) => pattern);
      return Object.fromEntries(
        [...byName].map(([name, found]) => [name, found.length === 1 ? found[0]![1] : patternsOf(found)]),
      );
    },
  };
}

function environmentsOption(): Option<("PRODUCTION" | "PREVIEW")[] | undefined> {
  const list = listOption("an environment; by default only previews", oneOf("production", "preview"));
  const upper = { production: "PRODUCTION", preview: "PREVIEW" } as const;
  return {
    ...list,
    read(given) {
      const names = list.read(given);
      return names.length === 0 ? undefined : names.map((name) => upper[name]);
    },
  };
}

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
