import type { Stripe } from "stripe";
import { type AccountReference, systemAct } from "../../../../../../core/access.ts";
import type { Clock } from "../../../../../../lib/time/clock.ts";
import { deleteRows, findRow, lockRow, updateRows } from "../../../../../../platform/storage/rows.ts";
import type { Storage, WriteTransaction } from "../../../../../../platform/storage/storage.ts";
import { actIn, type BucketContext, type MeteringBucket } from "../../../../metering-buckets/metering-buckets.ts";
import { isUnpaidPurchase } from "../../../../subscriptions/state.ts";
import { subscriptionsOf } from "../../../../subscriptions/subscriptions.ts";
import { lockCustomerBilling } from "../../../credit-grants/wallet.ts";
import { findCustomer } from "../../../customers/customers.ts";
import { findInvoice, type Invoice, lockInvoice } from "../../../invoices/invoices.ts";
import { failureOf, isMissing, metadata, once } from "../api.ts";
import { type Buyer, ensureStripeCustomer } from "../customers/customers.ts";
import { hasUnconfirmedVoid, type StripeInvoiceRow, wakeInvoices } from "../stripe.ts";
import { applyRemote, applyVoid, numberHere, uncreditedAt } from "./apply.ts";
import {
  completeItems,
  createRemote,
  expectedAmount,
  findRemote,
  isProcessing,
  owedAt,
  paymentIntentOf,
  retrieveRemote,
} from "./remote-invoice.ts";
import {
  endRefunds,
  type RefundResults,
  type RemoteRefunds,
  readRemoteRefunds,
  recordRemoteRefunds,
  repeatPaidCredits,
} from "./remote-refunds.ts";

/** Longer than a call may take. It is prolonged before each call that changes something. */
export const leaseMilliseconds = 120_000;

const minute = 60_000;

export type NotifyAction = (context: BucketContext, invoice: Invoice) => Promise<void>;

/** Another node continues the invoice. */
export class LeaseLost extends Error {}

/** The invoice at Stripe is not what it must be, so it is not finalized. */
export class Differs extends Error {}

/** An invoice that this node has leased. */
export interface InvoiceClaim {
  row: StripeInvoiceRow;
  invoice: Invoice;
  bucket: MeteringBucket;
  account: AccountReference;
}

/**
 * The steps that make the invoice at Stripe the same as ours. Each is derived from what is stored and from what exists at
 * Stripe, so that it can be interrupted between any two calls, and continued on any node: before something is created
 * that an earlier call may have created, it is looked for.
 */
export class InvoiceSteps {
  #row: StripeInvoiceRow;
  #invoice: Invoice;

  constructor(
    private readonly claim: InvoiceClaim,
    private readonly dependencies: {
      /** Undefined if another provider has replaced Stripe. */
      api: Stripe | undefined;
      storage: Storage;
      clock: Clock;
      notifyAction?: NotifyAction | undefined;
    },
  ) {
    this.#row = claim.row;
    this.#invoice = claim.invoice;
  }

