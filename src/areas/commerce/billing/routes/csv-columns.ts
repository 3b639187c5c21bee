import type { z } from "zod";
import type { CsvColumns } from "../../../../api/csv-list.ts";
import type { CsvCell } from "../../../../lib/text/csv.ts";
import type { creditEntry, grant, grantEntry } from "../schemas/grant-schema.ts";
import type { invoice, payment } from "../schemas/invoice-schema.ts";
import type { simulatedCustomer } from "../schemas/simulation-schema.ts";

const money = (amount: string | undefined): CsvCell => amount && { decimal: amount };
/** Units are numbers, money is a decimal as text. */
const amountCell = (amount: number | string): CsvCell => (typeof amount === "string" ? { decimal: amount } : amount);

/** A row for each invoice or credit note, with its payment. */
export const invoiceListColumns: CsvColumns<z.input<typeof invoice>> = {
  id: ({ id }) => id,
  number: ({ number }) => number,
  type: ({ type }) => type,
  correctsId: ({ correctsId }) => correctsId,
  customerKey: ({ customerKey }) => customerKey,
  customerName: ({ buyer }) => buyer?.legalName,
  subscriptionId: ({ subscriptionId }) => subscriptionId,
  status: ({ status }) => status,
  currency: ({ currency }) => currency,
  subtotal: ({ subtotal }) => money(subtotal),
  tax: ({ tax }) => money(tax),
  taxBehavior: ({ taxBehavior }) => taxBehavior,
  taxNote: ({ taxNote }) => taxNote,
  total: ({ total }) => money(total),
  fromCredits: ({ fromCredits }) => money(fromCredits),
  credited: ({ credited }) => money(credited),
  netted: ({ netted }) => money(netted),
  refunded: ({ refund, refunded }) => money(refund?.state === "failed" ? undefined : (refund?.amount ?? refunded)),
  writtenOff: ({ writtenOff }) => money(writtenOff),
  amountDue: ({ amountDue }) => money(amountDue),
  finalizesOn: ({ finalizesOn }) => finalizesOn,
  finalizedOn: ({ finalizedOn }) => finalizedOn,
  dueOn: ({ dueOn }) => dueOn,
  failedOn: ({ failedOn }) => failedOn,
  paidOn: ({ paidOn }) => paidOn,
  reference: ({ reference }) => reference,
  collection: ({ collection }) => collection?.state,
  createdOn: ({ createdOn }) => createdOn,
};

export const grantColumns: CsvColumns<z.input<typeof grant>> = {
  id: ({ id }) => id,
  customerKey: ({ customerKey }) => customerKey,
  meter: ({ meter }) => meter,
  currency: ({ currency }) => currency,
  amount: ({ amount }) => amountCell(amount),
  balance: ({ balance }) => amountCell(balance),
  funding: ({ funding }) => funding,
  priority: ({ priority }) => priority,
  status: ({ status }) => status,
  effectiveOn: ({ effectiveOn }) => effectiveOn,
  expiresOn: ({ expiresOn }) => expiresOn,
  voidedOn: ({ voidedOn }) => voidedOn,
  reason: ({ reason }) => reason,
  invoiceId: ({ invoiceId }) => invoiceId,
  createdOn: ({ createdOn }) => createdOn,
};

export const entryColumns: CsvColumns<z.input<typeof grantEntry>> = {
  id: ({ id }) => id,
  kind: ({ kind }) => kind,
  amount: ({ amount }) => amountCell(amount),
  balance: ({ balance }) => amountCell(balance),
  hour: ({ hour }) => hour,
  subscriptionId: ({ subscriptionId }) => subscriptionId,
  meter: ({ meter }) => meter,
  invoiceId: ({ invoiceId }) => invoiceId,
  createdOn: ({ createdOn }) => createdOn,
};

export const creditEntryColumns: CsvColumns<z.input<typeof creditEntry>> = {
  ...entryColumns,
  currency: ({ currency }) => currency,
  grantId: ({ grantId }) => grantId,
  funding: ({ funding }) => funding,
  reason: ({ reason }) => reason,
};

/** Refunds are negative, so that a column of amounts adds up to what was received. */
export const paymentColumns: CsvColumns<z.input<typeof payment>> = {
  paidOn: ({ paidOn }) => paidOn,
  type: ({ type }) => type,
  state: ({ state }) => state,
  customerKey: ({ customerKey }) => customerKey,
  currency: ({ currency }) => currency,
  amount: ({ type, amount }) => money(type === "refund" ? `-${amount}` : amount),
  number: ({ number }) => number,
  invoiceId: ({ invoiceId }) => invoiceId,
  creditNoteId: ({ creditNoteId }) => creditNoteId,
  reference: ({ reference }) => reference,
};

export const simulatedCustomerColumns: CsvColumns<z.input<typeof simulatedCustomer>> = {
  customerKey: ({ customerKey }) => customerKey,
  currency: ({ currency }) => currency,
  before: ({ before }) => money(before),
  after: ({ after }) => money(after),
  difference: ({ difference }) => money(difference),
  precision: ({ precision }) => precision,
  limitedOn: ({ limitedOn }) => limitedOn,
  invoiced: ({ differs }) => money(differs?.invoiced),
};
