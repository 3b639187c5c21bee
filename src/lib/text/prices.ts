/** Prices in words, for pages that the server writes and for those that browsers render. */

let numbers: Intl.NumberFormat | undefined;
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

/** Creates the format with the first number, because that takes 2 ms. */
function formatNumber(value: number): string {
  numbers ??= new Intl.NumberFormat("en");
  return numbers.format(value);
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

interface Price {
  amount: string;
  currency: string;
  interval: string;
}

/** "€30.00 per month". */
export function formatFee({ amount, currency, interval }: Price): string {
  return `${formatUnitPrice(amount, currency)} per ${interval}`;
}

interface Rate {
  overage?: string | undefined;
  tiers?: { unitAmount: string }[] | undefined;
  tierMode?: string | undefined;
  packageSize?: number | undefined;
}

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

interface Rollover {
  maximum: number;
  periods?: number | undefined;
}

/** "up to 50 unused carry over to the next period", or undefined if nothing does. */
export function formatRollover(rollover: Rollover | undefined): string | undefined {
  if (!rollover) return undefined;
  const { maximum, periods = 1 } = rollover;
  return `up to ${formatNumber(maximum)} unused carry over ${periods === 1 ? "to the next period" : `for ${formatNumber(periods)} periods`}`;
}

interface Offered {
  meters: Record<string, { label?: string | undefined; max: number }>;
  rates?: Record<string, Rate> | undefined;
  rollover?: Record<string, Rollover> | undefined;
  features?: Record<string, unknown> | undefined;
  price?: Price | undefined;
  trialDays?: number | undefined;
}

/** What a plan includes, a line for each meter and feature, and its trial. */
export function includedIn({ meters, rates = {}, rollover = {}, features = {}, price, trialDays }: Offered): string[] {
  const kept = (name: string): string => (rollover[name] ? `; ${formatRollover(rollover[name])}` : "");
  const overage = (name: string): string => {
    const rate = rates[name];
    return rate && rate.overage !== "block" && price ? `, ${formatRate(rate, price.currency)}` : "";
  };
  return [
    ...Object.entries(meters).map(
      ([name, { label = name, max }]) => `${formatNumber(max)} ${label} per month${overage(name)}${kept(name)}`,
    ),
    ...Object.entries(features).map(([name, value]) => (value === true ? name : `${name}: ${value}`)),
    ...(trialDays === undefined ? [] : [`${trialDays} days free trial`]),
  ];
}

/** "€30.00" and "per month", or "Free" alone, which a plan of that name does not repeat. */
export function priceParts({ price, label }: { price?: Price | undefined; label: string }): {
  amount: string;
  per?: string;
} {
  if (!price || Number(price.amount) === 0) return { amount: /^free$/i.test(label.trim()) ? "No charge" : "Free" };
  return { amount: formatUnitPrice(price.amount, price.currency), per: `per ${price.interval}` };
}

interface Billed {
  label: string;
  price?: Price | undefined;
}

/** "Gold" of "Gold monthly" and "Gold (yearly)", with its currency: the same plan at two intervals. */
const planOf = ({ label, price }: Billed): string =>
  `${label
    .toLowerCase()
    .replace(/\b(month|monthly|year|yearly|annual|annually)\b/g, "")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()} ${price?.currency}`;

const isAt = ({ price }: Billed, interval: string): boolean => price?.interval === interval;

/** The plans at an interval. A plan that has no price of this interval stays. */
export function plansAt<Plan extends Billed>(plans: readonly Plan[], interval: string): Plan[] {
  const names = new Set(plans.filter((plan) => isAt(plan, interval)).map(planOf));
  return plans.filter((plan) => !plan.price || isAt(plan, interval) || !names.has(planOf(plan)));
}
