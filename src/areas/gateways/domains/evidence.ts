import { type DnsLookup, DnsUnavailable } from "../../../platform/dns-lookup.ts";
import { proofName, proofsIn } from "./proof.ts";

/** The DNS records of a host. */
export interface Evidence {
  /** The values of TXT records that are proofs of any account. */
  proofs: string[];
  /** Whether requests to the host reach the deployment's own host. */
  isRouted: boolean;
}

/** Throws DnsUnavailable if it is unknown whether there is a proof. `target` is the deployment's own host. */
export async function gatherEvidence(
  dns: DnsLookup,
  { host, target, signal }: { host: string; target: string; signal: AbortSignal },
): Promise<Evidence> {
  const [records, isRouted] = await Promise.all([dns.txt(proofName(host), signal), leadsTo(dns, host, target, signal)]);
  return { proofs: proofsIn(records.map((value) => value.trim())), isRouted };
}

/** By a CNAME record, or by the same addresses, because an apex domain cannot have a CNAME. Only informational. */
async function leadsTo(dns: DnsLookup, host: string, target: string, signal: AbortSignal): Promise<boolean> {
  try {
    if ((await dns.cname(host, signal)).includes(target)) return true;
    const [own, wanted] = await Promise.all([dns.addresses(host, signal), dns.addresses(target, signal)]);
    return own.some((address) => wanted.includes(address));
  } catch (error) {
    if (error instanceof DnsUnavailable) return false;
    throw error;
  }
}
