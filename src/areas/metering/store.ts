import { type Selectable, type SelectQueryBuilder, sql, type Updateable } from "kysely";
import type { Paging } from "../../lib/paging.ts";
import { yieldToEventLoop } from "../../lib/tasks/slices.ts";
import { forUpdate, readPage } from "../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../platform/storage/storage.ts";
import type { Tables } from "../../platform/storage/tables.ts";

export type MeteringBucketRow = Selectable<Tables["metering_buckets"]>;
export type PlanRow = Selectable<Tables["plans"]>;
export type SubscriptionRow = Selectable<Tables["subscriptions"]>;

/** A plan without its meters, which may take 1 MB. */
export type PlanSummary = Pick<PlanRow, "seq" | "id" | "external_id" | "trial_end_status">;
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

/** The counted list of a bucket's subscriptions. */
export const subscriptionList = "subscriptions";

/** The maximum number of values in one query. The limits of both engines are far above it. */
const maxValuesPerQuery = 1000;

const bucketWithId = "SELECT * FROM metering_buckets WHERE account_seq = ? AND id = ?";
const bucketWithName = "SELECT * FROM metering_buckets WHERE account_seq = ? AND name = ?";
/** No name begins like an id. */
const bucketWith = (idOrName: string) => (idOrName.startsWith("mtr_") ? bucketWithId : bucketWithName);

export function findBucket(reads: Reads, accountSeq: number, idOrName: string): Promise<MeteringBucketRow | undefined> {
  return reads.one(bucketWith(idOrName), [accountSeq, idOrName]);
}

export function findBucketForUpdate(transaction: WriteTransaction, accountSeq: number, idOrName: string) {
  return transaction.one<MeteringBucketRow>(forUpdate(transaction, bucketWith(idOrName)), [accountSeq, idOrName]);
}

export async function updateBucket(
  transaction: WriteTransaction,
  seq: number,
  values: Updateable<Tables["metering_buckets"]>,
): Promise<void> {
  await transaction.query.updateTable("metering_buckets").set(values).where("seq", "=", seq).execute();
}

export function allBuckets(reads: Reads, accountSeq: number): Promise<MeteringBucketRow[]> {
  return reads.query.selectFrom("metering_buckets").selectAll().where("account_seq", "=", accountSeq).execute();
}

export function listBuckets(reads: Reads, accountSeq: number, paging: Paging) {
  const ofAccount = reads.query.selectFrom("metering_buckets").where("account_seq", "=", accountSeq);
  return readPage(ofAccount, paging);
}

export function hasSubscriptionsIn(reads: Reads, bucketSeq: number): Promise<object | undefined> {
  return reads.one("SELECT 1 AS found FROM subscriptions WHERE bucket_seq = ? LIMIT 1", [bucketSeq]);
}

const planWithId = "SELECT * FROM plans WHERE bucket_seq = ? AND id = ?";

export function findPlan(reads: Reads, bucketSeq: number, id: string): Promise<PlanRow | undefined> {
  return reads.one(planWithId, [bucketSeq, id]);
}

export function findPlanForUpdate(transaction: WriteTransaction, bucketSeq: number, id: string) {
  return transaction.one<PlanRow>(forUpdate(transaction, planWithId), [bucketSeq, id]);
}

export function findPlans(reads: Reads, bucketSeq: number, by: "id" | "external_id", values: string[]) {
  return reads.query
    .selectFrom("plans")
    .selectAll()
    .where("bucket_seq", "=", bucketSeq)
    .where(by, "in", values)
    .execute();
}

export async function plansWithSeqs(reads: Reads, seqs: number[]): Promise<PlanRow[]> {
  return seqs.length === 0 ? [] : reads.query.selectFrom("plans").selectAll().where("seq", "in", seqs).execute();
}

export function listPlans(reads: Reads, bucketSeq: number, externalId: string | undefined, paging: Paging) {
  let ofBucket = reads.query.selectFrom("plans").where("bucket_seq", "=", bucketSeq);
  if (externalId !== undefined) ofBucket = ofBucket.where("external_id", "=", externalId);
  return readPage(ofBucket, paging, { large: ["label", "meters"] });
}

