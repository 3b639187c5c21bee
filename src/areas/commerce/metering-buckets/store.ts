import type { OfAccount } from "../../../core/access.ts";
import type { Paging } from "../../../lib/paging.ts";
import { type OneRead, readPage } from "../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

export type MeteringBucketRow = RowOf<"metering_buckets">;
const bucketWithId = "SELECT * FROM metering_buckets WHERE account_seq = ? AND id = ?";
const bucketWithName = "SELECT * FROM metering_buckets WHERE account_seq = ? AND name = ?";
/** No name begins like an id. */
const bucketWith = (idOrName: string) => (idOrName.startsWith("mtr_") ? bucketWithId : bucketWithName);

/** A row with its metering bucket and account. */
export interface OfBucket extends OfAccount {
  bucket_id: string;
}

export const bucketColumns = `metering_buckets.id AS bucket_id, accounts.seq AS account_seq, accounts.id AS account_id,
  accounts.name AS account_name`;
export const joinBucket = (bucketSeq: string) => `JOIN metering_buckets ON metering_buckets.seq = ${bucketSeq}
  JOIN accounts ON accounts.seq = metering_buckets.account_seq`;

export function findMeteringBucket(
  reads: OneRead,
  accountSeq: number,
  idOrName: string,
): Promise<MeteringBucketRow | undefined> {
  return reads.one(bucketWith(idOrName), [accountSeq, idOrName]);
}

export function meteringBucketsOfKeyBucket(
  reads: Reads,
  accountSeq: number,
  keyBucket: string,
): Promise<MeteringBucketRow[]> {
  return reads.all("SELECT * FROM metering_buckets WHERE account_seq = ? AND key_bucket = ? ORDER BY seq", [
    accountSeq,
    keyBucket,
  ]);
}

const consumerNamed = `SELECT consumers.id FROM key_buckets JOIN consumers ON consumers.bucket_seq = key_buckets.seq
  WHERE key_buckets.account_seq = ? AND key_buckets.name = ? AND consumers.name = `;

/** The id of the consumer of a name in the key bucket of a metering bucket. */
export async function consumerIdIn(
  reads: Reads,
  { account_seq, key_bucket }: Pick<MeteringBucketRow, "account_seq" | "key_bucket">,
  name: string,
): Promise<string | null> {
  if (key_bucket === null) return null;
  const found = await reads.one<{ id: string }>(`${consumerNamed}?`, [account_seq, key_bucket, name]);
  return found?.id ?? null;
}

/** The display name of the consumer of a name, in the key bucket of a metering bucket or else in the oldest that has one. */
export async function displayNameIn(
  reads: Reads,
  { account_seq, key_bucket }: Pick<MeteringBucketRow, "account_seq" | "key_bucket">,
  name: string,
): Promise<string | undefined> {
  const isIn = key_bucket === null ? "" : "AND key_buckets.name = ?";
  const found = await reads.one<{ display_name: string }>(
    `SELECT consumers.display_name FROM key_buckets JOIN consumers ON consumers.bucket_seq = key_buckets.seq
     WHERE key_buckets.account_seq = ? AND consumers.name = ? AND consumers.display_name IS NOT NULL ${isIn}
     ORDER BY key_buckets.seq LIMIT 1`,
    [account_seq, name, ...(key_bucket === null ? [] : [key_bucket])],
  );
  return found?.display_name;
}

/** Makes the consumers of its key bucket the customers of their names. Without a key bucket, customers have none. */
export async function linkCustomers(
  transaction: WriteTransaction,
  { seq, account_seq, key_bucket }: Pick<MeteringBucketRow, "seq" | "account_seq" | "key_bucket">,
): Promise<void> {
  const sql = `UPDATE customers SET consumer_id = (${consumerNamed}customers.customer_key) WHERE bucket_seq = ?`;
  await transaction.run(sql, [account_seq, key_bucket, seq]);
}

export function allMeteringBuckets(reads: Reads, accountSeq: number): Promise<MeteringBucketRow[]> {
  return reads.query.selectFrom("metering_buckets").selectAll().where("account_seq", "=", accountSeq).execute();
}

export function listMeteringBuckets(reads: Reads, accountSeq: number, paging: Paging) {
  const ofAccount = reads.query.selectFrom("metering_buckets").where("account_seq", "=", accountSeq);
  return readPage(ofAccount, paging);
}

export function hasSubscriptionsIn(reads: Reads, bucketSeq: number): Promise<object | undefined> {
  return reads.one("SELECT 1 AS found FROM subscriptions WHERE bucket_seq = ? LIMIT 1", [bucketSeq]);
}
