import { noBody } from "../../../../api/body.ts";
import { csvResponse, csvTable, prefersCsv } from "../../../../api/csv.ts";
import type { ProblemCode } from "../../../../core/problems/catalogue.ts";
import { notFound } from "../../../../core/problems/problem.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import { bucketPath, inBucket } from "../../metering-buckets/in-bucket.ts";
import type { BucketContext } from "../../metering-buckets/metering-buckets.ts";
import { asDocument, InvoicePdfs } from "../invoice-documents/invoice-response.ts";
import { creditInvoice } from "../invoices/credit-notes.ts";
import {
  collectInvoice,
  confirmPayment,
  markPaid,
  markUncollectible,
  voidInvoice,
} from "../invoices/invoice-actions.ts";
import { findInvoice, type Invoice, listInvoices } from "../invoices/invoices.ts";
import { presentInvoice } from "../invoices/present-invoice.ts";
import { lateInvoices, listPayments, revenueOf } from "../invoices/revenue.ts";
import { settleForInvoice } from "../periods/grant-actions.ts";
import { finalizeNow, withPendingOverage } from "../periods/invoice-drafts.ts";
import { recurringColumns, recurringRevenueOf, recurringRows } from "../periods/recurring-revenue.ts";
import { invoiceChanged } from "../purchases/completion.ts";
import {
  creditInput,
  documentQuery,
  invoice,
  invoiceQuery,
  markPaidInput,
  payment,
  paymentQuery,
  recurringRevenue,
  revenue,
  revenueQuery,
} from "../schemas/invoice-schema.ts";
import { invoiceListColumns, paymentColumns } from "./csv-columns.ts";

const invoicesPath = `${bucketPath}/invoices` as const;
const invoicePath = `${invoicesPath}/{invoiceId}` as const;

const reply = (row: Invoice) => ({ body: presentInvoice(row), revision: row, composed: true });

type Action = (context: BucketContext, id: string) => Promise<Invoice>;

/** The common part of the actions without a body. */
function action(
  operationId: string,
  name: "$finalize" | "$collect" | "$confirm" | "$void" | "$mark-uncollectible",
  texts: { summary: string; description: string },
  problems: ProblemCode[],
  perform: Action,
) {
  return inBucket.write({
    operationId,
    method: "POST",
    path: `${invoicePath}/${name}` as const,
    ...texts,
    access: "bill",
    body: noBody,
    response: invoice,
    problems,
    handle: async ({ context, params }) => {
      await settleForInvoice(context, params.invoiceId);
      const row = await perform(context, params.invoiceId);
      await invoiceChanged(context, row);
      return reply(row);
    },
  });
}

