import type { Selectable } from "kysely";
import type { Paging } from "../../../lib/paging.ts";
import { readPage } from "../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { Tables } from "../../../platform/storage/tables.ts";

export type VersionRow = Selectable<Tables["deployment_versions"]>;

export async function readArtifact(reads: Reads, deploymentSeq: number, hash: string): Promise<string | undefined> {
  const row = await reads.one<{ data: string }>(
    "SELECT data FROM deployment_artifacts WHERE deployment_seq = ? AND hash = ?",
    [deploymentSeq, hash],
  );
  return row?.data;
}

export async function lastVersionNumber(reads: Reads, deploymentSeq: number): Promise<number> {
  const row = await reads.one<{ number: number | null }>(
    "SELECT max(number) AS number FROM deployment_versions WHERE deployment_seq = ?",
    [deploymentSeq],
  );
  return row?.number ?? 0;
}

export function listVersions(reads: Reads, deploymentSeq: number, paging: Paging) {
  const ofDeployment = reads.query.selectFrom("deployment_versions").where("deployment_seq", "=", deploymentSeq);
  return readPage(ofDeployment, paging);
}

export function findVersion(reads: Reads, deploymentSeq: number, number: number): Promise<VersionRow | undefined> {
  return reads.one("SELECT * FROM deployment_versions WHERE deployment_seq = ? AND number = ?", [
    deploymentSeq,
    number,
  ]);
}

export function findVersionBySeq(reads: Reads, seq: number): Promise<VersionRow | undefined> {
  return reads.one("SELECT * FROM deployment_versions WHERE seq = ?", [seq]);
}

/** Returns the newest version that is older than another one. */
export function versionBefore(reads: Reads, deploymentSeq: number, seq: number): Promise<VersionRow | undefined> {
  return reads.one("SELECT * FROM deployment_versions WHERE deployment_seq = ? AND seq < ? ORDER BY seq DESC LIMIT 1", [
    deploymentSeq,
    seq,
  ]);
}

/** Removes a version that never served, and its artifact if no other version has it. */
export async function removeVersionOfBuild(
  transaction: WriteTransaction,
  deploymentSeq: number,
  buildId: string,
): Promise<void> {
  await transaction.run("DELETE FROM deployment_versions WHERE deployment_seq = ? AND build_id = ?", [
    deploymentSeq,
    buildId,
  ]);
  await removeUnusedArtifacts(transaction, deploymentSeq);
}

/** Removes all but the newest versions, and the artifacts that no version has any more. */
export async function removeOldVersions(
  transaction: WriteTransaction,
  deploymentSeq: number,
  activeSeq: number,
  kept: number,
): Promise<void> {
  await transaction.run(
    `DELETE FROM deployment_versions WHERE deployment_seq = ? AND seq <> ? AND seq NOT IN (
      SELECT seq FROM deployment_versions WHERE deployment_seq = ? ORDER BY seq DESC LIMIT ?
    )`,
    [deploymentSeq, activeSeq, deploymentSeq, kept],
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
