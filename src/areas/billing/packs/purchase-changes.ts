import { recordChange } from "../../../core/changes/record.ts";
import { minorDigits } from "../../../lib/currencies.ts";
import { formatMinor } from "../../../lib/text/minor-units.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import { type BucketContext, namedMeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import type { purchaseStates } from "../schemas/pack-schema.ts";
import { presentPackGrant, presentPrice } from "./packs.ts";
import { type PurchaseRow, updatePurchase } from "./purchase-store.ts";

export type PackPurchase = PurchaseRow;

type Kind =
  | "pack-purchase.created"
  | "pack-purchase.paid"
  | "pack-purchase.failed"
  | "pack-purchase.canceled"
  | "pack-purchase.refunded"
  | "pack-purchase.reversed";

export function presentPurchase(purchase: PackPurchase) {
  const { currency, total, paid_on, expires_on, reversed_on } = purchase;
  const isOpen = purchase.state === "open";
  return {
    id: purchase.id,
    customerKey: purchase.customer_key,
    packExternalId: purchase.pack_external_id,
    label: purchase.label,
    isTopUp: purchase.is_top_up === 1,
    state: purchase.state as (typeof purchaseStates)[number],
    price: presentPrice(purchase),
    total: { currency, amount: formatMinor(BigInt(total), minorDigits(currency)!) },
    grant: presentPackGrant(purchase),
    invoiceId: purchase.invoice_id,
    ...(purchase.grant_id === null ? {} : { grantId: purchase.grant_id }),
    ...(paid_on === null ? {} : { paidOn: formatDateTime(paid_on) }),
    ...(isOpen && expires_on !== null ? { expiresOn: formatDateTime(expires_on) } : {}),
    ...(reversed_on === null ? {} : { reversedOn: formatDateTime(reversed_on) }),
    createdOn: formatDateTime(purchase.created_on),
    updatedOn: formatDateTime(purchase.updated_on),
  };
}

/** Changes a purchase, and records it. */
export async function changePurchase(
  context: BucketContext,
  kind: Kind,
  before: PackPurchase,
  values: Partial<PackPurchase>,
): Promise<PackPurchase> {
  const { transaction, act } = context;
  const changed = { ...values, version: before.version + 1, updated_on: act.now };
  await updatePurchase(transaction, before.seq, changed);
  const after = { ...before, ...changed };
  recordPurchase(context, kind, after, before);
  return after;
}

export function recordPurchase(
  { transaction, act, bucket }: BucketContext,
  kind: Kind,
  after: PackPurchase,
  before?: PackPurchase,
): void {
  const resource = {
    type: "pack-purchase",
    id: after.id,
    name: after.customer_key,
    parent: namedMeteringBucket(bucket),
  };
  const shown = presentPurchase(after);
  const snapshots = before ? { before: presentPurchase(before), after: shown } : { after: shown };
  recordChange(transaction, act, kind, { ...resource, ...snapshots });
}
