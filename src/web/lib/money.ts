import { formatMinor } from "../../lib/text/minor-units.ts";
import { formatMoney } from "../../lib/text/prices.ts";

export {
  formatFee,
  formatMoney,
  formatRate,
  formatRollover,
  formatSmallMoney,
  formatUnitPrice,
} from "../../lib/text/prices.ts";

/** The sum of amounts of each currency, exactly. */
export function sumsOf(amounts: { amount: string; currency: string }[]): { amount: string; currency: string }[] {
  const sums = new Map<string, bigint>();
  const decimals = 6;
  const scaled = (text: string) => {
    const [whole = "0", fraction = ""] = text.replace("-", "").split(".");
    const value = BigInt(whole + fraction.padEnd(decimals, "0").slice(0, decimals));
    return text.startsWith("-") ? -value : value;
  };
  for (const { amount, currency } of amounts) sums.set(currency, (sums.get(currency) ?? 0n) + scaled(amount));
  return [...sums].map(([currency, sum]) => ({ currency, amount: formatMinor(sum, decimals) }));
}

export function formatSums(amounts: { amount: string; currency: string }[]): string {
  return sumsOf(amounts)
    .map(({ amount, currency }) => formatMoney(amount, currency))
    .join(" · ");
}
