import type { DecisionGroup, LimitPlace, Limits, TakenRequest } from "../limits/limits.ts";
import type { CountingLink, CountingToPrimary, LimitGrant } from "./messages.ts";
import { WorkerLease, type WorkerLeaseBook } from "./worker-lease.ts";

/** Rate limits and limits of keys, which the primary counts, and this worker for frequent subjects. */
export class PrimaryLimits implements Limits {
  readonly #leases = new Map<LimitPlace, Map<string, LimitLease>>();

  constructor(
    private readonly link: Pick<CountingLink, "ask">,
    private readonly book: WorkerLeaseBook,
  ) {}

  take(
    place: LimitPlace,
    subject: string,
    limit: number,
    now: number,
    group?: DecisionGroup,
  ): TakenRequest | Promise<TakenRequest> {
    const lease = this.#leaseOf(place, subject, limit, now);
    if (lease.left > 0) {
      lease.use();
      lease.remaining -= 1;
      return { left: Math.max(0, lease.remaining), resetsOn: lease.end };
    }
    lease.requests += 1;
    return lease.rejection ?? (this.#ask(lease, now, group) as Promise<TakenRequest>);
  }

  takeAhead(
    place: LimitPlace,
    subject: string,
    limit: number,
    now: number,
    group: DecisionGroup,
  ): Promise<TakenRequest | null> | undefined {
    const lease = this.#leaseOf(place, subject, limit, now);
    if (lease.left > 0 || lease.rejection) return undefined;
    lease.requests += 1;
    return this.#ask(lease, now, group);
  }

  #leaseOf(place: LimitPlace, subject: string, limit: number, now: number): LimitLease {
    const known = this.#leases.get(place)?.get(subject);
    return known?.limit === limit && known.isValidAt(now) ? known : this.#open(place, subject, limit, now);
  }

  /** Null only if a decision of the group before has ended the request. */
  async #ask(lease: LimitLease, now: number, group: DecisionGroup | undefined): Promise<TakenRequest | null> {
    const { place, subject, limit, id } = lease;
    this.book.reportNow(lease);
    const wanted = lease.wanted();
    if (wanted > 0) lease.isAsking = true;
    try {
      const message = ["limit", place, subject, limit, now, id, wanted, group?.decisionGroup ?? 0] as const;
      const taken = (await this.link.ask(message)) as TakenRequest | null;
      // Counts of a fixed window never decrease.
      if (taken?.left === -1 && place.kind === "fixed") lease.rejection = taken;
      return taken;
    } finally {
      if (wanted > 0) lease.isAsking = false;
    }
  }

  /** A former lease returns its units with the next report. */
  #open(place: LimitPlace, subject: string, limit: number, now: number): LimitLease {
    let leases = this.#leases.get(place);
    if (!leases) {
      leases = new Map();
      this.#leases.set(place, leases);
    }
    leases.get(subject)?.giveUp();
    const lease: LimitLease = new LimitLease(this.book.nextId(), place, subject, limit, now, () => {
      if (leases.get(subject) === lease) leases.delete(subject);
      if (leases.size === 0 && this.#leases.get(place) === leases) this.#leases.delete(place);
    });
    leases.set(subject, lease);
    this.book.add(lease);
    return lease;
  }
}

/** Requests of one subject in one window. */
class LimitLease extends WorkerLease {
  readonly #start: number;
  readonly end: number;
  /** The requests that are left for all workers, as of the last grant. */
  remaining = 0;
  rejection: TakenRequest | undefined;

  constructor(
    id: number,
    readonly place: LimitPlace,
    readonly subject: string,
    readonly limit: number,
    now: number,
    private readonly forgotten: () => void,
  ) {
    super(id);
    const milliseconds = place.windowSeconds * 1000;
    this.#start = now - (now % milliseconds);
    this.end = this.#start + milliseconds;
  }

  override isValidAt(now: number): boolean {
    return now >= this.#start && now < this.end;
  }

  override update(grant: LimitGrant): void {
    this.remaining = grant.remaining;
  }

  override forget(): void {
    this.forgotten();
  }

  override countLater(units: number): CountingToPrimary {
    return ["counted", this.place, this.subject, this.#start, units];
  }
}
