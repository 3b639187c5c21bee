import type { Charge, CustomerQuota, MeterAmounts } from "../../../areas/metering/customer-quota.ts";
import { type CustomerPlace, customerPlace, type QuotaLedger } from "../../../areas/metering/quota-ledger.ts";
import { type Amount, amountOf, numberOf } from "../../../lib/amount.ts";
import type { HttpResponse } from "../../../platform/http1/http-response.ts";
import type { Held, Passage, Policy, PolicyPlace } from "../../policy.ts";
import { refuse, refuseWhileAway } from "../../refusal.ts";
import type { QuotaOptions } from "./schema.ts";

const mostPlaces = 10_000;

interface HeldCharge extends Held {
  charge: Charge;
}

/** Holds consumers to what their plan allows: takes from the quota on the way in, gives back what did not count. */
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

  enter(passage: Passage): HttpResponse | undefined | Promise<HttpResponse | undefined> {
    const customer = passage.user?.sub;
    if (customer === undefined)
      return refuse(passage, "no_subscription", { detail: "The quota is that of a consumer; send a key." });
    const quota = this.ledger.find(this.#placeOf(customer), passage.now);
    return quota instanceof Promise ? this.#enterLater(passage, quota) : this.#take(passage, quota);
  }

  #placeOf(customer: string): CustomerPlace {
    const known = this.#places.get(customer);
    if (known) return known;
    const place = customerPlace(this.place.account.seq, this.options.bucketId, customer);
    if (this.#places.size >= mostPlaces) this.#places.clear();
    this.#places.set(customer, place);
    return place;
  }

  leave(passage: Passage, answer: HttpResponse): HttpResponse {
    const held = passage.held;
    if (held?.by !== this) return answer;
    passage.held = held.below;
    const { charge } = held as HeldCharge;
    // What the gateway itself refused after all, the consumer did not get.
    if (passage.refusal === undefined && this.#counts[answer.status]) charge.confirm();
    else charge.giveBack();
    return answer;
  }

  async #enterLater(passage: Passage, quota: Promise<CustomerQuota>): Promise<HttpResponse | undefined> {
    try {
      return this.#take(passage, await quota);
    } catch (error) {
      return refuseWhileAway(passage, error);
    }
  }

  #take(passage: Passage, quota: CustomerQuota): HttpResponse | undefined {
    if (!quota.subscription) return refuse(passage, "no_subscription");
    const charge = quota.charge(this.#amounts);
    if (!charge) {
      const detail = `No plan of the subscription has the meter ${quota.unknownMeter(this.#amounts)}.`;
      return refuse(passage, "meter_not_in_plan", { detail });
    }
    const lacking = charge.lacking();
    if (lacking && this.options.overQuota === "reject") return usedUp(passage, quota, lacking);
    charge.hold();
    const held: HeldCharge = { by: this, below: passage.held, charge };
    passage.held = held;
    return undefined;
  }
}

function usedUp(
  passage: Passage,
  { period }: CustomerQuota,
  { counter, max }: { counter: { meter: string; used: Amount }; max: Amount },
): HttpResponse {
  const seconds = Math.ceil((period.end - passage.now) / 1000);
  return refuse(passage, "quota_exceeded", {
    retryAfterSeconds: seconds,
    headers: {
      "x-quota-meter": counter.meter,
      "x-quota-limit": String(numberOf(max)),
      "x-quota-remaining": String(numberOf(max > counter.used ? max - counter.used : 0n)),
      "x-quota-reset": String(seconds),
    },
  });
}

function isAmong(status: number, statuses: QuotaOptions["statuses"]): boolean {
  return statuses.includes(status) || statuses.includes(`${Math.floor(status / 100)}xx`);
}
