import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";

export function insertChunk(
  transaction: WriteTransaction,
  sourceSeq: number,
  position: number,
  data: Uint8Array,
): Promise<void> {
  return transaction.insertAll("deployment_source_chunks", [{ source_seq: sourceSeq, position, data }]);
}

export async function readChunk(reads: Reads, sourceSeq: number, position: number): Promise<Uint8Array | undefined> {
  const row = await reads.one<{ data: Uint8Array }>(
    "SELECT data FROM deployment_source_chunks WHERE source_seq = ? AND position = ?",
    [sourceSeq, position],
  );
  return row?.data;
}

/** Removes sources from before a time that neither the deployment nor an unfinished build needs. Returns the number. */
export async function removeUnusedSources(
  transaction: WriteTransaction,
  before: number,
  rows: number,
): Promise<number> {
  const removed = await transaction.all(
    `DELETE FROM deployment_sources WHERE seq IN (
      SELECT seq FROM deployment_sources WHERE created_on < ?
        AND seq NOT IN (SELECT source_seq FROM deployments WHERE source_seq IS NOT NULL)
        AND seq NOT IN (
          SELECT source_seq FROM deployment_builds
          WHERE source_seq IS NOT NULL AND state IN ('uploading', 'queued', 'running')
        )
      ORDER BY seq LIMIT ?
    ) RETURNING seq`,
    [before, rows],
  );
  return removed.length;
}

export async function deleteSource(transaction: WriteTransaction, seq: number): Promise<void> {
  await transaction.run("DELETE FROM deployment_sources WHERE seq = ?", [seq]);
}
