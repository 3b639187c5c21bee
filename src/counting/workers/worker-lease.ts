import type { Amount } from "../../lib/amount.ts";
import {
  type CountingToPrimary,
  type LeaseReport,
  type LeaseState,
  type LimitGrant,
  type QuotaGrant,
  serializeAmounts,
} from "./messages.ts";

/** Requests of a subject between two reports that make it worth a lease. */
const frequent = 2;
const smallestWanted = 16;

/** Units of a counter that this worker may use without asking. A unit is what one request takes. */
export abstract class WorkerLease {
  /** The units that can be used. */
  left = 0;
  /** Requests since the last report, with and without the lease. */
  requests = 0;
  /** Requests between two reports: the most recently, halved with each report since. */
  #recent = 0;
  /** Units of requests in progress. */
  #open = 0;
  /** All units that were granted and received, used, returned, and used with other amounts. They only increase. */
  #granted = 0;
  #used = 0;
  #returned = 0;
  #settledUnits = 0;
  /** The amounts of `#settledUnits`: those that were reported, and those since the last report. */
  #reportedAs: Map<string, Amount> | undefined;
  #settledAs: Map<string, Amount> | undefined;
  /** What the last report contained of `#used`, and the sum of all units in it. */
  #reportedUse = 0;
  #reportedUnits = 0;
  /** Whether the primary has recalled the lease and granted nothing since: it does not ask again. */
  #isRecalled = false;
  #wasGranted = false;
  /** Whether a message that asks for units is under way. */
  isAsking = false;

  constructor(readonly id: number) {}

  abstract isValidAt(now: number): boolean;
  /** Called with each grant. */
  abstract update(grant: LimitGrant | QuotaGrant): void;
  /** Called when nothing is left of the lease. */
  abstract forget(): void;
  /** Returns the message that counts units for a primary that did not grant them. */
  abstract countLater(units: number, settledAs: ReadonlyMap<string, Amount> | undefined): CountingToPrimary | undefined;

  /** Uses a unit that needs no `settle`. */
  use(): void {
    this.left -= 1;
    this.requests += 1;
    this.#used += 1;
  }

  /** Uses a unit until `settle` or `release`. */
  open(): void {
    this.left -= 1;
    this.requests += 1;
    this.#open += 1;
  }

  /** Counts an open unit, or other amounts instead. Returns whether it must be reported now. */
  settle(actual?: ReadonlyMap<string, Amount>): boolean {
    this.#open -= 1;
    if (!actual) this.#used += 1;
    else {
      this.#settledUnits += 1;
      this.#settledAs = added(this.#settledAs, actual);
    }
    return this.#isRecalled;
  }

