import type { MeterAmounts } from "../../areas/metering/quotas/hold.ts";
import { type LeasedUnits, leaseSize } from "../../lib/leases/leased-units.ts";
import type { Lease } from "../../lib/leases/open-leases.ts";
import { type LeaseReport, type LimitGrant, parseAmounts, type QuotaGrant, type ToWorker } from "./worker-messages.ts";

/** What can be leased: the counter, and what the worker must know to use it. */
export interface Leasable {
  units: LeasedUnits<MeterAmounts>;
  /** Undefined if nothing may be granted, because the counter is no longer the one to use. */
  detail(): LimitGrant | QuotaGrant | undefined;
}

interface LeaseOptions {
  send(message: ToWorker): void;
  /** The number of workers. */
  processes(): number;
}

/** The leases of one worker, in the primary. The worker chooses their ids. */
export class WorkerLeases {
  readonly #leases = new Map<number, GrantedLease>();
  #hasEnded = false;

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
    lease ??= new GrantedLease(id, this.options, leasable);
    lease.leasable = leasable;
    this.#leases.set(id, lease);
    units.hold(granted);
    lease.outstanding += granted;
    units.leases.granted(lease);
    this.options.send(["granted", id, granted, detail]);
  }

  report(reports: readonly LeaseReport[]): void {
    for (const [id, used, returned, wanted, state, settledUnits = 0, settledAs] of reports) {
      const lease = this.#leases.get(id);
      if (!lease) continue;
      const { units } = lease.leasable;
      if (used > 0) units.settle(used);
      if (returned > 0) units.release(returned);
      if (settledAs !== undefined) units.settleAs!(settledUnits, parseAmounts(settledAs));
      lease.outstanding -= used + returned + settledUnits;
      if (lease.outstanding === 0 || state === "returned") units.leases.returned(lease);
      // Units may be under way to a worker that has ended the lease: it returns them.
      if (state === "ended" && lease.outstanding === 0) this.#leases.delete(id);
      // Other nodes have used what was left.
      else if (units.available() < 0) void units.leases.recall();
      else this.grant(id, wanted, lease.leasable);
    }
  }

  /** The worker is gone. What it used since its last report is lost. */
  ended(): void {
    this.#hasEnded = true;
    for (const lease of this.#leases.values()) {
      const { units } = lease.leasable;
      units.release(lease.outstanding);
      units.leases.returned(lease);
    }
    this.#leases.clear();
  }
}

class GrantedLease implements Lease {
  /** The units that are held for the worker: unused, in use, or used and not reported. */
  outstanding = 0;

  constructor(
    private readonly id: number,
    private readonly options: LeaseOptions,
    public leasable: Leasable,
  ) {}

  recall(): void {
    this.options.send(["recall", this.id]);
  }
}
