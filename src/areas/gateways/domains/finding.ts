import { formatDateTime } from "../../../lib/time/time.ts";
import { proofName } from "./proof.ts";
import { graceMilliseconds } from "./schedule.ts";
import type { DomainRow } from "./store.ts";

/** The error that the last check found with the proof. */
export type Finding =
  /** There is no TXT record. */
  | "missing"
  /** There are proofs of other accounts, or with typos. */
  | "other-value"
  /** The proof is in DNS, and so is that of another account, which was first. */
  | "owned"
  /** The proof is missing, and that of another account is in DNS. */
  | "lost"
  /** DNS gave no usable response; the code follows a colon. */
  | `unavailable:${string}`;

/**
 * Returns the message for the owner, the most urgent first. Undefined if there is no error, or if it was not checked
 * yet.
 */
export function messageOf(domain: DomainRow, target: string): string | undefined {
  const { status, failing_since: since } = domain;
  const problem = domain.finding === null ? undefined : sentenceOf(domain.finding as Finding, domain.host);
  if (status === "failing")
    return `${problem} Requests are served until ${formatDateTime(since! + graceMilliseconds)}, and after that only if the record exists again.`;
  if (problem !== undefined) return problem;
  if (status === "pending") return undefined;
  const [missing] = domain.missing;
  if (missing) {
    const where = missing.path === undefined ? "" : ` to ${missing.path}`;
    return `There is no deployment ${missing.deploymentName}; requests${where} get 404.`;
  }
  if (domain.is_route_seen === 0) return `Requests do not arrive yet: ${domain.host} does not resolve to ${target}.`;
  return undefined;
}

function sentenceOf(finding: Finding, host: string): string {
  const name = proofName(host);
  switch (finding) {
    case "missing":
      return `There is no TXT record ${name}.`;
    case "other-value":
      return `The TXT record ${name} has another value.`;
    case "owned":
      return "The proof was found, but another account has proven this host before, and its TXT record still exists.";
    case "lost":
      return `The TXT record ${name} is gone, and another account has proven this host.`;
    default:
      return `DNS gave no usable response for ${name} (${finding.slice(finding.indexOf(":") + 1)}); the lookup is repeated.`;
  }
}
