import { yieldToEventLoop } from "../../../lib/tasks/slices.ts";
import { allWith } from "../../../platform/storage/query.ts";
import { removeInPieces } from "../../../platform/storage/removal.ts";
import { deleteRows } from "../../../platform/storage/rows.ts";
import { runsOf } from "../../../platform/storage/runs.ts";
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

/** For a table whose primary key begins with what is counted: all of an owner are found by one look-up for each. */
async function removeByOwner(
  storage: Storage,
  table: Pick<CountedTable<object>, "name" | "remove">,
  column: string,
  existing: (reads: Reads, owners: number[]) => Promise<Set<number>>,
  now: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { reads } = storage;
  const details = table === verificationTable ? Object.values(verificationDetail) : [undefined];
  const ofDetail = (value: string) => (details[0] === undefined ? "" : ` AND detail = ${value}`);
  const isOf = (owner: string, step: string, detail: string, before: string) =>
    `${column} = ${owner} AND step = ${step}${ofDetail(detail)} AND time < ${before}`;
  const isOld = isOf("column1", "column2", "column3", "column4");
  for (let last = 0; !signal?.aborted; ) {
    const owners = (await reads.all<{ owner: number }>(ownersAfter(table.name, column), [last])).map(
      (each) => each.owner,
    );
    if (owners.length === 0) return;
    last = owners.at(-1)!;
    const kept = await existing(reads, owners);
    const limits = owners.flatMap((owner) =>
      seriesSteps.flatMap((step) => {
        const before = kept.has(owner) ? keptSince(step, now) : Number.MAX_SAFE_INTEGER;
        return details.map((detail) => [owner, steps[step].milliseconds, detail ?? 0, before]);
      }),
    );
    // A write for each owner would cost more than the rows: most have none to remove.
    const old = await allWith<Record<"owner" | "step" | "detail" | "before", number>>(
      reads,
      ["bigint", "bigint", "bigint", "bigint"],
      limits,
      (all) => `SELECT column1 AS owner, column2 AS step, column3 AS detail, column4 AS before FROM ${all} AS limits
        WHERE EXISTS (SELECT 1 FROM ${table.name} WHERE ${isOld})`,
    );
    for (const some of runsOf(old)) {
      const condition = some.map(() => `(${isOf("?", "?", "?", "?")})`).join(" OR ");
      const parameters = some.flatMap(({ owner, step, detail, before }) =>
        details[0] === undefined ? [owner, step, before] : [owner, step, detail, before],
      );
      await removeInPieces(storage, (transaction, rows) => table.remove(transaction, condition, parameters, rows), {
        signal,
      });
    }
    await yieldToEventLoop();
  }
}

const ownersAtOnce = 200;

const ownersAfter = (table: string, column: string) => `WITH RECURSIVE owners (owner) AS (
    SELECT (SELECT min(${column}) FROM ${table} WHERE ${column} > ?)
    UNION ALL SELECT (SELECT min(${column}) FROM ${table} WHERE ${column} > owner) FROM owners WHERE owner IS NOT NULL
  ) SELECT owner FROM owners WHERE owner IS NOT NULL LIMIT ${ownersAtOnce}`;

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
