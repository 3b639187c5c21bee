import type { CsvCell } from "../../../lib/text/csv.ts";
import type { ShownInvoice } from "./invoice-content.ts";

type Line = ShownInvoice["lines"][number];

const columns: Record<string, (line: Line, invoice: ShownInvoice) => CsvCell> = {
  invoiceId: (_, { id }) => id,
  number: (_, { number }) => number,
  type: (_, { type }) => type,
  status: (_, { status }) => status,
  customerKey: (_, { customerKey }) => customerKey,
  finalizedOn: (_, { finalizedOn }) => finalizedOn,
  dueOn: (_, { dueOn }) => dueOn,
  currency: (_, { currency }) => currency,
  kind: ({ kind }) => kind,
  description: ({ description }) => description,
  planId: ({ planId }) => planId,
  meter: ({ meter }) => meter,
  quantity: ({ quantity }) => quantity,
  unitAmount: ({ unitAmount }) => unitAmount && { decimal: unitAmount },
  amount: ({ amount }) => ({ decimal: amount }),
  periodStart: ({ periodStart }) => periodStart,
  periodEnd: ({ periodEnd }) => periodEnd,
  refunded: (_, invoice) => refundedOf(invoice),
  isIncluded: ({ isIncluded }) => isIncluded && String(isIncluded),
};

/** The refunded amount of the whole invoice, the same in each row. */
function refundedOf({ refunded, refund }: ShownInvoice): CsvCell {
  const amount = refund?.state === "failed" ? undefined : (refund?.amount ?? refunded);
  return amount && { decimal: amount };
}

export const invoiceColumns = Object.keys(columns);

/** A row for each line and tax. The amounts add up to the total, without taxes that the other lines include. */
export function* invoiceRows(invoice: ShownInvoice): Generator<CsvCell[]> {
  for (const line of invoice.lines) yield Object.values(columns).map((value) => value(line, invoice));
}
