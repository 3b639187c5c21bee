import { serverTimeOf } from "../../../../core/access.ts";
import { newId } from "../../../../lib/ids.ts";
import type { Paging } from "../../../../lib/paging.ts";
import { type OneRead, pageOf, readPage } from "../../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { RowOf } from "../../../../platform/storage/tables.ts";
import {
  type BucketContext,
  bucketColumns,
  joinBucket,
  type MeteringBucket,
  type OfBucket,
} from "../../metering-buckets/metering-buckets.ts";

export type GrantRow = RowOf<"grants">;
export type EntryRow = RowOf<"grant_entries">;

type BucketKeys = Pick<MeteringBucket, "seq">;

export function findGrant(reads: OneRead, bucketSeq: number, customerKey: string, id: string) {
  const query = "SELECT * FROM grants WHERE bucket_seq = ? AND customer_key = ? AND id = ?";
  return reads.one<GrantRow>(query, [bucketSeq, customerKey, id]);
}

export function listGrants(reads: Reads, { seq }: BucketKeys, customerKey: string, paging: Paging) {
  const query = reads.query.selectFrom("grants").where("bucket_seq", "=", seq);
  return readPage(query.where("customer_key", "=", customerKey), paging);
}

/** The grants of a customer that were not voided and have not expired, in the order in which they are used. */
export async function grantsInOrder(reads: Reads, bucketSeq: number, customerKey: string): Promise<GrantRow[]> {
  const rows = await reads.all<GrantRow>(
    "SELECT * FROM grants WHERE bucket_seq = ? AND customer_key = ? AND ended_on IS NULL",
    [bucketSeq, customerKey],
  );
  const expiry = ({ expires_on }: GrantRow) => expires_on ?? Number.POSITIVE_INFINITY;
  return rows.sort((left, right) => {
    if (left.priority !== right.priority) return left.priority - right.priority;
    return expiry(left) === expiry(right) ? left.seq - right.seq : expiry(left) - expiry(right);
  });
}

/** What an amount is used for. */
export interface Purpose {
  subscriptionId?: string;
  meter?: string;
  invoiceId?: string | null;
}

/** Writes an entry of the ledger. The grant has the balance after it. */
export async function insertEntry(
  { transaction, act }: Pick<BucketContext, "transaction" | "act">,
  { seq, balance }: Pick<GrantRow, "seq" | "balance">,
  kind: EntryRow["kind"],
  amount: bigint,
  { subscriptionId, meter, invoiceId }: Purpose = {},
): Promise<void> {
  const isOfUsage = kind === "consumed" && invoiceId === undefined;
  await transaction.insert("grant_entries", {
    id: newId("grnte", serverTimeOf(act)),
    grant_seq: seq,
    kind,
    amount: String(amount),
    balance,
    hour: isOfUsage ? act.now - (act.now % hourMilliseconds) : null,
    subscription_id: subscriptionId ?? null,
    meter: meter ?? null,
    invoice_id: invoiceId ?? null,
    created_on: act.now,
  });
}

const hourMilliseconds = 60 * 60 * 1000;

export function listEntries(reads: Reads, { seq }: Pick<GrantRow, "seq">, paging: Paging) {
  return readPage(reads.query.selectFrom("grant_entries").where("grant_seq", "=", seq), paging);
}

/** An entry, and the grant that it belongs to. */
export type CustomerEntryRow = EntryRow &
  Record<"grant_id" | "funding", string> &
  Record<"grant_meter" | "currency" | "reason", string | null>;

/** The entries of all grants of a customer, by default the oldest first. */
export function listCustomerEntries(
  reads: Reads,
  { seq }: BucketKeys,
  customerKey: string,
  { order = "asc", ...paging }: Paging & { order?: "asc" | "desc" | undefined },
): Promise<{ data: CustomerEntryRow[]; total: number }> {
  const matching = `FROM grants JOIN grant_entries ON grant_entries.grant_seq = grants.seq
     WHERE grants.bucket_seq = ? AND grants.customer_key = ?`;
  const query = `SELECT grant_entries.*, grants.id AS grant_id, grants.funding, grants.meter AS grant_meter, grants.currency,
    grants.reason ${matching} ORDER BY grant_entries.seq ${order === "desc" ? "DESC" : "ASC"}`;
  return pageOf(reads, query, matching, [seq, customerKey], paging);
}

