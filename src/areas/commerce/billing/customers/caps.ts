import type { z } from "zod";
import { minorDigits } from "../../../../lib/currencies.ts";
import { type Minor, parseMinor } from "../../../../lib/text/minor-units.ts";
import type { capOutput } from "../schemas/customer-schema.ts";

/** A limit of the cost of overage in a period. */
export type Cap = z.output<typeof capOutput>;

/** One for each currency. */
export interface Caps {
  /** Set by the customer. */
  spendCaps: Cap[];
  /** Set by the operator. */
  creditLimits: Cap[];
}

export const noCaps: Caps = { spendCaps: [], creditLimits: [] };

export function hasCaps({ spendCaps, creditLimits }: Caps): boolean {
  return spendCaps.length > 0 || creditLimits.length > 0;
}

/** Caps without a currency have the one given. */
export function inCurrency(caps: Cap[], currency: string | undefined): Cap[] {
  return caps.map((cap) => ({ ...cap, currency: cap.currency ?? currency }));
}

export function capsText(caps: Cap[]): string | null {
  return caps.length === 0 ? null : JSON.stringify(caps);
}

export function parseCaps(text: string | null): Cap[] {
  return text === null ? [] : (JSON.parse(text) as Cap[]);
}

export function presentCaps({ spendCaps, creditLimits }: Caps) {
  return {
    ...(spendCaps.length > 0 ? { spendCap: spendCaps[0] } : {}),
    ...(spendCaps.length > 1 ? { spendCaps } : {}),
    ...(creditLimits.length > 0 ? { creditLimit: creditLimits[0] } : {}),
    ...(creditLimits.length > 1 ? { creditLimits } : {}),
  };
}

/** A cap in minor units. Fractions of them do not count. */
function minorOf({ amount }: Cap, currency: string): Minor {
  const digits = minorDigits(currency)!;
  const [whole = "0", fraction = ""] = amount.split(".");
  return parseMinor(digits === 0 ? whole : `${whole}.${fraction.slice(0, digits).padEnd(digits, "0")}`, digits)!;
}

type Blocking = Cap & { minor: Minor; code: "spend_cap_reached" | "credit_exhausted" };

function capIn(caps: Cap[], currency: string): (Cap & { minor: Minor })[] {
  const cap = caps.find((each) => (each.currency ?? currency) === currency);
  return cap ? [{ ...cap, minor: minorOf(cap, currency) }] : [];
}

/** The lower of the caps that block usage in a currency. */
export function blockingCap({ spendCaps, creditLimits }: Caps, currency: string): Blocking | undefined {
  const caps: Blocking[] = [
    ...capIn(spendCaps, currency).map((cap) => ({ ...cap, code: "spend_cap_reached" as const })),
    ...capIn(creditLimits, currency).map((cap) => ({ ...cap, code: "credit_exhausted" as const })),
  ];
  return lowest(caps.filter(({ action }) => action === "block"));
}

/** The lower of both caps of a currency, whatever its action. */
export function lowerCap({ spendCaps, creditLimits }: Caps, currency: string): (Cap & { minor: Minor }) | undefined {
  return lowest([...capIn(spendCaps, currency), ...capIn(creditLimits, currency)]);
}

function lowest<Item extends { minor: Minor }>(caps: Item[]): Item | undefined {
  return caps.reduce<Item | undefined>((low, cap) => (low && low.minor <= cap.minor ? low : cap), undefined);
}
