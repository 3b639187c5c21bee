import type { Plan, PlanCreate } from "../../client/index.ts";
import { formatNumber } from "./format.ts";

const formats = new Map<string, Intl.NumberFormat>();

const precisions = {
  coins: {},
  price: { maximumFractionDigits: 12 },
  small: { minimumSignificantDigits: 2, maximumSignificantDigits: 3 },
};

function formatOf(currency: string, kind: keyof typeof precisions): Intl.NumberFormat {
  const key = `${currency} ${kind}`;
  const format = formats.get(key) ?? new Intl.NumberFormat("en", { style: "currency", currency, ...precisions[kind] });
  formats.set(key, format);
  return format;
}

/** "€30.00". Amounts are decimals as text, and stay exact. */
export function formatMoney(amount: string, currency: string): string {
  return money(amount, currency, "coins");
}

/** "€0.0005": the price of a unit may be less than the smallest coin. */
export function formatUnitPrice(amount: string, currency: string): string {
  return money(amount, currency, "price");
}

/** "€0.000206", but "€30.00": amounts below one keep three digits, however small they are. */
export function formatSmallMoney(amount: string, currency: string): string {
  const isSmall = Math.abs(Number(amount)) < 1 && Number(amount) !== 0;
  return money(amount, currency, isSmall ? "small" : "coins");
}

function money(amount: string, currency: string, kind: keyof typeof precisions): string {
  // The text may be typed: it is shown as it is until it is a number and a currency.
  if (!/^-?\d+(\.\d+)?$/.test(amount) || !/^[A-Z]{3}$/.test(currency)) return `${amount} ${currency}`.trim();
  return formatOf(currency, kind).format(amount as `${number}`);
}

/** "€30.00 per month". */
export function formatFee({ amount, currency, interval }: NonNullable<Plan["price"]>): string {
  return `${formatUnitPrice(amount, currency)} per ${interval}`;
}

type Rate = NonNullable<Plan["rates"]>[string];

/** "then €0.10 each", or the first of several prices, and with volume tiers also the last; "then from credit …" if it is prepaid. */
export function formatRate({ overage, tiers = [], tierMode, packageSize }: Rate, currency: string): string {
  const [first] = tiers;
  if (overage === "block" || !first) return "no more";
  const price = formatUnitPrice(first.unitAmount, currency);
  const then = overage === "prepaid" ? "then from credit" : "then";
  if (tierMode === "volume" && tiers.length > 1)
    return `${then} ${price} to ${formatUnitPrice(tiers.at(-1)!.unitAmount, currency)} each, by volume`;
  const per = tierMode === "package" ? `${price} for each ${formatNumber(packageSize ?? 1)}` : `${price} each`;
  return `${then} ${tiers.length > 1 ? "from " : ""}${per}`;
}

type Rollover = NonNullable<PlanCreate["rollover"]>[string];

/** "up to 50 unused carry over to the next period", or undefined if nothing does. */
export function formatRollover(rollover: Rollover | undefined): string | undefined {
  if (!rollover) return undefined;
  const { maximum, periods = 1 } = rollover;
  return `up to ${formatNumber(maximum)} unused carry over ${periods === 1 ? "to the next period" : `for ${formatNumber(periods)} periods`}`;
}

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
  return [...sums].map(([currency, sum]) => {
    const digits = String(sum < 0n ? -sum : sum).padStart(decimals + 1, "0");
    const text = `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
    return { currency, amount: `${sum < 0n ? "-" : ""}${text}` };
  });
}

export function formatSums(amounts: { amount: string; currency: string }[]): string {
  return sumsOf(amounts)
    .map(({ amount, currency }) => formatMoney(amount, currency))
    .join(" · ");
}
