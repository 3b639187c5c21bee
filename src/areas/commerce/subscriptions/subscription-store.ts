import { type SelectQueryBuilder, sql } from "kysely";
import { deleteEventsOf } from "../../../counting/events/event-keys.ts";
import type { Paging } from "../../../lib/paging.ts";
import { allWith, forUpdate, type OneRead, readPage } from "../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf, Tables } from "../../../platform/storage/tables.ts";

export type SubscriptionRow = RowOf<"subscriptions">;

/** A subscription without its prorated maximums, which may take 1 MB. */
export type SubscriptionSummary = Pick<SubscriptionRow, (typeof summaryColumns)[number]>;

const summaryColumns = [
  "seq",
  "id",
  "status",
  "renewal_strategy",
  "region",
  "customer_key",
  "external_id",
  "customer_external_id",
  "quota_reset_anchor",
  "metadata",
  "trial_end_status",
  "trial_start_date",
  "trial_end_date",
  "next_billing_cycle",
  "product_key",
  "blocks_on",
  "expires_on",
  "payment",
  "billing",
  "version",
  "created_on",
  "updated_on",
] as const;

export function findSubscription(reads: OneRead, bucketSeq: number, id: string): Promise<SubscriptionRow | undefined> {
  return reads.one("SELECT * FROM subscriptions WHERE bucket_seq = ? AND id = ?", [bucketSeq, id]);
}

/** Locks subscriptions in the order of their `seq`, and returns them without those that do not exist. */
export function findSubscriptionsForUpdate(
  transaction: WriteTransaction,
  places: { bucketSeq: number; id: string }[],
): Promise<SubscriptionRow[]> {
  const keys = places.map(({ bucketSeq, id }) => [bucketSeq, id]);
  const query = (table: string) => `SELECT * FROM subscriptions
    WHERE (bucket_seq, id) IN (SELECT column1, column2 FROM ${table} AS places) ORDER BY seq`;
  return allWith(transaction, ["bigint", "text"], keys, (places) => forUpdate(transaction, query(places)));
}

/** Returns all subscriptions of a customer, newest first. */
export function subscriptionsOfCustomer(reads: Reads, bucketSeq: number, customerKey: string) {
  return reads.all<SubscriptionRow>(
    "SELECT * FROM subscriptions WHERE bucket_seq = ? AND customer_key = ? ORDER BY seq DESC",
    [bucketSeq, customerKey],
  );
}

const ownerColumns = [
  "seq",
  "bucket_seq",
  "customer_key",
  "status",
  "renewal_strategy",
  "quota_reset_anchor",
  "trial_end_status",
  "trial_end_date",
  "blocks_on",
  "expires_on",
  "billing",
  "created_on",
] as const;

/** What decides for which subscription of a customer usage counts. */
export type OwnerRow = Pick<SubscriptionRow, (typeof ownerColumns)[number]>;

/** Returns all subscriptions of some customers, newest first. */
export function subscriptionsOfCustomers(reads: Reads, customers: CustomerPlace[]): Promise<OwnerRow[]> {
  return allWith(
    reads,
    ["bigint", "text"],
    customers.map(keyOf),
    (table) => `SELECT ${ownerColumns.join(", ")} FROM subscriptions
      WHERE (bucket_seq, customer_key) IN (SELECT column1, column2 FROM ${table} AS customers) ORDER BY seq DESC`,
  );
}

interface CustomerPlace {
  bucketSeq: number;
  customerKey: string;
}

const keyOf = ({ bucketSeq, customerKey }: CustomerPlace) => [bucketSeq, customerKey];

/**
 * Returns the subscriptions of customers that allow usage, or did until an invoice was overdue, newest first. Some of
 * them have ended by time.
 */
export function usableSubscriptionsOf(reads: Reads, customers: CustomerPlace[]): Promise<SubscriptionRow[]> {
  return allWith(
    reads,
    ["bigint", "text"],
    customers.map(keyOf),
    (
      table,
    ) => `SELECT * FROM subscriptions WHERE (bucket_seq, customer_key) IN (SELECT column1, column2 FROM ${table} AS customers)
      AND (status IN ('active', 'trialing') OR blocks_on IS NOT NULL) ORDER BY seq DESC`,
  );
}

/** Returns the subscriptions of a customer that were set to a status that allows usage, newest first. */
export function usableSubscriptionsOfCustomer(reads: Reads, bucketSeq: number, customerKey: string) {
  return reads.all<SubscriptionRow>(
    `SELECT * FROM subscriptions WHERE bucket_seq = ? AND customer_key = ? AND status IN ('active', 'trialing')
     ORDER BY seq DESC`,
    [bucketSeq, customerKey],
  );
}

/** Returns those with a status that was not set to canceled. One of them may be canceled by time. */
export function uncanceledWithExternalId(reads: Reads, bucketSeq: number, externalId: string) {
  return reads.all<SubscriptionRow>(
    "SELECT * FROM subscriptions WHERE bucket_seq = ? AND external_id = ? AND status <> 'canceled' ORDER BY seq",
    [bucketSeq, externalId],
  );
}

/** Returns numbers of subscriptions in the order of creation, after one. With keys, only those of these customers. */
export async function subscriptionSeqsAfter(
  reads: Reads,
  bucketSeq: number,
  seq: number,
  limit: number,
  customerKeys: string[] = [],
): Promise<number[]> {
  const ofCustomers = customerKeys.length > 0 ? `AND customer_key IN (${customerKeys.map(() => "?").join(", ")}) ` : "";
  const rows = await reads.all<{ seq: number }>(
    `SELECT seq FROM subscriptions WHERE bucket_seq = ? ${ofCustomers}AND seq > ? ORDER BY seq LIMIT ?`,
    [bucketSeq, ...customerKeys, seq, limit],
  );
  return rows.map((row) => row.seq);
}

