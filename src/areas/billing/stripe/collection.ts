import type { Stripe } from "stripe";
import type { AccountReference } from "../../../core/access.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { actIn, type MeteringBucket } from "../../metering/buckets.ts";
import { isPurchase } from "../../metering/subscriptions/status.ts";
import { subscriptionsOf } from "../../metering/subscriptions/subscriptions.ts";
import { type CollectionRow, findCollectionForUpdate, updateCollection } from "../collection/collection-store.ts";
import { lockCredits } from "../credits/wallet.ts";
import { findCustomer } from "../customers/customers.ts";
import { findInvoice, type Invoice } from "../invoices/invoices.ts";
import { systemAct } from "../periods/steps.ts";
import type { NotifyAction } from "./action-mail.ts";
import { applyRemote, isProcessing, owedAt } from "./apply.ts";
import { failureOf, metadata, once } from "./calls.ts";
import { findStripeCustomer } from "./customer-store.ts";
import { type Buyer, ensureStripeCustomer } from "./customers.ts";
import { completeItems, createRemote, expectedAmount, findRemote, retrieveRemote } from "./remote-invoice.ts";

/** Longer than a call may take. It is prolonged before each call that changes something. */
export const leaseMilliseconds = 120_000;

/** Another node continues the collection. */
export class LeaseLost extends Error {}

/** The invoice at Stripe is not what it must be, so it is not finalized. */
export class Differs extends Error {}

/** A collection that this node has leased. */
export interface Claim {
  row: CollectionRow;
  invoice: Invoice;
  bucket: MeteringBucket;
  account: AccountReference;
  lease: string;
}

/**
 * The steps of a collection. Each is derived from what is stored and from what exists at Stripe, so that it can be
 * interrupted between any two calls, and continued on any node: before something is created that an earlier call may
 * have created, it is looked for.
 */
export class Collection {
  #row: CollectionRow;
  #invoice: Invoice;

  constructor(
    private readonly claim: Claim,
    private readonly dependencies: {
      api: Stripe;
      storage: Storage;
      clock: Clock;
      notifyAction?: NotifyAction | undefined;
    },
  ) {
    this.#row = claim.row;
    this.#invoice = claim.invoice;
  }

