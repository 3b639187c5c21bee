import type { Charge, CustomerQuota, MeterAmounts } from "../../../areas/metering/quotas/customer-quota.ts";
import { type CustomerPlace, customerPlace, type QuotaLedger } from "../../../areas/metering/quotas/quota-ledger.ts";
import type { Subscription } from "../../../areas/metering/subscriptions/subscriptions.ts";
import { type Amount, amountOf, numberOf } from "../../../lib/amount.ts";
import type { Period } from "../../../lib/time/calendar.ts";
import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import { type Policy, type PolicyPlace, type PolicyState, type RequestContext, stateOf } from "../../policy.ts";
import { reject, rejectWhileUnavailable } from "../../rejection.ts";
import type { QuotaOptions } from "./schema.ts";

const mostPlaces = 10_000;

interface QuotaState extends PolicyState {
  charge: Charge;
}

/** Enforces the quotas of plans: takes from the quota on enter, returns what did not count on leave. */
export class QuotaPolicy implements Policy {
  readonly #amounts: MeterAmounts;
  readonly #counts: boolean[];
  readonly #places = new Map<string, CustomerPlace>();

  constructor(
    private readonly ledger: QuotaLedger,
    private readonly options: QuotaOptions,
    private readonly place: PolicyPlace,
  ) {
    this.#amounts = new Map(Object.entries(options.meters).map(([meter, weight]) => [meter, amountOf(weight)!]));
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
    return quota instanceof Promise ? this.#enterLater(context, quota) : this.#take(context, quota);
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
    const state = stateOf<QuotaState>(context, this);
    if (!state) return response;
    const { charge } = state;
    // A request that the gateway itself rejected does not count.
    if (context.rejection === undefined && this.#counts[response.status]) charge.confirm();
    else charge.giveBack();
    return response;
  }

  async #enterLater(context: RequestContext, quota: Promise<CustomerQuota>): Promise<HttpResponse | undefined> {
    try {
      return this.#take(context, await quota);
    } catch (error) {
      return rejectWhileUnavailable(context, error);
    }
  }

  #take(context: RequestContext, quota: CustomerQuota): HttpResponse | undefined {
    const { subscription } = quota;
    if (!subscription) {
      const decision = { reason: "no_subscription", consumer: context.user!.sub, bucket: this.options.bucketId };
      return reject(context, "no_subscription", { decision });
    }
    const charge = quota.charge(this.#amounts);
    if (!charge) {
      const meter = quota.unknownMeter(this.#amounts)!;
      const detail = `No plan of the subscription has the meter ${meter}.`;
      const decision = { reason: "meter_not_in_plan", meter, ...subscriberOf(context, subscription) };
      return reject(context, "meter_not_in_plan", { detail, decision });
    }
    const lacking = charge.lacking();
    if (lacking && this.options.overQuota === "reject") return usedUp(context, quota.period, subscription, lacking);
    charge.hold();
    const state: QuotaState = { policy: this, previous: context.state, charge };
    context.state = state;
    return undefined;
  }
}

function usedUp(
  context: RequestContext,
  period: Period,
  subscription: Subscription,
  { counter, max, amount }: { counter: { meter: string; used: Amount }; max: Amount; amount: Amount },
): HttpResponse {
  const seconds = Math.ceil((period.end - context.now) / 1000);
  return reject(context, "quota_exceeded", {
    retryAfterSeconds: seconds,
    headers: {
      "x-quota-meter": counter.meter,
      "x-quota-limit": String(numberOf(max)),
      "x-quota-remaining": String(numberOf(max > counter.used ? max - counter.used : 0n)),
      "x-quota-reset": String(seconds),
    },
    decision: {
      reason: "exceeded",
      meter: counter.meter,
      amount: numberOf(amount),
      used: numberOf(counter.used),
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
