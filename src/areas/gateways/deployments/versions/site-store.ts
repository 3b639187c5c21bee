import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";

export interface SiteKey {
  deploymentSeq: number;
  artifactHash: string;
}

/** Adds a site unless the artifact has one. */
export async function insertSite(
  transaction: WriteTransaction,
  { deploymentSeq, artifactHash }: SiteKey,
  site: { contents: Uint8Array; pack: Uint8Array },
): Promise<void> {
  const row = { deployment_seq: deploymentSeq, artifact_hash: artifactHash, ...site };
  await transaction.insertNew("deployment_sites", [row], ["deployment_seq", "artifact_hash"]);
}

export async function readContents(
  reads: Reads,
  { deploymentSeq, artifactHash }: SiteKey,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const row = await reads.one<{ contents: Uint8Array<ArrayBuffer> }>(
    "SELECT contents FROM deployment_sites WHERE deployment_seq = ? AND artifact_hash = ?",
    [deploymentSeq, artifactHash],
  );
  return row?.contents;
}

/** Reads one file of the pack. Both engines count bytes from 1. */
export async function readPiece(
  reads: Reads,
  { deploymentSeq, artifactHash }: SiteKey,
  [offset, length]: readonly [number, number],
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const row = await reads.one<{ piece: Uint8Array<ArrayBuffer> }>(
    `SELECT substr(pack, CAST(? AS integer), CAST(? AS integer)) AS piece FROM deployment_sites
      WHERE deployment_seq = ? AND artifact_hash = ?`,
    [offset + 1, length, deploymentSeq, artifactHash],
  );
  return row?.piece;
}
