import type { TrustedIssuerCreate } from "../../client/index.ts";
import type { Option } from "../arguments/command.ts";
import { listOption, named, oneOf, option } from "../arguments/values.ts";
import { UsageError } from "../process/usage-error.ts";

type Claims = NonNullable<TrustedIssuerCreate["claims"]>;

/** What a trusted issuer has, in addition to its issuer, subject and role. */
export const issuerOptions = {
  audience: option("the token's aud; by default SERVER/v1/accounts/ACCOUNT", named("TEXT")),
  claim: claimsOption(),
  project: option("limits the tokens to this project", named("NAME")),
  environment: environmentsOption(),
  branchClaim: option("the claim that names the only branch, such as head_ref", named("NAME")),
};

export const issuerRole = oneOf("editor", "reader", "billing", "verifier");

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
