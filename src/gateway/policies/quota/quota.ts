import type { CustomerQuota, HoldOptions } from "../../../areas/metering/quotas/customer-quota.ts";
import { Hold, type MeterAmounts, type Shortage } from "../../../areas/metering/quotas/hold.ts";
import { type CustomerPlace, customerPlace, type QuotaLedger } from "../../../areas/metering/quotas/quota-ledger.ts";
import type { Subscription } from "../../../areas/metering/subscriptions/subscriptions.ts";
import { amountOf, numberOf } from "../../../lib/amount.ts";
import type { Period } from "../../../lib/time/calendar.ts";
import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import type { Policy, PolicyPlace, PolicyState, RequestContext } from "../../policy.ts";
import { reject, rejectWhileUnavailable } from "../../rejection.ts";
import type { QuotaOptions } from "./schema.ts";

const mostPlaces = 10_000;

interface QuotaState extends PolicyState {
  hold: Hold;
}

/** Enforces the quotas of plans: holds amounts on enter, settles or releases them on leave. */
export class QuotaPolicy implements Policy {
  readonly #amounts: MeterAmounts;
  readonly #holdOptions: HoldOptions;
  readonly #counts: boolean[];
  readonly #places = new Map<string, CustomerPlace>();

  constructor(
    private readonly ledger: QuotaLedger,
    private readonly options: QuotaOptions,
    private readonly place: PolicyPlace,
  ) {
    this.#amounts = new Map(Object.entries(options.meters).map(([meter, weight]) => [meter, amountOf(weight)!]));
    this.#holdOptions = { mayExceed: options.overQuota === "allow" };
    this.#counts = Array.from({ length: 600 }, (_, status) => isAmong(status, options.statuses));
  }

  enter(context: RequestContext): HttpResponse | undefined | Promise<HttpResponse | undefined> {
    const customer = context.user?.sub;
    if (customer === undefined)
      return reject(context, "no_subscription", {
        detail: "The quota is that of a consumer; send a key.",
        decision: { reason: "anonymous" },
      });
    const quota = this.ledger.find(this.#placeOf(customer), context.now);
    return quota instanceof Promise ? this.#enterLater(context, quota) : this.#hold(context, quota);
  }

  #placeOf(customer: string): CustomerPlace {
    const known = this.#places.get(customer);
    if (known) return known;
    const place = customerPlace(this.place.account.seq, this.options.bucketId, customer);
    if (this.#places.size >= mostPlaces) this.#places.clear();
    this.#places.set(customer, place);
    return place;
  }

  leave(context: RequestContext, response: HttpResponse): HttpResponse {
    const state = context.state;
    if (state?.policy !== this) return response;
    context.state = state.previous;
    const { hold } = state as QuotaState;
    // A request that the gateway itself rejected does not count.
    if (context.rejection === undefined && this.#counts[response.status]) hold.settle();
    else hold.release();
    return response;
  }

  async #enterLater(context: RequestContext, quota: Promise<CustomerQuota>): Promise<HttpResponse | undefined> {
    try {
      return this.#hold(context, await quota);
    } catch (error) {
      return rejectWhileUnavailable(context, error);
    }
  }

  #hold(context: RequestContext, quota: CustomerQuota): HttpResponse | undefined {
    const { subscription } = quota;
    if (!subscription) {
      const decision = { reason: "no_subscription", consumer: context.user!.sub, bucket: this.options.bucketId };
      return reject(context, "no_subscription", { decision });
    }
    const hold = quota.hold(this.#amounts, context.now, this.#holdOptions);
    if (!hold) {
      const meter = quota.unknownMeter(this.#amounts)!;
      const detail = `No plan of the subscription has the meter ${meter}.`;
      const decision = { reason: "meter_not_in_plan", meter, ...subscriberOf(context, subscription) };
      return reject(context, "meter_not_in_plan", { detail, decision });
    }
    if (!(hold instanceof Hold)) return usedUp(context, quota.period, subscription, hold);
    const state: QuotaState = { policy: this, previous: context.state, hold };
    context.state = state;
    return undefined;
  }
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

function isAmong(status: number, statuses: QuotaOptions["statuses"]): boolean {
  return statuses.includes(status) || statuses.includes(`${Math.floor(status / 100)}xx`);
}
