import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

export type OAuthKeyRow = RowOf<"oauth_keys">;

/** The keys of a portal that verify now, the newest first. */
export function validKeys(reads: Reads, portalSeq: number, now: number): Promise<OAuthKeyRow[]> {
  const sql = `SELECT * FROM oauth_keys WHERE portal_seq = ? AND (expires_on IS NULL OR expires_on > ?)
    ORDER BY signs_from DESC, seq DESC`;
  return reads.all(sql, [portalSeq, now]);
}

interface PublicKeyRow {
  id: string;
  public_key: string;
  expires_on: number | null;
  portal_id: string;
}

export function findPublicKey(reads: Reads, id: string): Promise<PublicKeyRow | undefined> {
  const sql = `SELECT oauth_keys.id, oauth_keys.public_key, oauth_keys.expires_on, portals.id AS portal_id
    FROM oauth_keys JOIN portals ON portals.seq = oauth_keys.portal_seq WHERE oauth_keys.id = ?`;
  return reads.one(sql, [id]);
}

/** Sets the end of the keys that have none. */
export async function endKeys(transaction: WriteTransaction, portalSeq: number, expiresOn: number): Promise<void> {
  const sql = "UPDATE oauth_keys SET expires_on = ? WHERE portal_seq = ? AND expires_on IS NULL";
  await transaction.run(sql, [expiresOn, portalSeq]);
}

/** Returns the ids of the deleted keys. */
export async function deleteKeys(transaction: WriteTransaction, portalSeq: number): Promise<string[]> {
  const sql = "DELETE FROM oauth_keys WHERE portal_seq = ? RETURNING id";
  return (await transaction.all<{ id: string }>(sql, [portalSeq])).map(({ id }) => id);
}
