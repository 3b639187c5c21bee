import { forUpdate, forUpdateIfFree } from "../../../../platform/storage/query.ts";
import { RunAgain } from "../../../../platform/storage/run-again.ts";
import type { WriteTransaction } from "../../../../platform/storage/storage.ts";

interface Customer {
  bucketSeq: number;
  customerKey: string;
}

interface LockedSubscription {
  seq: number;
  bucket_seq: number;
  customer_key: string;
}

/** Also deleted ones, whose late usage is billed. */
const ofCustomers = (
  customers: string,
) => `SELECT seq, COALESCE(bucket_seq, former_bucket_seq) AS bucket_seq, customer_key
  FROM subscriptions WHERE seq IN (
    SELECT seq FROM subscriptions WHERE (bucket_seq, customer_key) IN (SELECT column1, column2 FROM ${customers} AS live)
    UNION ALL SELECT seq FROM subscriptions
    WHERE former_bucket_seq IS NOT NULL AND (former_bucket_seq, customer_key) IN (SELECT column1, column2 FROM ${customers} AS former))
  ORDER BY seq`;

/** The customers whose counting a transaction has stopped, by what its parts share. */
const stopped = new WeakMap<object, Set<string>>();

interface Settling {
  /** Leaves out customers with a subscription that another transaction has locked. */
  ifFree?: boolean;
  /** Whether the counting in memory stops. Otherwise only the subscriptions are locked, and a later call may stop it. */
  stops?: boolean;
}

/**
 * Until the transaction ends, the usage of customers that it reads is all there is on this machine, and no request takes
 * anything in between: locks the subscriptions in the order of `docs/decisions/lock-order.md`, and stops the counting in
 * memory. If that has counted something that storage lacks, the transaction is rolled back and runs again once it is
 * written. The locks of the customers must be acquired before. Returns the customers whose subscriptions are locked.
 */
export async function settleUsage<Each extends Customer>(
  transaction: WriteTransaction,
  customers: Each[],
  { ifFree = false, stops = true }: Settling = {},
): Promise<Each[]> {
  const known = stopped.get(transaction.counts) ?? new Set();
  stopped.set(transaction.counts, known);
  const some = customers.filter((each) => !known.has(keyOf(each)));
  const locking = ifFree ? forUpdateIfFree : forUpdate;
  const rows: LockedSubscription[] = [];
  const all: LockedSubscription[] = [];
  const places = some.map(({ bucketSeq, customerKey }) => [bucketSeq, customerKey]);
  for (const { sql, parameters } of transaction.tablesOf(["bigint", "text"], places)) {
    const [query, twice] = [ofCustomers(sql), [...parameters, ...parameters]];
    rows.push(...(await transaction.all<LockedSubscription>(locking(transaction, query), twice)));
    if (ifFree && transaction.locksRows) all.push(...(await transaction.all<LockedSubscription>(query, twice)));
  }
  const seqs = new Set(rows.map(({ seq }) => seq));
  const taken = new Set(all.filter(({ seq }) => !seqs.has(seq)).map(ownerOf));
  const free = customers.filter((each) => !taken.has(keyOf(each)));
  if (!stops) return free;
  for (const each of free) known.add(keyOf(each));
  const own = rows.filter((row) => !taken.has(ownerOf(row))).map(({ seq }) => seq);
  if (own.length > 0)
    for (const counts of transaction.countsInMemory) {
      const preparation = counts.stop(own, transaction);
      if (preparation) throw new RunAgain(preparation);
    }
  return free;
}

const keyOf = ({ bucketSeq, customerKey }: Customer) => `${bucketSeq} ${customerKey}`;
const ownerOf = ({ bucket_seq, customer_key }: LockedSubscription) => `${bucket_seq} ${customer_key}`;
