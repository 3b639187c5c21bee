import type { Option } from "../arguments/command.ts";
import { listOption } from "../arguments/values.ts";
import { UsageError } from "../process/usage-error.ts";

interface TokenIssuer {
  issuer: string;
  claim: string;
}

/** `--token-issuer https://id.example=customer`; undefined if absent. */
export function tokenIssuersOption(help: string): Option<TokenIssuer[] | undefined> {
  const issuers = listOption(help, { placeholder: "ISSUER=CLAIM", parse });
  return { ...issuers, read: (given) => (given.length === 0 ? undefined : issuers.read(given)) };
}

function parse(text: string): TokenIssuer {
  const [, issuer, claim] = /^(.+)=([^=]+)$/.exec(text) ?? [];
  if (issuer === undefined || claim === undefined)
    throw new UsageError(`must be an issuer and a claim, such as https://id.example=customer, not "${text}"`);
  return { issuer, claim };
}
