import { formatMinor } from "../../lib/text/minor-units.ts";
import { formatMoney } from "../../lib/text/prices.ts";

const exactNumber = new Intl.NumberFormat("en", { maximumFractionDigits: 6 });
const shortNumber = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
/** Times are in the browser's locale; the same in tables, tooltips and axes: 14:05, never 2:05 PM. */
const locale = undefined;
const hourCycle = "h23";
const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium", hourCycle });
const minute = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", hourCycle });
const clockTime = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", hourCycle });
const day = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
const monthDay = new Intl.DateTimeFormat(locale, { month: "short", day: "numeric" });
const utcMonth = new Intl.DateTimeFormat(locale, { month: "short", year: "numeric", timeZone: "UTC" });
const utcDay = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });

export const formatNumber = (value: number): string => exactNumber.format(value);

/** 12.3K: large numbers short, and from 100 on without a fraction, which an average of counts may have. */
export const formatShort = (value: number): string =>
  Math.abs(value) >= 10_000
    ? shortNumber.format(value)
    : exactNumber.format(Math.abs(value) < 100 ? Math.round(value * 100) / 100 : Math.round(value));

export const formatPercent = (share: number): string =>
  `${(share * 100).toLocaleString("en", { maximumFractionDigits: share < 0.1 && share > 0 ? 2 : 1 })}%`;

export const formatDateTime = (time: string | number): string => dateTime.format(new Date(time));
/** For times without seconds. */
export const formatMinute = (time: string | number): string => minute.format(new Date(time));
/** For axes: the time within a day. */
export const formatClock = (time: string | number): string => clockTime.format(new Date(time));
/** For axes: the day within a year. */
export const formatMonthDay = (time: string | number): string => monthDay.format(new Date(time));
export const formatDay = (time: string | number): string => day.format(new Date(time));
/** Quota periods are in UTC. */
export const formatUtcDay = (time: string | number): string => utcDay.format(new Date(time));

/** A month of revenue. */
export const formatUtcMonth = (time: string | number): string => utcMonth.format(new Date(time));

/** The units, and the number from which each is used: 13 days, then 2 weeks. */
const units = [
  { one: "week", many: "weeks", seconds: 604_800, from: 2 },
  { one: "day", many: "days", seconds: 86_400, from: 1 },
  { one: "h", many: "h", seconds: 3_600, from: 1 },
  { one: "min", many: "min", seconds: 60, from: 1 },
];
/** Beyond this, a date is clearer. */
const farSeconds = 5 * 604_800;

/** "3 min ago", "in 2 weeks", "Oct 4, 2026". Future times are rounded: a key made to expire in 7 days reads "in 7 days". */
export function formatRelative(time: number, now: number): string {
  const seconds = Math.abs(time - now) / 1000;
  if (seconds >= farSeconds) return formatDay(time);
  const unit = units.find((each) => seconds >= each.seconds * each.from);
  if (!unit) return time > now ? "in a moment" : "just now";
  const count = seconds / unit.seconds;
  const words = (whole: number) => plural(whole, unit.one, unit.many);
  return time > now ? `in ${words(Math.round(count))}` : `${words(Math.floor(count))} ago`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${formatNumber(bytes)} B`;
  const [name, size] = bytes < 1e6 ? ["kB", 1e3] : bytes < 1e9 ? ["MB", 1e6] : ["GB", 1e9];
  return `${(bytes / (size as number)).toLocaleString("en", { maximumFractionDigits: 1 })} ${name}`;
}

export function formatMs(ms: number): string {
  if (ms > 0 && ms < 0.05) return "<0.1 ms";
  if (ms < 1000) return `${ms.toLocaleString("en", { maximumFractionDigits: ms < 10 ? 1 : 0 })} ms`;
  return `${(ms / 1000).toLocaleString("en", { maximumFractionDigits: 1 })} s`;
}

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;

/** `2026-11-15T18:30` of a datetime-local field, in the browser's zone, as RFC 3339. */
export const fromLocalInput = (value: string): string | undefined => {
  const time = new Date(value);
  return value === "" || Number.isNaN(time.getTime()) ? undefined : time.toISOString();
};

/** The shape of a datetime-local field, in the browser's zone. */
export function toLocalInput(time: string): string {
  const date = new Date(time);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Indents JSON for people. Other text is returned as it is. */
export function indentedJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

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

/** A masked key as pages show it: `…50079e96`. The API's `****50079e96` looks like a field that failed to load. */
export const shownKey = (masked: string): string => masked.replace(/^\*{4}/, "…");

/** What a credit pack grants. */
interface Granting {
  grant: { currency?: string | undefined; amount: string | number };
}

/** "1 year", "30 days". */
export function formatDays(days: number): string {
  return days % 365 === 0 ? plural(days / 365, "year") : plural(days, "day");
}

/** The available credit below which a top-up buys the pack, by default: a tenth of what it buys. */
export function suggestedBelow(pack: Granting | undefined): string | number {
  if (!pack) return "";
  const tenth = Number(pack.grant.amount) / 10;
  if (pack.grant.currency === undefined) return tenth < 1 ? tenth : Math.round(tenth);
  const digits = String(pack.grant.amount).split(".")[1]?.length ?? 0;
  return tenth.toFixed(digits);
}

/** Units are numbers and money is text. Text that is not a number is sent unchanged, so that the server explains it. */
export function belowOf(pack: Granting | undefined, text: string): string | number {
  const number = Number(text.trim());
  return pack?.grant.currency !== undefined || text.trim() === "" || Number.isNaN(number) ? text.trim() : number;
}
