import type { Cost } from "../../../core/model-prices/cost.ts";
import type { MeterAmounts } from "../../../counting/quotas/hold.ts";
import type { HeldAmounts, QuotaRejection } from "../../../counting/quotas/hold-quota.ts";
import type { Amount } from "../../../lib/amount.ts";
import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import type { TokenCounts } from "../../exchange/model-use.ts";
import { rejectWhileUnavailable } from "../../exchange/rejection.ts";
import {
  amountsOf,
  type CountedUse,
  chargeIn,
  type ModelMeter,
  type ModelMeters,
} from "../../policies/usage/model-meters.ts";
import { modelMetersOf } from "../../policies/usage/model-usage.ts";

/** Held for a meter whose amount may be more than 0, so that an exhausted quota rejects the request. */
const minHold: Amount = 1n;

/** Shared with other nodes, because a hold stays open as long as its response. */
const options = { isShared: true };

/** The holds of one policy `usage`. */
interface Part {
  policy: ModelMeters;
  meters: readonly ModelMeter[];
  /** The first hold, which is settled, and its extensions. */
  holds: HeldAmounts[];
  settled: MeterAmounts | undefined;
}

/** Why a policy has held nothing. */
export interface FailedHold {
  policy: ModelMeters;
  amounts: MeterAmounts;
  /** Undefined if there is no consumer, or storage is unavailable. */
  rejection?: QuotaRejection;
  unavailable?: unknown;
}

type ShortHold = FailedHold & { rejection: Extract<QuotaRejection, { reason: "exceeded" }> };

/** Amounts of 0 are left out, unless the meter has one in `possible`. */
function usedAmounts(meters: readonly ModelMeter[], use: CountedUse, possible?: CountedUse): MeterAmounts {
  const amounts = amountsOf(meters, use);
  const others = possible && amountsOf(meters, possible);
  for (const [meter, amount] of amounts) {
    if (amount > 0n) continue;
    if (others?.get(meter)) amounts.set(meter, minHold);
    else amounts.delete(meter);
  }
  return amounts;
}

/** Whether less is left than was to be held. */
export function isShort(failed: FailedHold): failed is ShortHold {
  return failed.rejection?.reason === "exceeded";
}

type Held = FailedHold | undefined | Promise<FailedHold | undefined>;

/** What a request to a model holds in each policy `usage` of its route, until it is settled. */
export class CallHolds {
  readonly #parts: Part[];
  #isOver = false;

  /** @param alias undefined for the list of models */
  constructor(
    private readonly exchange: Exchange,
    alias: string | undefined,
    hasTokens: boolean,
  ) {
    this.#parts = modelMetersOf(exchange).map((policy) => ({
      policy,
      meters: policy.of(alias, hasTokens),
      holds: [],
      settled: undefined,
    }));
  }

  get finishesAfterDisconnect(): boolean {
    return this.#parts.some(({ policy }) => policy.finishesAfterDisconnect);
  }

  /**
   * Holds the first amounts in all policies. After a failure, call `reject` or `release`.
   * @param possible has amounts of which the request takes an unknown part
   * @param estimate what counts if this process is killed
   */
  begin(use: CountedUse, possible: CountedUse, estimate: CountedUse, now: number): Held {
    return this.#holdEach(use, now, { possible, estimate }, 0);
  }

  /** Holds more in all policies. Those before the one that failed keep it until the end. */
  grow(use: CountedUse, now: number): Held {
    return this.#holdEach(use, now, undefined, 0);
  }

  /** Sets what counts if this process is killed. */
  estimate(use: CountedUse): void {
    for (const { meters, holds } of this.#parts) holds[0]?.estimate(usedAmounts(meters, use));
  }

  /** @param first only for the first amounts */
  #holdEach(
    use: CountedUse,
    now: number,
    first: { possible: CountedUse; estimate: CountedUse } | undefined,
    from: number,
  ): Held {
    const { exchange } = this;
    for (let index = from; index < this.#parts.length; index++) {
      const part = this.#parts[index]!;
      const { policy, meters } = part;
      const amounts = usedAmounts(meters, use, first?.possible);
      // The first hold may be empty: it requires a subscription, and counts what was not expected.
      if (first ? meters.length === 0 : amounts.size === 0) continue;
      if (!exchange.user) return { policy, amounts };
      const held = policy.quotas.tryHold(
        exchange,
        amounts,
        now,
        first ? { ...options, estimate: usedAmounts(meters, first.estimate) } : options,
      );
      if (held instanceof Promise)
        return held.then(
          (result) => this.#keep(part, amounts, result) ?? this.#holdEach(use, now, first, index + 1),
          (unavailable: unknown) => ({ policy, amounts, unavailable }),
        );
      const failed = this.#keep(part, amounts, held);
      if (failed) return failed;
    }
    return undefined;
  }

  #keep(part: Part, amounts: MeterAmounts, held: HeldAmounts | QuotaRejection): FailedHold | undefined {
    if ("reason" in held) return { policy: part.policy, amounts, rejection: held };
    // This hold was requested before the response ended.
    if (this.#isOver) held.release();
    else part.holds.push(held);
    return undefined;
  }

  release(): void {
    for (const part of this.#parts) for (const hold of part.holds.splice(0)) hold.release();
  }

  /** Releases all holds, and rejects the request. */
  reject({ policy, amounts, rejection, unavailable }: FailedHold): HttpResponse {
    this.release();
    if (rejection) return policy.quotas.reject(this.exchange, rejection);
    if (unavailable !== undefined) return rejectWhileUnavailable(this.exchange, unavailable);
    return policy.quotas.hold(this.exchange, amounts, options) as HttpResponse;
  }

  /** Counts what was used. Returns what meters with the count `cost` charge; undefined if there is none. */
  settle(status: number, tokens: TokenCounts, cost: Cost): Amount | undefined {
    this.#isOver = true;
    let charge: Amount | undefined;
    for (const part of this.#parts) {
      const [first, ...more] = part.holds.splice(0);
      if (!first) continue;
      const requests = part.policy.countsStatus[status] ? 1 : 0;
      part.settled = amountsOf(part.meters, { requests, tokens, cost });
      // Settled before the other holds are released, so that used amounts never appear available.
      first.settle(part.settled);
      for (const hold of more) hold.release();
      const charged = chargeIn(part.meters, part.settled);
      if (charged !== undefined) charge = (charge ?? 0n) + charged;
    }
    return charge;
  }

  /** The amounts that a policy has counted. Undefined if it has counted nothing. */
  amountsOf(policy: object): MeterAmounts | undefined {
    return this.#parts.find((part) => part.policy === policy)?.settled;
  }
}