/** Locks subscriptions in order. The customers may be several. */
export async function lockSubscriptions(transaction: WriteTransaction, seqs: number[]): Promise<void> {
  if (!transaction.locksRows) return;
  const rows = seqs.toSorted((one, other) => one - other).map((seq) => [seq]);
  const query = (seqs: string) =>
    `SELECT seq FROM subscriptions WHERE seq IN (SELECT column1 FROM ${seqs} AS seqs) ORDER BY seq`;
  await allWith(transaction, ["bigint"], rows, (seqs) => forUpdate(transaction, query(seqs)));
}

export function subscriptionsWithSeqs(reads: Reads, seqs: number[]): Promise<SubscriptionRow[]> {
  const rows = seqs.map((seq) => [seq]);
  return allWith(
    reads,
    ["bigint"],
    rows,
    (table) => `SELECT * FROM subscriptions WHERE seq IN (SELECT column1 FROM ${table} AS seqs)`,
  );
}

export interface SubscriptionFilter {
  customerKey?: string | undefined;
  subscriptionExternalId?: string | undefined;
  planId?: string | undefined;
  status?: string | undefined;
}

export function listSubscriptions(
  reads: Reads,
  bucketSeq: number,
  filter: SubscriptionFilter,
  now: number,
  paging: Paging,
) {
  return readPage(filtered(reads, bucketSeq, filter, now), paging, { large: ["metadata"], columns: summaryColumns });
}

type SubscriptionQuery = SelectQueryBuilder<Tables, "subscriptions", object>;

function filtered(reads: Reads, bucketSeq: number, filter: SubscriptionFilter, now: number): SubscriptionQuery {
  let query: SubscriptionQuery = reads.query
    .selectFrom("subscriptions")
    .where("subscriptions.bucket_seq", "=", bucketSeq);
  if (filter.customerKey !== undefined) query = query.where("customer_key", "=", filter.customerKey);
  if (filter.subscriptionExternalId !== undefined)
    query = query.where("subscriptions.external_id", "=", filter.subscriptionExternalId);
  if (filter.status !== undefined) query = query.where(statusAt(now), "=", filter.status);
  if (filter.planId !== undefined) {
    const planId = filter.planId;
    query = query.where(({ exists, selectFrom }) =>
      exists(
        selectFrom("subscription_plans")
          .innerJoin("plans", "plans.seq", "subscription_plans.plan_seq")
          .select("plans.seq")
          .whereRef("subscription_plans.subscription_seq", "=", "subscriptions.seq")
          .where("plans.id", "=", planId),
      ),
    );
  }
  return query;
}

/** The SQL version of `statusAt` in state.ts, for filtering. */
function statusAt(now: number) {
  const ending = sql<string>`COALESCE(subscriptions.trial_end_status, (
    SELECT plans.trial_end_status FROM subscription_plans JOIN plans ON plans.seq = subscription_plans.plan_seq
    WHERE subscription_plans.subscription_seq = subscriptions.seq AND plans.trial_end_status IS NOT NULL
    ORDER BY subscription_plans.position LIMIT 1))`;
  const base = sql<string>`CASE
    WHEN subscriptions.status = 'incomplete' AND subscriptions.expires_on <= ${now} THEN 'incomplete-expired'
    WHEN subscriptions.status <> 'trialing' OR subscriptions.trial_end_date IS NULL OR subscriptions.trial_end_date > ${now}
      THEN subscriptions.status
    WHEN ${ending} IN ('canceled', 'cancel') THEN 'canceled'
    WHEN ${ending} IN ('paused', 'pause') THEN 'inactive'
    ELSE 'active' END`;
  return sql<string>`CASE WHEN subscriptions.blocks_on <= ${now} AND ${base} IN ('active', 'trialing')
    THEN 'unpaid' ELSE ${base} END`;
}

/** Only rows that are not marked yet are locked. */
export async function markWithCredits(transaction: WriteTransaction, bucketSeq: number, customerKey: string) {
  await transaction.run(
    "UPDATE subscriptions SET has_credits = 1 WHERE bucket_seq = ? AND customer_key = ? AND has_credits = 0",
    [bucketSeq, customerKey],
  );
}

/** No query of its bucket finds the subscription from now on. It can still be billed. */
export async function hideSubscription(transaction: WriteTransaction, seq: number, billsOn: number): Promise<void> {
  await transaction.run(
    `UPDATE subscriptions SET former_bucket_seq = bucket_seq, bucket_seq = NULL, status = 'canceled', bills_on = ?
     WHERE seq = ?`,
    [billsOn, seq],
  );
}

/** Undoes that, for the transaction that bills the subscription and deletes it. Returns its number. */
export async function restoreSubscription(
  transaction: WriteTransaction,
  bucketSeq: number,
  id: string,
): Promise<number | undefined> {
  const row = await transaction.one<{ seq: number }>(
    `UPDATE subscriptions SET bucket_seq = former_bucket_seq, former_bucket_seq = NULL WHERE former_bucket_seq = ? AND id = ?
     RETURNING seq`,
    [bucketSeq, id],
  );
  return row?.seq;
}

/**
 * Its counters and events are deleted too. The subscription is deleted first: that waits for transactions that are
 * counting its events, and then their events are visible here.
 */
export async function deleteSubscription(transaction: WriteTransaction, seq: number): Promise<void> {
  await transaction.delete("subscriptions", seq);
  await deleteEventsOf(transaction, seq);
}
