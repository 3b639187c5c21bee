import type { Cause } from "../../../../core/access.ts";
import { hourMilliseconds, startOf } from "../../../../counting/counters/usage-hours.ts";
import { Slice } from "../../../../lib/tasks/slices.ts";
import { forUpdate } from "../../../../platform/storage/query.ts";
import { type ColumnType, maxSeq, type Reads, type WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { TableName } from "../../../../platform/storage/tables.ts";
import { type MeteringBucket, timeIn } from "../../metering-buckets/metering-buckets.ts";
import { lateMilliseconds } from "../../subscriptions/state.ts";
import type { BookTables } from "../payments/interface.ts";

/** Customers of one bucket, and plans that they are about to choose. */
export interface BookOwners {
  act: Cause;
  bucket: MeteringBucket;
  customerKeys: string[];
  planExternalIds?: string[] | undefined;
  /** Whether only usage, credit and spending are compared, which reads no invoices and no ledger. */
  isCompared?: boolean;
}

const ofAccount = "account_seq IN (SELECT account_seq FROM owners)";
const ofCustomer = "(bucket_seq, customer_key) IN (SELECT bucket_seq, customer_key FROM owners)";
const ofSubscription = `subscription_seq IN (SELECT seq FROM subscriptions WHERE ${ofCustomer})`;

/** What a book has of each table; those that refer to another table follow it. Plans and usage follow from it. */
const ofOwners: BookTables = {
  accounts: "seq IN (SELECT account_seq FROM owners)",
  billing_profiles: ofAccount,
  // For the names on invoices.
  key_buckets: ofAccount,
  consumers: `display_name IS NOT NULL AND name IN (SELECT customer_key FROM owners)
    AND bucket_seq IN (SELECT seq FROM key_buckets WHERE ${ofAccount})`,
  payment_providers: ofAccount,
  // For the texts of mails of test buckets.
  portals: ofAccount,
  metering_buckets: "seq IN (SELECT bucket_seq FROM owners)",
  credit_packs: "bucket_seq IN (SELECT bucket_seq FROM owners)",
  customers: ofCustomer,
  customer_credits: ofCustomer,
  customer_dues: ofCustomer,
  carried_amounts: ofCustomer,
  rollovers: ofCustomer,
  grants: ofCustomer,
  grant_entries: `grant_seq IN (SELECT seq FROM grants WHERE ${ofCustomer})`,
  invoices: ofCustomer,
  pack_purchases: ofCustomer,
  subscriptions: ofCustomer,
  subscription_plans: ofSubscription,
  scheduled_plans: ofSubscription,
  subscription_history: ofSubscription,
  billing_segments: ofSubscription,
  segment_marks: ofSubscription,
  usage_counters: ofSubscription,
  credit_uses: ofSubscription,
  spend_periods: ofSubscription,
};

const planTables: TableName[] = ["plans", "plan_history"];

/** Billing writes them, but what they contain changes no amount. */
const emptyTables: TableName[] = ["usage_days", "clock_moves", "number_series", "mails", "test_mails"];

/** What a comparison of usage with credit and caps does not read: a customer may have thousands of these rows. */
const notCompared: TableName[] = [
  ...["key_buckets", "consumers", "portals", "carried_amounts", "customer_dues"],
  ...["grant_entries", "invoices", "clock_moves"],
] as const;

/** The tables of a book that is discarded. */
export function tablesToDiscard(ofProviders: BookTables, { isCompared }: Pick<BookOwners, "isCompared">): TableName[] {
  const tables = [...namesOf(ofOwners), ...planTables];
  if (isCompared) return tables.filter((table) => !notCompared.includes(table));
  return [...tables, ...namesOf(ofProviders), "usage_hours", "usage_events", ...emptyTables];
}

/** Those of a book that is saved. What needs the usage of hours or events also locks it, and so is done without a book. */
export function tablesToSave(ofProviders: BookTables): TableName[] {
  return [...namesOf({ ...ofOwners, ...ofProviders }), ...planTables, "number_series", "mails"];
}

const namesOf = (tables: BookTables) => Object.keys(tables) as TableName[];

/** Copies all that is billed to customers into an empty book, with one statement for each table. */
export async function loadBook(
  reads: Reads,
  book: WriteTransaction,
  owners: BookOwners,
  ofProviders: BookTables,
): Promise<void> {
  const slice = new Slice();
  const copyAtOnce = copier(reads, book);
  const copy: Copy = async (...table) => {
    await copyAtOnce(...table);
    if (slice.isOver) await slice.next();
  };
  const wanted = tablesToDiscard(ofProviders, owners);
  const tables = Object.entries({ ...ofOwners, ...ofProviders });
  await loadOwned(copy, owners, Object.fromEntries(tables.filter(([table]) => wanted.includes(table as TableName))));
  await loadPlans(book, copy, owners);
  if (!owners.isCompared) await loadUsage(book, copy, timeIn(owners.bucket, owners.act.now));
}

/**
 * The same for a book that is saved by the transaction: without usage of hours and events. The locks of the customers must
 * be held. Locks what providers change without them. Invoices get numbers above `maxSeq`, see `takeNumbers`.
 */
export async function loadBookToSave(
  transaction: WriteTransaction,
  book: WriteTransaction,
  owners: BookOwners,
  ofProviders: BookTables,
): Promise<void> {
  const copy = copier(transaction, book);
  const locking = copier(transaction, book, (query) => forUpdate(transaction, query));
  await loadOwned(copy, owners, ofOwners);
  await loadPlans(book, copy, owners);
  await loadOwned(locking, owners, ofProviders);
  await loadOwned(copy, owners, { number_series: ofAccount });
  await book.run("UPDATE number_series SET last = ?", [maxSeq]);
}

type Copy = (
  table: TableName,
  types: ColumnType[],
  rows: unknown[][],
  queryOf: (rows: string) => string,
) => Promise<void>;

function copier(reads: Reads, book: WriteTransaction, locked = (query: string) => query): Copy {
  return async (table, types, rows, queryOf) => {
    for (const { sql, parameters } of reads.tablesOf(types, rows)) {
      const query = locked(queryOf(`(SELECT * FROM ${sql} AS rows)`));
      await book.insertNew(table, await reads.all<never>(query, parameters), []);
    }
  };
}

async function loadOwned(copy: Copy, { bucket, customerKeys }: BookOwners, tables: BookTables): Promise<void> {
  const owners = customerKeys.map((key) => [bucket.account_seq, bucket.seq, key]);
  for (const [table, condition] of Object.entries(tables))
    await copy(
      table as TableName,
      ["bigint", "bigint", "text"],
      owners,
      (rows) =>
        `WITH owners (account_seq, bucket_seq, customer_key) AS ${rows} SELECT * FROM ${table} WHERE ${condition}`,
    );
}

async function loadPlans(book: Reads, copy: Copy, { bucket, planExternalIds = [] }: BookOwners): Promise<void> {
  const plans = await book.all<{ seq: number }>(
    `SELECT plan_seq AS seq FROM subscription_plans UNION SELECT plan_seq FROM scheduled_plans
     UNION SELECT value FROM subscription_history, json_each(plan_seqs)
     UNION SELECT json_extract(value, '$.seq') FROM billing_segments, json_each(terms, '$.plans')`,
    [],
  );
  const seqs = plans.map(({ seq }) => [seq]);
  const scheduled = await book.all<{ name: string }>(
    "SELECT value AS name FROM subscriptions, json_each(billing, '$.change.planExternalIds') WHERE json_valid(billing)",
    [],
  );
  await copy("plans", ["bigint"], seqs, (rows) => `SELECT * FROM plans WHERE seq IN ${rows}`);
  await copy(
    "plans",
    ["bigint", "text"],
    [...new Set([...planExternalIds, ...scheduled.map((each) => each.name)])].map((name) => [bucket.seq, name]),
    (rows) => `SELECT * FROM plans WHERE (bucket_seq, external_id) IN ${rows}`,
  );
  await copy("plan_history", ["bigint"], seqs, (rows) => `SELECT * FROM plan_history WHERE plan_seq IN ${rows}`);
}

/** Usage after the steps that are due: it counts in later segments, or for other subscriptions. */
async function loadUsage(book: Reads, copy: Copy, now: number): Promise<void> {
  const subscriptions = await book.all<{ seq: number; bills_on: number | null; is_ended: number }>(
    `SELECT seq, bills_on, EXISTS (SELECT 1 FROM billing_segments
       WHERE subscription_seq = subscriptions.seq AND kind = 'idle' AND ends_on IS NULL) AS is_ended FROM subscriptions`,
    [],
  );
  // An ended subscription is also compared with what arrived while it ended.
  const sinceOf = ({ bills_on, is_ended }: { bills_on: number | null; is_ended: number }) =>
    Math.min(now, bills_on ?? now) - (is_ended === 1 ? 2 * lateMilliseconds : 0);
  const since = subscriptions.map((each) => [each.seq, startOf(sinceOf(each), hourMilliseconds)]);
  await copy(
    "usage_hours",
    ["bigint", "bigint"],
    since,
    (rows) =>
      `WITH since (seq, time) AS ${rows} SELECT usage_hours.* FROM usage_hours JOIN since ON subscription_seq = since.seq
       WHERE usage_hours.time >= (SELECT MIN(time) FROM since) AND usage_hours.time >= since.time`,
  );
  const used = await book.all<{ subscription_seq: number; period_start: number }>(
    "SELECT DISTINCT subscription_seq, period_start FROM usage_hours",
    [],
  );
  const sinceBySeq = new Map(subscriptions.map((each) => [each.seq, sinceOf(each)]));
  await copy(
    "usage_events",
    ["bigint", "bigint", "bigint"],
    used.map(({ subscription_seq: seq, period_start }) => [seq, period_start, sinceBySeq.get(seq)]),
    (rows) =>
      `WITH since (seq, period, time) AS ${rows} SELECT usage_events.* FROM usage_events
       JOIN since ON subscription_seq = since.seq AND period_start = period WHERE usage_events.time > since.time`,
  );
}
