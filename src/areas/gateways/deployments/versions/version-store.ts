import { deleteRows, findRow } from "../../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { RowOf } from "../../../../platform/storage/tables.ts";

export type VersionRow = RowOf<"deployment_versions">;

export async function readArtifact(reads: Reads, deploymentSeq: number, hash: string): Promise<string | undefined> {
  return (await findRow(reads, "deployment_artifacts", { deployment_seq: deploymentSeq, hash }))?.data;
}

export async function lastVersionNumber(reads: Reads, deploymentSeq: number): Promise<number> {
  const row = await reads.one<{ number: number | null }>(
    "SELECT max(number) AS number FROM deployment_versions WHERE deployment_seq = ?",
    [deploymentSeq],
  );
  return row?.number ?? 0;
}

/** Returns the version with a number, by default the one that serves. Undefined if there is none. */
export async function versionOrLive(
  reads: Reads,
  { seq, active_version_seq }: { seq: number; active_version_seq: number | null },
  number?: number,
): Promise<VersionRow | undefined> {
  if (number !== undefined) return findRow(reads, "deployment_versions", { deployment_seq: seq, number });
  return active_version_seq === null ? undefined : findRow(reads, "deployment_versions", { seq: active_version_seq });
}

/** Returns the newest version that is older than another one and has been live. */
export function versionBefore(reads: Reads, deploymentSeq: number, seq: number): Promise<VersionRow | undefined> {
  return reads.one(
    "SELECT * FROM deployment_versions WHERE deployment_seq = ? AND seq < ? AND is_staged = 0 ORDER BY seq DESC LIMIT 1",
    [deploymentSeq, seq],
  );
}

/** Removes a version that never served, and its artifact if no other version has it. */
export async function removeVersionOfBuild(
  transaction: WriteTransaction,
  deploymentSeq: number,
  buildId: string,
): Promise<void> {
  await deleteRows(transaction, "deployment_versions", { deployment_seq: deploymentSeq, build_id: buildId });
  await removeUnusedArtifacts(transaction, deploymentSeq);
}

/** Ends the canary release of a deployment without the outcome of another operation. */
export async function replaceCanary(transaction: WriteTransaction, deploymentSeq: number, now: number): Promise<void> {
  await transaction.run(
    "UPDATE deployment_canaries SET ended_on = ?, outcome = 'replaced' WHERE deployment_seq = ? AND ended_on IS NULL",
    [now, deploymentSeq],
  );
}

/** Removes all but the newest versions, the live one and the canary, and the artifacts that no version has any more. */
export async function removeOldVersions(
  transaction: WriteTransaction,
  deploymentSeq: number,
  activeSeq: number,
  kept: number,
): Promise<void> {
  await transaction.run(
    `DELETE FROM deployment_versions WHERE deployment_seq = ? AND seq <> ? AND seq NOT IN (
      SELECT seq FROM deployment_versions WHERE deployment_seq = ? ORDER BY seq DESC LIMIT ?
    ) AND seq NOT IN (
      SELECT version_seq FROM deployment_canaries WHERE deployment_seq = ? AND ended_on IS NULL
    )`,
    [deploymentSeq, activeSeq, deploymentSeq, kept, deploymentSeq],
  );
  await removeUnusedArtifacts(transaction, deploymentSeq);
}

async function removeUnusedArtifacts(transaction: WriteTransaction, deploymentSeq: number): Promise<void> {
  await transaction.run(
    `DELETE FROM deployment_artifacts WHERE deployment_seq = ? AND hash NOT IN (
      SELECT artifact_hash FROM deployment_versions WHERE deployment_seq = ?
    )`,
    [deploymentSeq, deploymentSeq],
  );
}
