import type { z } from "zod";
import type { CsvColumns } from "../../../../api/csv.ts";
import type { CsvCell } from "../../../../lib/text/csv.ts";
import type { creditEntry, grant, grantEntry } from "../schemas/grant-schema.ts";
import type { invoice, payment } from "../schemas/invoice-schema.ts";
import type { simulatedCustomer } from "../schemas/simulation-schema.ts";

type Columns<Name extends string, Value> = Record<Name, (item: Partial<Record<Name, Value>>) => CsvCell>;

function columns<Name extends string, Value>(names: Name[], cellOf: (value: Value | undefined) => CsvCell) {
  const all = names.map((name) => [name, (item: Partial<Record<Name, Value>>) => cellOf(item[name])]);
  return Object.fromEntries(all) as Columns<Name, Value>;
}

/** Columns that are members of the item. */
const texts = <Name extends string>(...names: Name[]) => columns(names, (text: string | undefined) => text);
const decimal = (amount: string | undefined): CsvCell => amount && { decimal: amount };
const money = <Name extends string>(...names: Name[]) => columns(names, decimal);
/** Units are numbers, money is a decimal as text. */
const amounts = <Name extends string>(...names: Name[]) =>
  columns(names, (amount: number | string | undefined) => (typeof amount === "string" ? decimal(amount) : amount));

/** A row for each invoice or credit note, with its payment. */
export const invoiceListColumns: CsvColumns<z.input<typeof invoice>> = {
  ...texts("id", "number", "type", "correctsId", "customerKey"),
  customerName: ({ buyer }) => buyer?.legalName,
  ...texts("subscriptionId", "status", "currency"),
  ...money("subtotal", "tax"),
  ...texts("taxBehavior", "taxNote"),
  ...money("total", "fromCredits", "credited", "netted"),
  refunded: ({ refund, refunded }) => decimal(refund?.state === "failed" ? undefined : (refund?.amount ?? refunded)),
  ...money("writtenOff", "amountDue"),
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
  ...money("before", "after", "difference"),
  ...texts("precision", "limitedOn"),
  invoiced: ({ differs }) => decimal(differs?.invoiced),
};