export async function plansWithSubscriptions(reads: Reads, planSeqs: number[]): Promise<Set<number>> {
  if (planSeqs.length === 0) return new Set();
  const rows = await reads.query
    .selectFrom("subscription_plans")
    .select("plan_seq")
    .distinct()
    .where("plan_seq", "in", planSeqs)
    .execute();
  return new Set(rows.map((row) => row.plan_seq));
}

export async function updatePlan(
  transaction: WriteTransaction,
  seq: number,
  values: Updateable<Tables["plans"]>,
): Promise<void> {
  await transaction.query.updateTable("plans").set(values).where("seq", "=", seq).execute();
}

/** Rejected by the database while a subscription has the plan. */
export async function deletePlan(transaction: WriteTransaction, seq: number): Promise<void> {
  await transaction.run("DELETE FROM plans WHERE seq = ?", [seq]);
}

const subscriptionWithId = "SELECT * FROM subscriptions WHERE bucket_seq = ? AND id = ?";

export function findSubscription(reads: Reads, bucketSeq: number, id: string): Promise<SubscriptionRow | undefined> {
  return reads.one(subscriptionWithId, [bucketSeq, id]);
}

export function findSubscriptionForUpdate(transaction: WriteTransaction, bucketSeq: number, id: string) {
  return transaction.one<SubscriptionRow>(forUpdate(transaction, subscriptionWithId), [bucketSeq, id]);
}

