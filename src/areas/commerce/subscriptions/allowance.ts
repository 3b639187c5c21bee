import { type Amount, amountOf, shareOf } from "../../../lib/amount.ts";
import { Slice } from "../../../lib/tasks/slices.ts";
import { periodAt, type Renewal } from "../../../lib/time/calendar.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { Meters, Plan, PlanSummary } from "../plans/plans.ts";
import { featuresOf, pricedRates } from "../plans/prices.ts";
import type { SubscriptionRow } from "./subscription-store.ts";

/** The maximum of a meter that a subscription has in a period. */
export interface Allowance {
  label: string | undefined;
  max: Amount;
  /** Whether usage beyond the maximum has a price instead of being rejected, unless in a trial. */
  isPriced: boolean;
  /** Whether money grants must cover the price. */
  isPrepaid: boolean;
}

type PlanLimits = Pick<Plan, "meters" | "rates" | "price">;
type ProratedRow = Pick<SubscriptionRow, "allowance_period" | "allowance">;

/** If several plans have a meter, their maximums are added. */
export function allowances(row: ProratedRow, plans: PlanLimits[], periodStart: number): AllowedMeters {
  return allowedTogether(row, plans.map(metersOf), periodStart);
}

function metersOf(plan: PlanLimits): Map<string, Allowance> {
  const meters = new Map<string, Allowance>();
  for (const [meter, { label, max }] of Object.entries(JSON.parse(plan.meters) as Meters))
    meters.set(meter, { label, max: amountOf(max)!, isPriced: false, isPrepaid: false });
  for (const [meter, { overage }] of pricedRates(plan))
    Object.assign(meters.get(meter)!, { isPriced: true, isPrepaid: overage === "prepaid" });
  return meters;
}

/** Reads the usage of a subscription in a period, by meter. Another area counts it. */
export type UsageReader = (
  reads: Reads,
  subscriptionSeq: number,
  periodStart: number,
) => Promise<ReadonlyMap<string, Amount>>;

export interface Proration {
  /** The share of the new maximum, from 0 to 1. */
  share: number;
  usedIn: UsageReader;
}

/** The rest of this period allows the usage so far and a share of the new plans' maximum. */
export async function prorated(
  reads: Reads,
  subscription: { row: SubscriptionRow },
  plans: Plan[],
  { share, usedIn }: Proration,
  now: number,
): Promise<{ allowance_period: number; allowance: string }> {
  const { row } = subscription;
  const { start } = periodAt(row.quota_reset_anchor, row.renewal_strategy as Renewal, now);
  const used = await usedIn(reads, row.seq, start);
  const allowed = allowances({ allowance_period: null, allowance: null }, plans, start);
  const allowance = Object.fromEntries(
    Array.from(allowed, ([meter, { max }]) => [meter, String((used.get(meter) ?? 0n) + shareOf(max, share))]),
  );
  return { allowance_period: start, allowance: JSON.stringify(allowance) };
}

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
        terms.set(row.seq, { label: row.label, features: featuresOf(row), meters: metersOf(row) });
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
  if (row.allowance_period !== periodStart || row.allowance === null) return together;
  // A prorated change of plans applies to the rest of the period in which it was made.
  for (const [meter, max] of Object.entries(JSON.parse(row.allowance) as Record<string, string>)) {
    const known = together.get(meter);
    if (known) known.max = BigInt(max);
  }
  return together;
}
