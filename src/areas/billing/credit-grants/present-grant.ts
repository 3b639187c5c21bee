import { numberOf } from "../../../lib/amount.ts";
import { minorDigits } from "../../../lib/currencies.ts";
import { formatMinor } from "../../../lib/money.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { EntryRow, GrantRow } from "./grant-store.ts";

type Unit = Pick<GrantRow, "meter" | "currency">;

export type GrantStatus = "scheduled" | "active" | "depleted" | "expired" | "voided";

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

export function presentGrant(row: GrantRow, now: number) {
  return {
    id: row.id,
    customerKey: row.customer_key,
    ...(row.meter === null ? {} : { meter: row.meter }),
    ...(row.currency === null ? {} : { currency: row.currency }),
    amount: presentAmount(row, row.amount),
    balance: presentAmount(row, row.balance),
    funding: row.funding as "promotional" | "paid",
    priority: row.priority,
    status: statusOf(row, now),
    effectiveOn: formatDateTime(row.effective_on),
    ...(row.expires_on === null ? {} : { expiresOn: formatDateTime(row.expires_on) }),
    ...(row.voided_on === null ? {} : { voidedOn: formatDateTime(row.voided_on) }),
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.invoice_id === null ? {} : { invoiceId: row.invoice_id }),
    createdOn: formatDateTime(row.created_on),
    updatedOn: formatDateTime(row.updated_on),
  };
}

export function presentEntry(grant: Unit, row: EntryRow) {
  return {
    id: row.id,
    kind: row.kind as "granted" | "consumed" | "expired" | "voided",
    amount: presentAmount(grant, row.amount),
    balance: presentAmount(grant, row.balance),
    ...(row.hour === null ? {} : { hour: formatDateTime(row.hour) }),
    ...(row.subscription_id === null ? {} : { subscriptionId: row.subscription_id }),
    ...(row.meter === null ? {} : { meter: row.meter }),
    ...(row.invoice_id === null ? {} : { invoiceId: row.invoice_id }),
    createdOn: formatDateTime(row.created_on),
  };
}
