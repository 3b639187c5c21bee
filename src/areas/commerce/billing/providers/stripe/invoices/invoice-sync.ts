import { accountOf } from "../../../../../../core/access.ts";
import { Problem } from "../../../../../../core/problems/problem.ts";
import { formatMinorOf } from "../../../../../../lib/currencies.ts";
import { findRow, lockRow, updateRows } from "../../../../../../platform/storage/rows.ts";
import type { WriteTransaction } from "../../../../../../platform/storage/storage.ts";
import type { Compose, MailQueue } from "../../../../../common/mail/mail-queue.ts";
import { composed } from "../../../../../common/mail/message.ts";
import { findMeteringBucket } from "../../../../metering-buckets/metering-buckets.ts";
import { lockCustomerBilling } from "../../../credit-grants/wallet.ts";
import { findCustomer } from "../../../customers/customers.ts";
import { invoiceOfAccount, updateInvoice } from "../../../invoices/invoice-store.ts";
import { findInvoice, lockInvoice } from "../../../invoices/invoices.ts";
import type { ProviderMode } from "../../../payments/interface.ts";
import { atOnce, describeError, failureOf, isMissing, isSaved, type StripeSyncOptions } from "../api.ts";
import { renewCustomer } from "../customers/customers.ts";
import { dueInvoices, placeOfInvoice } from "../stripe.ts";
import {
  Differs,
  type InvoiceClaim,
  InvoiceSteps,
  LeaseLost,
  leaseMilliseconds,
  type NotifyAction,
} from "./invoice-steps.ts";

const pageSize = 100;
const second = 1000;
const maxDelay = 6 * 60 * 60 * second;

interface InvoiceSyncOptions extends StripeSyncOptions {
  /** Tells the customer that the bank requires a second step. */
  notifyAction?: NotifyAction | undefined;
  /** Called after each attempt. */
  onAttempt?: ((hasSucceeded: boolean) => void) | undefined;
}

/**
 * Charges and refunds invoices with Stripe. The queue is a table: any node claims what is due, and an invoice whose lease
 * has expired is due again.
 */
export class InvoiceSync {
  constructor(private readonly options: InvoiceSyncOptions) {}

