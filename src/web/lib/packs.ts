import { plural } from "./format.ts";

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