/** The grants of a purchase: the first one, and what was used of it and returned. */
export function grantsOfPurchase(reads: Reads, bucketSeq: number, purchaseId: string): Promise<GrantRow[]> {
  return reads.all("SELECT * FROM grants WHERE bucket_seq = ? AND purchase_id = ? ORDER BY seq", [
    bucketSeq,
    purchaseId,
  ]);
}

/** Whether the payment of a purchase was refunded or disputed at the provider. */
export async function isReversed(reads: Reads, bucketSeq: number, purchaseId: string): Promise<boolean> {
  const row = await reads.one(
    "SELECT 1 FROM pack_purchases WHERE bucket_seq = ? AND id = ? AND reversed_on IS NOT NULL",
    [bucketSeq, purchaseId],
  );
  return row !== undefined;
}

/** The amounts of a grant's entries of a kind, and of an invoice if one is given. */
export async function entryAmounts(
  reads: Reads,
  grantSeq: number,
  kind: EntryRow["kind"],
  invoiceId?: string,
): Promise<string[]> {
  const ofInvoice = invoiceId === undefined ? "" : " AND invoice_id = ?";
  const rows = await reads.all<Pick<EntryRow, "amount">>(
    `SELECT amount FROM grant_entries WHERE grant_seq = ? AND kind = ?${ofInvoice}`,
    [grantSeq, kind, ...(invoiceId === undefined ? [] : [invoiceId])],
  );
  return rows.map(({ amount }) => amount);
}

type TakenRow = Pick<GrantRow, "funding" | "priority" | "expires_on" | "purchase_id" | "rollover_seq"> &
  Pick<EntryRow, "amount">;

/** The last amounts that were taken from a customer's grants for a meter, the latest one first. */
export function lastTakenFor(
  reads: Reads,
  { bucketSeq, customerKey, currency, isBeforeTax, subscriptionId, meter }: CreditSource,
  limit: number,
): Promise<TakenRow[]> {
  const ofFunding = isBeforeTax === true ? "grants.funding <> 'paid'" : "grants.funding = 'paid'";
  const ofMoney = currency === undefined ? "grants.meter = ?" : `grants.currency = ? AND ${ofFunding}`;
  return reads.all(
    `SELECT grants.funding, grants.priority, grants.expires_on, grants.purchase_id, grants.rollover_seq,
       grant_entries.amount
     FROM grants JOIN grant_entries ON grant_entries.grant_seq = grants.seq
     WHERE grants.bucket_seq = ? AND grants.customer_key = ? AND ${ofMoney}
       AND grant_entries.kind = 'consumed' AND grant_entries.subscription_id = ? AND grant_entries.meter = ?
     ORDER BY grant_entries.seq DESC LIMIT ?`,
    [bucketSeq, customerKey, currency ?? meter, subscriptionId, meter, limit],
  );
}

/** What credits were taken for. Without a currency, they are units of the meter. */
export interface CreditSource {
  bucketSeq: number;
  customerKey: string;
  currency?: string;
  /** Of money: whether it reduced the cost before tax. */
  isBeforeTax?: boolean;
  subscriptionId: string;
  meter: string;
}

/** The grant of a bucket that expires first. */
export function firstExpiryIn(reads: Reads, bucketSeq: number, until: number) {
  return reads.one<GrantRow>(
    `SELECT * FROM grants WHERE bucket_seq = ? AND expires_on <= ? AND ended_on IS NULL ORDER BY expires_on, seq LIMIT 1`,
    [bucketSeq, until],
  );
}

export interface DueCustomer extends OfBucket {
  customer_key: string;
}

/** A customer with something due, which is done in a book with that of others. */
export interface DueInBook extends DueCustomer {
  /** 1 if it depends on the customer's usage, because of grants or caps. */
  has_credits: number;
  /** About the size of what is loaded. */
  bytes: number;
}

interface DuePage {
  now: number;
  limit: number;
  /** Whether customers are loaded into a book. */
  withBytes: boolean;
}

/** The columns of what depends on the credits of customers, who are rows of a table. */
const inBookColumns = (table: string, withBytes: boolean) =>
  `${bucketColumns}, 1 AS has_credits, ${
    withBytes
      ? `200 * (SELECT COUNT(*) FROM grants AS own JOIN grant_entries ON grant_seq = own.seq
        WHERE own.bucket_seq = ${table}.bucket_seq AND own.customer_key = ${table}.customer_key)`
      : "0"
  } AS bytes`;

export type DueExpiry = DueInBook & Pick<GrantRow, "id" | "expires_on">;

