import type { Insertable } from "kysely";
import type { Paging } from "../../../../lib/paging.ts";
import { forUpdate, readPage } from "../../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { RowOf, Tables } from "../../../../platform/storage/tables.ts";

type ProofRow = RowOf<"portal_proofs">;
export type AccessRequestRow = RowOf<"portal_access_requests">;

export function findProofForUpdate(
  transaction: WriteTransaction,
  portalSeq: number,
  hash: Buffer,
  now: number,
): Promise<ProofRow | undefined> {
  const sql = "SELECT * FROM portal_proofs WHERE hash = ? AND portal_seq = ? AND expires_on > ?";
  return transaction.one(forUpdate(transaction, sql), [hash, portalSeq, now]);
}

/** The sign-up of a customer. Undefined for a customer that the business created. */
export function findSignUp(reads: Reads, consumerSeq: number) {
  const sql = "SELECT email, is_returning FROM portal_sign_ups WHERE consumer_seq = ?";
  return reads.one<{ email: string; is_returning: number }>(sql, [consumerSeq]);
}

export function findFormer(reads: Reads, hash: Uint8Array, now: number): Promise<{ left_on: number } | undefined> {
  return reads.one("SELECT left_on FROM portal_former_customers WHERE hash = ? AND expires_on > ?", [hash, now]);
}

export async function recordFormer(
  transaction: WriteTransaction,
  { hash, left_on, expires_on }: Insertable<Tables["portal_former_customers"]>,
): Promise<void> {
  await transaction.run(
    `INSERT INTO portal_former_customers (hash, left_on, expires_on) VALUES (?, ?, ?)
      ON CONFLICT (hash) DO UPDATE SET left_on = excluded.left_on, expires_on = excluded.expires_on`,
    [hash, left_on, expires_on],
  );
}

/** The display names of customers, by the seq of the consumer. */
export async function displayNamesOf(reads: Reads, consumerSeqs: number[]): Promise<Map<number, string>> {
  if (consumerSeqs.length === 0) return new Map();
  const rows = await reads.query
    .selectFrom("consumers")
    .select(["seq", "display_name"])
    .where("seq", "in", consumerSeqs)
    .execute();
  return new Map(rows.flatMap(({ seq, display_name }) => (display_name === null ? [] : [[seq, display_name]])));
}

export function accessRequestOf(
  reads: Reads,
  portalSeq: number,
  mailbox: string,
): Promise<AccessRequestRow | undefined> {
  const sql = "SELECT * FROM portal_access_requests WHERE portal_seq = ? AND mailbox = ?";
  return reads.one(sql, [portalSeq, mailbox]);
}

export function findAccessRequest(reads: Reads, portalSeq: number, id: string) {
  const sql = "SELECT * FROM portal_access_requests WHERE portal_seq = ? AND id = ?";
  return reads.one<AccessRequestRow>(sql, [portalSeq, id]);
}

export function findAccessRequestForUpdate(transaction: WriteTransaction, portalSeq: number, id: string) {
  const sql = "SELECT * FROM portal_access_requests WHERE portal_seq = ? AND id = ?";
  return transaction.one<AccessRequestRow>(forUpdate(transaction, sql), [portalSeq, id]);
}

export function listAccessRequests(reads: Reads, portalSeq: number, state: string | undefined, paging: Paging) {
  const all = reads.query.selectFrom("portal_access_requests").where("portal_seq", "=", portalSeq);
  return readPage(state === undefined ? all : all.where("state", "=", state), paging);
}

export interface SignedUp {
  name: string;
  email: string;
  display_name: string | null;
  created_on: number;
  /** When the oldest key that exists was created. */
  first_key_on: number | null;
}

/** The customers who signed up at a portal and still exist, the newest first. */
export function signedUp(reads: Reads, portalSeq: number): Promise<SignedUp[]> {
  return reads.all(
    `SELECT consumers.name, portal_sign_ups.email, consumers.display_name, portal_sign_ups.created_on,
       (SELECT MIN(api_keys.created_on) FROM api_keys WHERE api_keys.consumer_seq = consumers.seq) AS first_key_on
     FROM portal_sign_ups JOIN consumers ON consumers.seq = portal_sign_ups.consumer_seq
     WHERE portal_sign_ups.portal_seq = ? ORDER BY portal_sign_ups.seq DESC`,
    [portalSeq],
  );
}
