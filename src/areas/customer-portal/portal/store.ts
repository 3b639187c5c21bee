import type { Paging } from "../../../lib/paging.ts";
import { deleteSome, forUpdate, pageOf } from "../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

export type PortalRow = RowOf<"portals">;
type HandoffRow = RowOf<"portal_handoffs">;

/** A portal with its account and bucket. */
export interface SiteRow extends Omit<PortalRow, "logo"> {
  account_id: string;
  account_name: string;
  bucket_name: string;
}

/** A session with its customer, and its manager if one signed in. */
export type PortalSessionRow = RowOf<"portal_sessions"> & {
  consumer_id: string;
  consumer_name: string;
  display_name: string | null;
  is_suspended: number;
  suspension_reason: string | null;
  manager_id: string | null;
  manager_sub: string | null;
  manager_email: string | null;
  manager_scopes: string | null;
};

// A deleted bucket belongs to another account until it is removed: its portal no longer exists.
const live =
  "JOIN key_buckets ON key_buckets.seq = portals.bucket_seq AND key_buckets.account_seq = portals.account_seq";

export function findPortal(reads: Reads, bucketSeq: number): Promise<PortalRow | undefined> {
  return reads.one("SELECT * FROM portals WHERE bucket_seq = ?", [bucketSeq]);
}

export function findPortalForUpdate(transaction: WriteTransaction, bucketSeq: number): Promise<PortalRow | undefined> {
  return transaction.one(forUpdate(transaction, "SELECT * FROM portals WHERE bucket_seq = ?"), [bucketSeq]);
}

/** Without the logo, which few requests need. */
export function findSite(reads: Reads, id: string): Promise<SiteRow | undefined> {
  return reads.one(
    `SELECT portals.seq, portals.id, portals.account_seq, portals.bucket_seq, portals.name, portals.host,
        portals.is_enabled, portals.settings, portals.logo_type, portals.client_secret, portals.version, portals.created_on,
        portals.updated_on, accounts.id AS account_id, accounts.name AS account_name, key_buckets.name AS bucket_name
      FROM portals ${live} JOIN accounts ON accounts.seq = portals.account_seq
      WHERE portals.id = ? AND portals.is_enabled = 1`,
    [id],
  );
}

export function findLogo(reads: Reads, id: string): Promise<Pick<PortalRow, "logo" | "logo_type"> | undefined> {
  return reads.one("SELECT logo, logo_type FROM portals WHERE id = ? AND is_enabled = 1", [id]);
}

export interface PortalPlaceRow {
  id: string;
  accountSeq: number;
  bucketId: string;
  name: string;
  host: string | null;
}

/** Where each enabled portal is served. */
export function enabledPlaces(reads: Reads): Promise<PortalPlaceRow[]> {
  return reads.all(
    `SELECT portals.id, portals.account_seq AS "accountSeq", key_buckets.id AS "bucketId", portals.name, portals.host
      FROM portals ${live} WHERE portals.is_enabled = 1`,
    [],
  );
}

interface ListedRow extends Pick<PortalRow, "id" | "name" | "host" | "is_enabled" | "settings"> {
  bucket_name: string;
}

export async function listPortals(reads: Reads, accountSeq: number, paging: Paging) {
  const from = `FROM portals ${live} WHERE portals.account_seq = ?`;
  const columns = "portals.id, portals.name, portals.host, portals.is_enabled, portals.settings";
  const query = `SELECT ${columns}, key_buckets.name AS bucket_name ${from} ORDER BY portals.seq`;
  return pageOf<ListedRow>(reads, query, from, [accountSeq], paging);
}

export async function isHostTaken(reads: Reads, accountSeq: number, host: string, exceptBucketSeq: number) {
  const sql = `SELECT 1 AS found FROM portals ${live}
    WHERE portals.account_seq = ? AND portals.host = ? AND portals.bucket_seq <> ?`;
  return (await reads.one(sql, [accountSeq, host, exceptBucketSeq])) !== undefined;
}

const validHandoff =
  "WHERE portal_handoffs.hash = ? AND portal_handoffs.portal_seq = ? AND portal_handoffs.expires_on > ?";

