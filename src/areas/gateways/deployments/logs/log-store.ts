import type { Insertable } from "kysely";
import { forShare, forUpdate } from "../../../../platform/storage/query.ts";
import { runsOf } from "../../../../platform/storage/runs.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { RowOf, Tables } from "../../../../platform/storage/tables.ts";

export type LogRow = RowOf<"deployment_logs">;

/** Lines arrive with a delay: those of a deployment that was deleted in the meantime would stay for days. */
export async function insertLogLines(
  transaction: WriteTransaction,
  rows: (Insertable<Tables["deployment_logs"]> & { bytes: number })[],
): Promise<void> {
  const existing = new Set<number>();
  const logged = [...new Set(rows.map(({ deployment_seq }) => deployment_seq))].sort((one, other) => one - other);
  for (const run of runsOf(logged)) {
    const query = `SELECT seq FROM deployments WHERE seq IN (${run.map(() => "?").join(", ")}) ORDER BY seq`;
    for (const { seq } of await transaction.all<{ seq: number }>(forShare(transaction, query), run)) existing.add(seq);
  }
  const kept = rows.filter(({ deployment_seq }) => existing.has(deployment_seq));
  await transaction.insertAll("deployment_logs", kept);
  await addToSizes(transaction, kept, 1);
}

/** Sorted, so that two nodes with the same rows cannot deadlock. */
async function addToSizes(
  transaction: WriteTransaction,
  lines: { deployment_seq: number; bytes: number }[],
  sign: 1 | -1,
): Promise<void> {
  const changes = new Map<number, number>();
  for (const { deployment_seq, bytes } of lines)
    changes.set(deployment_seq, (changes.get(deployment_seq) ?? 0) + sign * bytes);
  for (const [deploymentSeq, bytes] of [...changes].sort(([one], [other]) => one - other))
    await transaction.run(
      `INSERT INTO deployment_log_sizes (deployment_seq, bytes) VALUES (?, ?)
        ON CONFLICT (deployment_seq) DO UPDATE SET bytes = deployment_log_sizes.bytes + excluded.bytes`,
      [deploymentSeq, bytes],
    );
}

export interface LogSelection {
  limit: number;
  since?: number | undefined;
  kind?: string | undefined;
}

/** Returns the newest lines that fit, in the order in which they were written. */
export async function newestLines(reads: Reads, deploymentSeq: number, selection: LogSelection): Promise<LogRow[]> {
  let query = reads.query.selectFrom("deployment_logs").selectAll().where("deployment_seq", "=", deploymentSeq);
  if (selection.since !== undefined) query = query.where("time", ">=", selection.since);
  if (selection.kind !== undefined) query = query.where("kind", "=", selection.kind);
  const rows = await query.orderBy("seq", "desc").limit(selection.limit).execute();
  return rows.reverse();
}

function linesAfter(reads: Reads, deploymentSeq: number, seq: number, limit: number): Promise<LogRow[]> {
  return reads.all("SELECT * FROM deployment_logs WHERE deployment_seq = ? AND seq > ? ORDER BY seq LIMIT ?", [
    deploymentSeq,
    seq,
    limit,
  ]);
}

/** Lines of all deployments, in the order in which they were written. */
export function newLinesAfter(reads: Reads, seq: number, limit: number): Promise<LogRow[]> {
  return reads.all("SELECT * FROM deployment_logs WHERE seq > ? ORDER BY seq LIMIT ?", [seq, limit]);
}

export async function lastLineSeq(reads: Reads): Promise<number> {
  return (await reads.one<{ seq: number | null }>("SELECT max(seq) AS seq FROM deployment_logs", []))?.seq ?? 0;
}

/** Removes at most the given number of rows. Returns how many it removed. */
export async function removeLinesBefore(transaction: WriteTransaction, time: number, rows: number): Promise<number> {
  const removed = await transaction.all<{ deployment_seq: number; bytes: number }>(
    `DELETE FROM deployment_logs WHERE seq IN (
      SELECT seq FROM deployment_logs WHERE time < ? ORDER BY time LIMIT ?
    ) RETURNING deployment_seq, bytes`,
    [time, rows],
  );
  await addToSizes(transaction, removed, -1);
  return removed.length;
}

export interface LogSize {
  deployment_seq: number;
  /** Null if the deployment was deleted. */
  account_seq: number | null;
  bytes: number;
}

export function logSizes(reads: Reads): Promise<LogSize[]> {
  return reads.all(
    `SELECT deployment_seq, deployments.account_seq, bytes FROM deployment_log_sizes
      LEFT JOIN deployments ON deployments.seq = deployment_seq`,
    [],
  );
}

/**
 * Removes the oldest lines of a deployment until it has no more than `maxBytes`, and at most the given number of rows.
 */
export async function removeOldestLines(
  transaction: WriteTransaction,
  deploymentSeq: number,
  maxBytes: number,
  rows: number,
): Promise<number> {
  const size = await transaction.one<{ bytes: number }>(
    forUpdate(transaction, "SELECT bytes FROM deployment_log_sizes WHERE deployment_seq = ?"),
    [deploymentSeq],
  );
  let excess = (size?.bytes ?? 0) - maxBytes;
  const removed: LogRow[] = [];
  const oldest = await linesAfter(transaction, deploymentSeq, 0, rows);
  for (const line of oldest) {
    if (excess <= 0 && maxBytes > 0) break;
    excess -= line.bytes;
    removed.push(line);
  }
  const last = removed.at(-1);
  if (!last) return 0;
  await transaction.run("DELETE FROM deployment_logs WHERE deployment_seq = ? AND seq <= ?", [deploymentSeq, last.seq]);
  await addToSizes(transaction, removed, -1);
  return removed.length;
}

/** Removes the sizes of deleted deployments that have no lines left. */
export async function deleteEmptySizes(transaction: WriteTransaction): Promise<void> {
  await transaction.run(
    `DELETE FROM deployment_log_sizes
      WHERE NOT EXISTS (SELECT 1 FROM deployments WHERE seq = deployment_log_sizes.deployment_seq)
        AND NOT EXISTS (SELECT 1 FROM deployment_logs WHERE deployment_seq = deployment_log_sizes.deployment_seq)`,
    [],
  );
}
