import type { Paging } from "../../../lib/paging.ts";
import { countOf, deleteSome, forUpdate, pageOf } from "../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

/** An authorization with its client and its customer. */
export interface AuthorizationRow extends RowOf<"oauth_authorizations"> {
  client_id: string;
  client_type: string;
  client_document_url: string | null;
  client_name: string;
  consumer_id: string;
  consumer_name: string;
}

const withOwners = `SELECT oauth_authorizations.*, oauth_clients.id AS client_id, oauth_clients.type AS client_type,
    oauth_clients.document_url AS client_document_url, oauth_clients.name AS client_name,
    consumers.id AS consumer_id, consumers.name AS consumer_name
  FROM oauth_authorizations JOIN oauth_clients ON oauth_clients.seq = oauth_authorizations.client_seq
  JOIN consumers ON consumers.seq = oauth_authorizations.consumer_seq`;

/** Not expired, and its code was exchanged, or it needs none. */
const isActive = `(oauth_authorizations.expires_on IS NULL OR oauth_authorizations.expires_on > ?)
  AND (oauth_authorizations.code_hash IS NULL OR oauth_authorizations.code_used_on IS NOT NULL)`;

interface AuthorizationFilter {
  portalSeq: number;
  consumerSeq?: number | undefined;
  clientSeq?: number | undefined;
  now: number;
}

/** The newest first, without those that have ended. */
export async function listAuthorizations(reads: Reads, filter: AuthorizationFilter, paging: Paging) {
  const { portalSeq, consumerSeq, clientSeq, now } = filter;
  const conditions = [
    isActive,
    "oauth_authorizations.portal_seq = ?",
    ...(consumerSeq === undefined ? [] : ["oauth_authorizations.consumer_seq = ?"]),
    ...(clientSeq === undefined ? [] : ["oauth_authorizations.client_seq = ?"]),
  ].join(" AND ");
  const values = [now, portalSeq, ...[consumerSeq, clientSeq].filter((seq) => seq !== undefined)];
  const query = `${withOwners} WHERE ${conditions} ORDER BY oauth_authorizations.seq DESC`;
  return pageOf<AuthorizationRow>(reads, query, `FROM oauth_authorizations WHERE ${conditions}`, values, paging);
}

export function findAuthorization(
  reads: Reads,
  portalSeq: number,
  id: string,
  now: number,
): Promise<AuthorizationRow | undefined> {
  const sql = `${withOwners} WHERE oauth_authorizations.portal_seq = ? AND oauth_authorizations.id = ? AND ${isActive}`;
  return reads.one(sql, [portalSeq, id, now]);
}

/** Locks the authorization, whatever its state. */
export function lockAuthorization(
  transaction: WriteTransaction,
  portalSeq: number,
  id: string,
): Promise<AuthorizationRow | undefined> {
  return lockWhere(transaction, "portal_seq = ? AND id = ?", [portalSeq, id]);
}

export function lockAuthorizationOfCode(
  transaction: WriteTransaction,
  portalSeq: number,
  codeHash: Uint8Array,
): Promise<AuthorizationRow | undefined> {
  return lockWhere(transaction, "portal_seq = ? AND code_hash = ?", [portalSeq, codeHash]);
}

/** The authorization of a service client. */
export function lockAuthorizationOfClient(
  transaction: WriteTransaction,
  clientSeq: number,
): Promise<AuthorizationRow | undefined> {
  return lockWhere(transaction, "client_seq = ?", [clientSeq]);
}

/** Two queries: PostgreSQL would lock the rows of the joined tables too. */
async function lockWhere(
  transaction: WriteTransaction,
  condition: string,
  values: (string | number | Uint8Array)[],
): Promise<AuthorizationRow | undefined> {
  const sql = forUpdate(transaction, `SELECT seq FROM oauth_authorizations WHERE ${condition}`);
  const locked = await transaction.one<{ seq: number }>(sql, values);
  return locked && transaction.one(`${withOwners} WHERE oauth_authorizations.seq = ?`, [locked.seq]);
}

/** Also counts those whose code was not exchanged yet. */
export function countAuthorizations(reads: Reads, consumerSeq: number, now: number): Promise<number> {
  const from = "FROM oauth_authorizations WHERE consumer_seq = ? AND (expires_on IS NULL OR expires_on > ?)";
  return countOf(reads, from, [consumerSeq, now]);
}

/** An authorization as a gateway needs it. */
interface ServedAuthorizationRow {
  id: string;
  rules: string;
  deployment: string | null;
  expires_on: number | null;
  client_id: string;
  client_type: string;
  client_document_url: string | null;
  client_name: string;
  consumer_id: string;
  consumer_name: string;
  consumer_metadata: string | null;
  consumer_is_suspended: number;
  portal_id: string;
  portal_name: string;
  portal_host: string | null;
  portal_settings: string;
  portal_is_enabled: number;
  bucket_seq: number;
  bucket_name: string;
  account_seq: number;
}

/** A bucket that was deleted belongs to another account, so its authorizations are not found. */
export function findServedAuthorization(reads: Reads, id: string): Promise<ServedAuthorizationRow | undefined> {
  return reads.one(
    `SELECT oauth_authorizations.id, oauth_authorizations.rules, oauth_authorizations.deployment,
        oauth_authorizations.expires_on, oauth_clients.id AS client_id, oauth_clients.type AS client_type,
        oauth_clients.document_url AS client_document_url, oauth_clients.name AS client_name,
        consumers.id AS consumer_id, consumers.name AS consumer_name, consumers.metadata AS consumer_metadata,
        consumers.is_suspended AS consumer_is_suspended, portals.id AS portal_id, portals.name AS portal_name,
        portals.host AS portal_host, portals.settings AS portal_settings, portals.is_enabled AS portal_is_enabled,
        portals.bucket_seq, portals.account_seq, key_buckets.name AS bucket_name
      FROM oauth_authorizations JOIN oauth_clients ON oauth_clients.seq = oauth_authorizations.client_seq
      JOIN portals ON portals.seq = oauth_authorizations.portal_seq
      JOIN key_buckets ON key_buckets.seq = portals.bucket_seq AND key_buckets.account_seq = portals.account_seq
      JOIN consumers ON consumers.seq = oauth_authorizations.consumer_seq AND consumers.bucket_seq = key_buckets.seq
      WHERE oauth_authorizations.id = ?`,
    [id],
  );
}

interface PortalOfBucketRow {
  name: string;
  host: string | null;
  settings: string;
  is_enabled: number;
}

export function findPortalOfBucket(
  reads: Reads,
  accountSeq: number,
  bucketName: string,
): Promise<PortalOfBucketRow | undefined> {
  return reads.one(
    `SELECT portals.name, portals.host, portals.settings, portals.is_enabled FROM key_buckets
      JOIN portals ON portals.bucket_seq = key_buckets.seq AND portals.account_seq = key_buckets.account_seq
      WHERE key_buckets.account_seq = ? AND key_buckets.name = ?`,
    [accountSeq, bucketName],
  );
}

const expiringTables = ["oauth_authorizations", "oauth_clients", "oauth_keys"] as const;

/** Deletes what has expired. Returns how many of all. */
export async function deleteExpired(transaction: WriteTransaction, now: number, rows: number): Promise<number> {
  let deleted = 0;
  for (const table of expiringTables) deleted += await deleteSome(transaction, table, "expires_on <= ?", [now], rows);
  return deleted;
}
