import { recordChange } from "../../../../core/changes/record.ts";
import { numberOf } from "../../../../lib/amount.ts";
import { minorDigits } from "../../../../lib/currencies.ts";
import { formatMinor } from "../../../../lib/text/minor-units.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { ChangeKind } from "../../../../platform/storage/change.ts";
import { type BucketContext, namedMeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import type { entryKinds } from "../schemas/grant-schema.ts";
import type { CustomerEntryRow, EntryRow, GrantRow } from "./grant-store.ts";
import type { Funding } from "./money-terms.ts";

type Unit = Pick<GrantRow, "meter" | "currency">;

type EntryKind = (typeof entryKinds)[number];

type GrantStatus = "scheduled" | "active" | "depleted" | "expired" | "voided";

/** A number of a meter's units, or a decimal of a currency as text. */
export function presentAmount({ currency }: Unit, amount: string): number | string {
  return currency === null ? numberOf(BigInt(amount)) : formatMinor(BigInt(amount), minorDigits(currency)!);
}

/** Computed on each read, so that no job can be late. */
function statusOf({ voided_on, expires_on, ended_on, effective_on, balance }: GrantRow, now: number): GrantStatus {
  if (voided_on !== null) return "voided";
  if (ended_on !== null || (expires_on !== null && now >= expires_on)) return "expired";
  if (balance === "0") return "depleted";
  return effective_on > now ? "scheduled" : "active";
}

export function presentGrant(grant: GrantRow, now: number) {
  return {
    id: grant.id,
    customerKey: grant.customer_key,
    ...(grant.meter === null ? {} : { meter: grant.meter }),
    ...(grant.currency === null ? {} : { currency: grant.currency }),
    amount: presentAmount(grant, grant.amount),
    balance: presentAmount(grant, grant.balance),
    funding: grant.funding as Funding,
    priority: grant.priority,
    status: statusOf(grant, now),
    effectiveOn: formatDateTime(grant.effective_on),
    ...(grant.expires_on === null ? {} : { expiresOn: formatDateTime(grant.expires_on) }),
    ...(grant.voided_on === null ? {} : { voidedOn: formatDateTime(grant.voided_on) }),
    ...(grant.reason === null ? {} : { reason: grant.reason }),
    ...(grant.invoice_id === null ? {} : { invoiceId: grant.invoice_id }),
    ...(grant.purchase_id === null ? {} : { purchaseId: grant.purchase_id }),
    createdOn: formatDateTime(grant.created_on),
    updatedOn: formatDateTime(grant.updated_on),
  };
}

export function presentEntry(grant: Unit, entry: EntryRow) {
  return {
    id: entry.id,
    kind: entry.kind as EntryKind,
    amount: presentAmount(grant, entry.amount),
    balance: presentAmount(grant, entry.balance),
    ...(entry.hour === null ? {} : { hour: formatDateTime(entry.hour) }),
    ...(entry.subscription_id === null ? {} : { subscriptionId: entry.subscription_id }),
    ...(entry.meter === null ? {} : { meter: entry.meter }),
    ...(entry.invoice_id === null ? {} : { invoiceId: entry.invoice_id }),
    createdOn: formatDateTime(entry.created_on),
  };
}

/** An entry among those of all grants of a customer. Of units, `meter` is always that of the grant. */
export function presentCustomerEntry(entry: CustomerEntryRow) {
  const { grant_id, grant_meter, currency, funding, reason } = entry;
  return {
    ...presentEntry({ meter: grant_meter, currency }, { ...entry, meter: grant_meter ?? entry.meter }),
    grantId: grant_id,
    funding: funding as Funding,
    ...(currency === null ? {} : { currency }),
    ...(reason === null ? {} : { reason }),
  };
}

export function recordGrant(
  { transaction, act, bucket }: BucketContext,
  kind: Extract<ChangeKind, `grant.${string}`>,
  after: GrantRow,
  before?: GrantRow,
): void {
  const resource = { type: "grant", id: after.id, name: after.customer_key, parent: namedMeteringBucket(bucket) };
  const snapshots = { before: before && presentGrant(before, act.now), after: presentGrant(after, act.now) };
  recordChange(transaction, act, kind, { ...resource, ...snapshots });
}