export function invoiceRoutes(storage: Storage) {
  const pdfs = new InvoicePdfs();
  return [
    inBucket.list({
      operationId: "listPayments",
      path: `${bucketPath}/payments`,
      summary: "List payments and refunds",
      description:
        "Payments that were received for invoices, by a payment method or outside of Tollgate, and refunds that did not fail, in the " +
        "order in which they were made. What credits paid is not a payment. Also as `text/csv`, if the Accept header prefers it, where " +
        "refunds are negative.",
      access: "read",
      query: paymentQuery,
      item: payment,
      listName: "PaymentList",
      csv: paymentColumns,
      handle: async ({ reads, bucket, query }) => listPayments(reads, bucket, query, query),
    }),
    inBucket.list({
      operationId: "listInvoices",
      path: invoicesPath,
      summary: "List invoices and credit notes",
      description:
        "A draft that waits for late usage has the amounts of an invoice that is finalized now. Also as `text/csv`, if the " +
        "Accept header prefers it, with a row for each invoice.",
      access: "read",
      query: invoiceQuery,
      item: invoice,
      listName: "InvoiceList",
      csv: invoiceListColumns,
      handle: async ({ reads, act, bucket, query }) => {
        const { data, total } = await listInvoices(reads, bucket, query, query);
        const current = await withPendingOverage(storage, act, bucket, data);
        return { data: current.map(presentInvoice), total };
      },
    }),
    inBucket.read({
      operationId: "getRevenue",
      path: `${bucketPath}/revenue`,
      summary: "Add up what was invoiced, by month and plan",
      description:
        "Without taxes. Invoices count in the month in which they were finalized, unless they are void; credit notes " +
        "are negative. At most 36 months.",
      access: "read",
      query: revenueQuery,
      response: revenue,
      handle: async ({ reads, bucket, now, query }) => ({ body: await revenueOf(reads, bucket, query, now) }),
    }),
    inBucket.stream({
      operationId: "getRecurringRevenue",
      method: "GET",
      path: `${bucketPath}/recurring-revenue`,
      summary: "Show recurring revenue by month, and why it changed",
      description:
        "The fees at the end of each month (of UTC), in this month now, by currency: new customers, what customers pay more and " +
        "less, and those who left. Trials, usage, credits and taxes do not count. At most 36 months. Also as `text/csv`, if the Accept " +
        "header prefers it, with a row for each customer, currency and month.",
      access: "read",
      query: revenueQuery,
      otherTypes: ["text/csv"],
      response: recurringRevenue,
      handle: async ({ reads, bucket, now, query, request }) => {
        if (prefersCsv(request)) return csvResponse(recurringColumns, await recurringRows(reads, bucket, query, now));
        const late = await lateInvoices(reads, [bucket.seq]);
        return { body: { ...(await recurringRevenueOf(reads, bucket, query, now)), ...late } };
      },
    }),
    inBucket.stream({
      operationId: "getInvoice",
      method: "GET",
      path: invoicePath,
      summary: "Read an invoice",
      description:
        "A draft that waits for late usage has the amounts of an invoice that is finalized now. Also as `text/html`, a page to print, as " +
        "`application/pdf` once it is finalized, or as `text/csv`, with a row for each line, selected by `Accept`.",
      access: "read",
      query: documentQuery,
      otherTypes: ["text/html", "text/csv", "application/pdf"],
      response: invoice,
      problems: ["invoice_is_draft"],
      handle: async ({ reads, act, bucket, params, query, request }) => {
        const stored = await findInvoice(reads, bucket, params.invoiceId);
        const [row] = await withPendingOverage(storage, act, bucket, [stored]);
        if (!row) throw notFound("invoice");
        return (await asDocument(reads, bucket, row, request, { asCsv: csvTable, pdfs, ...query })) ?? reply(row);
      },
    }),
    action(
      "finalizeInvoice",
      "$finalize",
      {
        summary: "Finalize a draft",
        description: "Numbers the invoice, after which it never changes, and collects it.",
      },
      ["invoice_not_draft", "invoice_empty", "billing_profile_missing"],
      finalizeNow,
    ),
    inBucket.write({
      operationId: "markInvoicePaid",
      method: "POST",
      path: `${invoicePath}/$mark-paid`,
      summary: "Mark an invoice as paid",
      description: "For payments outside of Tollgate. `paidOn` is now by default.",
      access: "bill",
      body: markPaidInput,
      response: invoice,
      problems: ["invoice_not_open"],
      handle: async ({ context, params, body }) => {
        const row = await markPaid(context, params.invoiceId, body);
        await invoiceChanged(context, row);
        return reply(row);
      },
    }),
    action(
      "collectInvoice",
      "$collect",
      {
        summary: "Collect an open invoice",
        description: "Tries the customer's money grants and payment method again.",
      },
      ["invoice_not_open"],
      collectInvoice,
    ),
    action(
      "confirmInvoice",
      "$confirm",
      {
        summary: "Confirm the second step of a payment in the sandbox",
        description:
          "Pays an open invoice whose payment method has the behavior `needs-action`, as if the customer had confirmed it on the payment page.",
      },
      ["invoice_not_open", "payment_not_in_sandbox", "nothing_to_confirm"],
      confirmPayment,
    ),
    action(
      "voidInvoice",
      "$void",
      {
        summary: "Void an open invoice",
        description: "Nothing is due any more. The number stays in the series. A paid invoice is credited instead.",
      },
      ["invoice_not_open"],
      voidInvoice,
    ),
    action(
      "markInvoiceUncollectible",
      "$mark-uncollectible",
      {
        summary: "Give up an open invoice",
        description:
          "It is not collected any more. This counts as a failed payment, also before the due date: access ends after the grace period, and does not return until the invoice is marked as paid or voided. It can also be credited.",
      },
      ["invoice_not_open"],
      markUncollectible,
    ),
    inBucket.write({
      operationId: "creditInvoice",
      method: "POST",
      path: `${invoicePath}/$credit`,
      summary: "Create a credit note for an invoice",
      description:
        "Returns the credit note. It reduces what is due; what was paid already becomes a money grant, which pays the " +
        'next invoices. With `to: "payment-method"`, what the payment method paid is returned to it, and `refund` says ' +
        "how far that is. An invoice that was marked as paid is refunded outside of Tollgate.",
      access: "bill",
      body: creditInput,
      response: invoice,
      problems: ["invoice_not_final", "credit_exceeds_invoice", "nothing_to_refund", "billing_profile_missing"],
      handle: async ({ context, params, body }) => {
        await settleForInvoice(context, params.invoiceId);
        const note = await creditInvoice(context, params.invoiceId, body);
        await invoiceChanged(context, note);
        return reply(note);
      },
    }),
  ];
}