/** Grants of buckets with the server's time that have expired, the first one first. */
export function dueExpiries(reads: Reads, { now, limit, withBytes }: DuePage): Promise<DueExpiry[]> {
  return reads.all(
    `SELECT grants.id, grants.customer_key, grants.expires_on, ${inBookColumns("grants", withBytes)}
     FROM grants ${joinBucket("grants.bucket_seq")}
     WHERE grants.expires_on <= ? AND grants.ended_on IS NULL AND metering_buckets.test_clock IS NULL
     ORDER BY grants.expires_on, grants.seq LIMIT ?`,
    [now, limit],
  );
}

/** Customers whose usage must be compared with their credits. */
export function dueChecks(reads: Reads, { now, limit, withBytes }: DuePage): Promise<DueInBook[]> {
  return reads.all(
    `SELECT customer_credits.customer_key, ${inBookColumns("customer_credits", withBytes)}
     FROM customer_credits ${joinBucket("customer_credits.bucket_seq")}
     WHERE customer_credits.checks_on <= ? AND metering_buckets.test_clock IS NULL ORDER BY checks_on LIMIT ?`,
    [now, limit],
  );
}

/** When the usage of a customer must be compared with its credits next. Null if it need not be. */
export async function nextGrantCheck(reads: Reads, bucketSeq: number, customerKey: string): Promise<number | null> {
  const row = await reads.one<{ checks_on: number | null }>(
    "SELECT checks_on FROM customer_credits WHERE bucket_seq = ? AND customer_key = ?",
    [bucketSeq, customerKey],
  );
  return row?.checks_on ?? null;
}

/** Customers of a bucket whose usage must be compared with their credits. */
export async function checkedCustomersIn(reads: Reads, bucketSeq: number): Promise<string[]> {
  const rows = await reads.all<{ customer_key: string }>(
    "SELECT customer_key FROM customer_credits WHERE bucket_seq = ? AND checks_on IS NOT NULL ORDER BY customer_key",
    [bucketSeq],
  );
  return rows.map(({ customer_key }) => customer_key);
}

/** Raises the revision of a customer's credits, and sets the time of the next check. Null if none is needed. */
export async function reviseCredits(
  transaction: WriteTransaction,
  bucketSeq: number,
  customerKey: string,
  checksOn: number | null,
): Promise<void> {
  await transaction.run(
    `INSERT INTO customer_credits (bucket_seq, customer_key, revision, checks_on) VALUES (?, ?, 1, ?)
     ON CONFLICT (bucket_seq, customer_key) DO UPDATE SET revision = customer_credits.revision + 1,
       checks_on = excluded.checks_on`,
    [bucketSeq, customerKey, checksOn],
  );
}

/** 0 if the customer never had credits or caps. */
export async function creditRevision(reads: Reads, bucketSeq: number, customerKey: string): Promise<number> {
  const row = await reads.one<{ revision: number }>(
    "SELECT revision FROM customer_credits WHERE bucket_seq = ? AND customer_key = ?",
    [bucketSeq, customerKey],
  );
  return row?.revision ?? 0;
}

export type Rollover = RowOf<"rollovers">;

/** Those of a subscription, which may be deleted, that have not ended. */
export function rolloversInProgress(reads: Reads, bucketSeq: number, subscriptionId: string): Promise<Rollover[]> {
  return reads.all(
    "SELECT * FROM rollovers WHERE bucket_seq = ? AND subscription_id = ? AND ended_on IS NULL ORDER BY seq",
    [bucketSeq, subscriptionId],
  );
}

/** Those of a customer that have not expired at a time, also if they ended before. */
export function unexpiredRollovers(reads: Reads, bucketSeq: number, customerKey: string, now: number) {
  return reads.all<Rollover>(
    "SELECT * FROM rollovers WHERE bucket_seq = ? AND customer_key = ? AND expires_on > ? ORDER BY seq",
    [bucketSeq, customerKey, now],
  );
}

/** Whether it expired, or its fee was returned. */
export async function hasEnded(reads: Reads, seq: number): Promise<boolean> {
  return (await reads.one("SELECT 1 FROM rollovers WHERE seq = ? AND ended_on IS NOT NULL", [seq])) !== undefined;
}

/** The grants of a rollover that have not ended: the first one, and what was used of it and returned. */
export function grantsOfRollover(reads: Reads, seq: number): Promise<GrantRow[]> {
  return reads.all("SELECT * FROM grants WHERE rollover_seq = ? AND ended_on IS NULL ORDER BY seq", [seq]);
}
