import { hostnameOf } from "../../../lib/network/hosts.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { type DnsLookup, DnsUnavailable } from "../../../platform/dns-lookup.ts";
import type { Storage, WriteTransaction } from "../../../platform/storage/storage.ts";
import { applyCheck, type CheckResult, type DomainCheckClaim, expireClaim } from "./check-outcome.ts";
import { gatherEvidence } from "./evidence.ts";
import type { HostOf } from "./present.ts";
import { dueDomains, lockDomain } from "./store.ts";

/** Longer than all lookups of a check may take together. After a crash another node takes over when the lease ends. */
const leaseMilliseconds = 60_000;
const maxConcurrent = 20;

interface DomainCheckerOptions {
  storage: Storage;
  dns: DnsLookup;
  hostOf: HostOf;
  clock: Clock;
}

/** Checks due domains in DNS. Any node may; a lease prevents two nodes from checking the same domain. */
export class DomainChecker {
  constructor(private readonly options: DomainCheckerOptions) {}

  /** Checks all due domains, and removes expired claims. */
  async checkDue(signal: AbortSignal): Promise<void> {
    const { storage, clock } = this.options;
    while (!signal.aborted) {
      const due = await dueDomains(storage.reads, clock.now(), maxConcurrent);
      if (due.length === 0) return;
      const claims: DomainCheckClaim[] = [];
      for (const { seq } of due) {
        const claim = await storage.write((transaction) => this.#claim(transaction, seq));
        if (claim) claims.push(claim);
      }
      const checks = await Promise.allSettled(claims.map((claim) => this.#check(claim, signal)));
      for (const check of checks) if (check.status === "rejected") throw check.reason;
    }
  }

  async #claim(transaction: WriteTransaction, seq: number): Promise<DomainCheckClaim | undefined> {
    const { clock, hostOf } = this.options;
    const now = clock.now();
    const domain = await lockDomain(transaction, seq);
    if (!domain || domain.next_check_on > now) return undefined;
    if (domain.expires_on !== null && domain.expires_on <= now) {
      await expireClaim(transaction, domain, { hostOf, now });
      return undefined;
    }
    const leaseUntil = now + leaseMilliseconds;
    await transaction.update("domains", seq, { next_check_on: leaseUntil });
    return { seq, host: domain.host, deploymentName: domain.deployment_name, leaseUntil };
  }

  async #check(claim: DomainCheckClaim, signal: AbortSignal): Promise<void> {
    const { storage, clock, hostOf } = this.options;
    const result = await this.#look(claim, signal);
    // A lookup that was aborted proves nothing. It is repeated when the lease has ended.
    if (signal.aborted) return;
    await storage.write((transaction) => applyCheck(transaction, claim, result, { hostOf, now: clock.now() }));
  }

  async #look({ host, deploymentName }: DomainCheckClaim, signal: AbortSignal): Promise<CheckResult> {
    const { dns, hostOf } = this.options;
    try {
      const target = hostnameOf(hostOf(deploymentName));
      return { evidence: await gatherEvidence(dns, { host, target, signal }) };
    } catch (error) {
      if (!(error instanceof DnsUnavailable)) throw error;
      return { unavailable: error.code };
    }
  }
}
