import type { Stripe } from "stripe";
import type { z } from "zod";
import { accountOf, systemAct } from "../../../../../../core/access.ts";
import { unconditional } from "../../../../../../lib/http/etag.ts";
import { lockRow, updateRows } from "../../../../../../platform/storage/rows.ts";
import type { WriteTransaction } from "../../../../../../platform/storage/storage.ts";
import {
  actIn,
  bucketColumns,
  findMeteringBucket,
  joinBucket,
  type OfBucket,
} from "../../../../metering-buckets/metering-buckets.ts";
import { lockCustomerBilling } from "../../../credit-grants/wallet.ts";
import {
  findCustomer,
  methodOf,
  presentBuyer,
  setPaymentMethod,
  updateCustomer,
} from "../../../customers/customers.ts";
import { mailExpiry } from "../../../invoices/billing-mails.ts";
import type { stripeMethod } from "../../../payments/provider-schema.ts";
import { modeOf } from "../../../payments/providers.ts";
import { requestOpenPayments } from "../../../purchases/completion.ts";
import { atOnce, isMissing, metadata, type StripeSyncOptions } from "../api.ts";
import { type CustomerKey, missingDetails, renewCustomer, type StripeCustomerRow } from "./customers.ts";

const pageSize = 50;
const minute = 60_000;
/** Longer than the calls of a comparison may take. */
const leaseMilliseconds = 5 * minute;
/** Shorter than mail is kept, so that one is sent for each card. */
const noticeMilliseconds = 28 * 24 * 60 * minute;

type DueStripeCustomer = StripeCustomerRow & OfBucket;

/**
 * Compares customers with Stripe: after a completed checkout its payment method becomes the default one, and what is
 * open is charged to it. Each step can be repeated, on any node.
 */
export class CustomerSync {
  constructor(private readonly options: StripeSyncOptions) {}

  /** Compares customers that are due, the earliest first, each once. */
  async run(signal?: AbortSignal): Promise<void> {
    const { storage, clock } = this.options;
    const now = clock.now();
    const due = await storage.reads.all<DueStripeCustomer>(
      `SELECT stripe_customers.*, ${bucketColumns} FROM stripe_customers ${joinBucket("stripe_customers.bucket_seq")}
       WHERE stripe_customers.sync_on <= ? AND stripe_customers.stripe_id IS NOT NULL
         AND (stripe_customers.lease_until IS NULL OR stripe_customers.lease_until <= ?)
       ORDER BY stripe_customers.sync_on LIMIT ?`,
      [now, now, pageSize],
    );
    await atOnce(due, signal, async (customer) => {
      const leased = await storage.write((transaction) => this.#lease(transaction, customer));
      if (leased) await this.#continue({ ...customer, ...leased });
    });
  }

  /** Undefined if the customer is not due any more, or if another node has leased it. */
  async #lease(transaction: WriteTransaction, { bucket_seq, customer_key }: CustomerKey) {
    const now = this.options.clock.now();
    const row = await lockRow(transaction, "stripe_customers", { bucket_seq, customer_key });
    const isDue = row && row.stripe_id !== null && row.sync_on !== null && row.sync_on <= now;
    if (!isDue || (row.lease_until ?? 0) > now) return undefined;
    const leased = { lease: crypto.randomUUID(), lease_until: now + leaseMilliseconds };
    await updateRows(transaction, "stripe_customers", { bucket_seq, customer_key }, leased);
    return { ...row, ...leased };
  }

