import { alignDown, steps } from "./steps.ts";

/** What a request to a model has used. */
export interface CountedModelUse {
  alias: string;
  provider: string;
  input: number;
  cached: number;
  cacheWrite: number;
  output: number;
  basis: "reported" | "estimated";
  /** In billionths. */
  cost: bigint;
  currency: string | undefined;
  charge: bigint | undefined;
  firstByteMs: number | undefined;
}

export interface ModelUsageRow {
  deploymentSeq: number;
  model: string;
  provider: string;
  /** Empty without a cost. */
  currency: string;
  requests: number;
  errors: number;
  estimated: number;
  input: number;
  cached: number;
  cacheWrite: number;
  output: number;
  /** In billionths. */
  cost: number;
  charge: number;
  firstBytes: number;
  firstByteMs: number;
}

export const modelUsageSums = [
  "requests",
  "errors",
  "estimated",
  "input",
  "cached",
  "cacheWrite",
  "output",
  "cost",
  "charge",
  "firstBytes",
  "firstByteMs",
] as const;

export interface ModelUsageMinute {
  time: number;
  rows: ModelUsageRow[];
}

/** While storage is unavailable, up to this number of minutes are separate. */
const maxMinutes = 120;

/** Counts requests to models in memory, by minute, until they are written. A project has few models. */
export class ModelUsageCounter {
  #minutes = new Map<number, Map<string, ModelUsageRow>>();

  count(deploymentSeq: number, status: number, use: CountedModelUse, now: number): void {
    const { alias: model, provider, currency = "", firstByteMs } = use;
    const row = this.#rowOf(now, { deploymentSeq, model, provider, currency });
    row.requests += 1;
    if (status >= 500) row.errors += 1;
    if (use.basis === "estimated") row.estimated += 1;
    row.input += use.input;
    row.cached += use.cached;
    row.cacheWrite += use.cacheWrite;
    row.output += use.output;
    row.cost += Number(use.cost);
    row.charge += Number(use.charge ?? 0n);
    if (firstByteMs === undefined) return;
    row.firstBytes += 1;
    row.firstByteMs += Math.round(firstByteMs);
  }

  /** Returns all counts so far. Later requests are counted in new minutes. */
  take(): ModelUsageMinute[] {
    const minutes = [...this.#minutes].map(([time, rows]) => ({ time, rows: [...rows.values()] }));
    this.#minutes = new Map();
    return minutes;
  }

  written(): void {}

  #rowOf(now: number, key: Pick<ModelUsageRow, "deploymentSeq" | "model" | "provider" | "currency">): ModelUsageRow {
    const time = alignDown(now, steps["1m"].milliseconds);
    const last = this.#minutes.size >= maxMinutes ? [...this.#minutes.keys()].at(-1)! : time;
    const at = this.#minutes.has(time) ? time : last;
    const rows = this.#minutes.get(at) ?? new Map<string, ModelUsageRow>();
    this.#minutes.set(at, rows);
    const text = JSON.stringify(Object.values(key));
    const row = rows.get(text) ?? emptyRow(key);
    rows.set(text, row);
    return row;
  }
}

export function emptyRow(key: Pick<ModelUsageRow, "deploymentSeq" | "model" | "provider" | "currency">): ModelUsageRow {
  const zeros = Object.fromEntries(modelUsageSums.map((name) => [name, 0])) as Pick<
    ModelUsageRow,
    (typeof modelUsageSums)[number]
  >;
  return { ...key, ...zeros };
}

export function addUsage(to: ModelUsageRow, row: ModelUsageRow): void {
  for (const name of modelUsageSums) to[name] += Number(row[name]);
}
