import type { AskGroup } from "../../../areas/keys/verification/limits.ts";
import { type CustomerPlace, customerPlace } from "../../../areas/metering/quotas/customer-place.ts";
import type { CustomerQuota, HoldOptions } from "../../../areas/metering/quotas/customer-quota.ts";
import { Hold, type MeterAmounts, type Shortage } from "../../../areas/metering/quotas/hold.ts";
import { QuotaLedger } from "../../../areas/metering/quotas/quota-ledger.ts";
import { featuresOf } from "../../../areas/plans/prices.ts";
import type { Subscription } from "../../../areas/subscriptions/subscriptions.ts";
import { maxRecalls } from "../../../counting/deadlines.ts";
import { numberOf } from "../../../lib/amount.ts";
import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import type { PolicyPlace, RequestContext, SubscriptionTerms } from "../../exchange/policy.ts";
import { reject, rejectWhileUnavailable } from "../../exchange/rejection.ts";

const maxPlaces = 10_000;

/** Decides once more, after units were recalled. */
type HoldAgain = () => Hold | HttpResponse | Promise<Hold | HttpResponse>;

/** An amount of a quota that is taken until it is settled or released, see Hold. */
export type HeldAmounts = Pick<Hold, "settle" | "release">;

/** The subscription of a rejected request, for its record. */
interface Subscriber {
  plans: string[];
  subscriptionId: string;
}

/** Why amounts were not held. */
export type QuotaRejection =
  | { reason: "no_subscription" | "payment_required" }
  | { reason: "meter_not_in_plan"; meter: string; subscriber: Subscriber }
  | { reason: "exceeded"; shortage: Shortage; periodEnd: number; subscriber: Subscriber };

/** A hold of a quota that another process counts. */
export interface RemoteHold extends HeldAmounts {
  readonly terms: SubscriptionTerms;
}

/** Quotas that another process counts. */
export interface RemoteQuotas {
  /**
   * Without a promise if this process has a lease. Rejects with StorageUnavailable if the other one does not respond.
   * Callers reuse `customer` and `amounts`, because leases are found by their identity.
   */
  hold(
    customer: CustomerPlace,
    amounts: MeterAmounts,
    now: number,
    options: HoldOptions,
    group?: AskGroup,
  ): RemoteHold | Promise<RemoteHold | QuotaRejection>;
  /**
   * Like `hold`, before the decisions of the same group are known: the other process holds only if they let the request
   * continue, and otherwise the result is null. Returns undefined if this process can decide.
   */
  holdAhead(
    customer: CustomerPlace,
    amounts: MeterAmounts,
    now: number,
    options: HoldOptions,
    group: AskGroup,
  ): Promise<RemoteHold | QuotaRejection | null> | undefined;
}

/** Holds amounts of a customer's quota, or returns why not. */
export function holdQuota(
  quota: CustomerQuota,
  amounts: MeterAmounts,
  now: number,
  options: HoldOptions,
): Hold | QuotaRejection {
  const { subscription } = quota;
  if (!subscription) return { reason: quota.needsPayment ? "payment_required" : "no_subscription" };
  const hold = quota.hold(amounts, now, options);
  if (hold instanceof Hold) return hold;
  const subscriber = subscriberOf(subscription);
  if (!hold) return { reason: "meter_not_in_plan", meter: quota.unknownMeter(amounts)!, subscriber };
  return { reason: "exceeded", shortage: hold, periodEnd: quota.period.end, subscriber };
}

/** Reserves amounts of the consumer's quota, for policies that consume quotas. */
export class CustomerQuotas {
  readonly #places = new Map<string, CustomerPlace>();

  constructor(
    private readonly ledger: QuotaLedger | RemoteQuotas,
    private readonly bucketId: string,
    private readonly place: PolicyPlace,
  ) {}

  /** Returns the hold or a rejection, without a promise if the quota is cached. */
  hold(
    context: RequestContext,
    amounts: MeterAmounts,
    options: HoldOptions,
  ): HeldAmounts | HttpResponse | Promise<HeldAmounts | HttpResponse> {
    const customer = context.user?.sub;
    if (customer === undefined)
      return reject(context, "no_subscription", {
        detail: "The quota is that of a consumer; send a key.",
        decision: { reason: "anonymous" },
      });
    const place = this.#placeOf(customer);
    if (!(this.ledger instanceof QuotaLedger))
      return this.#holdRemotely(context, this.ledger.hold(place, amounts, context.now, options, context));
    return this.#holdHere(context, this.ledger, place, amounts, options);
  }