  async run(): Promise<void> {
    if (!this.dependencies.api && this.#row.began_on === null) return this.#leave();
    const isNew = this.#row.stripe_id === null && this.#row.began_on === null;
    const pause = isNew ? await this.#pause() : undefined;
    if (pause) return this.#finish(pause);
    const id = this.#row.stripe_id ?? (await this.#begin());
    if (id === undefined) return this.#finish({ next_on: null });
    let remote = await this.#retrieve(id);
    if (!remote) return this.#replace(id);
    if (remote.metadata?.[metadata.invoice] !== this.#invoice.id) throw new Differs(`${id} is of another invoice`);
    if (remote.status === "draft") {
      const finalized = await this.#finalize(remote, isNew);
      if (!finalized) return this.#finish({ next_on: null, stripe_status: "deleted", charging: 0 });
      remote = finalized;
    } else remote = await this.#reconcile(remote);
    const payment = paymentIntentOf(remote);
    // Before it was stored, events of refunds did not find the invoice: they are read once without an event.
    if (payment !== null && this.#row.payment_intent === null)
      await this.#save({ payment_intent: payment, refund_events: this.#row.refund_events + 1 });
    const results = await this.#repeatCredits(remote);
    await this.#apply(remote, results, await readRemoteRefunds(this.#api, this.#row, remote));
  }

  /** Whether there is nothing to collect yet, and when to look again. */
  async #pause(): Promise<Partial<StripeInvoiceRow> | undefined> {
    if (!this.#isNeeded) return { next_on: null };
    if (!(await this.#isOfPurchase())) return undefined;
    // A purchase is charged once the customer has entered a payment method, which wakes the invoice.
    if ((await this.#method()) === null) return { next_on: null };
    const { storage, clock } = this.dependencies;
    const { bucket } = this.claim;
    // The purchase that it replaces may turn out to be paid: its money then pays this one.
    const waits = await hasUnconfirmedVoid(storage.reads, bucket.seq, this.#invoice.customer_key);
    return waits ? { next_on: clock.now() + minute } : undefined;
  }

  async #isOfPurchase(): Promise<boolean> {
    const { subscription_id, customer_key, purchase_id } = this.#invoice;
    if (subscription_id === null) return purchase_id !== null;
    const subscriptions = await subscriptionsOf(this.dependencies.storage.reads, this.claim.bucket, customer_key);
    return subscriptions.some(({ row }) => row.id === subscription_id && isUnpaidPurchase(row));
  }

  get #api(): Stripe {
    if (!this.dependencies.api) throw new Error("the payment provider is no longer Stripe");
    return this.dependencies.api;
  }

  /** Whether Stripe is to collect the invoice. */
  get #isNeeded(): boolean {
    return this.#invoice.status === "open" && this.#row.void_on === null;
  }

  /** Creates the invoice, or finds the one that was created. Undefined if there is none and none is needed any more. */
  async #begin(): Promise<string | undefined> {
    const api = this.#api;
    const { began_on, customer_id } = this.#row;
    const customer = customer_id ?? (await this.#customer());
    let remote = began_on === null ? undefined : await findRemote(api, customer, this.#invoice.id, began_on);
    if (!remote && !this.#isNeeded) return undefined;
    if (!remote) {
      await this.#save({ customer_id: customer, began_on: began_on ?? this.dependencies.clock.now() });
      const { generation } = this.#row;
      remote = await createRemote(api, this.#invoice, { customer, buyer: this.#buyer, generation });
    }
    await this.#save({ stripe_id: remote.id });
    return remote.id;
  }

  /** Undefined if Stripe does not have the invoice any more. */
  async #retrieve(id: string): Promise<Stripe.Invoice | undefined> {
    try {
      return await retrieveRemote(this.#api, id);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /**
   * Creates the invoice again, if it is still needed. Stripe deletes drafts only: if it was finalized, the secret key
   * belongs to another account of Stripe, and a second invoice might charge the customer twice.
   */
  async #replace(id: string): Promise<void> {
    const { charging, stripe_status, generation } = this.#row;
    const wasDraft = charging === 0 && stripe_status === null;
    const error = `${id} does not exist at Stripe: the secret key may belong to another account of Stripe`;
    if (!this.#isNeeded)
      return this.#finish({ next_on: null, ...(wasDraft ? { stripe_status: "deleted" } : { error }) });
    if (!wasDraft) throw new Differs(error);
    await this.#save({ stripe_id: null, generation: generation + 1 });
    return this.run();
  }

  /** The default payment method at Stripe, as far as it is known. */
  async #method(): Promise<string | null> {
    const key = { bucket_seq: this.claim.bucket.seq, customer_key: this.#invoice.customer_key };
    const row = await findRow(this.dependencies.storage.reads, "stripe_customers", key);
    return row?.payment_method ?? null;
  }

  async #customer(): Promise<string> {
    const { storage, clock } = this.dependencies;
    const { bucket } = this.claim;
    const customer = await findCustomer(storage.reads, bucket, this.#invoice.customer_key);
    return ensureStripeCustomer({ api: this.#api, storage, bucket, customer, buyer: this.#buyer, now: clock.now() });
  }

  /** As on our invoice, whatever changed since. */
  get #buyer(): Buyer {
    return JSON.parse(this.#invoice.buyer!) as Buyer;
  }

  /** Undefined if the draft was deleted, because nothing is to be collected any more. */
  async #finalize(draft: Stripe.Invoice, isNew: boolean): Promise<Stripe.Invoice | undefined> {
    const api = this.#api;
    await this.#save({ charging: 0 });
    if (!this.#isNeeded) return this.#deleteDraft(draft);
    const { generation, customer_id, requested } = this.#row;
    await completeItems(api, this.#invoice, draft, {
      customer: customer_id!,
      generation,
      isNew,
      beforeEach: () => this.#save({}),
    });
    // The amount is compared before anything is charged: an item may exist twice, or belong to another invoice.
    const complete = await retrieveRemote(api, draft.id);
    const { credited: credited_before } = this.#invoice;
    await this.#save({ charging: 1, paid_with: await this.#method(), performed: requested, credited_before });
    if (!this.#isNeeded) return this.#deleteDraft(draft);
    if (owedAt(complete) !== expectedAmount(this.#invoice)) {
      await this.#save({ charging: 0 });
      throw new Differs(`Stripe has ${owedAt(complete)} instead of ${expectedAmount(this.#invoice)}`);
    }
    await api.invoices.finalizeInvoice(
      draft.id,
      { auto_advance: true },
      once(this.#invoice.id, generation, "finalize"),
    );
    await this.#save({});
    return retrieveRemote(api, draft.id);
  }

  async #deleteDraft({ id }: Stripe.Invoice): Promise<undefined> {
    await this.#api.invoices.del(id);
  }

  /** Makes the invoice at Stripe what ours has become: void, paid elsewhere, reduced by a credit note, or given up. */
  async #reconcile(remote: Stripe.Invoice): Promise<Stripe.Invoice> {
    const api = this.#api;
    if (remote.status !== "open" && remote.status !== "uncollectible") return remote;
    // The money is on its way, and nothing can stop it. What it was for is decided when it arrives.
    if (isProcessing(remote)) return remote;
    await this.#save({});
    const { id, status } = this.#invoice;
    const { generation, void_on, credited_before } = this.#row;
    const uncredited = uncreditedAt(remote, this.#invoice, credited_before);
    if (status === "void" || (status === "open" && void_on !== null))
      await api.invoices.voidInvoice(remote.id, {}, once(id, generation, "void"));
    else if (uncredited > 0n)
      await api.creditNotes.create(
        { invoice: remote.id, amount: Number(uncredited), metadata: { [metadata.invoice]: id } },
        once(id, generation, "credit", String(owedAt(remote) - uncredited)),
      );
    else if (status === "paid")
      await api.invoices.pay(remote.id, { paid_out_of_band: true }, once(id, generation, "paid"));
    else if (status === "open") await this.#pay(remote);
    else if (remote.status === "open")
      await api.invoices.markUncollectible(remote.id, {}, once(id, generation, "uncollectible"));
    const changed = await retrieveRemote(api, remote.id);
    // What credit notes did not pay was paid elsewhere.
    return status === "paid" && owedAt(changed) < owedAt(remote) ? this.#reconcile(changed) : changed;
  }

  /** Credit notes for what was paid already, and refunds. */
  async #repeatCredits(remote: Stripe.Invoice): Promise<RefundResults | "succeeded" | undefined> {
    if (this.#invoice.status !== "paid") return undefined;
    if (remote.status !== "paid") return remote.status === "void" ? "succeeded" : undefined;
    return repeatPaidCredits(this.dependencies.storage.reads, this.claim.bucket, this.#invoice, remote, {
      api: this.#api,
      generation: this.#row.generation,
      beforeEach: () => this.#save({}),
    });
  }

  /**
   * Tries again if the customer has another payment method since the last attempt, or if an attempt was requested. A
   * declined one is a result, not an error.
   */
  async #pay({ id }: Stripe.Invoice): Promise<void> {
    const api = this.#api;
    const method = await this.#method();
    const { generation, requested, performed, paid_with } = this.#row;
    const isRequested = requested !== performed;
    if (!isRequested && (method === null || method === paid_with)) return;
    await this.#save({ charging: 1 });
    if (!this.#isNeeded) return;
    let isDeclined = false;
    try {
      const key = once(this.#invoice.id, generation, "pay", requested, method ?? "default");
      await api.invoices.pay(id, method === null ? {} : { payment_method: method }, key);
    } catch (error) {
      // Without a payment method there is nothing to charge, which Stripe may report as a bad request.
      const declined = method === null ? [400, 402] : [402];
      if (!declined.includes(failureOf(error)?.statusCode ?? 0)) throw error;
      isDeclined = true;
    }
    // Stripe saves a declined payment: with the same key, the same method would be declined again without an attempt.
    const next = isDeclined ? { generation: generation + 1 } : {};
    await this.#save({ paid_with: method, performed: requested, ...next });
  }

  async #apply(
    remote: Stripe.Invoice,
    refunds: RefundResults | "succeeded" | undefined,
    remoteRefunds: RemoteRefunds,
  ): Promise<void> {
    await this.#end(async (context, row) => {
      const remotely = { invoiceId: this.#invoice.id, remote, now: this.dependencies.clock.now() };
      const { invoice, isActionNew, values } = await applyRemote(context, row, remotely);
      if (refunds) await endRefunds(context, invoice, refunds);
      if (isActionNew) await this.dependencies.notifyAction?.(context, invoice);
      return { ...values, ...(await recordRemoteRefunds(context, invoice, remoteRefunds)) };
    });
  }

  /** There is no invoice at Stripe, or none yet. */
  async #finish(values: Partial<StripeInvoiceRow>): Promise<void> {
    await this.#end(async (context, row) => {
      const invoice = await applyVoid(context, row, this.#invoice.id);
      if (values.next_on === null && invoice.status === "paid") {
        const numbered = invoice.number === null ? await numberHere(context, invoice) : invoice;
        // Without an invoice at Stripe they are made outside of it. One that another account of Stripe has is not refunded.
        await endRefunds(context, numbered, values.error ? "failed" : "succeeded");
      }
      return { failures: 0, error: null, ...values };
    });
  }

  /**
   * Another provider has replaced Stripe, which never had the invoice: it gets a number of ours, and what is to be refunded
   * is refunded outside of Stripe.
   */
  #leave(): Promise<void> {
    return this.#end(async (context, { invoice_seq }) => {
      const { transaction, bucket } = context;
      const invoice = await lockInvoice(transaction, bucket, this.#invoice.id);
      if (invoice.status !== "void") await endRefunds(context, await numberHere(context, invoice), "succeeded");
      await deleteRows(transaction, "stripe_invoices", { invoice_seq });
      return {};
    });
  }

  async #end(
    work: (context: BucketContext, row: StripeInvoiceRow) => Promise<Partial<StripeInvoiceRow>>,
  ): Promise<void> {
    const { storage, clock } = this.dependencies;
    const { account, bucket } = this.claim;
    await storage.write(async (transaction) => {
      const now = clock.now();
      // Before the row at Stripe: an invoice that changes locks that last.
      await lockCustomerBilling(transaction, bucket, this.#invoice.customer_key);
      const row = await this.#leased(transaction);
      const act = actIn(bucket, systemAct({ account, now }, now));
      const values = await work({ transaction, act, bucket }, row);
      await this.#release(transaction, values, now);
      // A purchase may wait for the outcome of the one that it replaces.
      const unbegun = `began_on IS NULL AND next_on IS NOT NULL AND invoice_seq IN (
        SELECT seq FROM invoices WHERE bucket_seq = ? AND customer_key = ? AND status = 'open')`;
      if (values.next_on === null)
        await wakeInvoices(transaction, now, unbegun, [bucket.seq, this.#invoice.customer_key]);
    });
  }

  /** Stores what was done, prolongs the lease and reads the invoice again. Throws LeaseLost. */
  async #save(values: Partial<StripeInvoiceRow>): Promise<void> {
    const { storage, clock } = this.dependencies;
    await storage.write(async (transaction) => {
      const row = await this.#leased(transaction);
      const now = clock.now();
      const changed = { ...values, lease_until: now + leaseMilliseconds, updated_on: now };
      await updateRows(transaction, "stripe_invoices", { invoice_seq: row.invoice_seq }, changed);
      this.#row = { ...row, ...changed };
      this.#invoice = await findInvoice(transaction, this.claim.bucket, this.#invoice.id);
    });
  }

  async #leased(transaction: WriteTransaction): Promise<StripeInvoiceRow> {
    const row = await lockRow(transaction, "stripe_invoices", { invoice_seq: this.claim.row.invoice_seq });
    if (row?.lease !== this.claim.row.lease) throw new LeaseLost();
    return row;
  }

  /** What was queued in the meantime, such as an event, stays queued. */
  async #release(transaction: WriteTransaction, values: Partial<StripeInvoiceRow>, now: number): Promise<void> {
    const { invoice_seq, wakes } = this.claim.row;
    const current = await findRow(transaction, "stripe_invoices", { invoice_seq });
    if (!current) return;
    const next = current.wakes === wakes ? {} : { next_on: current.next_on };
    const released = { lease: null, lease_until: null, updated_on: now };
    await updateRows(transaction, "stripe_invoices", { invoice_seq }, { ...values, ...next, ...released });
  }
}
