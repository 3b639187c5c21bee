import type { Amount } from "../../lib/amount.ts";
import type { MeterAmounts } from "../quotas/hold.ts";
import type { SubscriptionTerms } from "../quotas/quota-definition.ts";
import { type CountingToPrimary, encodeAmounts, type QuotaGrant } from "./messages.ts";
import { WorkerLease } from "./worker-lease.ts";

/** Amounts of one customer's quota, of one policy. */
export class QuotaLease extends WorkerLease {
  /** The subscription and period of the lease. Undefined before the first grant. */
  heldIn: QuotaGrant | undefined;
  terms: SubscriptionTerms | undefined;

  constructor(
    id: number,
    private readonly amounts: MeterAmounts,
    private readonly forgotten: () => void,
  ) {
    super(id);
  }

  override isValidAt(now: number): boolean {
    return this.heldIn === undefined || (now >= this.heldIn.periodStart && now < this.heldIn.validUntil);
  }

  override update(grant: QuotaGrant): void {
    this.heldIn = grant;
    this.terms = grant.terms;
  }

  override forget(): void {
    this.forgotten();
  }

  override countLater(
    units: number,
    settledAs: ReadonlyMap<string, Amount> | undefined,
  ): CountingToPrimary | undefined {
    if (!this.heldIn) return undefined;
    const { subscriptionSeq, periodStart, periodEnd } = this.heldIn;
    const total = new Map(settledAs);
    if (units > 0)
      for (const [meter, amount] of this.amounts) total.set(meter, (total.get(meter) ?? 0n) + amount * BigInt(units));
    return ["count", subscriptionSeq, periodStart, periodEnd, encodeAmounts(total)];
  }
}