  async run(): Promise<void> {
    const { api } = this.dependencies;
    const isNew = this.#row.stripe_id === null && this.#row.began_on === null;
    const id = this.#row.stripe_id ?? (await this.#begin());
    if (id === undefined) return this.#finish({ next_on: null });
    let remote = await retrieveRemote(api, id);
    if (remote.metadata?.[metadata.invoice] !== this.#invoice.id) throw new Differs(`${id} is of another invoice`);
    if (remote.status === "draft") {
      const finalized = await this.#finalize(remote, isNew);
      if (!finalized) return this.#finish({ next_on: null, stripe_status: "deleted" });
      remote = finalized;
    } else remote = await this.#reconcile(remote);
    await this.#apply(remote);
  }

  /** Creates the invoice, or finds the one that was created. Undefined if there is none and none is needed any more. */
  async #begin(): Promise<string | undefined> {
    const { api } = this.dependencies;
    const { began_on, customer_id } = this.#row;
    const isNeeded = this.#invoice.status === "open";
    if (began_on === null && (!isNeeded || (await this.#waitsForMethod()))) return undefined;
    const customer = customer_id ?? (await this.#customer());
    let remote = began_on === null ? undefined : await findRemote(api, customer, this.#invoice.id, began_on);
    if (!remote && !isNeeded) return undefined;
    if (!remote) {
      await this.#save({ customer_id: customer, began_on: began_on ?? this.dependencies.clock.now() });
      const { generation } = this.#row;
      remote = await createRemote(api, this.#invoice, { customer, buyer: this.#buyer, generation });
    }
    await this.#save({ stripe_id: remote.id });
    return remote.id;
  }

  /** A purchase is charged once the customer has entered a payment method, which wakes the collection. */
  async #waitsForMethod(): Promise<boolean> {
    const { reads } = this.dependencies.storage;
    const { bucket } = this.claim;
    const { subscription_id, customer_key } = this.#invoice;
    if (subscription_id === null || (await this.#method()) !== null) return false;
    const subscriptions = await subscriptionsOf(reads, bucket, customer_key);
    return subscriptions.some(({ row }) => row.id === subscription_id && isPurchase(row));
  }

  /** The default payment method at Stripe, as far as it is known. */
  async #method(): Promise<string | null> {
    const { reads } = this.dependencies.storage;
    const row = await findStripeCustomer(reads, this.claim.bucket.seq, this.#invoice.customer_key);
    return row?.payment_method ?? null;
  }

  async #customer(): Promise<string> {
    const { api, storage, clock } = this.dependencies;
    const { bucket } = this.claim;
    const customer = await findCustomer(storage.reads, bucket, this.#invoice.customer_key);
    return ensureStripeCustomer({ api, storage, bucket, customer, buyer: this.#buyer, now: clock.now() });
  }

  /** As on our invoice, whatever changed since. */
  get #buyer(): Buyer {
    return JSON.parse(this.#invoice.buyer!) as Buyer;
  }

  /** Undefined if the draft was deleted, because nothing is to be collected any more. */
  async #finalize(draft: Stripe.Invoice, isNew: boolean): Promise<Stripe.Invoice | undefined> {
    const { api } = this.dependencies;
    const { id } = this.#invoice;
    if (this.#invoice.status !== "open") {
      await api.invoices.del(draft.id);
      return undefined;
    }
    const { generation, customer_id } = this.#row;
    await completeItems(api, this.#invoice, draft, {
      customer: customer_id!,
      generation,
      isNew,
      beforeEach: () => this.#save({}),
    });
    // The amount is compared before anything is charged: an item may be there twice, or belong to someone else.
    const complete = await retrieveRemote(api, draft.id);
    await this.#save({});
    if (this.#invoice.status !== "open" || owedAt(complete) !== expectedAmount(this.#invoice))
      throw new Differs(`Stripe has ${owedAt(complete)} instead of ${expectedAmount(this.#invoice)}`);
    const paid_with = await this.#method();
    await api.invoices.finalizeInvoice(draft.id, { auto_advance: true }, once(id, generation, "finalize"));
    await this.#save({ paid_with });
    return retrieveRemote(api, draft.id);
  }

  /** Makes the invoice at Stripe what ours has become: void, paid elsewhere, or reduced by a credit note. */
  async #reconcile(remote: Stripe.Invoice): Promise<Stripe.Invoice> {
    const { api } = this.dependencies;
    if (remote.status !== "open" && remote.status !== "uncollectible") return remote;
    await this.#save({});
    const { id, status } = this.#invoice;
    const { generation } = this.#row;
    if (status === "void") await api.invoices.voidInvoice(remote.id, {}, once(id, generation, "void"));
    else if (status === "paid")
      await api.invoices.pay(remote.id, { paid_out_of_band: true }, once(id, generation, "paid"));
    else if (owedAt(remote) > expectedAmount(this.#invoice)) {
      const expected = expectedAmount(this.#invoice);
      await api.creditNotes.create(
        { invoice: remote.id, amount: Number(owedAt(remote) - expected), metadata: { [metadata.invoice]: id } },
        once(id, generation, "credit", String(expected)),
      );
    } else {
      const method = await this.#method();
      if (method === null || method === this.#row.paid_with || isProcessing(remote)) return remote;
      await this.#payWith(remote, method);
    }
    return retrieveRemote(api, remote.id);
  }

  /** The customer has another payment method since the last attempt. A declined one is a result, not an error. */
  async #payWith({ id }: Stripe.Invoice, method: string): Promise<void> {
    const { api } = this.dependencies;
    const { generation } = this.#row;
    try {
      await api.invoices.pay(id, { payment_method: method }, once(this.#invoice.id, generation, "pay", method));
    } catch (error) {
      if (failureOf(error)?.statusCode !== 402) throw error;
    }
    await this.#save({ paid_with: method });
  }

  async #apply(remote: Stripe.Invoice): Promise<void> {
    const { storage, clock } = this.dependencies;
    const { account, bucket } = this.claim;
    await storage.write(async (transaction) => {
      const now = clock.now();
      // Before the row of the collection: an invoice that changes locks that last.
      await lockCredits(transaction, bucket, this.#invoice.customer_key);
      const row = await this.#leased(transaction);
      const act = actIn(bucket, systemAct({ account }, now));
      const invoiceId = this.#invoice.id;
      const applied = await applyRemote(transaction, act, bucket, row, { invoiceId, remote, now });
      if (applied.isActionNew) await this.dependencies.notifyAction?.(transaction, act, bucket, applied.invoice);
      await this.#release(transaction, applied.values, now);
    });
  }

  async #finish(values: Partial<CollectionRow>): Promise<void> {
    const { storage, clock } = this.dependencies;
    await storage.write(async (transaction) => {
      await this.#leased(transaction);
      await this.#release(transaction, { failures: 0, error: null, ...values }, clock.now());
    });
  }

  /** Stores what was done, prolongs the lease and reads the invoice again. Throws LeaseLost. */
  async #save(values: Partial<CollectionRow>): Promise<void> {
    const { storage, clock } = this.dependencies;
    await storage.write(async (transaction) => {
      const row = await this.#leased(transaction);
      const now = clock.now();
      const changed = { ...values, lease_until: now + leaseMilliseconds, updated_on: now };
      await updateCollection(transaction, row.invoice_seq, changed);
      this.#row = { ...row, ...changed };
      this.#invoice = await findInvoice(transaction, this.claim.bucket, this.#invoice.id);
    });
  }

  async #leased(transaction: Parameters<typeof findCollectionForUpdate>[0]): Promise<CollectionRow> {
    const row = await findCollectionForUpdate(transaction, this.claim.row.invoice_seq);
    if (row?.lease !== this.claim.lease) throw new LeaseLost();
    return row;
  }

  /** What was queued in the meantime, such as an event, stays queued. */
  async #release(
    transaction: Parameters<typeof findCollectionForUpdate>[0],
    values: Partial<CollectionRow>,
    now: number,
  ): Promise<void> {
    const { invoice_seq, wakes } = this.claim.row;
    const current = (await findCollectionForUpdate(transaction, invoice_seq))!;
    const next = current.wakes === wakes ? {} : { next_on: current.next_on };
    const released = { lease: null, lease_until: null, updated_on: now };
    await updateCollection(transaction, invoice_seq, { ...values, ...next, ...released });
  }
}