  async #continue(row: DueStripeCustomer): Promise<void> {
    const { clock, log } = this.options;
    try {
      await this.#sync(row);
    } catch (error) {
      log.warn("a customer could not be compared with Stripe; will retry", { customer: row.stripe_id, error });
      await this.#release(row, () => Promise.resolve({ sync_on: clock.now() + minute }));
    }
  }

  async #sync(row: DueStripeCustomer): Promise<void> {
    const { storage, clock, accounts } = this.options;
    const bucket = await findMeteringBucket(storage.reads, row.account_seq, row.bucket_id);
    const api = await accounts.api(storage.reads, row.account_seq, modeOf(bucket));
    if (!api) return this.#release(row, () => Promise.resolve({ sync_on: null }));
    let customer = await existing(api, row.stripe_id!);
    if (!customer) return this.#forget(row);
    const session = await completedSession(api, row);
    if (session) customer = await this.#useMethod(api, customer, session);
    const method = await defaultMethod(api, customer);
    await this.#release(row, async (transaction) => {
      const now = clock.now();
      await this.#apply(transaction, row, { method, session }, now);
      const noticeOn = method?.card ? expiryOf(method.card) - noticeMilliseconds : 0;
      return {
        payment_method: method?.id ?? null,
        ...(session ? { session_id: session.id } : {}),
        // Without an event, what the customer may still do at a page of Stripe is looked for again. Banks replace cards, so
        // the time of a mail is known when it has come.
        sync_on: row.sync_until !== null && row.sync_until > now ? now + 5 * minute : noticeOn > now ? noticeOn : null,
      };
    });
  }

  /** Shows the method, and charges what is open to a new one. */
  async #apply(
    transaction: WriteTransaction,
    row: DueStripeCustomer,
    { method, session }: { method?: Stripe.PaymentMethod | undefined; session?: Stripe.Checkout.Session | undefined },
    now: number,
  ): Promise<void> {
    const { account_seq, bucket_id, customer_key: key } = row;
    const bucket = await findMeteringBucket(transaction, account_seq, bucket_id);
    const context = { transaction, act: actIn(bucket, systemAct({ account: accountOf(row), now }, now)), bucket };
    const customer = await findCustomer(transaction, bucket, key);
    const shown = method ? shownMethod(method) : null;
    if (JSON.stringify(methodOf(customer) ?? null) !== JSON.stringify(shown))
      await setPaymentMethod(context, key, shown, unconditional);
    if (session && method) {
      const details = missingDetails(presentBuyer(customer), session, method);
      if (Object.keys(details).length > 0) {
        await updateCustomer(context, key, details, unconditional);
        await completeBuyers(transaction, row, details);
      }
    }
    if (method?.card && expiryOf(method.card) - noticeMilliseconds <= now && now < expiryOf(method.card))
      await mailExpiry(context, key, shown!.expires!);
    if (!method || method.id === row.payment_method) return;
    // InvoiceSteps reads which method is the default one.
    const { bucket_seq, customer_key } = row;
    await updateRows(transaction, "stripe_customers", { bucket_seq, customer_key }, { payment_method: method.id });
    await requestOpenPayments(context, key);
  }

  /** It was deleted at Stripe, or belongs to another account of Stripe. */
  #forget(row: DueStripeCustomer): Promise<void> {
    return this.#release(row, async (transaction) => {
      await this.#apply(transaction, row, {}, this.options.clock.now());
      await renewCustomer(transaction, row);
      return {};
    });
  }

  async #useMethod(
    api: Stripe,
    customer: Stripe.Customer,
    { setup_intent }: Stripe.Checkout.Session,
  ): Promise<Stripe.Customer> {
    const intent = typeof setup_intent === "string" ? await api.setupIntents.retrieve(setup_intent) : setup_intent;
    const method = intent?.payment_method;
    if (!method) return customer;
    const id = typeof method === "string" ? method : method.id;
    return api.customers.update(customer.id, { invoice_settings: { default_payment_method: id } });
  }

  /**
   * Stores the values that `work` returns and ends the lease. Does nothing if another node has leased the customer. What
   * was queued meanwhile, such as an event, stays queued.
   */
  #release(
    { bucket_seq, customer_key, lease, wakes }: DueStripeCustomer,
    work: (transaction: WriteTransaction) => Promise<Partial<StripeCustomerRow>>,
  ): Promise<void> {
    return this.options.storage.write(async (transaction) => {
      // Before the row, as everything that bills does: the work changes invoices, and a failed step of an invoice this row.
      await lockCustomerBilling(transaction, { seq: bucket_seq }, customer_key);
      const current = await lockRow(transaction, "stripe_customers", { bucket_seq, customer_key });
      if (current?.lease !== lease) return;
      const { sync_on, ...values } = await work(transaction);
      const next = sync_on === undefined || current.wakes !== wakes ? {} : { sync_on };
      const released = { ...values, ...next, lease: null, lease_until: null };
      await updateRows(transaction, "stripe_customers", { bucket_seq, customer_key }, released);
    });
  }
}

/** Invoices that were not sent to Stripe yet are issued with what the customer has entered there. */
async function completeBuyers(
  transaction: WriteTransaction,
  { bucket_seq, customer_key }: CustomerKey,
  details: object,
) {
  const waiting = await transaction.all<{ seq: number; buyer: string }>(
    `SELECT invoices.seq, invoices.buyer FROM invoices JOIN stripe_invoices ON stripe_invoices.invoice_seq = invoices.seq
     WHERE invoices.bucket_seq = ? AND invoices.customer_key = ? AND invoices.status = 'open' AND stripe_invoices.began_on IS NULL`,
    [bucket_seq, customer_key],
  );
  for (const { seq, buyer } of waiting)
    await transaction.update("invoices", seq, { buyer: JSON.stringify({ ...JSON.parse(buyer), ...details }) });
}

/** Undefined if it was deleted, or belongs to another account of Stripe. */
async function existing(api: Stripe, id: string): Promise<Stripe.Customer | undefined> {
  try {
    const customer = await api.customers.retrieve(id);
    return customer.deleted ? undefined : customer;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** The newest completed checkout of ours, if its payment method was not used yet. */
async function completedSession(
  api: Stripe,
  dueCustomer: DueStripeCustomer,
): Promise<Stripe.Checkout.Session | undefined> {
  const sessions = await api.checkout.sessions.list({
    customer: dueCustomer.stripe_id!,
    status: "complete",
    limit: 10,
  });
  const newest = sessions.data.find((session) => session.mode === "setup" && session.metadata?.[metadata.customer]);
  return newest && newest.id !== dueCustomer.session_id ? newest : undefined;
}

async function defaultMethod(api: Stripe, customer: Stripe.Customer): Promise<Stripe.PaymentMethod | undefined> {
  const method = customer.invoice_settings.default_payment_method;
  if (method === null) return undefined;
  return typeof method === "string" ? api.paymentMethods.retrieve(method) : method;
}

/** The payment method as it is shown, without anything that identifies it elsewhere. */
function shownMethod({ type, card }: Stripe.PaymentMethod): z.output<typeof stripeMethod> {
  if (!card) return { type: "stripe", kind: type };
  const expires = `${card.exp_year}-${String(card.exp_month).padStart(2, "0")}`;
  return { type: "stripe", kind: type, brand: card.brand, last4: card.last4 ?? "", expires };
}

/** Cards are valid until the end of a month. */
function expiryOf({ exp_year, exp_month }: Stripe.PaymentMethod.Card): number {
  return Date.UTC(exp_year, exp_month, 1);
}
