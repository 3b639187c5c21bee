import { minorDigits } from "../../../../lib/currencies.ts";
import { formatMinor } from "../../../../lib/text/minor-units.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { presentBuyer } from "../customers/customers.ts";
import type { InvoiceLine } from "../plan-terms/lines.ts";
import type { collectionStates, refundStates } from "../schemas/invoice-schema.ts";
import type { TaxBehavior } from "../settings/settings.ts";
import type { InvoiceRow } from "./invoice-store.ts";
import { taxNote } from "./taxes.ts";

type Buyer = ReturnType<typeof presentBuyer>;

type RefundState = (typeof refundStates)[number];

type InvoiceStatus = "draft" | "open" | "paid" | "uncollectible" | "void";

export function presentInvoice(invoice: Omit<InvoiceRow, "seq">) {
  const money = (minor: string) => formatMinor(BigInt(minor), minorDigits(invoice.currency)!);
  const time = <Name extends string>(name: Name, value: number | null) =>
    (value === null ? {} : { [name]: formatDateTime(value) }) as { [Key in Name]?: string };
  const buyer = invoice.buyer === null ? undefined : (JSON.parse(invoice.buyer) as Buyer);
  const note = buyer && taxNote(buyer);
  return {
    id: invoice.id,
    ...(invoice.number === null ? {} : { number: invoice.number }),
    type: invoice.corrects_id === null ? ("invoice" as const) : ("credit-note" as const),
    ...(invoice.corrects_id === null ? {} : { correctsId: invoice.corrects_id }),
    customerKey: invoice.customer_key,
    ...(invoice.subscription_id === null ? {} : { subscriptionId: invoice.subscription_id }),
    ...(invoice.purchase_id === null ? {} : { purchaseId: invoice.purchase_id }),
    status: invoice.status as InvoiceStatus,
    currency: invoice.currency,
    ...(invoice.seller === null ? {} : { seller: JSON.parse(invoice.seller) }),
    ...(buyer === undefined ? {} : { buyer }),
    taxBehavior: (invoice.tax_behavior ?? "exclusive") as TaxBehavior,
    ...(note === undefined ? {} : { taxNote: note }),
    lines: JSON.parse(invoice.lines) as InvoiceLine[],
    subtotal: money(invoice.subtotal),
    tax: money(invoice.tax),
    total: money(invoice.total),
    amountDue: money(invoice.amount_due),
    ...(invoice.written_off === "0" ? {} : { writtenOff: money(invoice.written_off) }),
    ...(invoice.from_credits === "0" ? {} : { fromCredits: money(invoice.from_credits) }),
    ...(invoice.credited === "0" ? {} : { credited: money(invoice.credited) }),
    ...(invoice.netted === "0" ? {} : { netted: money(invoice.netted) }),
    ...(invoice.refund_state !== null || invoice.refunded === "0" ? {} : { refunded: money(invoice.refunded) }),
    ...(invoice.refund_state === null
      ? {}
      : { refund: { amount: money(invoice.refunded), state: invoice.refund_state as RefundState } }),
    ...time("finalizesOn", invoice.finalizes_on),
    ...time("finalizedOn", invoice.finalized_on),
    ...time("dueOn", invoice.due_on),
    ...time("failedOn", invoice.failed_on),
    ...time("paidOn", invoice.paid_on),
    ...(invoice.payment_reference === null ? {} : { reference: invoice.payment_reference }),
    ...(invoice.collection_state === null ? {} : { collection: presentCollection(invoice) }),
    createdOn: formatDateTime(invoice.created_on),
    updatedOn: formatDateTime(invoice.updated_on),
  };
}

function presentCollection({ collection_state, collection_url: url }: Omit<InvoiceRow, "seq">) {
  return { state: collection_state as (typeof collectionStates)[number], ...(url === null ? {} : { url }) };
}