  #holdHere(
    context: RequestContext,
    ledger: QuotaLedger,
    place: CustomerPlace,
    amounts: MeterAmounts,
    options: HoldOptions,
    recalls = maxRecalls,
  ): Hold | HttpResponse | Promise<Hold | HttpResponse> {
    const quota = ledger.find(place, context.now);
    // A change may evict the quota while units are recalled.
    const again = () => this.#holdHere(context, ledger, place, amounts, options, recalls - 1);
    const recall = recalls > 0 ? again : undefined;
    return quota instanceof Promise
      ? this.#holdLater(context, quota, amounts, options, recall)
      : this.#hold(context, quota, amounts, options, recall);
  }

  #placeOf(customer: string): CustomerPlace {
    const known = this.#places.get(customer);
    if (known) return known;
    const place = customerPlace(this.place.account.seq, this.bucketId, customer);
    if (this.#places.size >= maxPlaces) this.#places.clear();
    this.#places.set(customer, place);
    return place;
  }

  async #holdLater(
    context: RequestContext,
    quota: Promise<CustomerQuota>,
    amounts: MeterAmounts,
    options: HoldOptions,
    again: HoldAgain | undefined,
  ): Promise<Hold | HttpResponse> {
    try {
      return await this.#hold(context, await quota, amounts, options, again);
    } catch (error) {
      return rejectWhileUnavailable(context, error);
    }
  }

  /** Asks for what `hold` will need. Undefined if it needs nothing of another process. */
  holdAhead(
    context: RequestContext,
    amounts: MeterAmounts,
    options: HoldOptions,
  ): Promise<RemoteHold | QuotaRejection | null> | undefined {
    const customer = context.user?.sub;
    if (customer === undefined || this.ledger instanceof QuotaLedger) return undefined;
    return this.ledger.holdAhead(this.#placeOf(customer), amounts, context.now, options, context);
  }

  /** Returns the hold that `holdAhead` asked for, or a rejection. */
  async heldAhead(
    context: RequestContext,
    asked: Promise<RemoteHold | QuotaRejection | null>,
    amounts: MeterAmounts,
    options: HoldOptions,
  ): Promise<HeldAmounts | HttpResponse> {
    try {
      const held = await asked;
      return await (held === null ? this.hold(context, amounts, options) : this.#heldRemotely(context, held));
    } catch (error) {
      return rejectWhileUnavailable(context, error);
    }
  }

  #holdRemotely(
    context: RequestContext,
    held: RemoteHold | Promise<RemoteHold | QuotaRejection>,
  ): HeldAmounts | Promise<HeldAmounts | HttpResponse> {
    if (held instanceof Promise) return this.#heldRemotely(context, held);
    context.terms = held.terms;
    return held;
  }

  async #heldRemotely(
    context: RequestContext,
    holding: RemoteHold | QuotaRejection | Promise<RemoteHold | QuotaRejection>,
  ): Promise<HeldAmounts | HttpResponse> {
    try {
      const held = await holding;
      if ("reason" in held) return this.#reject(context, held);
      context.terms = held.terms;
      return held;
    } catch (error) {
      return rejectWhileUnavailable(context, error);
    }
  }

  #hold(
    context: RequestContext,
    quota: CustomerQuota,
    amounts: MeterAmounts,
    options: HoldOptions,
    again: HoldAgain | undefined,
  ): Hold | HttpResponse | Promise<Hold | HttpResponse> {
    const hold = holdQuota(quota, amounts, context.now, options);
    if (!(hold instanceof Hold)) {
      const recalled = hold.reason === "exceeded" && again ? quota.recall() : undefined;
      return recalled ? recalled.then(again) : this.#reject(context, hold);
    }
    context.terms = subscriptionTermsOf(quota.subscription!);
    return hold;
  }

  #reject(context: RequestContext, rejection: QuotaRejection): HttpResponse {
    const consumer = context.user!.sub;
    switch (rejection.reason) {
      case "no_subscription":
      case "payment_required":
        return reject(context, rejection.reason, {
          decision: { reason: rejection.reason, consumer, bucket: this.bucketId },
        });
      case "meter_not_in_plan": {
        const { meter, subscriber } = rejection;
        return reject(context, "meter_not_in_plan", {
          detail: `No plan of the subscription has the meter ${meter}.`,
          decision: { reason: "meter_not_in_plan", meter, consumer, ...subscriber },
        });
      }
      case "exceeded":
        return usedUp(context, rejection);
    }
  }
}

const termsOfSubscriptions = new WeakMap<Subscription, SubscriptionTerms>();

/** What policies in code see of a subscription. The features of an add-on replace those of the plans before it. */
export function subscriptionTermsOf(subscription: Subscription): SubscriptionTerms {
  let terms = termsOfSubscriptions.get(subscription);
  if (!terms) {
    const { plans } = subscription;
    terms = { plan: plans[0]!.external_id, features: Object.assign({}, ...plans.map(featuresOf)) };
    termsOfSubscriptions.set(subscription, terms);
  }
  return terms;
}

function usedUp(
  context: RequestContext,
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
      consumer: context.user!.sub,
      ...subscriber,
    },
  });
}

function subscriberOf({ row, plans }: Subscription): Subscriber {
  return { plans: plans.map(({ label }) => label), subscriptionId: row.id };
}

/** Whether responses count, by status. */
export function countedByStatus(statuses: readonly (number | string)[]): boolean[] {
  return Array.from(
    { length: 600 },
    (_, status) => statuses.includes(status) || statuses.includes(`${Math.floor(status / 100)}xx`),
  );
}
