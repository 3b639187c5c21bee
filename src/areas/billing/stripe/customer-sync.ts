import type { Stripe } from "stripe";
import type { Clock } from "../../../lib/time/clock.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import type { Log } from "../../../platform/telemetry/log.ts";
import { actIn, findBucket } from "../../metering/buckets.ts";
import { findCustomer, methodOf, setPaymentMethod } from "../customers/customers.ts";
import { systemAct } from "../periods/steps.ts";
import { collectOpen } from "../purchases/collection.ts";
import { modeOf } from "../settings/providers.ts";
import type { StripeAccounts } from "./accounts.ts";
import { metadata } from "./calls.ts";
import { type DueCustomer, dueCustomers, updateStripeCustomer } from "./customer-store.ts";

const pageSize = 50;
const minute = 60_000;
const always = () => {};

/** The payment method as it is shown, without anything that identifies it elsewhere. */
export interface ShownMethod {
  type: "stripe";
  kind: string;
  brand?: string;
  last4?: string;
}

export interface CustomerSyncOptions {
  storage: Storage;
  clock: Clock;
  log: Log;
  accounts: StripeAccounts;
}

/**
 * Compares customers with Stripe: after a completed checkout its payment method becomes the default one, and what is
 * open is collected with it. Each step can be repeated, on any node.
 */
export class CustomerSync {
  constructor(private readonly options: CustomerSyncOptions) {}

  /** Compares every customer that is due, once. */
  async run(signal?: AbortSignal): Promise<void> {
    const { storage, clock, log } = this.options;
    for (const row of await dueCustomers(storage.reads, clock.now(), pageSize)) {
      if (signal?.aborted) return;
      try {
        await this.#sync(row);
      } catch (error) {
        log.warn("a customer could not be compared with Stripe; will retry", { customer: row.stripe_id, error });
        await this.#save(row, { sync_on: clock.now() + minute });
      }
    }
  }

  async #sync(row: DueCustomer): Promise<void> {
    const { storage, clock, accounts } = this.options;
    const bucket = await findBucket(storage.reads, row.account_seq, row.bucket_id);
    const api = await accounts.api(storage.reads, row.account_seq, modeOf(bucket));
    if (!api) return this.#save(row, { sync_on: null });
    const session = await completedSession(api, row);
    if (session) await this.#useMethod(api, row, session);
    const method = await defaultMethod(api, row.stripe_id!);
    const act = { account: { seq: row.account_seq, id: row.account_id, name: row.account_name } };
    await storage.write(async (transaction) => {
      const now = clock.now();
      const inBucket = actIn(bucket, systemAct(act, now));
      const { bucket_seq, customer_key: key } = row;
      const before = methodOf(await findCustomer(transaction, bucket, key));
      const shown = method ? shownMethod(method) : null;
      if (JSON.stringify(before ?? null) !== JSON.stringify(shown))
        await setPaymentMethod(transaction, inBucket, bucket, key, shown, always);
      await updateStripeCustomer(transaction, bucket_seq, key, {
        payment_method: method?.id ?? null,
        ...(session ? { session_id: session.id } : {}),
        // Without an event, a checkout that may still be completed is looked at again.
        sync_on: row.sync_until !== null && row.sync_until > now ? now + 5 * minute : null,
      });
      if (method && method.id !== row.payment_method) await collectOpen(transaction, inBucket, bucket, key);
    });
  }

  async #useMethod(api: Stripe, row: DueCustomer, { setup_intent }: Stripe.Checkout.Session): Promise<void> {
    const intent = typeof setup_intent === "string" ? await api.setupIntents.retrieve(setup_intent) : setup_intent;
    const method = intent?.payment_method;
    if (!method) return;
    const id = typeof method === "string" ? method : method.id;
    await api.customers.update(row.stripe_id!, { invoice_settings: { default_payment_method: id } });
  }

  #save({ bucket_seq, customer_key }: DueCustomer, values: Parameters<typeof updateStripeCustomer>[3]): Promise<void> {
    return this.options.storage.write((transaction) =>
      updateStripeCustomer(transaction, bucket_seq, customer_key, values),
    );
  }
}

/** The newest completed checkout of ours, if its payment method was not used yet. */
async function completedSession(api: Stripe, row: DueCustomer): Promise<Stripe.Checkout.Session | undefined> {
  const sessions = await api.checkout.sessions.list({ customer: row.stripe_id!, status: "complete", limit: 10 });
  const newest = sessions.data.find((session) => session.mode === "setup" && session.metadata?.[metadata.customer]);
  return newest && newest.id !== row.session_id ? newest : undefined;
}

async function defaultMethod(api: Stripe, customerId: string): Promise<Stripe.PaymentMethod | undefined> {
  const customer = await api.customers.retrieve(customerId);
  if (customer.deleted) return undefined;
  const method = customer.invoice_settings.default_payment_method;
  if (method === null) return undefined;
  return typeof method === "string" ? api.paymentMethods.retrieve(method) : method;
}

function shownMethod({ type, card }: Stripe.PaymentMethod): ShownMethod {
  return { type: "stripe", kind: type, ...(card ? { brand: card.brand, last4: card.last4 ?? "" } : {}) };
}
