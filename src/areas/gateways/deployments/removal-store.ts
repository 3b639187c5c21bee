import { removedAccountSeq } from "../../../core/database/removed-account.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import { removeOldestLines } from "./logs/log-store.ts";
import { deleteDeployment } from "./store.ts";

/** Builds that wait for an upload or a worker. Other builds are not looked up any more. */
const unfinished = `DELETE FROM deployment_builds WHERE state IN ('waiting', 'uploading', 'queued', 'running')
  AND deployment_seq IN (SELECT seq FROM deployments WHERE account_seq = ?)`;

/** A name that no deployment can have: the former names are free, and nothing is served under it. */
const giveAway = `UPDATE deployments SET account_seq = ?, name = '~' || CAST(seq AS text), project = '~' || CAST(seq AS text),
  branch = '', active_version_seq = NULL, source_seq = NULL WHERE account_seq = ?`;

/**
 * Transfers the deployments of an account to the removed account: they cannot be found any more, and their builds end.
 */
export async function markDeploymentRemoved(transaction: WriteTransaction, accountSeq: number): Promise<void> {
  await transaction.run(unfinished, [accountSeq]);
  await transaction.run(giveAway, [removedAccountSeq, accountSeq]);
}

export function findRemovedDeployment(reads: Reads): Promise<{ seq: number } | undefined> {
  return reads.one("SELECT seq FROM deployments WHERE account_seq = ? ORDER BY seq LIMIT 1", [removedAccountSeq]);
}

/** The batch size of sources and artifacts, which are large. */
const largeRows = 10;

const contents = [
  `DELETE FROM deployment_source_chunks WHERE (source_seq, position) IN (
    SELECT source_seq, position FROM deployment_source_chunks
    WHERE source_seq IN (SELECT seq FROM deployment_sources WHERE deployment_seq = ?) LIMIT ${largeRows}
  ) RETURNING position`,
  `DELETE FROM deployment_artifacts WHERE (deployment_seq, hash) IN (
    SELECT deployment_seq, hash FROM deployment_artifacts WHERE deployment_seq = ? LIMIT ${largeRows}
  ) RETURNING hash`,
];

/**
 * Removes part of a deployment, at most the given number of log rows, and the deployment last. Returns the number of
 * rows.
 */
export async function removePiece(transaction: WriteTransaction, seq: number, rows: number): Promise<number> {
  for (const statement of contents) {
    const removed = await transaction.all(statement, [seq]);
    if (removed.length > 0) return removed.length;
  }
  const lines = await removeOldestLines(transaction, seq, 0, rows);
  if (lines > 0) return lines;
  await deleteDeployment(transaction, seq);
  return 1;
}
