import type { Clock } from "../../../lib/time/clock.ts";
import type { Storage, WriteTransaction } from "../../../platform/storage/storage.ts";
import { CountWriter, type Increments } from "./count-writer.ts";
import { CountedTable, existingDeployments, SummedRows } from "./counted-table.ts";
import {
  type ModelUsageCounter,
  ModelUsageCounts,
  type ModelUsageMinute,
  type UnpricedModel,
} from "./model-usage-counter.ts";

const sums = {
  requests: "requests",
  errors: "errors",
  estimated: "estimated",
  input: "input",
  cached: "cached",
  cacheWrite: "cache_write",
  output: "output",
  cost: "cost",
  charge: "charge",
  firstBytes: "first_bytes",
  firstByteMs: "first_byte_ms",
};
const create = () => new ModelUsageCounts();

export const modelUsageTable = new CountedTable<ModelUsageCounts>({
  name: "model_usage",
  key: ["deployment_seq", "step", "time", "model", "provider", "currency"],
  sums,
  create,
});

/** The same by consumer. */
export const modelConsumersTable = new CountedTable<ModelUsageCounts>({
  name: "model_usage_consumers",
  key: ["deployment_seq", "step", "time", "consumer_id", "consumer", "model", "provider", "currency"],
  sums,
  create,
});

type Announce = (transaction: WriteTransaction, unpriced: readonly UnpricedModel[], now: number) => Promise<void>;

/** Writes counts of requests to models, and announces what has no price. */
export class ModelUsageWriter extends CountWriter<ModelUsageMinute, ModelUsageCounts> {
  constructor(
    storage: Storage,
    private readonly clock: Clock,
    counter: ModelUsageCounter,
    private readonly announce: Announce,
  ) {
    super(storage, clock, counter, { name: "model usage" });
  }

  protected existing = existingDeployments;

  protected async sum(_: WriteTransaction, minutes: ModelUsageMinute[]): Promise<Increments<ModelUsageCounts>[]> {
    const rows = minutes.flatMap((minute) => [...minute.rows.values()]);
    return [...Map.groupBy(rows, ({ key }) => key.deploymentSeq)].flatMap(([owner, some]) => {
      const [models, consumers] = [new SummedRows(modelUsageTable), new SummedRows(modelConsumersTable)];
      for (const { key, counts } of some) {
        const { consumerId: consumer_id, consumer, model, provider, currency } = key;
        models.add({ model, provider, currency }, counts);
        consumers.add({ consumer_id, consumer, model, provider, currency }, counts);
      }
      // The counter bounds them.
      const levels = () => [{ max: Number.POSITIVE_INFINITY }];
      return [models, consumers].map((sums) => ({ owner, place: { deployment_seq: owner }, sums, levels }));
    });
  }

  protected override finish(transaction: WriteTransaction, minutes: ModelUsageMinute[]): Promise<void> {
    const unpriced = minutes.flatMap((minute) => [...minute.unpriced.values()]);
    return this.announce(transaction, unpriced, this.clock.now());
  }
}
