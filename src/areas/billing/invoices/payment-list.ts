import { minorDigits } from "../../../lib/currencies.ts";
import type { Paging } from "../../../lib/paging.ts";
import { formatMinor } from "../../../lib/text/minor-units.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import type { InvoiceRow } from "./invoice-store.ts";

interface PaymentFilter {
  customerKey?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
}

const columns = [
  ...(["seq", "id", "number", "corrects_id", "customer_key", "currency", "status", "total", "from_credits"] as const),
  ...(["credited", "collected", "refunded", "refund_state", "paid_on", "payment_reference"] as const),
];

/** A paid invoice has one payment, unless credits have paid all of it; a credit note may have a refund. */
const isPayment = `((corrects_id IS NULL AND status = 'paid' AND collected <> '0')
  OR (corrects_id IS NOT NULL AND refund_state <> 'failed'))`;

/** Payments that were received and refunds that did not fail, in the order in which they were made. */
export async function listPayments(
  reads: Reads,
  { seq }: Pick<MeteringBucket, "seq">,
  { customerKey, from, to }: PaymentFilter,
  { limit, offset }: Paging,
) {
  const conditions: [string, unknown][] = [["paid_on IS NOT NULL AND bucket_seq = ?", seq]];
  if (customerKey !== undefined) conditions.push(["customer_key = ?", customerKey]);
  if (from !== undefined) conditions.push(["paid_on >= ?", from]);
  if (to !== undefined) conditions.push(["paid_on < ?", to]);
  const matching = `FROM invoices WHERE ${conditions.map(([condition]) => condition).join(" AND ")} AND ${isPayment}`;
  const parameters = conditions.map(([, value]) => value);
  const data = await reads.all<Pick<InvoiceRow, (typeof columns)[number]>>(
    `SELECT ${columns.join(", ")} ${matching} ORDER BY paid_on, seq LIMIT ? OFFSET ?`,
    [...parameters, limit, offset],
  );
  const counted = await reads.one<{ total: number }>(`SELECT COUNT(*) AS total ${matching}`, parameters);
  return { data: data.map(presentPayment), total: Number(counted!.total) };
}

function presentPayment(row: Pick<InvoiceRow, (typeof columns)[number]>) {
  const isRefund = row.corrects_id !== null;
  const amount = isRefund ? row.refunded : (row.collected ?? "0");
  return {
    type: isRefund ? ("refund" as const) : ("payment" as const),
    customerKey: row.customer_key,
    invoiceId: row.corrects_id ?? row.id,
    ...(isRefund ? { creditNoteId: row.id } : {}),
    ...(row.number === null ? {} : { number: row.number }),
    currency: row.currency,
    amount: formatMinor(BigInt(amount), minorDigits(row.currency)!),
    state: isRefund ? (row.refund_state as "pending" | "succeeded") : ("succeeded" as const),
    paidOn: formatDateTime(row.paid_on!),
    ...(row.payment_reference === null ? {} : { reference: row.payment_reference }),
  };
}
