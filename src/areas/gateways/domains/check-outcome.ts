import { recordChange } from "../../../core/changes/record.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import { changedDomain, systemAct } from "./domain-changes.ts";
import type { Evidence } from "./evidence.ts";
import type { Finding } from "./finding.ts";
import { routedDomain } from "./mounts.ts";
import type { HostOf } from "./present.ts";
import { proofValue } from "./proof.ts";
import { claimMilliseconds, graceMilliseconds, nextDailyCheck, nextDomainCheck } from "./schedule.ts";
import { type DomainRow, lockDomain, lockOwner } from "./store.ts";

/** A domain that this node checks while it has the lease. */
export interface DomainCheckClaim {
  seq: number;
  host: string;
  deploymentName: string;
  leaseUntil: number;
}

/** Undefined evidence means that DNS gave no usable response, for the reason in `unavailable`. */
export type CheckResult = { evidence: Evidence } | { unavailable: string };

/**
 * Applies the DNS records to a domain. A host belongs to the account whose proof is in DNS; if there are several, to
 * the first. Nothing changes while DNS is unavailable, or if the claim was deleted or checked by another node in the
 * meantime.
 */
export async function applyCheck(
  transaction: WriteTransaction,
  claim: DomainCheckClaim,
  result: CheckResult,
  { hostOf, now }: { hostOf: HostOf; now: number },
): Promise<void> {
  // Two accounts that are checked at once must not both find the host free.
  await transaction.lock(`domain ${claim.host}`);
  const domain = await lockDomain(transaction, claim.seq);
  if (domain?.next_check_on !== claim.leaseUntil) return;
  const check = new Check(transaction, domain, hostOf, now);
  if ("unavailable" in result) await check.postpone(`unavailable:${result.unavailable}`);
  else await check.conclude(result.evidence);
}

/** Removes a claim that was not proven in time. */
export async function expireClaim(
  transaction: WriteTransaction,
  domain: DomainRow,
  { hostOf, now }: { hostOf: HostOf; now: number },
): Promise<void> {
  await transaction.delete("domains", domain.seq);
  recordChange(transaction, systemAct(domain, now), "domain.expired", changedDomain(hostOf, domain));
}

type Values = Partial<Omit<DomainRow, "account_id" | "account_name" | "missing">>;

class Check {
  constructor(
    private readonly transaction: WriteTransaction,
    private readonly domain: DomainRow,
    private readonly hostOf: HostOf,
    private readonly now: number,
  ) {}

  async conclude({ proofs, isRouted }: Evidence): Promise<void> {
    const isProven = proofs.includes(proofValue(this.domain.account_id));
    const seen: Values = { is_proof_seen: isProven ? 1 : 0, is_route_seen: isRouted ? 1 : 0 };
    const finding: Finding = proofs.length > 0 ? "other-value" : "missing";
    if (this.domain.status === "pending")
      await (isProven ? this.#claimHost(proofs, seen) : this.postpone(finding, seen));
    else await (isProven ? this.#keepHost(seen) : this.#missProof(finding, seen));
  }

  /** The status is unchanged, and the domain is checked again later. */
  postpone(finding: Finding, seen: Values = {}): Promise<void> {
    const { domain, now } = this;
    const checks = domain.checks + 1;
    const next = Math.min(nextDomainCheck(now, checks), domain.expires_on ?? Number.POSITIVE_INFINITY);
    return this.#save({ ...seen, finding, checks, next_check_on: next });
  }

  async #claimHost(proofs: string[], seen: Values): Promise<void> {
    const owner = await lockOwner(this.transaction, this.domain.host);
    if (owner && proofs.includes(proofValue(owner.account_id))) return this.postpone("owned", seen);
    if (owner) await new Check(this.transaction, owner, this.hostOf, this.now).#release("lost");
    await this.#activate(seen);
  }

  async #keepHost(seen: Values): Promise<void> {
    if (this.domain.status === "failing") return this.#activate(seen);
    await this.#save({ ...seen, finding: null, checks: 0, next_check_on: nextDailyCheck(this.now) });
  }

  async #missProof(finding: Finding, seen: Values): Promise<void> {
    const { domain, now } = this;
    if (domain.failing_since === null) {
      const values = { failing_since: now, checks: 1, next_check_on: nextDomainCheck(now, 1) };
      const after = await this.#become("failing", { ...seen, ...values, finding });
      recordChange(this.transaction, this.#act(), "domain.failing", changedDomain(this.hostOf, domain, after));
    } else if (now < domain.failing_since + graceMilliseconds) await this.postpone(finding, seen);
    else await this.#release(finding, seen);
  }

  async #activate(seen: Values): Promise<void> {
    const ended = { expires_on: null, failing_since: null, finding: null, checks: 0 };
    const next_check_on = nextDailyCheck(this.now);
    const after = await this.#become("active", { ...seen, ...ended, next_check_on });
    const resource = changedDomain(this.hostOf, this.domain, after);
    recordChange(this.transaction, this.#act(), "domain.activated", resource, routedDomain(after));
  }

  /** The domain becomes a pending claim again, with a new deadline. */
  async #release(finding: Finding, seen: Values = { is_proof_seen: 0 }): Promise<void> {
    const { domain, now } = this;
    const claimed = { expires_on: now + claimMilliseconds, failing_since: null, checks: 1 };
    const after = await this.#become("pending", {
      ...seen,
      ...claimed,
      finding,
      next_check_on: nextDomainCheck(now, 1),
    });
    const resource = changedDomain(this.hostOf, domain, after);
    recordChange(this.transaction, this.#act(), "domain.released", resource, { host: domain.host });
  }

  async #become(status: "pending" | "active" | "failing", values: Values): Promise<DomainRow> {
    const changed = { ...values, status, version: this.domain.version + 1, updated_on: this.now };
    await this.#save(changed);
    return { ...this.domain, ...changed, checked_on: this.now };
  }

  #save(values: Values): Promise<void> {
    return this.transaction.update("domains", this.domain.seq, { ...values, checked_on: this.now });
  }

  #act() {
    return systemAct(this.domain, this.now);
  }
}
