import type { Amount } from "../../lib/amount.ts";
import { type LeasedUnits, leaseSize } from "../leases/leased-units.ts";
import type { Lease, LeaseHolder } from "../leases/open-leases.ts";
import type { MeterAmounts } from "../quotas/hold.ts";
import { type CountingToWorker, type LeaseReport, type LimitGrant, parseAmounts, type QuotaGrant } from "./messages.ts";

/** A counter whose units can be leased, with the details that a worker needs. */
export interface Leasable {
  units: LeasedUnits<MeterAmounts>;
  /** Undefined if nothing may be granted, because the counter is no longer the one to use. */
  detail(): LimitGrant | QuotaGrant | undefined;
}

interface LeaseOptions {
  send(message: CountingToWorker): void;
  /** The number of workers. */
  processes(): number;
}

/** The leases of one worker, in the primary. The worker chooses their ids. */
export class GrantedLeases implements LeaseHolder {
  readonly #leases = new Map<number, GrantedLease>();
  #hasEnded = false;
  isLate = false;

  constructor(private readonly options: LeaseOptions) {}

  get size(): number {
    return this.#leases.size;
  }

  /** Grants units with a message that precedes all later ones, such as a recall. Grants nothing near the limit. */
  grant(id: number, wanted: number, leasable: Leasable | undefined): void {
    if (!leasable || this.#hasEnded) return;
    const { units } = leasable;
    const detail = wanted === 0 || units.leases.isRecalling ? undefined : leasable.detail();
    if (!detail) return;
    const granted = leaseSize(wanted, units.available(), this.options.processes());
    if (granted === 0) return;
    let lease = this.#leases.get(id);
    // Units return to the counter that they came from.
    if (lease && lease.leasable.units.leases !== units.leases && lease.outstanding > 0) return;
    lease ??= new GrantedLease(id, this, this.options, leasable);
    lease.leasable = leasable;
    this.#leases.set(id, lease);
    units.hold(granted);
    lease.granted += granted;
    units.leases.granted(lease);
    this.options.send(["granted", id, lease.granted, detail]);
  }

  report(reports: readonly LeaseReport[]): void {
    this.isLate = false;
    for (const report of reports) {
      const [id, granted, , , wanted, state] = report;
      const lease = this.#leases.get(id);
      if (!lease) continue;
      lease.count(report);
      // The state does not include units that are under way to the worker.
      const isCurrent = granted >= lease.granted;
      if (state === "ended" && isCurrent) lease.release();
      const { units } = lease.leasable;
      if (lease.outstanding === 0 || (state === "returned" && isCurrent)) units.leases.returned(lease);
      if (state === "ended" && isCurrent) this.#leases.delete(id);
      // Other nodes have used what was left.
      else if (units.available() < 0) void units.leases.recall();
      else this.grant(id, wanted, lease.leasable);
    }
  }

  /** Called when the connection of the worker ends. Units used since its last report are lost. */
  ended(): void {
    this.#hasEnded = true;
    for (const lease of this.#leases.values()) {
      lease.release();
      lease.leasable.units.leases.returned(lease);
    }
    this.#leases.clear();
  }
}

class GrantedLease implements Lease {
  /** All units since the lease began, as granted here and reported by the worker. */
  granted = 0;
  #used = 0;
  #returned = 0;
  #settledUnits = 0;
  #settledAs: ReadonlyMap<string, Amount> = new Map();

  constructor(
    private readonly id: number,
    readonly holder: LeaseHolder,
    private readonly options: LeaseOptions,
    public leasable: Leasable,
  ) {}

  /** The units that are held for the worker: unused, in use, or used and not reported. */
  get outstanding(): number {
    return this.granted - this.#used - this.#returned - this.#settledUnits;
  }

  recall(): void {
    this.options.send(["recall", this.id]);
  }

  /** Counts what is new in a report. */
  count([, , used, returned, , , settledUnits = 0, settledAs]: LeaseReport): void {
    const { units } = this.leasable;
    if (used > this.#used) {
      units.settle(used - this.#used);
      this.#used = used;
    }
    if (returned > this.#returned) {
      units.release(returned - this.#returned);
      this.#returned = returned;
    }
    if (settledUnits > this.#settledUnits) {
      const sums = parseAmounts(settledAs!);
      const counted = this.#settledAs;
      const fresh = new Map(Array.from(sums, ([meter, sum]) => [meter, sum - (counted.get(meter) ?? 0n)]));
      units.settleAs!(settledUnits - this.#settledUnits, fresh);
      this.#settledUnits = settledUnits;
      this.#settledAs = sums;
    }
  }

  /** Returns the units that the worker has not reported as used. */
  release(): void {
    this.leasable.units.release(this.outstanding);
    this.#returned += this.outstanding;
  }
}
