import { Problem } from "../../../../core/problems/problem.ts";
import { hasRows, lockRow } from "../../../../platform/storage/rows.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import type { ConsumerHooks } from "../../../api-keys/consumers/consumers.ts";
import { actIn, type BucketContext, meteringBucketsOfKeyBucket } from "../../metering-buckets/metering-buckets.ts";
import { lockCustomerBilling } from "../credit-grants/wallet.ts";
import { type Customer, presentCustomer, recordCustomer } from "./customers.ts";

/** Makes a new consumer the customer of its name in the metering buckets whose customers are those of its key bucket. */
export const customersOfConsumers: ConsumerHooks = {
  async created(transaction, act, keyBucket, consumer, { adoptsCustomer }) {
    for (const bucket of await meteringBucketsOfKeyBucket(transaction, act.account.seq, keyBucket.name))
      await claim({ transaction, act: actIn(bucket, act), bucket }, consumer, adoptsCustomer);
  },
};

/** Throws `customer_exists` if the customer of a deleted consumer would be inherited. */
async function claim(
  context: BucketContext,
  { id, name }: { id: string; name: string },
  adopts: boolean,
): Promise<void> {
  const { transaction, act, bucket } = context;
  // Otherwise a first subscription that is created at the same time would not find the consumer.
  await lockCustomerBilling(transaction, bucket, name);
  const customer = await lockRow(transaction, "customers", { bucket_seq: bucket.seq, customer_key: name });
  if (!customer) return;
  const isFormer = customer.consumer_id !== null && (await hasHistory(transaction, customer));
  if (isFormer && !adopts)
    throw new Problem("customer_exists", {
      detail: `The customer ${name} of metering bucket ${bucket.name ?? bucket.id} is that of a deleted consumer. Its subscriptions, credit, payment method and invoices are handed over with ?adopt-customer=true.`,
    });
  if (!isFormer) return transaction.update("customers", customer.seq, { consumer_id: id });
  const changed = { consumer_id: id, version: customer.version + 1, updated_on: act.now };
  await transaction.update("customers", customer.seq, changed);
  recordCustomer(context, presentCustomer(customer), presentCustomer({ ...customer, ...changed }));
}

async function hasHistory(reads: Reads, { bucket_seq, customer_key, payment_method }: Customer): Promise<boolean> {
  if (payment_method !== null) return true;
  for (const table of ["subscriptions", "grants", "invoices"])
    if (await hasRows(reads, `FROM ${table} WHERE bucket_seq = ? AND customer_key = ?`, [bucket_seq, customer_key]))
      return true;
  return false;
}
