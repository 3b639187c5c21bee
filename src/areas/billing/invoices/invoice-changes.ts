import { recordChange } from "../../../core/changes/record.ts";
import { type BucketContext, namedMeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import type { InvoiceRow } from "./invoice-store.ts";
import { presentInvoice } from "./present-invoice.ts";

type InvoiceKind =
  | "invoice.created"
  | "invoice.finalized"
  | "invoice.paid"
  | "invoice.payment-failed"
  | "invoice.voided"
  | "invoice.marked-uncollectible"
  | "credit-note.created"
  | "credit-note.refunded"
  | "credit-note.refund-failed";

export function recordInvoice(
  { transaction, act, bucket }: BucketContext,
  kind: InvoiceKind,
  after: InvoiceRow,
  before?: InvoiceRow,
): void {
  const type = kind.startsWith("credit-note.") ? "credit-note" : "invoice";
  const resource = { type, id: after.id, name: after.number ?? undefined, parent: namedMeteringBucket(bucket) };
  const shown = presentInvoice(after);
  const snapshots = before ? { before: presentInvoice(before), after: shown } : { after: shown };
  const action = kind.replace("-failed", "_failed").replace("-uncollectible", "_uncollectible");
  recordChange(transaction, act, kind, { ...resource, ...snapshots, action });
}