/** Returns all subscriptions of a customer, newest first. */
export function subscriptionsOfCustomer(reads: Reads, bucketSeq: number, customerKey: string) {
  return reads.all<SubscriptionRow>(
    "SELECT * FROM subscriptions WHERE bucket_seq = ? AND customer_key = ? ORDER BY seq DESC",
    [bucketSeq, customerKey],
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

/** Returns which of them exist, by seq. */
export async function existingSubscriptions(reads: Reads, seqs: number[]): Promise<Set<number>> {
  const existing = new Set<number>();
  for (let first = 0; first < seqs.length; first += maxValuesPerQuery) {
    const some = seqs.slice(first, first + maxValuesPerQuery);
    const rows = await reads.query.selectFrom("subscriptions").select("seq").where("seq", "in", some).execute();
    for (const { seq } of rows) existing.add(seq);
  }
  return existing;
}

/** The number of plans that are read at once. The meters of each may be 750 kB, which take a millisecond. */
const plansAtOnce = 5;
const somePlansOf = `SELECT plans.* FROM subscription_plans JOIN plans ON plans.seq = subscription_plans.plan_seq
  WHERE subscription_plans.subscription_seq = ? AND subscription_plans.position >= ?
  ORDER BY subscription_plans.position LIMIT ${plansAtOnce}`;

/** Yields the plans of a subscription in order, some at a time. */
export async function* plansOfInParts(reads: Reads, subscriptionSeq: number): AsyncGenerator<PlanRow[]> {
  for (let position = 0; ; position += plansAtOnce) {
    // Positions have no gaps.
    const some = await reads.all<PlanRow>(somePlansOf, [subscriptionSeq, position]);
    yield some;
    if (some.length < plansAtOnce) return;
    await yieldToEventLoop();
  }
}

/** Returns the plans of a subscription, in order. */
export async function plansOf(reads: Reads, subscriptionSeq: number): Promise<PlanRow[]> {
  const plans: PlanRow[] = [];
  for await (const some of plansOfInParts(reads, subscriptionSeq)) plans.push(...some);
  return plans;
}

/** By subscription, in order. A plan of many subscriptions is read once, because its meters may be 100 kB. */
export async function plansOfAll(reads: Reads, subscriptionSeqs: number[]): Promise<Map<number, PlanRow[]>> {
  const links = await reads.query
    .selectFrom("subscription_plans")
    .select(["subscription_seq", "plan_seq"])
    .where("subscription_seq", "in", subscriptionSeqs)
    .orderBy("subscription_seq")
    .orderBy("position")
    .execute();
  const rows = await plansWithSeqs(reads, [...new Set(links.map(({ plan_seq }) => plan_seq))]);
  const known = new Map(rows.map((plan) => [plan.seq, plan]));
  const plans = new Map<number, PlanRow[]>(subscriptionSeqs.map((seq) => [seq, []]));
  for (const { subscription_seq, plan_seq } of links) {
    const plan = known.get(plan_seq);
    if (plan) plans.get(subscription_seq)!.push(plan);
  }
  return plans;
}

/** The number of subscriptions whose plans are read at once. Each may have 20. */
const summariesAtOnce = 100;

/** By subscription, in order. */
export async function planSummaries(reads: Reads, subscriptionSeqs: number[]): Promise<Map<number, PlanSummary[]>> {
  const plans = new Map<number, PlanSummary[]>(subscriptionSeqs.map((seq) => [seq, []]));
  for (let first = 0; first < subscriptionSeqs.length; first += summariesAtOnce) {
    if (first > 0) await yieldToEventLoop();
    const rows = await reads.query
      .selectFrom("subscription_plans")
      .innerJoin("plans", "plans.seq", "subscription_plans.plan_seq")
      .select(["subscription_seq", "plans.seq", "plans.id", "plans.external_id", "plans.trial_end_status"])
      .where("subscription_seq", "in", subscriptionSeqs.slice(first, first + summariesAtOnce))
      .orderBy("subscription_seq")
      .orderBy("position")
      .execute();
    for (const { subscription_seq, ...plan } of rows) plans.get(subscription_seq)!.push(plan);
  }
  return plans;
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

/** Returns the size of the maximums of subscriptions, without reading them: the meters of plans, and prorated ones. */
export function allowanceSizes(reads: Reads, seqs: number[]): Promise<{ seq: number; bytes: number }[]> {
  return reads.all(
    `SELECT seq, CAST(COALESCE(octet_length(allowance), 0) + COALESCE((
       SELECT SUM(octet_length(plans.meters)) FROM subscription_plans JOIN plans ON plans.seq = subscription_plans.plan_seq
       WHERE subscription_plans.subscription_seq = subscriptions.seq), 0) AS bigint) AS bytes
     FROM subscriptions WHERE seq IN (${seqs.map(() => "?").join(", ")})`,
    seqs,
  );
}

export async function subscriptionsWithSeqs(reads: Reads, seqs: number[]): Promise<SubscriptionRow[]> {
  return seqs.length === 0
    ? []
    : reads.query.selectFrom("subscriptions").selectAll().where("seq", "in", seqs).execute();
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

/** The SQL version of status.ts, for filtering. */
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

export async function replacePlans(
  transaction: WriteTransaction,
  subscriptionSeq: number,
  planSeqs: number[],
): Promise<void> {
  await transaction.run("DELETE FROM subscription_plans WHERE subscription_seq = ?", [subscriptionSeq]);
  await transaction.insertAll(
    "subscription_plans",
    planSeqs.map((plan_seq, position) => ({ subscription_seq: subscriptionSeq, position, plan_seq })),
  );
}

/** Only rows that are not marked yet are locked. */
export async function markWithCredits(transaction: WriteTransaction, bucketSeq: number, customerKey: string) {
  await transaction.run(
    "UPDATE subscriptions SET has_credits = 1 WHERE bucket_seq = ? AND customer_key = ? AND has_credits = 0",
    [bucketSeq, customerKey],
  );
}

export async function updateSubscription(
  transaction: WriteTransaction,
  seq: number,
  values: Updateable<Tables["subscriptions"]>,
): Promise<void> {
  await transaction.query.updateTable("subscriptions").set(values).where("seq", "=", seq).execute();
}

/**
 * Its counters and events are deleted too. The subscription is deleted first: that waits for transactions that are
 * counting its events, and then their events are visible here.
 */
export async function deleteSubscription(transaction: WriteTransaction, seq: number): Promise<void> {
  await transaction.run("DELETE FROM subscriptions WHERE seq = ?", [seq]);
  await transaction.run("DELETE FROM usage_events WHERE subscription_seq = ?", [seq]);
}
