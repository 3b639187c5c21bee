import { type CountedMinute, Minutes } from "./count-writer.ts";
import { none, other } from "./counted-table.ts";

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

/** What requests to models have used. */
export class ModelUsageCounts {
  requests = 0;
  errors = 0;
  estimated = 0;
  input = 0;
  cached = 0;
  cacheWrite = 0;
  output = 0;
  /** In billionths. */
  cost = 0;
  charge = 0;
  firstBytes = 0;
  firstByteMs = 0;
}

/** Something that a provider served and that has no price: the target's price was counted. */
export interface UnpricedModel {
  deploymentSeq: number;
  /** The alias. */
  model: string;
  provider: string;
  unpriced: string;
}

export interface ModelUsageMinute extends CountedMinute {
  rows: Map<string, { key: ModelUsageKey; counts: ModelUsageCounts }>;
  unpriced: Map<string, UnpricedModel>;
}

const maxMinutes = 120;
/** Names come from providers: more are not reported at a time. */
const maxUnpriced = 100;
/** Consumers beyond this number of rows between two writes are counted as others. */
const maxRows = 20_000;
const maxNameLength = 256;

/** Counts requests to models in memory, by minute, until they are written. A project has few models. */
export class ModelUsageCounter {
  readonly minutes = new Minutes<ModelUsageMinute>(maxMinutes, (time) => ({
    time,
    size: 0,
    rows: new Map(),
    unpriced: new Map(),
  }));

  count(
    deploymentSeq: number,
    status: number,
    use: CountedModelUse,
    { id: consumerId = none, name: consumer = none }: ModelConsumer,
    now: number,
  ): void {
    const { alias: model, provider, currency = "", firstByteMs } = use;
    const minute = this.minutes.at(now);
    const row = this.#countsOf(minute, { deploymentSeq, consumerId, consumer, model, provider, currency });
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
    if (use.unpriced !== undefined && use.charge !== undefined && minute.unpriced.size < maxUnpriced) {
      const found = { deploymentSeq, model, provider, unpriced: use.unpriced.slice(0, maxNameLength) };
      minute.unpriced.set(JSON.stringify(Object.values(found)), found);
    }
    if (firstByteMs === undefined) return;
    row.firstBytes += 1;
    row.firstByteMs += Math.round(firstByteMs);
  }

  #countsOf(minute: ModelUsageMinute, key: ModelUsageKey): ModelUsageCounts {
    // Only the name of a consumer, which is the last part, may contain a line break.
    const { deploymentSeq, consumerId, consumer, model, provider, currency } = key;
    const text = `${deploymentSeq}\n${consumerId}\n${model}\n${provider}\n${currency}\n${consumer}`;
    const known = minute.rows.get(text);
    if (known) return known.counts;
    if (this.minutes.size >= maxRows && consumer !== other)
      return this.#countsOf(minute, { ...key, consumerId: none, consumer: other });
    this.minutes.grow(minute);
    const counts = new ModelUsageCounts();
    minute.rows.set(text, { key, counts });
    return counts;
  }
}
