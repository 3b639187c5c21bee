import type { DecisionDetail } from "../../../areas/insight/request-log/request-record.ts";
import { type CustomerPlace, customerPlace } from "../../../counting/quotas/customer-place.ts";
import type { HoldOptions } from "../../../counting/quotas/customer-quota.ts";
import type { MeterAmounts } from "../../../counting/quotas/hold.ts";
import type { HeldAmounts, QuotaHold, QuotaHolds, QuotaRejection } from "../../../counting/quotas/hold-quota.ts";
import { numberOf } from "../../../lib/amount.ts";
import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import type { PolicyPlace, RequestContext } from "../../exchange/policy.ts";
import { reject, rejectWhileUnavailable } from "../../exchange/rejection.ts";

const maxPlaces = 10_000;

/** A hold that was requested before it is needed. Null if an earlier decision has ended the request. */
export type HeldAhead = Promise<QuotaHold | QuotaRejection | null>;

/** Reserves amounts of the consumer's quota, for policies that consume quotas. */
export class CustomerQuotas {
  /** By the id of the consumer: consumers of several key buckets may have the same name. */
  readonly #places = new Map<string, CustomerPlace>();

  constructor(
    private readonly quotas: QuotaHolds,
    private readonly bucketId: string,
    private readonly place: PolicyPlace,
  ) {}

  /** Returns the hold or a rejection, without a promise if the quota is cached. */
  hold(
    context: RequestContext,
    amounts: MeterAmounts,
    options: HoldOptions,
    ahead?: HeldAhead,
  ): HeldAmounts | HttpResponse | Promise<HeldAmounts | HttpResponse> {
    if (!context.user)
      return reject(context, "no_subscription", {
        detail: "The quota is that of a consumer; send a key.",
        decision: { reason: "anonymous" },
      });
    const held = ahead ?? this.quotas.hold(this.#placeOf(context), amounts, context.now, options, context);
    if (!(held instanceof Promise)) return this.#keep(context, held);
    return held.then(
      (decided) => (decided ? this.#keep(context, decided) : this.hold(context, amounts, options)),
      (error: unknown) => rejectWhileUnavailable(context, error),
    );
  }

  #placeOf({ user, consumerId, keyBucket }: RequestContext): CustomerPlace {
    const { sub } = user!;
    const id = consumerId ?? sub;
    const known = this.#places.get(id);
    if (known) return known;
    const place = customerPlace(this.place.account.seq, this.bucketId, sub, keyBucket);
    if (this.#places.size >= maxPlaces) this.#places.clear();
    this.#places.set(id, place);
    return place;
  }

  #keep(context: RequestContext, held: QuotaHold | QuotaRejection): HeldAmounts | HttpResponse {
    if ("reason" in held) return this.reject(context, held);
    // The project's code gets them.
    if (!this.place.observes) context.terms = held.terms;
    return held;
  }

  /** Requests the hold from another process ahead of `hold`, to which it is given. Undefined if this process can decide. */
  holdAhead(context: RequestContext, amounts: MeterAmounts, options: HoldOptions): HeldAhead | undefined {
    if (!context.user) return undefined;
    return this.quotas.holdAhead(this.#placeOf(context), amounts, context.now, options, context);
  }

  /**
   * Holds amounts of a consumer during a request, which may fail and be repeated: returns the reason instead of a
   * response. Rejects if storage is unavailable.
   */
  tryHold(context: RequestContext, amounts: MeterAmounts, now: number, options: HoldOptions) {
    return this.quotas.hold(this.#placeOf(context), amounts, now, options);
  }

  /** Rejects a request whose quota does not suffice. */
  reject(context: RequestContext, rejection: QuotaRejection): HttpResponse {
    const consumer = context.user!.sub;
    switch (rejection.reason) {
      case "no_subscription":
      case "payment_required": {
        const decision: DecisionDetail = { reason: rejection.reason, consumer, bucket: this.bucketId };
        const { customersKeyBucket } = rejection;
        if (customersKeyBucket !== undefined)
          Object.assign(decision, { keyBucket: context.keyBucket, customersKeyBucket });
        return reject(context, rejection.reason, { decision });
      }
      case "meter_not_in_plan": {
        const { meter, subscriber } = rejection;
        return reject(context, "meter_not_in_plan", {
          detail: `No plan of the subscription has the meter ${meter}.`,
          decision: { reason: "meter_not_in_plan", meter, consumer, ...subscriber },
        });
      }
      case "exceeded":
        return usedUp(context, this.bucketId, rejection);
    }
  }
}

function usedUp(
  context: RequestContext,
  bucket: string,
  { shortage, periodEnd, subscriber }: Extract<QuotaRejection, { reason: "exceeded" }>,
): HttpResponse {
  const { meter, used, max, amount, code } = shortage;
  const seconds = Math.ceil((periodEnd - context.now) / 1000);
  return reject(context, code, {
    // With a payment there is nothing to wait for.
    ...(code === "quota_exceeded" ? { retryAfterSeconds: seconds } : {}),
    headers: {
      "x-quota-meter": meter,
      "x-quota-limit": String(numberOf(max)),
      "x-quota-remaining": String(numberOf(max > used ? max - used : 0n)),
      "x-quota-reset": String(seconds),
    },
    decision: {
      reason: code === "quota_exceeded" ? "exceeded" : code,
      meter,
      amount: numberOf(amount),
      used: numberOf(used),
      limit: numberOf(max),
      resetsOn: periodEnd,
      bucket,
      consumer: context.user!.sub,
      ...subscriber,
    },
  });
}

/** Whether responses count, by status. */
export function countedByStatus(statuses: readonly (number | string)[]): boolean[] {
  return Array.from(
    { length: 600 },
    (_, status) => statuses.includes(status) || statuses.includes(`${Math.floor(status / 100)}xx`),
  );
}
