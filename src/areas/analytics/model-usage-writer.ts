import type { Clock } from "../../lib/time/clock.ts";
import type { BatchTransfer } from "../../platform/storage/batch-writer.ts";
import type { Storage, WriteTransaction } from "../../platform/storage/storage.ts";
import { CountWriter } from "./count-writer.ts";
import {
  addUsage,
  emptyRow,
  type ModelUsageCounter,
  type ModelUsageMinute,
  type UnpricedModel,
} from "./model-usage-counter.ts";
import { addModelUsage, modelUsageTables, type TimedModelUsage } from "./model-usage-store.ts";
import { alignDown, steps } from "./steps.ts";
import { existingDeployments } from "./traffic-store.ts";

/** Minutes are plain values. */
const modelUsageTransfer: BatchTransfer<ModelUsageMinute> = {
  name: "model usage",
  encode: (minutes) => minutes,
  decode: (minutes) => minutes as ModelUsageMinute[],
  rows: (minutes) => (minutes as ModelUsageMinute[]).reduce((sum, { rows }) => sum + rows.length, 0),
};

type Announce = (transaction: WriteTransaction, unpriced: readonly UnpricedModel[], now: number) => Promise<void>;

/** Writes counts of requests to models, and announces what has no price. */
export class ModelUsageWriter extends CountWriter<ModelUsageMinute> {
  constructor(
    storage: Storage,
    private readonly clock: Clock,
    counter: ModelUsageCounter,
    private readonly announce: Announce,
  ) {
    super(storage, clock, counter, modelUsageTransfer);
  }

  protected async write(transaction: WriteTransaction, minutes: ModelUsageMinute[]): Promise<void> {
    const seqs = [...new Set(minutes.flatMap(({ rows }) => rows.map(({ deploymentSeq }) => deploymentSeq)))];
    if (seqs.length === 0) return;
    const existing = await existingDeployments(transaction, seqs);
    for (const table of modelUsageTables)
      for (const { milliseconds: step } of Object.values(steps)) {
        const sums = new Map<string, TimedModelUsage>();
        for (const { time: minute, rows } of minutes)
          for (const row of rows) {
            if (!existing.has(row.deploymentSeq)) continue;
            const time = alignDown(minute, step);
            const key = JSON.stringify([time, ...table.keys.map((name) => row[name])]);
            const sum = sums.get(key) ?? { ...emptyRow(row), time };
            addUsage(sum, row);
            sums.set(key, sum);
          }
        // Sorted, so that two nodes cannot deadlock.
        const sorted = [...sums].sort(([one], [another]) => (one < another ? -1 : 1)).map(([, row]) => row);
        await addModelUsage(transaction, table, step, sorted);
        this.wrote(sorted.length);
      }
    const unpriced = minutes.flatMap((minute) => minute.unpriced);
    await this.announce(transaction, unpriced, this.clock.now());
  }
}
