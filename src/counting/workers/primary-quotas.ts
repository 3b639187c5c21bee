import type { Amount } from "../../lib/amount.ts";
import type { DecisionGroup } from "../limits/limits.ts";
import type { CustomerPlace } from "../quotas/customer-place.ts";
import type { HeldIn, HoldOptions } from "../quotas/customer-quota.ts";
import type { ExceededQuota, MeterAmounts } from "../quotas/hold.ts";
import type { QuotaHold, QuotaHolds, QuotaRejection } from "../quotas/hold-quota.ts";
import type { SubscriptionTerms } from "../quotas/quota-definition.ts";
import {
  type CountingLink,
  type CountingToPrimary,
  decodeExceeded,
  encodeAmounts,
  type HoldRequest,
  type HoldResponse,
  type QuotaGrant,
  serializeAmounts,
  type TakenOverHold,
} from "./messages.ts";
import { WorkerLease, type WorkerLeaseBook } from "./worker-lease.ts";

/** Quotas, which the primary counts, and this worker for frequent customers. */
export class PrimaryQuotas implements QuotaHolds {
  readonly #open = new Set<PrimaryHold>();
  readonly #leases = new Map<MeterAmounts, Map<CustomerPlace, QuotaLease>>();
  #lastId = 0;

  constructor(
    private readonly link: Pick<CountingLink, "ask" | "notify" | "notifySurely" | "epoch">,
    private readonly book: WorkerLeaseBook,
    private readonly isTrusted: () => boolean,
  ) {}

  hold(
    place: CustomerPlace,
    amounts: MeterAmounts,
    now: number,
    options: HoldOptions,
    group?: DecisionGroup,
  ): QuotaHold | Promise<QuotaHold | QuotaRejection> {
    const held = { id: 0, place, amounts, now, options };
    // Other nodes must know shared holds, and only the primary knows the usage.
    if (options.isShared || options.reportsUsage)
      return this.#ask(undefined, held, group) as Promise<QuotaHold | QuotaRejection>;
    const lease = this.#leaseOf(place, amounts, now);
    if (lease.left > 0 && this.isTrusted()) {
      lease.open();
      return new PrimaryHold(this, held, lease.heldIn!, lease.terms!, lease);
    }
    lease.requests += 1;
    return this.#ask(lease, held, group) as Promise<QuotaHold | QuotaRejection>;
  }

  holdAhead(
    place: CustomerPlace,
    amounts: MeterAmounts,
    now: number,
    options: HoldOptions,
    group: DecisionGroup,
  ): Promise<QuotaHold | QuotaRejection | null> | undefined {
    const lease = this.#leaseOf(place, amounts, now);
    if (lease.left > 0) return undefined;
    lease.requests += 1;
    return this.#ask(lease, { id: 0, place, amounts, now, options }, group);
  }

  #leaseOf(place: CustomerPlace, amounts: MeterAmounts, now: number): QuotaLease {
    const known = this.#leases.get(amounts)?.get(place);
    return known?.isValidAt(now) ? known : this.#openLease(place, amounts);
  }

  /** The open holds, which the next primary must hold too. */
  takeOver(): TakenOverHold[] {
    return Array.from(this.#open, (hold) => hold.takeOver(this.link.epoch));
  }

  /** The primary has ended. Holds of its leases are taken over by the next one. */
  disconnected(): void {
    for (const hold of this.#open) hold.leaveLease();
  }

  /** Null only if a decision of the group before has ended the request. */
  async #ask(
    lease: QuotaLease | undefined,
    held: Held,
    group: DecisionGroup | undefined,
  ): Promise<QuotaHold | QuotaRejection | null> {
    held.id = this.nextId();
    const wanted = lease?.wanted() ?? 0;
    if (lease) this.book.reportNow(lease);
    if (lease && wanted > 0) lease.isAsking = true;
    try {
      const message = ["hold", requestOf(held), lease?.id ?? 0, wanted, group?.decisionGroup ?? 0] as const;
      const releaseLate = (response: unknown) => {
        const late = this.#held(held, response as HoldResponse | null);
        if (late instanceof PrimaryHold) late.release();
      };
      return this.#held(held, (await this.link.ask(message, releaseLate)) as HoldResponse | null);
    } finally {
      if (lease && wanted > 0) lease.isAsking = false;
    }
  }

  #held(held: Held, response: HoldResponse | null): PrimaryHold | QuotaRejection | null {
    if (response === null) return null;
    return "reason" in response
      ? response.reason === "exceeded"
        ? decodeExceeded(response)
        : response
      : new PrimaryHold(
          this,
          held,
          response,
          response.terms,
          undefined,
          response.usage,
          response.exceeded && decodeExceeded(response.exceeded),
        );
  }

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  get epoch(): number {
    return this.link.epoch;
  }

  get notify() {
    return this.link.notify.bind(this.link);
  }

  get notifySurely() {
    return this.link.notifySurely.bind(this.link);
  }

  opened(hold: PrimaryHold): void {
    this.#open.add(hold);
  }

  /** Returns false if the hold has ended before. */
  ended(hold: PrimaryHold): boolean {
    return this.#open.delete(hold);
  }

  /** A unit of a lease was used or returned. */
  changed(lease: QuotaLease, mustReport: boolean): void {
    if (mustReport) this.book.reportNow(lease);
  }

  #openLease(place: CustomerPlace, amounts: MeterAmounts): QuotaLease {
    let leases = this.#leases.get(amounts);
    if (!leases) {
      leases = new Map();
      this.#leases.set(amounts, leases);
    }
    leases.get(place)?.giveUp();
    const lease: QuotaLease = new QuotaLease(this.book.nextId(), amounts, () => {
      if (leases.get(place) === lease) leases.delete(place);
      if (leases.size === 0 && this.#leases.get(amounts) === leases) this.#leases.delete(amounts);
    });
    leases.set(place, lease);
    this.book.add(lease);
    return lease;
  }

  /** Returns the leases of some customers: their quotas have changed. */
  giveUp(concerns: (place: CustomerPlace) => boolean): void {
    for (const leases of this.#leases.values())
      for (const [place, lease] of leases) {
        if (!concerns(place)) continue;
        leases.delete(place);
        lease.giveUp();
        this.book.reportNow(lease);
      }
  }
}

