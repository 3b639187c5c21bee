import { findRow } from "../../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";

export async function readChunk(reads: Reads, sourceSeq: number, position: number): Promise<Uint8Array | undefined> {
  return (await findRow(reads, "deployment_source_chunks", { source_seq: sourceSeq, position }))?.data;
}

/** Copies a source for another deployment. Returns the copy, or undefined if the source was removed. */
export async function copySource(
  transaction: WriteTransaction,
  sourceSeq: number,
  deployment: { seq: number; isLimited: boolean },
  now: number,
): Promise<number | undefined> {
  if (!(await findRow(transaction, "deployment_sources", { seq: sourceSeq }))) return undefined;
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

/** Whether a source is from before a time, and neither the deployment, nor a version, nor an unfinished build needs it. */
export const isUnusedSource = `created_on < ?
  AND seq NOT IN (SELECT source_seq FROM deployments WHERE source_seq IS NOT NULL)
  AND seq NOT IN (SELECT source_seq FROM deployment_versions WHERE source_seq IS NOT NULL)
  AND seq NOT IN (
    SELECT source_seq FROM deployment_builds
    WHERE source_seq IS NOT NULL AND state IN ('uploading', 'queued', 'running')
  ) ORDER BY seq`;
