import { removeInPieces } from "../../../platform/storage/removal.ts";
import { deleteRows } from "../../../platform/storage/rows.ts";
import type { Reads, Storage } from "../../../platform/storage/storage.ts";
import { type CountedTable, existingDeployments } from "./counted-table.ts";
import { modelConsumersTable, modelUsageTable } from "./model-usage-writer.ts";
import { keptSince, type SeriesStep, seriesSteps, steps } from "./steps.ts";
import { detail, trafficTable } from "./traffic.ts";
import { existingBuckets, detail as verificationDetail, verificationTable } from "./verification-writer.ts";

/** The maximum number of times in one statement. */
const maxTimesPerQuery = 64;

/** Removes rows that are older than the retention of their step, and those of deleted deployments and buckets. */
export async function removeOldCounts(storage: Storage, now: number, signal?: AbortSignal): Promise<void> {
  await removeOldTraffic(storage, now, signal);
  await removeByOwner(storage, verificationTable, "bucket_seq", existingBuckets, now, signal);
  for (const table of [modelUsageTable, modelConsumersTable])
    await removeByOwner(storage, table, "deployment_seq", existingDeployments, now, signal);
}

/** For a table whose primary key begins with what is counted. The next one is found by a look-up in that. */
async function removeByOwner(
  storage: Storage,
  table: Pick<CountedTable<object>, "name" | "remove">,
  column: string,
  existing: (reads: Reads, owners: number[]) => Promise<Set<number>>,
  now: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const next = `SELECT ${column} AS owner FROM ${table.name} WHERE ${column} > ? ORDER BY ${column} LIMIT 1`;
  const remove = (condition: string, parameters: unknown[]) =>
    removeInPieces(storage, (transaction, rows) => table.remove(transaction, condition, parameters, rows), { signal });
  for (let last = 0; !signal?.aborted; ) {
    const found = await storage.reads.one<{ owner: number }>(next, [last]);
    if (!found) return;
    last = found.owner;
    if (!(await existing(storage.reads, [last])).has(last)) {
      await remove(`${column} = ?`, [last]);
      continue;
    }
    for (const name of seriesSteps)
      for (const each of table === verificationTable ? Object.values(verificationDetail) : [undefined]) {
        const condition = `${column} = ? AND step = ?${each === undefined ? "" : " AND detail = ?"} AND time < ?`;
        const parameters = [
          last,
          steps[name].milliseconds,
          ...(each === undefined ? [] : [each]),
          keptSince(name, now),
        ];
        // A write for each owner would cost more than the rows: most have none to remove.
        const old = `SELECT step FROM ${table.name} WHERE ${condition} LIMIT 1`;
        if (await storage.reads.one(old, parameters)) await remove(condition, parameters);
      }
  }
}

async function removeOldTraffic(storage: Storage, now: number, signal?: AbortSignal): Promise<void> {
  const remove = (condition: string, parameters: unknown[]) =>
    removeInPieces(storage, (transaction, rows) => trafficTable.remove(transaction, condition, parameters, rows), {
      signal,
    });
  for (const step of seriesSteps)
    await remove("step = ? AND time < ?", [steps[step].milliseconds, keptSince(step, now)]);
  const orphans = await storage.reads.all<{ deployment_seq: number; account_seq: number }>(
    `SELECT deployment_seq, traffic_deployments.account_seq FROM traffic_deployments
      LEFT JOIN deployments ON deployments.seq = deployment_seq WHERE deployments.seq IS NULL`,
    [],
  );
  for (const { deployment_seq, account_seq } of orphans) {
    for (const step of seriesSteps)
      for (const times of timesOf(step, now)) {
        const condition = `step = ? AND time IN (${times.map(() => "?").join(", ")})
          AND detail IN (${Object.values(detail).join(", ")}) AND account_seq = ? AND deployment_seq = ?`;
        await remove(condition, [steps[step].milliseconds, ...times, account_seq, deployment_seq]);
      }
    if (signal?.aborted) return;
    await storage.write((transaction) => deleteRows(transaction, "traffic_deployments", { deployment_seq }));
  }
}

/** Returns all times for which a step may have rows, including a little later than now because nodes' clocks differ. */
function* timesOf(step: SeriesStep, now: number): Generator<number[]> {
  const { milliseconds } = steps[step];
  const times: number[] = [];
  for (let time = keptSince(step, now) - milliseconds; time <= now + 2 * milliseconds; time += milliseconds)
    times.push(time);
  for (let from = 0; from < times.length; from += maxTimesPerQuery) yield times.slice(from, from + maxTimesPerQuery);
}
