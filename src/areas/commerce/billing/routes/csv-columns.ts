import type { z } from "zod";
import { amounts, type CsvColumns, decimal, decimals, texts } from "../../../../lib/text/csv.ts";
import { refundedOf } from "../invoice-documents/invoice-content.ts";
import type { creditEntry, grant, grantEntry } from "../schemas/grant-schema.ts";
import type { invoice, payment } from "../schemas/invoice-schema.ts";
import type { simulatedCustomer } from "../schemas/simulation-schema.ts";

/** A row for each invoice or credit note, with its payment. */
export const invoiceListColumns: CsvColumns<z.input<typeof invoice>> = {
  ...texts("id", "number", "type", "correctsId", "customerKey"),
  customerName: ({ buyer }) => buyer?.legalName,
  ...texts("subscriptionId", "status", "currency"),
  ...decimals("subtotal", "tax"),
  ...texts("taxBehavior", "taxNote"),
  ...decimals("total", "fromCredits", "credited", "netted"),
  refunded: (invoice) => decimal(refundedOf(invoice)),
  ...decimals("writtenOff", "amountDue"),
  ...texts("finalizesOn", "finalizedOn", "dueOn", "failedOn", "paidOn", "reference"),
  collection: ({ collection }) => collection?.state,
  ...texts("createdOn"),
};

export const grantColumns: CsvColumns<z.input<typeof grant>> = {
  ...texts("id", "customerKey", "meter", "currency"),
  ...amounts("amount", "balance"),
  ...texts("funding"),
  priority: ({ priority }) => priority,
  ...texts("status", "effectiveOn", "expiresOn", "voidedOn", "reason", "invoiceId", "createdOn"),
};

export const entryColumns: CsvColumns<z.input<typeof grantEntry>> = {
  ...texts("id", "kind"),
  ...amounts("amount", "balance"),
  ...texts("hour", "subscriptionId", "meter", "invoiceId", "createdOn"),
};

export const creditEntryColumns: CsvColumns<z.input<typeof creditEntry>> = {
  ...entryColumns,
  ...texts("currency", "grantId", "funding", "reason"),
};

/** Refunds are negative, so that a column of amounts adds up to what was received. */
export const paymentColumns: CsvColumns<z.input<typeof payment>> = {
  ...texts("paidOn", "type", "state", "customerKey", "currency"),
  amount: ({ type, amount }) => decimal(type === "refund" ? `-${amount}` : amount),
  ...texts("number", "invoiceId", "creditNoteId", "reference"),
};

export const simulatedCustomerColumns: CsvColumns<z.input<typeof simulatedCustomer>> = {
  ...texts("customerKey", "currency"),
  ...decimals("before", "after", "difference"),
  ...texts("precision", "limitedOn"),
  invoiced: ({ differs }) => decimal(differs?.invoiced),
};
