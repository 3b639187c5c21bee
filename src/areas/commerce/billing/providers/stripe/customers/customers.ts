import type { Stripe } from "stripe";
import type { Storage } from "../../../../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../../../metering-buckets/metering-buckets.ts";
import { type Customer, type presentBuyer, revisionOfCustomer } from "../../../customers/customers.ts";
import { isMissing, isSaved, metadata, once } from "../api/accounts.ts";
import {
  beginCustomer,
  findStripeCustomer,
  renewCustomer,
  type StripeCustomerRow,
  saveCustomer,
} from "./customer-store.ts";

export type Buyer = ReturnType<typeof presentBuyer>;

interface CustomerOptions {
  api: Stripe;
  storage: Storage;
  bucket: MeteringBucket;
  customer: Customer;
  buyer: Buyer;
  now: number;
}

/**
 * The id of the customer at Stripe, which is created if there is none, or if it was deleted there or belongs to another
 * account of Stripe. A second one would do no harm: an invoice keeps the customer that it was begun with.
 */
export async function ensureStripeCustomer(options: CustomerOptions): Promise<string> {
  const { api, storage, bucket, customer, buyer } = options;
  const { customer_key: key } = customer;
  const before = await findStripeCustomer(storage.reads, bucket.seq, key);
  if (!before?.stripe_id) return createCustomer(options, before);
  try {
    await api.customers.update(before.stripe_id, detailsOf(buyer));
    return before.stripe_id;
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  await storage.write((transaction) => renewCustomer(transaction, bucket.seq, key, before.generation));
  const renewed = await findStripeCustomer(storage.reads, bucket.seq, key);
  // Another node may have created one meanwhile.
  return renewed?.stripe_id ?? createCustomer(options, renewed, before.stripe_id);
}

/**
 * Creates the customer, or finds the one that an earlier call has created. The search lags: it may still return
 * `missing`, which was deleted.
 */
async function createCustomer(
  { api, storage, bucket, customer, buyer, now }: CustomerOptions,
  before: StripeCustomerRow | undefined,
  missing?: string,
): Promise<string> {
  const { customer_key: key } = customer;
  const ourId = revisionOfCustomer(bucket, customer).id;
  const save = (id: string) => storage.write((transaction) => saveCustomer(transaction, bucket.seq, key, id));
  if (before) {
    const found = await api.customers.search({ query: `metadata['${metadata.customer}']:'${ourId}'`, limit: 10 });
    const first = found.data.find(({ id }) => id !== missing);
    if (first) return save(first.id);
  } else await storage.write((transaction) => beginCustomer(transaction, bucket.seq, key, now));
  const generation = before?.generation ?? 0;
  try {
    const created = await api.customers.create(
      { ...detailsOf(buyer), metadata: { [metadata.customer]: ourId, [metadata.customerKey]: key.slice(0, 500) } },
      once(ourId, "customer", generation),
    );
    return await save(created.id);
  } catch (error) {
    if (isSaved(error)) await storage.write((transaction) => renewCustomer(transaction, bucket.seq, key, generation));
    throw error;
  }
}

/** What was entered at Stripe's page and is not known here. What is known stays: a card's name may be another one. */
export function missingDetails(
  { legalName, address, taxIds }: Buyer,
  { customer_details }: Stripe.Checkout.Session,
  { billing_details: { name, address: billing } }: Stripe.PaymentMethod,
) {
  const entered = addressOf(billing);
  const isKnown = address !== undefined && (address.line1 !== undefined || address.country !== entered?.country);
  const ids = (customer_details?.tax_ids ?? []).flatMap(({ value }) => value ?? []);
  const enteredName = customer_details?.name ?? name;
  return {
    ...(legalName === undefined && enteredName ? { legalName: enteredName.slice(0, 256) } : {}),
    ...(entered && !isKnown ? { address: entered } : {}),
    ...(taxIds === undefined && ids.length > 0 ? { taxIds: ids } : {}),
  };
}

/** Undefined without a country, which every address here has. */
function addressOf(address: Stripe.Address | null) {
  if (!address?.country) return undefined;
  const { line1, line2, postal_code: postalCode, city, state, country } = address;
  const lines = Object.entries({ line1, line2, postalCode, city, state }).filter(([, text]) => text);
  return { ...(Object.fromEntries(lines) as Record<string, string>), country };
}

/** Stripe copies them to the invoices that it issues. */
function detailsOf({ customerKey, legalName, email, address }: Buyer) {
  return {
    name: (legalName ?? customerKey).slice(0, 256),
    email: email ?? "",
    address: address
      ? {
          line1: address.line1 ?? "",
          line2: address.line2 ?? "",
          postal_code: address.postalCode ?? "",
          city: address.city ?? "",
          state: address.state ?? "",
          country: address.country,
        }
      : ("" as const),
  };
}
