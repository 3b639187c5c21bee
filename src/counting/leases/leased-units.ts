import type { OpenLeases } from "./open-leases.ts";

/** The counter behind a lease, in units of one request. */
export interface LeasedUnits<Actual = never> {
  /** The leases of the counter. */
  readonly leases: OpenLeases;
  /** The units that are left. Negative if more than the limit was used. */
  available(): number;
  /** Takes units for the lease. */
  hold(units: number): void;
  /** Counts held units as used. */
  settle(units: number): void;
  /** Replaces held units by other amounts. */
  settleAs?(units: number, actual: Actual): void;
  /** Returns held units. */
  release(units: number): void;
}

/** A smaller lease would be used up before the next report. */
const smallestLease = 8;

/**
 * Returns how many units to grant: a share of what is left, so that several processes get a lease, and leases become
 * smaller near the limit, where every decision is made by the owner of the counter.
 */
export function leaseSize(wanted: number, available: number, processes: number): number {
  const size = Math.min(wanted, Math.floor(available / (2 * Math.max(1, processes))));
  return size < smallestLease ? 0 : size;
}
