import type { Selectable, Updateable } from "kysely";
import type { Paging } from "../../../lib/paging.ts";
import { forUpdate, readPage } from "../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { Tables } from "../../../platform/storage/tables.ts";

export type PackRow = Selectable<Tables["credit_packs"]>;

const withId = "SELECT * FROM credit_packs WHERE bucket_seq = ? AND id = ?";

export function findPack(reads: Reads, bucketSeq: number, id: string): Promise<PackRow | undefined> {
  return reads.one(withId, [bucketSeq, id]);
}

export function findPackForUpdate(transaction: WriteTransaction, bucketSeq: number, id: string) {
  return transaction.one<PackRow>(forUpdate(transaction, withId), [bucketSeq, id]);
}

export function packNamed(reads: Reads, bucketSeq: number, externalId: string): Promise<PackRow | undefined> {
  return reads.one("SELECT * FROM credit_packs WHERE bucket_seq = ? AND external_id = ?", [bucketSeq, externalId]);
}

export function listPacks(reads: Reads, bucketSeq: number, externalId: string | undefined, paging: Paging) {
  const query = reads.query.selectFrom("credit_packs").where("bucket_seq", "=", bucketSeq);
  return readPage(externalId === undefined ? query : query.where("external_id", "=", externalId), paging);
}

/** Those that customers see, in order. */
export function publicPacks(reads: Reads, bucketSeq: number): Promise<PackRow[]> {
  return reads.all("SELECT * FROM credit_packs WHERE bucket_seq = ? AND is_public = 1 ORDER BY position, seq", [
    bucketSeq,
  ]);
}

export async function insertPack(transaction: WriteTransaction, pack: Omit<PackRow, "seq">): Promise<PackRow> {
  return { seq: await transaction.insert("credit_packs", pack), ...pack };
}

export async function updatePack(
  transaction: WriteTransaction,
  seq: number,
  values: Updateable<Tables["credit_packs"]>,
): Promise<void> {
  await transaction.query.updateTable("credit_packs").set(values).where("seq", "=", seq).execute();
}

export async function deletePack(transaction: WriteTransaction, seq: number): Promise<void> {
  await transaction.run("DELETE FROM credit_packs WHERE seq = ?", [seq]);
}
