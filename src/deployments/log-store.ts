import type { Insertable, Selectable } from "kysely";
import type { Reads, WriteTransaction } from "../storage/storage.ts";
import type { Tables } from "../storage/tables.ts";

export type LogRow = Selectable<Tables["deployment_logs"]>;

export function insertLogLines(
  transaction: WriteTransaction,
  rows: Insertable<Tables["deployment_logs"]>[],
): Promise<void> {
  return transaction.insertAll("deployment_logs", rows);
}

export interface LogSelection {
  limit: number;
  since?: number | undefined;
  kind?: string | undefined;
}

/** The newest that fit, in the order in which they were written. */
export async function newestLines(reads: Reads, deploymentSeq: number, selection: LogSelection): Promise<LogRow[]> {
  let query = reads.query.selectFrom("deployment_logs").selectAll().where("deployment_seq", "=", deploymentSeq);
  if (selection.since !== undefined) query = query.where("time", ">=", selection.since);
  if (selection.kind !== undefined) query = query.where("kind", "=", selection.kind);
  const rows = await query.orderBy("seq", "desc").limit(selection.limit).execute();
  return rows.reverse();
}

export function linesAfter(reads: Reads, deploymentSeq: number, seq: number, limit: number): Promise<LogRow[]> {
  return reads.all("SELECT * FROM deployment_logs WHERE deployment_seq = ? AND seq > ? ORDER BY seq LIMIT ?", [
    deploymentSeq,
    seq,
    limit,
  ]);
}

export async function lastLineSeq(reads: Reads, deploymentSeq: number): Promise<number> {
  const row = await reads.one<{ seq: number | null }>(
    "SELECT max(seq) AS seq FROM deployment_logs WHERE deployment_seq = ?",
    [deploymentSeq],
  );
  return row?.seq ?? 0;
}

/** A little at a time, so that nobody waits for it. */
export async function removeLinesBefore(transaction: WriteTransaction, time: number): Promise<void> {
  await transaction.run(
    "DELETE FROM deployment_logs WHERE seq IN (SELECT seq FROM deployment_logs WHERE time < ? ORDER BY time LIMIT 5000)",
    [time],
  );
}
