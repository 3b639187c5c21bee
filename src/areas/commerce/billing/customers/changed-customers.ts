import { accountOf } from "../../../../core/access.ts";
import { Problem } from "../../../../core/problems/problem.ts";
import { Slice } from "../../../../lib/tasks/slices.ts";
import type { Reads, Storage } from "../../../../platform/storage/storage.ts";
import { findMeteringBucket, type MeteringBucket, timeIn } from "../../metering-buckets/metering-buckets.ts";
import { onBook } from "../book/book.ts";
import type { DueCustomer } from "../credit-grants/grant-store.ts";

interface Place {
  bucket_seq: number;
  customer_key: string;
}

/** What is compared: the books of many customers are read at once. */
interface Comparison<Customer extends Place & DueCustomer> {
  storage: Storage;
  now: number;
  /** A page of customers after one, in the order of their buckets and keys. */
  pageAfter(after: Place, limit: number): Promise<Customer[]>;
  /** Undefined if there is nothing to compare. */
  stateOf(customer: Customer): string | undefined;
  /** Whether something is to be done for a customer. */
  isDue(reads: Reads, bucket: MeteringBucket, customer: Customer, now: number): Promise<boolean>;
  /** Does it, and returns whether an unchanged state need not be compared again. */
  perform(customer: Customer): Promise<boolean>;
  failed(error: unknown): void;
  signal: AbortSignal | undefined;
}

const pageSize = 500;
/** Customers whose books are in memory at the same time. */
const customersTogether = 100;

/** Compares customers whose state has changed since it was compared last. The first run of a process compares all. */
export class ChangedCustomers {
  #compared = new Map<string, string>();

  async compare<Customer extends Place & DueCustomer>(comparison: Comparison<Customer>): Promise<void> {
    const { pageAfter, stateOf, signal } = comparison;
    const compared = new Map<string, string>();
    for (let after: Place = { bucket_seq: 0, customer_key: "" }; !signal?.aborted; ) {
      const customers = await pageAfter(after, pageSize);
      const changed: { customer: Customer; state: string }[] = [];
      for (const customer of customers) {
        const state = stateOf(customer);
        if (state === undefined) continue;
        if (this.#compared.get(customerId(customer)) === state) compared.set(customerId(customer), state);
        else changed.push({ customer, state });
      }
      for (const ofBucket of Map.groupBy(changed, ({ customer }) => customer.bucket_seq).values())
        for (let first = 0; first < ofBucket.length; first += customersTogether) {
          if (signal?.aborted) return;
          const some = ofBucket.slice(first, first + customersTogether);
          const done = await compareTogether(
            comparison,
            some.map(({ customer }) => customer),
          );
          for (const { customer, state } of some) if (done.has(customer)) compared.set(customerId(customer), state);
        }
      const last = customers.at(-1);
      if (!last || customers.length < pageSize) break;
      after = last;
    }
    this.#compared = compared;
  }
}

/** Compares customers of a bucket. Returns those that need not be compared again. */
async function compareTogether<Customer extends Place & DueCustomer>(
  { storage, now, isDue, perform, failed, signal }: Comparison<Customer>,
  customers: Customer[],
): Promise<Set<Customer>> {
  const done = new Set<Customer>();
  const due: Customer[] = [];
  // The customer or bucket may be deleted concurrently.
  const failedUnlessDeleted = (error: unknown) => {
    if (!(error instanceof Problem && error.code === "not_found")) failed(error);
  };
  try {
    const account = accountOf(customers[0]!);
    const bucket = await findMeteringBucket(storage.reads, account.seq, customers[0]!.bucket_id);
    const customerKeys = customers.map(({ customer_key }) => customer_key);
    const slice = new Slice();
    await onBook(storage, { act: { account, now }, bucket, customerKeys, isCompared: true }, async (book) => {
      for (const customer of customers) {
        const check = isDue(book, bucket, customer, timeIn(bucket, now));
        await check.then((isIt) => (isIt ? due.push(customer) : done.add(customer)), failedUnlessDeleted);
        if (slice.isOver) await slice.next();
      }
    });
  } catch (error) {
    failedUnlessDeleted(error);
  }
  for (const customer of due) {
    if (signal?.aborted) break;
    await perform(customer).then((isDone) => isDone && done.add(customer), failedUnlessDeleted);
  }
  return done;
}

export const customerId = ({ bucket_seq, customer_key }: Place): string => `${bucket_seq} ${customer_key}`;
