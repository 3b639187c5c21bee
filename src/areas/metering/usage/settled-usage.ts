import { forUpdate, forUpdateIfFree } from "../../../platform/storage/query.ts";
import { RunAgain } from "../../../platform/storage/run-again.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";

/** Also deleted ones, whose late usage is billed. */
const ofCustomer = `SELECT seq FROM subscriptions
  WHERE (bucket_seq = ? AND customer_key = ?) OR (former_bucket_seq = ? AND customer_key = ?) ORDER BY seq`;
const parametersOf = (bucketSeq: number, customerKey: string) => [bucketSeq, customerKey, bucketSeq, customerKey];

/**
 * Until the transaction ends, the usage of a customer that it reads is all there is on this machine, and no request takes
 * anything in between: locks the subscriptions in the order of `docs/decisions/lock-order.md`, and stops the counting in
 * memory. If that has counted something that storage lacks, the transaction is rolled back and runs again once it is
 * written. The lock of the customer must be acquired before.
 */
export async function settleUsage(
  transaction: WriteTransaction,
  { seq: bucketSeq }: Pick<MeteringBucket, "seq">,
  customerKey: string,
): Promise<void> {
  const rows = await transaction.all<{ seq: number }>(
    forUpdate(transaction, ofCustomer),
    parametersOf(bucketSeq, customerKey),
  );
  stopCounting(transaction, rows);
}

/** The same for one of several customers. Returns false if another transaction has locked one of the subscriptions. */
export async function trySettleUsage(
  transaction: WriteTransaction,
  { seq: bucketSeq }: Pick<MeteringBucket, "seq">,
  customerKey: string,
): Promise<boolean> {
  const free = forUpdateIfFree(transaction, ofCustomer);
  const rows = await transaction.all<{ seq: number }>(free, parametersOf(bucketSeq, customerKey));
  if (transaction.locksRows) {
    const all = await transaction.all(ofCustomer, parametersOf(bucketSeq, customerKey));
    if (rows.length < all.length) return false;
  }
  stopCounting(transaction, rows);
  return true;
}

function stopCounting(transaction: WriteTransaction, subscriptions: { seq: number }[]): void {
  const seqs = subscriptions.map(({ seq }) => seq);
  for (const counts of transaction.countsInMemory) {
    const preparation = counts.stop(seqs, transaction);
    if (preparation) throw new RunAgain(preparation);
  }
}
