import { Problem } from "../../../../core/problems/problem.ts";
import { locking } from "../../../../platform/storage/query.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import type { ConsumerHooks } from "../../../api-keys/consumers/consumers.ts";
import { actIn, type BucketContext, meteringBucketsOfKeyBucket } from "../../metering-buckets/metering-buckets.ts";
import { lockCustomerBilling } from "../credit-grants/wallet.ts";
import * as store from "./customer-store.ts";
import { presentCustomer, recordCustomer } from "./customers.ts";

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
  const customer = await store.findCustomer(locking(transaction), bucket.seq, name);
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

async function hasHistory(reads: Reads, { bucket_seq, customer_key, payment_method }: store.CustomerRow) {
  if (payment_method !== null) return true;
  const ofCustomer = ["subscriptions", "grants", "invoices"].map(
    (table) => `EXISTS (SELECT 1 FROM ${table} WHERE bucket_seq = ? AND customer_key = ?)`,
  );
  const place = [bucket_seq, customer_key];
  const sql = `SELECT 1 AS found WHERE ${ofCustomer.join(" OR ")}`;
  return (await reads.one(sql, [...place, ...place, ...place])) !== undefined;
}