/** What a hold takes from which quota. */
interface Held {
  /** 0 for a unit of a lease. */
  id: number;
  place: CustomerPlace;
  amounts: MeterAmounts;
  now: number;
  options: HoldOptions;
}

function requestOf({ id, place, amounts, now, options: { estimate, ...options } }: Held): HoldRequest {
  const { key: _, ...customer } = place;
  const request = { id, ...customer, amounts: encodeAmounts(amounts), now, options };
  return estimate ? { ...request, estimate: serializeAmounts(estimate) } : request;
}

/** A hold in the primary, or a unit of a lease. */
class PrimaryHold implements QuotaHold {
  /** The number of the primary that has the hold. 0 if none has it. */
  #epoch: number;
  #estimate: MeterAmounts | undefined;

  constructor(
    private readonly quotas: PrimaryQuotas,
    private readonly held: Held,
    private readonly heldIn: HeldIn,
    readonly terms: SubscriptionTerms,
    private lease?: QuotaLease,
    readonly usage?: string,
    readonly exceeded: ExceededQuota | undefined = undefined,
  ) {
    this.#epoch = quotas.epoch;
    this.#estimate = held.options.estimate;
    quotas.opened(this);
  }

  takeOver(epoch: number): TakenOverHold {
    this.#epoch = epoch;
    this.held.id ||= this.quotas.nextId();
    const { id, amounts, options } = this.held;
    const { subscriptionSeq, periodStart, periodEnd, testTime } = this.heldIn;
    return {
      id,
      amounts: encodeAmounts(amounts),
      isShared: options.isShared === true,
      estimate: this.#estimate && serializeAmounts(this.#estimate),
      subscriptionSeq,
      periodStart,
      periodEnd,
      testTime,
    };
  }

  leaveLease(): void {
    if (!this.lease) return;
    this.lease = undefined;
    this.#epoch = 0;
  }

  /** A unit of a lease is too short-lived for an estimate. */
  estimate(used: MeterAmounts): void {
    const { quotas, lease } = this;
    if (lease) return;
    this.#estimate = used;
    // The next primary gets it with the hold.
    if (this.#epoch === quotas.epoch) quotas.notify(["estimate", this.held.id, serializeAmounts(used)]);
  }

  settle(actual?: MeterAmounts): void {
    const { quotas, lease } = this;
    if (!quotas.ended(this)) return;
    if (lease) {
      quotas.changed(lease, lease.settle(actual));
      return;
    }
    const { id, amounts } = this.held;
    quotas.notifySurely(() => {
      if (this.#epoch === quotas.epoch) return ["settle", id, actual ? encodeAmounts(actual) : null];
      // The primary that held it has ended.
      const { subscriptionSeq, periodStart, periodEnd, testTime } = this.heldIn;
      return ["count", subscriptionSeq, periodStart, periodEnd, encodeAmounts(actual ?? amounts), testTime];
    });
  }

  release(): void {
    const { quotas, lease } = this;
    if (!quotas.ended(this)) return;
    if (lease) quotas.changed(lease, lease.release());
    else quotas.notifySurely(() => (this.#epoch === quotas.epoch ? ["release", this.held.id] : undefined));
  }
}

/** Amounts of one customer's quota, of one policy. */
class QuotaLease extends WorkerLease {
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
