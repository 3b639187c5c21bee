import type { CustomerQuota, HoldOptions } from "../../../areas/metering/quotas/customer-quota.ts";
import { Hold, type MeterAmounts, type Shortage } from "../../../areas/metering/quotas/hold.ts";
import { type CustomerPlace, customerPlace, type QuotaLedger } from "../../../areas/metering/quotas/quota-ledger.ts";
import type { Subscription } from "../../../areas/metering/subscriptions/subscriptions.ts";
import { numberOf } from "../../../lib/amount.ts";
import type { Period } from "../../../lib/time/calendar.ts";
import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import type { PolicyPlace, RequestContext, SubscriptionTerms } from "../../policy.ts";
import { reject, rejectWhileUnavailable } from "../../rejection.ts";

const maxPlaces = 10_000;

/** Reserves amounts of the consumer's quota, for policies that consume quotas. */
export class CustomerQuotas {
  readonly #places = new Map<string, CustomerPlace>();

  constructor(
    private readonly ledger: QuotaLedger,
    private readonly bucketId: string,
    private readonly place: PolicyPlace,
  ) {}

  /** Returns the hold or a rejection, without a promise if the quota is cached. */
  hold(
    context: RequestContext,
    amounts: MeterAmounts,
    options: HoldOptions,
  ): Hold | HttpResponse | Promise<Hold | HttpResponse> {
    const customer = context.user?.sub;
    if (customer === undefined)
      return reject(context, "no_subscription", {
        detail: "The quota is that of a consumer; send a key.",
        decision: { reason: "anonymous" },
      });
    const quota = this.ledger.find(this.#placeOf(customer), context.now);
    return quota instanceof Promise
      ? this.#holdLater(context, quota, amounts, options)
      : this.#hold(context, quota, amounts, options);
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
  ): Promise<Hold | HttpResponse> {
    try {
      return this.#hold(context, await quota, amounts, options);
    } catch (error) {
      return rejectWhileUnavailable(context, error);
    }
  }

  #hold(context: RequestContext, quota: CustomerQuota, amounts: MeterAmounts, options: HoldOptions) {
    const { subscription } = quota;
    if (!subscription) {
      const decision = { reason: "no_subscription", consumer: context.user!.sub, bucket: this.bucketId };
      return reject(context, "no_subscription", { decision });
    }
    const hold = quota.hold(amounts, context.now, options);
    if (!hold) {
      const meter = quota.unknownMeter(amounts)!;
      const detail = `No plan of the subscription has the meter ${meter}.`;
      const decision = { reason: "meter_not_in_plan", meter, ...subscriberOf(context, subscription) };
      return reject(context, "meter_not_in_plan", { detail, decision });
    }
    if (!(hold instanceof Hold)) return usedUp(context, quota.period, subscription, hold);
    context.terms = termsOf(subscription);
    return hold;
  }
}

const noFeatures = {};
const termsOfSubscriptions = new WeakMap<Subscription, SubscriptionTerms>();

function termsOf(subscription: Subscription): SubscriptionTerms {
  let terms = termsOfSubscriptions.get(subscription);
  if (!terms) {
    // Plans have no features yet.
    terms = { plan: subscription.plans[0]!.external_id, features: noFeatures };
    termsOfSubscriptions.set(subscription, terms);
  }
  return terms;
}

function usedUp(
  context: RequestContext,
  period: Period,
  subscription: Subscription,
  { meter, used, max, amount }: Shortage,
): HttpResponse {
  const seconds = Math.ceil((period.end - context.now) / 1000);
  return reject(context, "quota_exceeded", {
    retryAfterSeconds: seconds,
    headers: {
      "x-quota-meter": meter,
      "x-quota-limit": String(numberOf(max)),
      "x-quota-remaining": String(numberOf(max > used ? max - used : 0n)),
      "x-quota-reset": String(seconds),
    },
    decision: {
      reason: "exceeded",
      meter,
      amount: numberOf(amount),
      used: numberOf(used),
      limit: numberOf(max),
      resetsOn: period.end,
      ...subscriberOf(context, subscription),
    },
  });
}

function subscriberOf({ user }: RequestContext, { row, plans }: Subscription) {
  return { consumer: user!.sub, plans: plans.map(({ label }) => label), subscriptionId: row.id };
}

/** Whether responses count, by status. */
export function countedByStatus(statuses: readonly (number | string)[]): boolean[] {
  return Array.from(
    { length: 600 },
    (_, status) => statuses.includes(status) || statuses.includes(`${Math.floor(status / 100)}xx`),
  );
}
