import { forUpdate, forUpdateIfFree } from "../../../platform/storage/query.ts";
import { RunAgain } from "../../../platform/storage/run-again.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";

/** Also deleted ones, whose late usage is billed. */
const ofCustomer = `SELECT seq FROM subscriptions
  WHERE (bucket_seq = ? AND customer_key = ?) OR (former_bucket_seq = ? AND customer_key = ?) ORDER BY seq`;
const parametersOf = (bucketSeq: number, customerKey: string) => [bucketSeq, customerKey, bucketSeq, customerKey];

/** The customers whose counting a transaction has stopped, by what its parts share. */
const stopped = new WeakMap<object, Set<string>>();

interface Settling {
  /** Leaves out subscriptions that another transaction has locked: then nothing is stopped, and false is returned. */
  ifFree?: boolean;
  /** Whether the counting in memory stops. Otherwise only the subscriptions are locked, and a later call may stop it. */
  stops?: boolean;
}

/**
 * Until the transaction ends, the usage of a customer that it reads is all there is on this machine, and no request takes
 * anything in between: locks the subscriptions in the order of `docs/decisions/lock-order.md`, and stops the counting in
 * memory. If that has counted something that storage lacks, the transaction is rolled back and runs again once it is
 * written. The lock of the customer must be acquired before. Returns whether the subscriptions are locked.
 */
export async function settleUsage(
  transaction: WriteTransaction,
  { seq: bucketSeq }: Pick<MeteringBucket, "seq">,
  customerKey: string,
  { ifFree = false, stops = true }: Settling = {},
): Promise<boolean> {
  const known = stopped.get(transaction.counts) ?? new Set();
  stopped.set(transaction.counts, known);
  const customer = `${bucketSeq} ${customerKey}`;
  if (known.has(customer)) return true;
  const parameters = parametersOf(bucketSeq, customerKey);
  const locking = ifFree ? forUpdateIfFree : forUpdate;
  const rows = await transaction.all<{ seq: number }>(locking(transaction, ofCustomer), parameters);
  if (ifFree && transaction.locksRows && rows.length < (await transaction.all(ofCustomer, parameters)).length)
    return false;
  if (!stops) return true;
  known.add(customer);
  const seqs = rows.map(({ seq }) => seq);
  for (const counts of transaction.countsInMemory) {
    const preparation = counts.stop(seqs, transaction);
    if (preparation) throw new RunAgain(preparation);
  }
  return true;
}
