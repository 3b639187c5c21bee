import type { Paging } from "../../../../lib/paging.ts";
import { allWith, type OneRead, readPage } from "../../../../platform/storage/query.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import type { RowOf } from "../../../../platform/storage/tables.ts";
import {
  bucketColumns,
  joinBucket,
  type MeteringBucket,
  type OfBucket,
} from "../../metering-buckets/metering-buckets.ts";
import type { DueCustomer } from "../credit-grants/grant-store.ts";

export type PackRow = RowOf<"credit_packs">;

type BucketKeys = Pick<MeteringBucket, "seq">;

export function findPack(reads: OneRead, bucketSeq: number, id: string): Promise<PackRow | undefined> {
  return reads.one("SELECT * FROM credit_packs WHERE bucket_seq = ? AND id = ?", [bucketSeq, id]);
}

/** Undefined if the bucket has no such pack. */
export function packNamed(reads: Reads, { seq }: BucketKeys, externalId: string): Promise<PackRow | undefined> {
  return reads.one("SELECT * FROM credit_packs WHERE bucket_seq = ? AND external_id = ?", [seq, externalId]);
}

export function listPacks(reads: Reads, { seq }: BucketKeys, externalId: string | undefined, paging: Paging) {
  const query = reads.query.selectFrom("credit_packs").where("bucket_seq", "=", seq);
  return readPage(externalId === undefined ? query : query.where("external_id", "=", externalId), paging);
}

/** Those that customers see, in order. */
export function publicPacks(reads: Reads, { seq }: BucketKeys): Promise<PackRow[]> {
  return reads.all("SELECT * FROM credit_packs WHERE bucket_seq = ? AND is_public = 1 ORDER BY position, seq", [seq]);
}

export type PurchaseRow = RowOf<"pack_purchases">;

export function findPurchase(reads: OneRead, bucketSeq: number, id: string): Promise<PurchaseRow | undefined> {
  return reads.one("SELECT * FROM pack_purchases WHERE bucket_seq = ? AND id = ?", [bucketSeq, id]);
}

export function listPurchases(reads: Reads, { seq }: BucketKeys, customerKey: string, paging: Paging) {
  const query = reads.query.selectFrom("pack_purchases").where("bucket_seq", "=", seq);
  return readPage(query.where("customer_key", "=", customerKey), paging);
}

/** The purchases of a customer that are neither paid nor ended. */
export function openPurchases(reads: Reads, { seq }: BucketKeys, customerKey: string): Promise<PurchaseRow[]> {
  return reads.all(
    "SELECT * FROM pack_purchases WHERE bucket_seq = ? AND customer_key = ? AND state = 'open' ORDER BY seq",
    [seq, customerKey],
  );
}

/** Top-ups of a customer that were created in a range of time and did not fail. */
export function topUpsBetween(reads: Reads, bucketSeq: number, customerKey: string, from: number, to: number) {
  return reads.all<Pick<PurchaseRow, "currency" | "total">>(
    `SELECT currency, total FROM pack_purchases WHERE bucket_seq = ? AND customer_key = ? AND is_top_up = 1
       AND state <> 'failed' AND created_on >= ? AND created_on < ?`,
    [bucketSeq, customerKey, from, to],
  );
}

/** Open purchases of buckets with the server's time that can no longer be paid, the first one first. */
export function expiredPurchases(reads: Reads, now: number, limit: number): Promise<(PurchaseRow & OfBucket)[]> {
  return reads.all(
    `SELECT pack_purchases.*, ${bucketColumns} FROM pack_purchases ${joinBucket("pack_purchases.bucket_seq")}
     WHERE pack_purchases.state = 'open' AND pack_purchases.expires_on <= ? AND metering_buckets.test_clock IS NULL
     ORDER BY pack_purchases.expires_on, pack_purchases.seq LIMIT ?`,
    [now, limit],
  );
}

/** The open purchase of a bucket that expires first. */
export function firstPurchaseExpiryIn(reads: Reads, bucketSeq: number, until: number) {
  return reads.one<PurchaseRow>(
    `SELECT * FROM pack_purchases WHERE bucket_seq = ? AND state = 'open' AND expires_on <= ?
     ORDER BY expires_on, seq LIMIT 1`,
    [bucketSeq, until],
  );
}

/** A customer whose automatic top-up is on, and what changes with its credit. */
export interface TopUpCustomer extends DueCustomer {
  bucket_seq: number;
  version: number;
  /** Of its grants and of what they pay. Null without any. */
  revision: number | null;
  /** The sum of the versions of its counters. Null without usage. */
  counted: number | string | null;
}

export function topUpCustomers(
  reads: Reads,
  after: Pick<TopUpCustomer, "bucket_seq" | "customer_key">,
  limit: number,
): Promise<TopUpCustomer[]> {
  return reads.all(
    `SELECT customers.bucket_seq, customers.customer_key, customers.version, customer_credits.revision,
       ${bucketColumns}, (SELECT SUM(usage_counters.version) FROM subscriptions CROSS JOIN usage_counters
        WHERE usage_counters.subscription_seq = subscriptions.seq AND subscriptions.bucket_seq = customers.bucket_seq
          AND subscriptions.customer_key = customers.customer_key) AS counted
     FROM customers ${joinBucket("customers.bucket_seq")}
     LEFT JOIN customer_credits ON customer_credits.bucket_seq = customers.bucket_seq
       AND customer_credits.customer_key = customers.customer_key
     WHERE (customers.bucket_seq, customers.customer_key) > (?, ?) AND customers.top_up IS NOT NULL
       AND customers.top_up LIKE '%"isEnabled":true%'
     ORDER BY customers.bucket_seq, customers.customer_key LIMIT ?`,
    [after.bucket_seq, after.customer_key, limit],
  );
}

/** The customers of subscriptions. */
export function customersOfSubscriptions(reads: Reads, seqs: Iterable<number>) {
  return allWith<Pick<TopUpCustomer, "bucket_seq" | "customer_key">>(
    reads,
    ["bigint"],
    Array.from(seqs, (seq) => [seq]),
    (held) => `SELECT bucket_seq, customer_key FROM subscriptions WHERE seq IN (SELECT column1 FROM ${held} AS held)`,
  );
}
