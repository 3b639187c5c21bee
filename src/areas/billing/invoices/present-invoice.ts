import { minorDigits } from "../../../lib/currencies.ts";
import { formatMinor } from "../../../lib/money.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { collectionStates, refundStates } from "../schemas/invoice-schema.ts";
import type { InvoiceRow } from "./invoice-store.ts";
import type { InvoiceLine } from "./lines.ts";

type RefundState = (typeof refundStates)[number];

export type InvoiceStatus = "draft" | "open" | "paid" | "uncollectible" | "void";

export function presentInvoice(row: Omit<InvoiceRow, "seq">) {
  const money = (minor: string) => formatMinor(BigInt(minor), minorDigits(row.currency)!);
  const time = <Name extends string>(name: Name, value: number | null) =>
    (value === null ? {} : { [name]: formatDateTime(value) }) as { [Key in Name]?: string };
  return {
    id: row.id,
    ...(row.number === null ? {} : { number: row.number }),
    type: row.corrects_id === null ? ("invoice" as const) : ("credit-note" as const),
    ...(row.corrects_id === null ? {} : { correctsId: row.corrects_id }),
    customerKey: row.customer_key,
    ...(row.subscription_id === null ? {} : { subscriptionId: row.subscription_id }),
    status: row.status as InvoiceStatus,
    currency: row.currency,
    ...(row.seller === null ? {} : { seller: JSON.parse(row.seller) }),
    ...(row.buyer === null ? {} : { buyer: JSON.parse(row.buyer) }),
    lines: JSON.parse(row.lines) as InvoiceLine[],
    subtotal: money(row.subtotal),
    tax: money(row.tax),
    total: money(row.total),
    amountDue: money(row.amount_due),
    ...(row.written_off === "0" ? {} : { writtenOff: money(row.written_off) }),
    ...(row.from_credits === "0" ? {} : { fromCredits: money(row.from_credits) }),
    ...(row.credited === "0" ? {} : { credited: money(row.credited) }),
    ...(row.refund_state !== null || row.refunded === "0" ? {} : { refunded: money(row.refunded) }),
    ...(row.refund_state === null
      ? {}
      : { refund: { amount: money(row.refunded), state: row.refund_state as RefundState } }),
    ...time("finalizesOn", row.finalizes_on),
    ...time("finalizedOn", row.finalized_on),
    ...time("dueOn", row.due_on),
    ...time("failedOn", row.failed_on),
    ...time("paidOn", row.paid_on),
    ...(row.payment_reference === null ? {} : { reference: row.payment_reference }),
    ...(row.collection_state === null ? {} : { collection: presentCollection(row) }),
    createdOn: formatDateTime(row.created_on),
    updatedOn: formatDateTime(row.updated_on),
  };
}

function presentCollection({
  collection_state,
  collection_url,
}: Pick<InvoiceRow, "collection_state" | "collection_url">) {
  return {
    state: collection_state as (typeof collectionStates)[number],
    ...(collection_url === null ? {} : { url: collection_url }),
  };
}