  /** Returns an open unit. Returns whether it must be reported now. */
  release(): boolean {
    this.#open -= 1;
    if (this.#isRecalled) this.#returned += 1;
    else this.left += 1;
    return this.#isRecalled;
  }

  /** @param granted all units that were granted since the lease began: a repeated or late grant changes nothing */
  grant(granted: number, grant: LimitGrant | QuotaGrant): void {
    if (granted <= this.#granted) return;
    this.left += granted - this.#granted;
    this.#granted = granted;
    this.#wasGranted = true;
    this.#isRecalled = false;
    this.update(grant);
  }

  /** Gives up all units that are not in use. */
  giveUp(): void {
    this.#returned += this.left;
    this.left = 0;
  }

  recall(): void {
    this.giveUp();
    this.#recent = 0;
    this.#isRecalled = true;
  }

  /** Returns how many units to ask for with a request. */
  wanted(): number {
    return this.requests < frequent || this.isAsking ? 0 : Math.max(smallestWanted, 2 * this.requests);
  }

  /**
   * Plans the time until the next report: keeps units for twice as many requests as recently. On busy cores a worker may
   * serve none between two reports; without units it would ask for each of the next ones.
   */
  renew(now: number): { wanted: number; isEnded: boolean } {
    this.#recent = Math.max(this.requests, Math.floor(this.#recent / 2));
    const target = this.isValidAt(now) && this.#recent >= frequent ? 2 * this.#recent : 0;
    this.requests = 0;
    if (this.left > 2 * target) {
      this.#returned += this.left - target;
      this.left = target;
    }
    const wanted = this.left < target && !this.isAsking ? target - this.left : 0;
    return { wanted, isEnded: target === 0 && this.left === 0 && this.#open === 0 && !this.isAsking };
  }

  /** Returns the state of the lease. Its numbers are totals, so a repeated or late report changes nothing. */
  report(state: LeaseState, wanted = 0): LeaseReport {
    if (this.#settledAs) this.#reportedAs = added(this.#reportedAs, this.#settledAs);
    this.#reported();
    const { id } = this;
    const units = [id, this.#granted, this.#used, this.#returned, wanted, state] as const;
    return this.#reportedAs ? [...units, this.#settledUnits, serializeAmounts(this.#reportedAs)] : units;
  }

  /** Whether the primary knows the lease. */
  get wasGranted(): boolean {
    return this.#wasGranted;
  }

  get hasNews(): boolean {
    return this.#used + this.#returned + this.#settledUnits > this.#reportedUnits;
  }

  /** To be called when the primary has ended. Returns the unreported use, for the next primary to count. */
  abandon(): CountingToPrimary | undefined {
    this.left = 0;
    const used = this.#used - this.#reportedUse;
    const message = used > 0 || this.#settledAs ? this.countLater(used, this.#settledAs) : undefined;
    this.#reported();
    return message;
  }

  #reported(): void {
    this.#settledAs = undefined;
    this.#reportedUse = this.#used;
    this.#reportedUnits = this.#used + this.#returned + this.#settledUnits;
  }
}

function added(sums: Map<string, Amount> | undefined, amounts: ReadonlyMap<string, Amount>): Map<string, Amount> {
  const result = sums ?? new Map<string, Amount>();
  for (const [meter, amount] of amounts) result.set(meter, (result.get(meter) ?? 0n) + amount);
  return result;
}

interface LeaseLink {
  notify(message: CountingToPrimary): void;
  notifySurely(message: () => CountingToPrimary | undefined): void;
}

/** All leases of this worker. */
export class WorkerLeaseBook {
  readonly #leases = new Map<number, WorkerLease>();
  #lastId = 0;

  constructor(private readonly link: LeaseLink) {}

  get size(): number {
    return this.#leases.size;
  }

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  add(lease: WorkerLease): void {
    this.#leases.set(lease.id, lease);
  }

  granted(id: number, units: number, grant: LimitGrant | QuotaGrant): void {
    const lease = this.#leases.get(id);
    if (lease) lease.grant(units, grant);
    // It has ended meanwhile, and has reported its use.
    else this.link.notify(["leases", [[id, units, 0, 0, 0, "ended"]]]);
  }

  /** Returns the unused units. A lease that has ended has reported so. */
  recall(id: number): void {
    const lease = this.#leases.get(id);
    if (!lease) return;
    lease.recall();
    this.#report(lease.report("returned"));
  }

  /** Reports a lease before the next periodic report. */
  reportNow(lease: WorkerLease): void {
    if (lease.hasNews) this.#report(lease.report("open"));
  }

  /** Reports what was used since the last call, and renews leases that are in use. */
  reportAll(now: number): void {
    const reports: LeaseReport[] = [];
    for (const lease of this.#leases.values()) {
      const { wanted, isEnded } = lease.renew(now);
      if (isEnded) {
        this.#leases.delete(lease.id);
        lease.forget();
      }
      if (lease.wasGranted ? isEnded || lease.hasNews || wanted > 0 : wanted > 0)
        reports.push(lease.report(isEnded ? "ended" : "open", wanted));
    }
    if (reports.length > 0) this.link.notify(["leases", reports]);
  }

  #report(report: LeaseReport): void {
    this.link.notify(["leases", [report]]);
  }

  /** The primary that granted the leases has ended. */
  abandonAll(): void {
    for (const lease of this.#leases.values()) {
      const message = lease.abandon();
      if (message) this.link.notifySurely(() => message);
      lease.forget();
    }
    this.#leases.clear();
  }
}
