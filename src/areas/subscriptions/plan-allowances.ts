import { Slice } from "../../lib/tasks/slices.ts";
import type { WriteTransaction } from "../../platform/storage/storage.ts";
import type { PlanSummary } from "../plans/plans.ts";
import { type Allowance, addPlan, type PlanLimits, type ProratedRow, withProrated } from "./allowance.ts";

/** What a plan allows, by meter. It is shared by all of its subscriptions, and must not be changed. */
export type AllowedMeters = ReadonlyMap<string, Readonly<Allowance>>;

/** The maximum number of cached meters. */
const maxMeters = 200_000;

/** What plans allow, parsed once for each of their versions. */
export class PlanAllowances {
  readonly #known = new Map<number, { version: number; meters: AllowedMeters }>();
  #size = 0;

  /** Returns what the plans allow, by their seq. */
  async of(
    transaction: WriteTransaction,
    plans: Iterable<Pick<PlanSummary, "seq" | "version">>,
  ): Promise<Map<number, AllowedMeters>> {
    const allowed = new Map<number, AllowedMeters>();
    const missing = new Map<number, number>();
    for (const { seq, version } of plans) {
      const known = this.#known.get(seq);
      if (known?.version === version) allowed.set(seq, known.meters);
      else missing.set(seq, version);
    }
    if (missing.size === 0) return allowed;
    const slice = new Slice();
    const seqs = Array.from(missing.keys(), (seq) => [seq]);
    for (const { sql, parameters } of transaction.tablesOf(["bigint"], seqs)) {
      const rows = await transaction.all<PlanLimits & { seq: number }>(
        `SELECT seq, meters, rates, price FROM plans WHERE seq IN (SELECT column1 FROM ${sql} AS missing)`,
        parameters,
      );
      for (const row of rows) {
        if (slice.isOver) await slice.next();
        const meters = new Map<string, Allowance>();
        addPlan(meters, row);
        allowed.set(row.seq, meters);
      }
    }
    // A version that is rolled back may have been read.
    transaction.onEnd((outcome) => {
      if (outcome !== "committed") return;
      for (const [seq, version] of missing) this.#keep(seq, version, allowed.get(seq) ?? new Map());
    });
    return allowed;
  }

  #keep(seq: number, version: number, meters: AllowedMeters): void {
    this.#size += meters.size - (this.#known.get(seq)?.meters.size ?? 0);
    this.#known.set(seq, { version, meters });
    if (this.#size <= maxMeters) return;
    this.#known.clear();
    this.#size = 0;
  }
}

/** Returns what the plans of a subscription allow together in a period. */
export function allowedTogether(row: ProratedRow, plans: readonly AllowedMeters[], periodStart: number): AllowedMeters {
  const [only, another] = plans;
  if (only && !another && row.allowance_period !== periodStart) return only;
  const together = new Map<string, Allowance>();
  for (const plan of plans)
    for (const [meter, { label, max, isPriced, isPrepaid }] of plan) {
      const known = together.get(meter);
      if (!known) together.set(meter, { label, max, isPriced, isPrepaid });
      else {
        known.max += max;
        known.label ??= label;
        if (isPriced) Object.assign(known, { isPriced, isPrepaid });
      }
    }
  return withProrated(together, row, periodStart);
}
