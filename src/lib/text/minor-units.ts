/** An amount in minor units of a currency: cents of EUR, yen of JPY. */
export type Minor = bigint;

/** Parses an amount with at most as many decimals as the currency has. Returns undefined if it is not one. */
export function parseMinor(text: string, digits: number): Minor | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+?)0*)?$/.exec(text);
  if (!match) return undefined;
  const [, sign, whole = "0", fraction = ""] = match;
  const decimals = fraction === "0" ? "" : fraction;
  if (decimals.length > digits) return undefined;
  const minor = BigInt(whole + decimals.padEnd(digits, "0"));
  return sign === "-" ? -minor : minor;
}

/** Formats an amount with exactly the decimals of its currency: `12.50`, `-0.05`, `1250`. */
export function formatMinor(minor: Minor, digits: number): string {
  const sign = minor < 0n ? "-" : "";
  const text = String(minor < 0n ? -minor : minor).padStart(digits + 1, "0");
  return digits === 0 ? sign + text : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
