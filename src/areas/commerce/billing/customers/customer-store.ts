import { maxDigits, minorDigits } from "../../../../lib/currencies.ts";
import { smaller } from "../../../../lib/money.ts";
import type { Paging } from "../../../../lib/paging.ts";
import { countList, countMember, findPosition } from "../../../../platform/storage/counted-lists.ts";
import { countOf, saveRow, sql } from "../../../../platform/storage/query.ts";
import { deleteRows, findRow } from "../../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { RowOf } from "../../../../platform/storage/tables.ts";

export type CustomerRow = RowOf<"customers">;

/** The counted list of a bucket's customers. */
const customerList = "customers";

interface BucketKeys {
  seq: number;
  id: string;
}

export async function listCustomers(
  reads: Reads,
  bucket: BucketKeys,
  keys: string[] | undefined,
  { limit, offset }: Paging,
): Promise<{ data: CustomerRow[]; total: number }> {
  const query = reads.query.selectFrom("customers").where("bucket_seq", "=", bucket.seq);
  if (keys !== undefined) {
    const named = query.where("customer_key", "in", keys);
    const { total } = await named.select(({ fn }) => fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
    // The plus prevents the engines from scanning all customers in order to find the few.
    return { data: await named.selectAll().orderBy(sql`+seq`).limit(limit).offset(offset).execute(), total };
  }
  const { total, fromSeq, skip } = await findPosition(reads, bucket.id, customerList, offset);
  if (offset >= total) return { data: [], total };
  const page = query.where("seq", ">=", fromSeq).orderBy("seq").limit(limit).offset(skip);
  return { data: await page.selectAll().execute(), total };
}

/** Customers by what they owe, the most first; those who owe nothing follow in the order of creation. */
export async function listByDue(reads: Reads, bucket: BucketKeys, { limit, offset }: Paging) {
  const owing = await reads.all<{ customer_key: string }>(
    `SELECT customer_key FROM customer_dues WHERE bucket_seq = ? ORDER BY due DESC, customer_key LIMIT ? OFFSET ?`,
    [bucket.seq, limit, offset],
  );
  const keys = owing.map(({ customer_key }) => customer_key);
  const rows = keys.length === 0 ? [] : (await listCustomers(reads, bucket, keys, { limit, offset: 0 })).data;
  const byKey = new Map(rows.map((row) => [row.customer_key, row]));
  const data = keys.flatMap((key) => byKey.get(key) ?? []);
  if (keys.length < limit) {
    // Fewer customers than the end of the page owe something: that many are counted and skipped.
    const count = await countOf(reads, "FROM customer_dues WHERE bucket_seq = ?", [bucket.seq]);
    const rest = await reads.all<CustomerRow>(
      `SELECT * FROM customers WHERE bucket_seq = ? AND NOT EXISTS (
         SELECT 1 FROM customer_dues
         WHERE customer_dues.bucket_seq = customers.bucket_seq AND customer_dues.customer_key = customers.customer_key
       ) ORDER BY seq LIMIT ? OFFSET ?`,
      [bucket.seq, limit - keys.length, Math.max(0, offset - count)],
    );
    data.push(...rest);
  }
  return { data, total: await countList(reads, bucket.id, customerList) };
}

/** Creates a customer unless it exists. */
export async function insertCustomer(
  transaction: WriteTransaction,
  bucketId: string,
  customer: Omit<CustomerRow, "seq">,
): Promise<void> {
  const [isNew] = await transaction.insertNew("customers", [customer], ["bucket_seq", "customer_key"]);
  if (!isNew) return;
  const { bucket_seq, customer_key } = customer;
  const { seq } = (await findRow(transaction, "customers", { bucket_seq, customer_key }))!;
  countMember(transaction, bucketId, [{ list: customerList, delta: 1 }], seq);
}

/** The currency of the first segment of a customer's subscriptions that has a price. */
export async function firstCurrencyOf(reads: Reads, bucketSeq: number, key: string): Promise<string | undefined> {
  const rows = await reads.all<{ terms: string }>(
    `SELECT terms FROM billing_segments JOIN subscriptions ON subscriptions.seq = billing_segments.subscription_seq
     WHERE subscriptions.bucket_seq = ? AND subscriptions.customer_key = ? AND terms LIKE '%"currency":%'
     ORDER BY billing_segments.seq LIMIT 1`,
    [bucketSeq, key],
  );
  const plans = rows.flatMap(({ terms }) => (JSON.parse(terms) as Terms).plans);
  return plans.find(({ price }) => price !== null)?.price?.currency;
}

interface Terms {
  plans: { price: { currency: string } | null }[];
}

interface OpenAmount {
  customer_key: string;
  currency: string;
  amount_due: string;
}

// The plus prevents the engines from reading all invoices in order instead of the few of the customers.
const openOf = (count: number) => `SELECT customer_key, currency, amount_due FROM invoices
  WHERE bucket_seq = ? AND customer_key IN (${Array.from({ length: count }, () => "?").join(", ")})
    AND status = 'open' AND corrects_id IS NULL ORDER BY +seq`;

/** What customers owe, by invoice. */
export async function openAmountsOf(reads: Reads, bucketSeq: number, keys: string[]): Promise<OpenAmount[]> {
  return keys.length === 0 ? [] : reads.all(openOf(keys.length), [bucketSeq, ...keys]);
}

/** Stores what a customer owes after a change of its invoices: the sum of all, so that an error does not stay. */
export async function storeDue(
  transaction: WriteTransaction,
  { bucket_seq, customer_key }: { bucket_seq: number; customer_key: string },
): Promise<void> {
  const amounts = await openAmountsOf(transaction, bucket_seq, [customer_key]);
  const due = amounts.reduce((sum, { amount_due, currency }) => sum + BigInt(amount_due) * scaleOf(currency), 0n);
  if (due <= 0n) return deleteRows(transaction, "customer_dues", { bucket_seq, customer_key });
  const row = { bucket_seq, customer_key, due: Number(smaller(due, largest)) };
  await saveRow(transaction, "customer_dues", row, ["bucket_seq", "customer_key"]);
}

const largest = BigInt(Number.MAX_SAFE_INTEGER);

const scaleOf = (currency: string): bigint => 10n ** BigInt(maxDigits - (minorDigits(currency) ?? 0));