export function findHandoffForUpdate(
  transaction: WriteTransaction,
  portalSeq: number,
  hash: Buffer,
  now: number,
): Promise<HandoffRow | undefined> {
  const sql = `SELECT * FROM portal_handoffs ${validHandoff}`;
  return transaction.one(forUpdate(transaction, sql), [hash, portalSeq, now]);
}

/** The customer of a hand-off, by its display name, if it has one. */
export function findHandoffCustomer(
  reads: Reads,
  portalSeq: number,
  hash: Buffer,
  now: number,
): Promise<{ consumer_seq: number; name: string } | undefined> {
  return reads.one(
    `SELECT portal_handoffs.consumer_seq, coalesce(consumers.display_name, consumers.name) AS name
      FROM portal_handoffs JOIN consumers ON consumers.seq = portal_handoffs.consumer_seq ${validHandoff}`,
    [hash, portalSeq, now],
  );
}

/** Also checks that the consumer still belongs to the bucket of the portal. */
export function findPortalSession(
  reads: Reads,
  site: Pick<SiteRow, "seq" | "bucket_seq">,
  hash: Buffer,
  now: number,
): Promise<PortalSessionRow | undefined> {
  return reads.one(
    `SELECT portal_sessions.*, consumers.id AS consumer_id, consumers.name AS consumer_name, consumers.is_suspended,
        consumers.suspension_reason, consumers.display_name, managers.id AS manager_id, managers.sub AS manager_sub,
        managers.email AS manager_email, managers.scopes AS manager_scopes
      FROM portal_sessions JOIN consumers ON consumers.seq = portal_sessions.consumer_seq AND consumers.bucket_seq = ?
      LEFT JOIN managers ON managers.seq = portal_sessions.manager_seq
      WHERE portal_sessions.hash = ? AND portal_sessions.portal_seq = ? AND portal_sessions.expires_on > ?`,
    [site.bucket_seq, hash, site.seq, now],
  );
}

const expiringTables = [
  "portal_handoffs",
  "portal_sessions",
  "portal_proofs",
  "portal_invite_mails",
  "portal_former_customers",
] as const;

/** Deletes what has expired. Returns how many of all. */
export async function deleteExpired(transaction: WriteTransaction, now: number, rows: number): Promise<number> {
  let deleted = 0;
  for (const table of expiringTables) deleted += await deleteSome(transaction, table, "expires_on <= ?", [now], rows);
  return deleted;
}

export type DeletedKeyRow = RowOf<"portal_deleted_keys">;

export function findDeletedKey(reads: Reads, consumerSeq: number): Promise<DeletedKeyRow | undefined> {
  return reads.one("SELECT * FROM portal_deleted_keys WHERE consumer_seq = ?", [consumerSeq]);
}

/** Keeps the newest key only. */
export async function recordDeletedKey(transaction: WriteTransaction, deletedKey: DeletedKeyRow): Promise<void> {
  await transaction.run(
    `INSERT INTO portal_deleted_keys (consumer_seq, key_id, key_created_on, rules) VALUES (?, ?, ?, ?)
      ON CONFLICT (consumer_seq) DO UPDATE
        SET key_id = excluded.key_id, key_created_on = excluded.key_created_on, rules = excluded.rules
      WHERE portal_deleted_keys.key_created_on < excluded.key_created_on
        OR portal_deleted_keys.key_created_on = excluded.key_created_on AND portal_deleted_keys.key_id < excluded.key_id`,
    [deletedKey.consumer_seq, deletedKey.key_id, deletedKey.key_created_on, deletedKey.rules],
  );
}

/**
 * When the oldest of the last `count` invite mails counts no more: of those of a customer, or of a portal to a mailbox.
 * Undefined if fewer count.
 */
export function earlierInviteMail(
  reads: Reads,
  of: { consumer_seq: number } | { portal_id: string; mailbox: string },
  now: number,
  count: number,
) {
  const conditions = Object.keys(of).map((column) => `${column} = ?`);
  const sql = `SELECT expires_on FROM portal_invite_mails WHERE ${conditions.join(" AND ")} AND expires_on > ?
    ORDER BY created_on DESC LIMIT 1 OFFSET ?`;
  return reads.one<{ expires_on: number }>(sql, [...Object.values(of), now, count - 1]);
}
