import { minorDigits } from "../../../lib/currencies.ts";
import { type Minor, parseMinor } from "../../../lib/text/minor-units.ts";

/** A limit of the cost of overage in a period. */
export interface Cap {
  amount: string;
  action: "block" | "notify";
  /** It limits only usage that costs this currency. Without one, it has that of the customer. */
  currency?: string | undefined;
}

export interface Caps {
  /** Set by the customer. */
  spendCap: Cap | undefined;
  /** Set by the operator. */
  creditLimit: Cap | undefined;
}

export const noCaps: Caps = { spendCap: undefined, creditLimit: undefined };

/** A cap in minor units. Fractions of them do not count. */
function minorOf({ amount }: Cap, currency: string): Minor {
  const digits = minorDigits(currency)!;
  const [whole = "0", fraction = ""] = amount.split(".");
  return parseMinor(digits === 0 ? whole : `${whole}.${fraction.slice(0, digits).padEnd(digits, "0")}`, digits)!;
}

type Blocking = { amount: Minor; code: "spend_cap_reached" | "credit_exhausted" };

/** The caps that limit usage in a currency. */
function capsIn({ spendCap, creditLimit }: Caps, currency: string): Caps {
  const applies = (cap: Cap | undefined) => (cap && (cap.currency ?? currency) === currency ? cap : undefined);
  return { spendCap: applies(spendCap), creditLimit: applies(creditLimit) };
}

/** The lower of the caps that block. */
export function blockingCap(all: Caps, currency: string): Blocking | undefined {
  const { spendCap, creditLimit } = capsIn(all, currency);
  const caps: Blocking[] = [];
  if (spendCap?.action === "block") caps.push({ amount: minorOf(spendCap, currency), code: "spend_cap_reached" });
  if (creditLimit?.action === "block") caps.push({ amount: minorOf(creditLimit, currency), code: "credit_exhausted" });
  return caps.sort((left, right) => (left.amount < right.amount ? -1 : left.amount > right.amount ? 1 : 0))[0];
}

/** The lower of both caps, whatever its action. */
export function lowerCap(all: Caps, currency: string): (Cap & { minor: Minor }) | undefined {
  const { spendCap, creditLimit } = capsIn(all, currency);
  const caps = [spendCap, creditLimit].flatMap((cap) => (cap ? { ...cap, minor: minorOf(cap, currency) } : []));
  return caps.sort((left, right) => (left.minor < right.minor ? -1 : 1))[0];
}
