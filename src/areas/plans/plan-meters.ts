import { Slice } from "../../lib/tasks/slices.ts";
import type { WriteTransaction } from "../../platform/storage/storage.ts";
import type { Meters, PlanSummary } from "./plans.ts";

type PlanVersion = Pick<PlanSummary, "seq" | "version">;
type KnownMeters = Map<number, { version: number; meters: ReadonlySet<string> }>;

/** The maximum number of cached meters. */
const maxMeters = 200_000;

/** The meters of plans, parsed once for each version. */
export class PlanMeters {
  readonly #known: KnownMeters = new Map();
  #size = 0;

  /** Returns the meters of the plans by their seq. */
  async of(transaction: WriteTransaction, plans: Iterable<PlanVersion>): Promise<Map<number, ReadonlySet<string>>> {
    const meters = new Map<number, ReadonlySet<string>>();
    const missing = new Map<number, number>();
    for (const { seq, version } of plans) {
      const known = this.#known.get(seq);
      if (known?.version === version) meters.set(seq, known.meters);
      else missing.set(seq, version);
    }
    if (missing.size === 0) return meters;
    const slice = new Slice();
    for (const { sql, parameters } of transaction.tablesOf(
      ["bigint"],
      [...missing.keys()].map((seq) => [seq]),
    )) {
      const rows = await transaction.all<{ seq: number; meters: string }>(
        `SELECT seq, meters FROM plans WHERE seq IN (SELECT column1 FROM ${sql} AS missing)`,
        parameters,
      );
      for (const row of rows) {
        if (slice.isOver) await slice.next();
        meters.set(row.seq, new Set(Object.keys(JSON.parse(row.meters) as Meters)));
      }
    }
    // A version that is rolled back may have been read.
    transaction.onEnd((outcome) => {
      if (outcome === "committed")
        for (const [seq, version] of missing) this.#keep(seq, version, meters.get(seq) ?? new Set());
    });
    return meters;
  }

  #keep(seq: number, version: number, meters: ReadonlySet<string>): void {
    this.#size += meters.size - (this.#known.get(seq)?.meters.size ?? 0);
    this.#known.set(seq, { version, meters });
    if (this.#size <= maxMeters) return;
    this.#known.clear();
    this.#size = 0;
  }
}
