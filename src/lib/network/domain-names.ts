import { domainToASCII } from "node:url";

const maxDomainLength = 253;
/** Characters that the URL parser behind `domainToASCII` would treat as the end of a host. */
const notOfDomains = /[\s/\\?#@:%[\]]/;
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * A fully qualified domain name in the form that DNS and Host headers use: ASCII, lower case, no trailing dot. Undefined for
 * anything else: single labels, addresses, wildcards, ports.
 */
export function canonicalDomain(text: string): string | undefined {
  if (notOfDomains.test(text)) return undefined;
  const ascii = domainToASCII(text.replace(/\.$/, ""));
  const labels = ascii.split(".");
  if (ascii.length > maxDomainLength || labels.length < 2 || !labels.every((each) => label.test(each)))
    return undefined;
  // This also excludes IP addresses, as no top-level domain is numeric.
  return /^\d+$/.test(labels.at(-1)!) ? undefined : ascii;
}
