import type { z } from "zod";
import { invalid } from "../../../../../core/problems/problem.ts";
import { type PaymentProvider, sealCredential } from "../../payments/interface.ts";
import type { stripeMethod } from "../../payments/provider-schema.ts";
import { collectable } from "./amounts.ts";
import {
  findStripeInvoice,
  lockBegun,
  queueStripeInvoice,
  stripeTables,
  updateStripeInvoice,
  wakeAllStripeInvoices,
  wakeStripeInvoice,
} from "./stripe-invoice-store.ts";

/**
 * Stripe charges customers and issues the legal invoices. Within a transaction, work is only queued in the table
 * `stripe_invoices`; InvoiceSync performs it.
 */
export const stripe: PaymentProvider = {
  type: "stripe",
  paysOnline: true,
  movesMoney: true,
  issuesInvoices: true,
  keepsMethods: true,
  // The time of Stripe cannot be moved with that of a bucket.
  followsTestClock: false,
  tables: stripeTables,
  payable: collectable,

  async requestPayment(transaction, { invoiceSeq, accountSeq, mode, now }) {
    await queueStripeInvoice(transaction, { invoiceSeq, accountSeq, mode, now });
    return "requested";
  },

  /** What Stripe never had was paid outside of it, and is refunded there. A change of the invoice has queued the refund. */
  async refund(transaction, { invoiceSeq, amount }) {
    return (await findStripeInvoice(transaction, invoiceSeq)) ? "requested" : amount;
  },

  invoiceUpdated: wakeStripeInvoice,

  async isCharging(transaction, invoiceSeqs) {
    return (await lockBegun(transaction, invoiceSeqs)).some(({ charging }) => charging === 1);
  },

  /** An invoice that exists at Stripe is voided there first: until Stripe confirms that, it may be paid. */
  async stopPayments(transaction, invoiceSeqs, now) {
    const begun = await lockBegun(transaction, invoiceSeqs);
    for (const { invoice_seq, void_on } of begun) {
      await updateStripeInvoice(transaction, invoice_seq, { void_on: void_on ?? now });
      await wakeStripeInvoice(transaction, invoice_seq, now);
    }
    return begun.length > 0 ? "stopping" : "stopped";
  },

  sealCredentials(keyring, mode, { secretKey, webhookSecret }, before) {
    if (secretKey !== undefined && !secretKey.slice(3).startsWith(`${mode}_`))
      throw invalid("/secretKey", `must be a ${mode} key: sk_${mode}_… or rk_${mode}_…`);
    const sealed = {
      secret_key: secretKey === undefined ? before.secret_key : sealCredential(keyring, secretKey),
      webhook_secret: webhookSecret === undefined ? before.webhook_secret : sealCredential(keyring, webhookSecret),
    };
    if (sealed.secret_key === null) throw invalid("/secretKey", "is required for the type stripe");
    if (sealed.webhook_secret === null) throw invalid("/webhookSecret", "is required for the type stripe");
    return sealed;
  },

  /** Invoices that waited for valid credentials continue. */
  credentialsChanged: wakeAllStripeInvoices,

  labelOf(method) {
    const { brand, kind, last4 } = method as z.output<typeof stripeMethod>;
    return [brand ?? kind, last4].filter(Boolean).join(" ending in ");
  },
};
