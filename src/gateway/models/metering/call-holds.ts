import type { Cost } from "../../../core/model-prices/cost.ts";
import type { MeterAmounts } from "../../../counting/quotas/hold.ts";
import type { HeldAmounts, QuotaRejection } from "../../../counting/quotas/hold-quota.ts";
import type { Amount } from "../../../lib/amount.ts";
import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import type { TokenCounts } from "../../exchange/model-use.ts";
import { observeRejection } from "../../exchange/observation.ts";
import { reject, rejectWhileUnavailable } from "../../exchange/rejection.ts";
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

/** See CallHolds.begin. */
interface FirstUse {
  possible: CountedUse;
  estimate: CountedUse;
  least?: CountedUse | undefined;
}

function difference(use: CountedUse, less: CountedUse): CountedUse {
  const output = use.tokens.output - less.tokens.output;
  return { requests: 0, tokens: { ...use.tokens, input: 0, output }, cost: use.cost - less.cost };
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
   * @param first.possible has amounts of which the request takes an unknown part
   * @param first.estimate what counts if this process is killed
   * @param first.least what suffices for a request whose output is clamped, which a policy in `observe` does not do
   */
  begin(use: CountedUse, first: FirstUse, now: number): Held {
    return this.#holdEach(use, now, first, 0);
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
  #holdEach(use: CountedUse, now: number, first: FirstUse | undefined, from: number): Held {
    const { exchange } = this;
    for (let index = from; index < this.#parts.length; index++) {
      const part = this.#parts[index]!;
      const { policy, meters } = part;
      const { observes = false } = policy.place;
      const least = observes ? first?.least : undefined;
      const amounts = usedAmounts(meters, least ?? use, first?.possible);
      // The first hold may be empty: it requires a subscription, and counts what was not expected.
      if (first ? meters.length === 0 : amounts.size === 0) continue;
      const noUser = exchange.user ? undefined : this.#failed({ policy, amounts });
      if (noUser) return noUser;
      if (!exchange.user) continue;
      const held = policy.quotas.tryHold(exchange, amounts, now, {
        ...options,
        ...(first && { estimate: usedAmounts(meters, first.estimate) }),
        ...(observes && { observes }),
      });
      if (least) void this.#holdBeyond(part, usedAmounts(meters, difference(use, least)), now);
      if (held instanceof Promise) {
        const next = () => this.#holdEach(use, now, first, index + 1);
        return held.then(
          (result) => this.#keep(part, amounts, result) ?? next(),
          (unavailable: unknown) => this.#failed({ policy, amounts, unavailable }) ?? next(),
        );
      }
      const failed = this.#keep(part, amounts, held);
      if (failed) return failed;
    }
    return undefined;
  }

  /** Returns the failure, unless the policy is in `observe`: then it is only recorded. */
  #failed(failed: FailedHold): FailedHold | undefined {
    const { name, observes } = failed.policy.place;
    if (!observes) return failed;
    const { exchange } = this;
    const { rejection, rejectionDetail, decisionDetail, failure, isRejectedByCode } = exchange;
    const at = exchange.running.steps.findIndex(({ policy }) => policy === name);
    const isUnavailable = failed.unavailable !== undefined;
    observeRejection(exchange, at, isUnavailable ? reject(exchange, "storage_unavailable") : this.#rejectionOf(failed));
    // The response may have begun, or failed.
    Object.assign(exchange, { rejection, rejectionDetail, decisionDetail, failure, isRejectedByCode });
    return undefined;
  }

  /** Holds the rest of what a request may use in `observe`, so that concurrent requests are decided as with a clamped one. */
  async #holdBeyond(part: Part, amounts: MeterAmounts, now: number): Promise<void> {
    if (amounts.size === 0) return;
    try {
      const held = await part.policy.quotas.tryHold(this.exchange, amounts, now, { ...options, mayExceed: true });
      this.#keep(part, amounts, held);
    } catch {
      // Storage is unavailable: what was used is counted with the first hold.
    }
  }

  #keep(part: Part, amounts: MeterAmounts, held: HeldAmounts | QuotaRejection): FailedHold | undefined {
    const { policy } = part;
    if ("reason" in held) return this.#failed({ policy, amounts, rejection: held });
    if (held.exceeded) this.#failed({ policy, amounts, rejection: held.exceeded });
    // This hold was requested before the response ended.
    if (this.#isOver) held.release();
    else part.holds.push(held);
    return undefined;
  }

  release(): void {
    for (const part of this.#parts) for (const hold of part.holds.splice(0)) hold.release();
  }

  /** Releases all holds, and rejects the request. */
  reject(failed: FailedHold): HttpResponse {
    this.release();
    return this.#rejectionOf(failed);
  }

  #rejectionOf({ policy, amounts, rejection, unavailable }: FailedHold): HttpResponse {
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
