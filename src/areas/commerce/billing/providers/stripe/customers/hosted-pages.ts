import type { Stripe } from "stripe";
import { Problem } from "../../../../../../core/problems/problem.ts";
import type { Clock } from "../../../../../../lib/time/clock.ts";
import type { Storage } from "../../../../../../platform/storage/storage.ts";
import { findCustomer, presentBuyer, revisionOfCustomer } from "../../../customers/customers.ts";
import type { Checkout, PayingCustomer } from "../../../payments/interface/service.ts";
import { modeOf, providerFor } from "../../../payments/providers.ts";
import { openInvoices } from "../../../purchases/open-invoices.ts";
import { profileOf } from "../../../settings/settings.ts";
import { describeError, failureOf, metadata, type StripeAccounts } from "../api/accounts.ts";
import { watchCustomer } from "./customer-store.ts";
import { type Buyer, ensureStripeCustomer } from "./customers.ts";

const dayMilliseconds = 24 * 60 * 60 * 1000;
const minute = 60_000;

/** The pages of Stripe where customers enter a payment method and manage it. */
export class StripePages {
  constructor(private readonly options: { storage: Storage; clock: Clock; accounts: StripeAccounts }) {}

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

  /** Without an event, what the customer does at the page is found later. */
  async #watch({ bucket, customerKey }: PayingCustomer): Promise<void> {
    const { storage, clock } = this.options;
    const now = clock.now();
    const times = { from: now + minute, until: now + dayMilliseconds };
    await storage.write((transaction) => watchCustomer(transaction, bucket.seq, customerKey, times));
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
