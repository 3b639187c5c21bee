import type { PortalCreditOverview } from "../../../../client/transport/portal-schema.gen.ts";
import { formatMoney, formatNumber } from "../../../lib/format.ts";

export type Pack = PortalCreditOverview["packs"][number];
export type OpenPurchase = PortalCreditOverview["purchases"][number];
export type TopUp = NonNullable<PortalCreditOverview["topUp"]>;

/** "€50.00", or "1,000 Requests". `meters` has the labels. */
export function formatUnits(
  { meter, currency }: { meter?: string | undefined; currency?: string | undefined },
  amount: string | number,
  meters: Record<string, string>,
): string {
  if (currency !== undefined) return formatMoney(String(amount), currency);
  return `${formatNumber(Number(amount))} ${meters[meter!] ?? meter}`;
}