  /**
   * Continues every invoice that is due, once.
   * @param before called before each page of them: what does not wait for thousands of invoices
   */
  async run(signal?: AbortSignal, before: (signal?: AbortSignal) => Promise<void> = async () => {}): Promise<void> {
    const { storage, clock } = this.options;
    const seen = new Set<number>();
    while (!signal?.aborted) {
      await before(signal);
      const due = await dueInvoices(storage.reads, clock.now(), pageSize + seen.size);
      const waiting = due.map(({ invoice_seq }) => invoice_seq).filter((seq) => !seen.has(seq));
      if (waiting.length === 0) return;
      for (const seq of waiting) seen.add(seq);
      await atOnce(waiting, signal, (seq) => this.#continue(seq));
    }
  }

  async #continue(invoiceSeq: number): Promise<void> {
    const { storage, clock, accounts, log, notifyAction, onAttempt } = this.options;
    const claim = await storage.write((transaction) => this.#claim(transaction, invoiceSeq));
    if (!claim) return;
    try {
      const api = await accounts.api(storage.reads, claim.account.seq, claim.row.mode as ProviderMode);
      await new InvoiceSteps(claim, { api, storage, clock, notifyAction }).run();
      onAttempt?.(true);
    } catch (error) {
      if (error instanceof LeaseLost) return;
      onAttempt?.(false);
      log.warn("an invoice could not be collected; will retry", { invoice: claim.invoice.id, error });
      await storage.write((transaction) => this.#failed(transaction, claim, error));
    }
  }

  async #claim(transaction: WriteTransaction, invoiceSeq: number): Promise<InvoiceClaim | undefined> {
    const now = this.options.clock.now();
    const row = await lockRow(transaction, "stripe_invoices", { invoice_seq: invoiceSeq });
    if (!row || row.next_on === null || row.next_on > now || (row.lease_until ?? 0) > now) return undefined;
    const place = await placeOfInvoice(transaction, invoiceSeq);
    const lease = crypto.randomUUID();
    // Without a place the bucket was deleted: its invoices will be.
    const changes = place ? { lease, lease_until: now + leaseMilliseconds } : { next_on: null };
    await updateRows(transaction, "stripe_invoices", { invoice_seq: invoiceSeq }, changes);
    if (!place) return undefined;
    const bucket = await findMeteringBucket(transaction, place.account_seq, place.bucket_id);
    return {
      row: { ...row, lease },
      invoice: await findInvoice(transaction, bucket, place.invoice_id),
      bucket,
      account: accountOf(place),
    };
  }

  async #failed(transaction: WriteTransaction, claim: InvoiceClaim, error: unknown): Promise<void> {
    const now = this.options.clock.now();
    const { bucket } = claim;
    await lockCustomerBilling(transaction, bucket, claim.invoice.customer_key);
    const { invoice_seq } = claim.row;
    const row = await lockRow(transaction, "stripe_invoices", { invoice_seq });
    if (row?.lease !== claim.row.lease) return;
    const failures = row.failures + 1;
    const isRenewed = isSaved(error) || error instanceof Differs;
    const isForgotten = row.stripe_id === null && isMissing(error, "customer");
    await updateRows(
      transaction,
      "stripe_invoices",
      { invoice_seq },
      {
        failures,
        error: describeError(error),
        generation: row.generation + (isRenewed ? 1 : 0),
        // What was queued in the meantime, such as other credentials or a void invoice, does not wait for the delay.
        ...(row.wakes === claim.row.wakes ? { next_on: now + delayAfter(failures) } : {}),
        ...(isForgotten ? { customer_id: null } : {}),
        lease: null,
        lease_until: null,
        updated_on: now,
      },
    );
    if (isForgotten) {
      // It was deleted at Stripe, or belongs to another account of Stripe.
      const key = { bucket_seq: bucket.seq, customer_key: claim.invoice.customer_key };
      const customer = await findRow(transaction, "stripe_customers", key);
      if (customer) await renewCustomer(transaction, customer);
    }
    if (needsOperator(error)) {
      const invoice = await lockInvoice(transaction, bucket, claim.invoice.id);
      if (invoice.collection_state !== "error")
        await updateInvoice(transaction, invoice, { collection_state: "error", version: invoice.version + 1 });
    }
  }
}

/** Stripe rejects the call: it will not succeed by itself. */
function needsOperator(error: unknown): boolean {
  const status = failureOf(error)?.statusCode;
  const isRejected = status !== undefined && status >= 400 && status < 500 && status !== 409 && status !== 429;
  return isRejected || error instanceof Differs || error instanceof Problem;
}

function delayAfter(failures: number): number {
  return Math.min(maxDelay, 2 ** Math.min(failures, 20) * second);
}

export const actionMailKind = "payment-action";

/** Banks let a customer confirm a payment for about a day; the page of the invoice begins another one. */
const validMilliseconds = 3 * 24 * 60 * 60 * 1000;

/** Queues a mail to the customer whose bank requires a second step. Mail of test buckets is not sent. */
export function actionMailer(mail: MailQueue): NotifyAction {
  return async ({ transaction, act, bucket }, invoice) => {
    const { email: recipient } = await findCustomer(transaction, bucket, invoice.customer_key);
    if (recipient === null || bucket.test_clock !== null || !mail.isEnabled) return;
    const about = { kind: actionMailKind, recipient, subjectId: invoice.id, accountSeq: act.account.seq };
    await mail.add(transaction, { ...about, expiresOn: act.now + validMilliseconds }, act.now);
  };
}

/** Writes the mail. Undefined if the invoice was paid or voided in the meantime. */
export const actionMail: Compose = async (transaction, { account_seq, subject_id }) => {
  const invoice = await invoiceOfAccount(transaction, account_seq!, subject_id);
  if (invoice?.collection_state !== "needs_action" || invoice.collection_url === null) return undefined;
  const { legalName } = JSON.parse(invoice.seller!) as { legalName: string };
  const { currency, amount_due, number } = invoice;
  const amount = `${formatMinorOf(currency, amount_due)} ${currency}`;
  return composed(legalName, {
    subject: `Confirm your payment of ${amount}`,
    lines: [`Your bank asks you to confirm the payment of ${amount} for the invoice ${number ?? ""} of ${legalName}.`],
    link: { label: "Confirm the payment", url: invoice.collection_url },
    notes: ["Nothing is charged until you do."],
  });
};
