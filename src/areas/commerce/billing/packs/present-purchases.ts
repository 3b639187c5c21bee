import type { Act } from "../../../../core/access.ts";
import { recordChange } from "../../../../core/changes/record.ts";
import { minorDigits } from "../../../../lib/currencies.ts";
import { smaller } from "../../../../lib/money.ts";
import { formatMinor, type Minor } from "../../../../lib/text/minor-units.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { ChangeKind } from "../../../../platform/storage/change.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import {
  type BucketContext,
  type MeteringBucket,
  namedMeteringBucket,
} from "../../metering-buckets/metering-buckets.ts";
import { readMethod } from "../customers/customers.ts";
import { uncreditedOf } from "../invoices/credit-notes.ts";
import { findInvoice, type InvoiceRow } from "../invoices/invoice-store.ts";
import type { Invoice } from "../invoices/invoices.ts";
import { refundableOf } from "../invoices/payments.ts";
import { providerFor } from "../payments/providers.ts";
import type { purchaseStates } from "../schemas/pack-schema.ts";
import { creditsAt } from "../spending/credit-use.ts";
import type { PurchaseRow } from "./pack-store.ts";
import { presentPackGrant, presentPrice } from "./packs.ts";

/**
 * Purchases of a customer with the refunds of their invoices, and whether the bank requires a second step.
 * @param refundedOn the time for which to compute what a refund would return; it is not computed without one
 * @param withUrl whether to show the page of an open payment, whose address permits to replace the payment method
 */
export async function presentPurchases(
  reads: Reads,
  act: Pick<Act, "account">,
  bucket: MeteringBucket,
  customerKey: string,
  purchases: PackPurchase[],
  { refundedOn, withUrl }: { refundedOn?: number; withUrl: boolean },
) {
  const provider = await providerFor(reads, act, bucket);
  const isConfirmed =
    provider.needsConfirmation === undefined
      ? true
      : !provider.needsConfirmation(await readMethod(reads, bucket, customerKey));
  const isRefundable = refundedOn !== undefined && purchases.some(({ state }) => state === "paid");
  const left = isRefundable ? await leftAt(reads, bucket, customerKey, refundedOn) : new Map<string, bigint>();
  return Promise.all(
    purchases.map(async (purchase) => {
      const invoice = await findInvoice(reads, bucket.seq, purchase.invoice_id);
      if (!invoice) return presentPurchase(purchase);
      const refund = purchase.state === "paid" ? refundOf(purchase, invoice, left.get(purchase.id) ?? 0n) : 0n;
      return {
        ...presentPurchase(purchase),
        ...invoiceFields(purchase, invoice, { isConfirmed, withUrl }),
        ...(refund > 0n ? { refundable: formatMinor(refund, minorDigits(invoice.currency)!) } : {}),
      };
    }),
  );
}

/** What of each purchase can be used after the usage so far, by its id. */
async function leftAt(reads: Reads, bucket: MeteringBucket, customerKey: string, now: number) {
  const { wallet } = await creditsAt(reads, bucket, customerKey, now);
  const left = new Map<string, bigint>();
  for (const { purchase_id: id, balance, expires_on } of wallet.grants)
    if (id !== null && (expires_on === null || now < expires_on)) left.set(id, (left.get(id) ?? 0n) + BigInt(balance));
  return left;
}

function invoiceFields(
  { state }: PackPurchase,
  { refunded, currency, collection_url: url, ...invoice }: InvoiceRow,
  { isConfirmed, withUrl }: { isConfirmed: boolean; withUrl: boolean },
) {
  const isWaiting = state === "open" && invoice.status === "open";
  const needsAction = isWaiting && (invoice.collection_state === "needs_action" || !isConfirmed);
  return {
    ...(needsAction ? { needsAction, ...(withUrl && url !== null ? { url } : {}) } : {}),
    ...(refunded === "0" ? {} : { refunded: formatMinor(BigInt(refunded), minorDigits(currency)!) }),
  };
}

export type PackPurchase = PurchaseRow;

type Kind = Extract<ChangeKind, `pack-purchase.${string}`>;

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
  await transaction.update("pack_purchases", before.seq, changed);
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
  const { id, customer_key: name } = after;
  const snapshots = { before: before && presentPurchase(before), after: presentPurchase(after) };
  const resource = { type: "pack-purchase", id, name, parent: namedMeteringBucket(bucket) };
  recordChange(transaction, act, kind, { ...resource, ...snapshots });
}

/** (Price + tax) × left ÷ granted, rounded down. What was returned already is not returned again. */
export function refundOf({ total, grant_amount }: PackPurchase, invoice: Invoice, left: bigint): Minor {
  const granted = BigInt(grant_amount);
  const share = (BigInt(total) * smaller(left, granted)) / granted;
  return smaller(refundableOf(invoice, share), uncreditedOf(invoice));
}
