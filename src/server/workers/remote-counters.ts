import type { LimitPlace, RemoteLimits, TakenRequest } from "../../areas/keys/verification/limits.ts";
import type { HoldOptions } from "../../areas/metering/quotas/customer-quota.ts";
import type { MeterAmounts } from "../../areas/metering/quotas/hold.ts";
import type { CustomerPlace } from "../../areas/metering/quotas/quota-ledger.ts";
import type { RemoteRequestsInProgress } from "../../gateway/policies/concurrency/concurrency.ts";
import type { HeldAmounts, QuotaRejection, RemoteQuotas } from "../../gateway/policies/quota/customer-quotas.ts";
import { encodeAmounts, type HoldRequest, type HoldResponse } from "../worker-messages.ts";
import type { PrimaryLink } from "./primary-link.ts";

/** Rate limits and limits of keys, which the primary counts. */
export class PrimaryLimits implements RemoteLimits {
  constructor(private readonly link: PrimaryLink) {}

  take(limit: LimitPlace, subject: string, requests: number, now: number): Promise<TakenRequest> {
    return this.link.ask(["limit", limit, subject, requests, now]) as Promise<TakenRequest>;
  }
}

/** Quotas, which the primary counts. */
export class PrimaryQuotas implements RemoteQuotas {
  readonly #open = new Set<PrimaryHold>();
  #lastId = 0;

  constructor(private readonly link: PrimaryLink) {}

  async hold(
    { accountSeq, bucketId, customerKey }: CustomerPlace,
    amounts: MeterAmounts,
    now: number,
    options: HoldOptions,
  ): Promise<{ hold: HeldAmounts; plan: string } | QuotaRejection> {
    const id = ++this.#lastId;
    const request = { id, accountSeq, bucketId, customerKey, amounts: encodeAmounts(amounts), now, options };
    const response = (await this.link.ask(["hold", request])) as HoldResponse;
    if ("reason" in response) return rejectionOf(response);
    const hold = new PrimaryHold(this.link, this.#open, request, amounts, response);
    return { hold, plan: response.plan };
  }

  /** The open holds, which the next primary must hold too. */
  takeOver(): HoldRequest[] {
    return Array.from(this.#open, (hold) => hold.takeOver());
  }
}

type HeldIn = Extract<HoldResponse, { plan: string }>;

class PrimaryHold implements HeldAmounts {
  /** The primary that knows the hold. */
  #epoch: number;

  constructor(
    private readonly link: PrimaryLink,
    private readonly open: Set<PrimaryHold>,
    private readonly request: HoldRequest,
    private readonly amounts: MeterAmounts,
    private readonly heldIn: HeldIn,
  ) {
    this.#epoch = link.epoch;
    open.add(this);
  }

  takeOver(): HoldRequest {
    this.#epoch = this.link.epoch;
    return { ...this.request, options: { ...this.request.options, mayExceed: true } };
  }

  settle(actual?: MeterAmounts): void {
    if (!this.open.delete(this)) return;
    const { id } = this.request;
    this.link.notifySurely(() => {
      if (this.#epoch === this.link.epoch) return ["settle", id, actual ? encodeAmounts(actual) : null];
      // The primary that held it has ended.
      const { subscriptionSeq, periodStart, periodEnd } = this.heldIn;
      return ["count", subscriptionSeq, periodStart, periodEnd, encodeAmounts(actual ?? this.amounts)];
    });
  }

  release(): void {
    if (!this.open.delete(this)) return;
    this.link.notifySurely(() => (this.#epoch === this.link.epoch ? ["release", this.request.id] : undefined));
  }
}

function rejectionOf(response: Exclude<HoldResponse, HeldIn>): QuotaRejection {
  if (response.reason !== "exceeded") return response;
  const { meter, used, max, amount } = response.shortage;
  return { ...response, shortage: { meter, used: BigInt(used), max: BigInt(max), amount: BigInt(amount) } };
}

/** The requests in progress of all workers, which the primary counts. */
export class PrimaryRequestsInProgress implements RemoteRequestsInProgress {
  readonly #own = new Map<string, number>();

  constructor(private readonly link: PrimaryLink) {}

  async beginRemotely(key: string, limit: number): Promise<boolean> {
    const hasBegun = (await this.link.ask(["begin", key, limit])) as boolean;
    if (hasBegun) this.#own.set(key, (this.#own.get(key) ?? 0) + 1);
    return hasBegun;
  }

  end(key: string): void {
    const count = this.#own.get(key)! - 1;
    if (count === 0) this.#own.delete(key);
    else this.#own.set(key, count);
    // The next primary learns the remaining ones with the state.
    this.link.notify(["end", key]);
  }

  takeOver(): [key: string, count: number][] {
    return [...this.#own];
  }
}
