import { alignDown, steps } from "./steps.ts";
import { none, other } from "./traffic.ts";

/** What a request to a model has used. */
interface CountedModelUse {
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
  /** The served model or tool that has no price. */
  unpriced: string | undefined;
}

/** The consumer of a request. */
interface ModelConsumer {
  /** Undefined for consumers outside key buckets. */
  id: string | undefined;
  name: string | undefined;
}

export interface ModelUsageKey {
  deploymentSeq: number;
  /** Both are empty without a consumer. */
  consumerId: string;
  consumer: string;
  model: string;
  provider: string;
  /** Empty without a cost. */
  currency: string;
}

export interface ModelUsageRow extends ModelUsageKey {
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

/** Something that a provider served and that has no price: the target's price was counted. */
export interface UnpricedModel {
  deploymentSeq: number;
  /** The alias. */
  model: string;
  provider: string;
  unpriced: string;
}

export interface ModelUsageMinute {
  time: number;
  rows: ModelUsageRow[];
  unpriced: UnpricedModel[];
}

/** While storage is unavailable, up to this number of minutes are separate. */
const maxMinutes = 120;
/** Names come from providers: more are not reported at a time. */
const maxUnpriced = 100;
/** Consumers beyond this number of rows between two writes are counted as others. */
const maxRows = 20_000;
const maxNameLength = 256;

/** Counts requests to models in memory, by minute, until they are written. A project has few models. */
export class ModelUsageCounter {
  #minutes = new Map<number, Map<string, ModelUsageRow>>();
  #unpriced = new Map<string, UnpricedModel>();
  #rows = 0;

  count(
    deploymentSeq: number,
    status: number,
    use: CountedModelUse,
    { id: consumerId = none, name: consumer = none }: ModelConsumer,
    now: number,
  ): void {
    const { alias: model, provider, currency = "", firstByteMs } = use;
    const row = this.#rowOf(now, { deploymentSeq, consumerId, consumer, model, provider, currency });
    row.requests += 1;
    if (status >= 500) row.errors += 1;
    if (use.basis === "estimated") row.estimated += 1;
    row.input += use.input;
    row.cached += use.cached;
    row.cacheWrite += use.cacheWrite;
    row.output += use.output;
    row.cost += Number(use.cost);
    row.charge += Number(use.charge ?? 0n);
    // Without a charge, prices are for information only.
    if (use.unpriced !== undefined && use.charge !== undefined)
      this.#report({ deploymentSeq, model, provider, unpriced: use.unpriced.slice(0, maxNameLength) });
    if (firstByteMs === undefined) return;
    row.firstBytes += 1;
    row.firstByteMs += Math.round(firstByteMs);
  }

  /** Returns all counts so far. Later requests are counted in new minutes. */
  take(): ModelUsageMinute[] {
    const unpriced = [...this.#unpriced.values()];
    const minutes = [...this.#minutes].map(([time, rows], index) => ({
      time,
      rows: [...rows.values()],
      unpriced: index === 0 ? unpriced : [],
    }));
    this.#minutes = new Map();
    this.#unpriced = new Map();
    this.#rows = 0;
    return minutes;
  }

  written(): void {}

  #report(found: UnpricedModel): void {
    const text = JSON.stringify(Object.values(found));
    if (this.#unpriced.size < maxUnpriced) this.#unpriced.set(text, found);
  }

  #rowOf(now: number, key: ModelUsageKey): ModelUsageRow {
    const time = alignDown(now, steps["1m"].milliseconds);
    const last = this.#minutes.size >= maxMinutes ? [...this.#minutes.keys()].at(-1)! : time;
    const at = this.#minutes.has(time) ? time : last;
    const rows = this.#minutes.get(at) ?? new Map<string, ModelUsageRow>();
    this.#minutes.set(at, rows);
    const text = textOf(key);
    const known = rows.get(text);
    if (known) return known;
    if (this.#rows >= maxRows && key.consumer !== other)
      return this.#rowOf(now, { ...key, consumerId: none, consumer: other });
    this.#rows += 1;
    const row = emptyRow(key);
    rows.set(text, row);
    return row;
  }
}

/** Only the name of a consumer, which is the last part, may contain a line break. */
function textOf({ deploymentSeq, consumerId, consumer, model, provider, currency }: ModelUsageKey): string {
  return `${deploymentSeq}\n${consumerId}\n${model}\n${provider}\n${currency}\n${consumer}`;
}

export function emptyRow(key: ModelUsageKey): ModelUsageRow {
  const zeros = Object.fromEntries(modelUsageSums.map((name) => [name, 0])) as Pick<
    ModelUsageRow,
    (typeof modelUsageSums)[number]
  >;
  return { ...key, ...zeros };
}

export function addUsage(to: ModelUsageRow, row: ModelUsageRow): void {
  for (const name of modelUsageSums) to[name] += Number(row[name]);
}
