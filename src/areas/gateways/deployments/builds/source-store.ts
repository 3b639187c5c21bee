import { deleteSome } from "../../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";

export async function insertChunk(
  transaction: WriteTransaction,
  sourceSeq: number,
  position: number,
  data: Uint8Array,
): Promise<void> {
  await transaction.insertAll("deployment_source_chunks", [{ source_seq: sourceSeq, position, data }]);
}

export async function readChunk(reads: Reads, sourceSeq: number, position: number): Promise<Uint8Array | undefined> {
  const row = await reads.one<{ data: Uint8Array }>(
    "SELECT data FROM deployment_source_chunks WHERE source_seq = ? AND position = ?",
    [sourceSeq, position],
  );
  return row?.data;
}

/** Whether a caller with limited access uploaded a source. */
export async function isLimitedSource(reads: Reads, sourceSeq: number): Promise<boolean> {
  const sql = "SELECT 1 AS found FROM deployment_sources WHERE seq = ? AND is_limited = 1";
  return (await reads.one(sql, [sourceSeq])) !== undefined;
}

/** Copies a source for another deployment. Returns the copy, or undefined if the source was removed. */
export async function copySource(
  transaction: WriteTransaction,
  sourceSeq: number,
  deployment: { seq: number; isLimited: boolean },
  now: number,
): Promise<number | undefined> {
  const exists = await transaction.one("SELECT seq FROM deployment_sources WHERE seq = ?", [sourceSeq]);
  if (!exists) return undefined;
  const copy = await transaction.insert("deployment_sources", {
    deployment_seq: deployment.seq,
    is_limited: deployment.isLimited ? 1 : 0,
    created_on: now,
  });
  await transaction.run(
    `INSERT INTO deployment_source_chunks (source_seq, position, data)
      SELECT ${copy}, position, data FROM deployment_source_chunks WHERE source_seq = ?`,
    [sourceSeq],
  );
  return copy;
}

/**
 * Removes sources from before a time that neither the deployment, nor a version, nor an unfinished build needs. Returns
 * the number.
 */
export function removeUnusedSources(transaction: WriteTransaction, before: number, rows: number): Promise<number> {
  const isUnused = `created_on < ?
    AND seq NOT IN (SELECT source_seq FROM deployments WHERE source_seq IS NOT NULL)
    AND seq NOT IN (SELECT source_seq FROM deployment_versions WHERE source_seq IS NOT NULL)
    AND seq NOT IN (
      SELECT source_seq FROM deployment_builds
      WHERE source_seq IS NOT NULL AND state IN ('uploading', 'queued', 'running')
    ) ORDER BY seq`;
  return deleteSome(transaction, "deployment_sources", isUnused, [before], rows);
}
