import { Slice } from "../../../lib/tasks/slices.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { Plan, PlanSummary } from "../plans/plans.ts";
import { featuresOf } from "../plans/prices.ts";
import { type Allowance, addPlan, type PlanLimits, type ProratedRow, withProrated } from "./allowance.ts";

/** What a plan allows, by meter. It is shared by all of its subscriptions, and must not be changed. */
export type AllowedMeters = ReadonlyMap<string, Readonly<Allowance>>;

/** What a plan gives its subscriptions. */
export interface PlanTerms {
  label: string;
  features: ReturnType<typeof featuresOf>;
  meters: AllowedMeters;
}

/** The maximum number of cached meters. */
const maxMeters = 200_000;

/** The terms of plans, parsed once for each of their versions. */
export class KnownPlans {
  readonly #known = new Map<number, { version: number; terms: PlanTerms }>();
  #size = 0;

  /** Returns the terms by the plan's seq. */
  async of(
    reads: Reads | WriteTransaction,
    plans: Iterable<Pick<PlanSummary, "seq" | "version">>,
  ): Promise<Map<number, PlanTerms>> {
    const terms = new Map<number, PlanTerms>();
    const missing = new Map<number, number>();
    for (const { seq, version } of plans) {
      const known = this.#known.get(seq);
      if (known?.version === version) terms.set(seq, known.terms);
      else missing.set(seq, version);
    }
    if (missing.size === 0) return terms;
    const slice = new Slice();
    const seqs = Array.from(missing.keys(), (seq) => [seq]);
    for (const { sql, parameters } of reads.tablesOf(["bigint"], seqs)) {
      const rows = await reads.all<PlanLimits & Pick<Plan, "seq" | "label" | "features">>(
        `SELECT seq, label, features, meters, rates, price FROM plans WHERE seq IN (SELECT column1 FROM ${sql} AS missing)`,
        parameters,
      );
      for (const row of rows) {
        if (slice.isOver) await slice.next();
        const meters = new Map<string, Allowance>();
        addPlan(meters, row);
        terms.set(row.seq, { label: row.label, features: featuresOf(row), meters });
      }
    }
    const keep = () => {
      for (const [seq, version] of missing) if (terms.has(seq)) this.#keep(seq, version, terms.get(seq)!);
    };
    // A transaction may have read a version that is rolled back.
    if ("onEnd" in reads) reads.onEnd((outcome) => outcome === "committed" && keep());
    else keep();
    return terms;
  }

  #keep(seq: number, version: number, terms: PlanTerms): void {
    this.#size += terms.meters.size - (this.#known.get(seq)?.terms.meters.size ?? 0);
    this.#known.set(seq, { version, terms });
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
