import type { Stripe } from "stripe";
import { Problem } from "../../../../../../core/problems/problem.ts";
import { findRow } from "../../../../../../platform/storage/rows.ts";
import type { Storage, WriteTransaction } from "../../../../../../platform/storage/storage.ts";
import type { RowOf } from "../../../../../../platform/storage/tables.ts";
import type { MeteringBucket } from "../../../../metering-buckets/metering-buckets.ts";
import { type Customer, findCustomer, presentBuyer, revisionOfCustomer } from "../../../customers/customers.ts";
import type { Checkout, PayingCustomer } from "../../../payments/interface.ts";
import { modeOf, providerFor } from "../../../payments/providers.ts";
import { openInvoices } from "../../../purchases/completion.ts";
import { profileOf } from "../../../settings/settings.ts";
import { describeError, failureOf, isMissing, isSaved, metadata, once, type StripeSyncOptions } from "../api.ts";

export type Buyer = ReturnType<typeof presentBuyer>;
export type StripeCustomerRow = RowOf<"stripe_customers">;

/** The key of a customer's row. */
export type CustomerKey = Pick<StripeCustomerRow, "bucket_seq" | "customer_key">;

/**
 * Forgets the customer at Stripe with its payment method, which the next call creates with another idempotency key. The
 * new one is compared at once, so that the customer's payment method here is that of the new one.
 */
export function renewCustomer(
  transaction: WriteTransaction,
  { bucket_seq, customer_key, generation }: CustomerKey & Pick<StripeCustomerRow, "generation">,
): Promise<void> {
  return transaction.run(
    `UPDATE stripe_customers SET stripe_id = NULL, generation = generation + 1, payment_method = NULL, session_id = NULL,
       sync_on = began_on, wakes = wakes + 1
     WHERE bucket_seq = ? AND customer_key = ? AND generation = ?`,
    [bucket_seq, customer_key, generation],
  );
}

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
  const { api, storage, customer, buyer } = options;
  const key = { bucket_seq: customer.bucket_seq, customer_key: customer.customer_key };
  const before = await findRow(storage.reads, "stripe_customers", key);
  if (!before?.stripe_id) return createCustomer(options, before);
  try {
    await api.customers.update(before.stripe_id, detailsOf(buyer));
    return before.stripe_id;
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  await storage.write((transaction) => renewCustomer(transaction, before));
  const renewed = await findRow(storage.reads, "stripe_customers", key);
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
  const key = { bucket_seq: bucket.seq, customer_key: customer.customer_key };
  const ourId = revisionOfCustomer(bucket, customer).id;
  // Another node may have saved one: the first one stays.
  const save = (id: string) =>
    storage.write(async (transaction) => {
      const unnamed =
        "UPDATE stripe_customers SET stripe_id = ? WHERE bucket_seq = ? AND customer_key = ? AND stripe_id IS NULL";
      await transaction.run(unnamed, [id, key.bucket_seq, key.customer_key]);
      return (await findRow(transaction, "stripe_customers", key))?.stripe_id ?? id;
    });
  if (before) {
    const found = await api.customers.search({ query: `metadata['${metadata.customer}']:'${ourId}'`, limit: 10 });
    const first = found.data.find(({ id }) => id !== missing);
    if (first) return save(first.id);
  } else {
    // From now on it may exist at Stripe.
    const row = { ...key, stripe_id: null, began_on: now, generation: 0, wakes: 0 };
    await storage.write((transaction) =>
      transaction.insertNew("stripe_customers", [row], ["bucket_seq", "customer_key"]),
    );
  }
  const generation = before?.generation ?? 0;
  try {
    const ids = { [metadata.customer]: ourId, [metadata.customerKey]: key.customer_key.slice(0, 500) };
    const created = await api.customers.create(
      { ...detailsOf(buyer), metadata: ids },
      once(ourId, "customer", generation),
    );
    return await save(created.id);
  } catch (error) {
    if (isSaved(error)) await storage.write((transaction) => renewCustomer(transaction, { ...key, generation }));
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

const dayMilliseconds = 24 * 60 * 60 * 1000;
const minute = 60_000;

/** The pages of Stripe where customers enter a payment method and manage it. */
export class StripePages {
  constructor(private readonly options: StripeSyncOptions) {}

  /**
   * Checkout in setup mode: it charges nothing. The open invoices are charged to the method afterwards. It asks for what
   * invoices, which Stripe issues, still lack; see `missingDetails`.
   */
  urlOf(checkout: Checkout): Promise<string> {
    return this.#call(checkout, async (api, customer, ourId, buyer) => {
      const { returnUrl, cancelUrl, account } = checkout;
      const profile = await profileOf(this.options.storage.reads, account.seq);
      const isRequired = profile?.buyerAddress === "required" && buyer.address?.line1 === undefined;
      await this.#watch(checkout);
      const session = await api.checkout.sessions.create({
        mode: "setup",
        customer,
        currency: (await this.#currency(checkout)).toLowerCase(),
        success_url: returnUrl,
        cancel_url: cancelUrl,
        billing_address_collection: isRequired ? "required" : "auto",
        tax_id_collection: { enabled: buyer.taxIds === undefined },
        // Stripe requires it to ask a customer that exists for a tax id.
        customer_update: { name: "auto", address: "auto" },
        metadata: { [metadata.customer]: ourId },
      });
      return session.url!;
    });
  }

  /** Where a customer changes the payment method and reads invoices. */
  portalUrl(customer: PayingCustomer): Promise<string> {
    return this.#call(customer, async (api, id) => {
      await this.#watch(customer);
      const session = await api.billingPortal.sessions.create({ customer: id, return_url: customer.returnUrl });
      return session.url;
    });
  }

  /** Without an event, what the customer does at the page is found later, until it cannot be used any more. */
  #watch({ bucket, customerKey }: PayingCustomer): Promise<void> {
    const { storage, clock } = this.options;
    const from = clock.now() + minute;
    return storage.write((transaction) =>
      transaction.run(
        `UPDATE stripe_customers SET sync_on = CASE WHEN sync_on < ? THEN sync_on ELSE ? END, sync_until = ?, wakes = wakes + 1
         WHERE bucket_seq = ? AND customer_key = ?`,
        [from, from, clock.now() + dayMilliseconds, bucket.seq, customerKey],
      ),
    );
  }

  /** The currency of the open invoices determines which payment methods are offered. */
  async #currency({ bucket, customerKey }: Checkout): Promise<string> {
    const { reads } = this.options.storage;
    const [first] = await openInvoices(reads, bucket, customerKey);
    return first?.currency ?? (await findCustomer(reads, bucket, customerKey)).currency ?? "USD";
  }

  async #call(
    { account, bucket, customerKey }: PayingCustomer,
    work: (api: Stripe, customer: string, ourId: string, buyer: Buyer) => Promise<string>,
  ): Promise<string> {
    const { storage, clock, accounts } = this.options;
    const isStripe = (await providerFor(storage.reads, { account }, bucket)).type === "stripe";
    const api = isStripe && (await accounts.api(storage.reads, account.seq, modeOf(bucket)));
    if (!api) throw new Problem("payment_page_missing");
    const customer = await findCustomer(storage.reads, bucket, customerKey);
    const buyer = presentBuyer(customer);
    try {
      const id = await ensureStripeCustomer({ api, storage, bucket, customer, buyer, now: clock.now() });
      return await work(api, id, revisionOfCustomer(bucket, customer).id, buyer);
    } catch (error) {
      if (!failureOf(error)) throw error;
      throw new Problem("payment_provider_unavailable", { detail: describeError(error) });
    }
  }
}
