/** How much of a client's address is recorded. */
export type ClientAddresses = "full" | "prefix" | "none";

/** A /24 of IPv4 or a /48 of IPv6 with `prefix`. */
export function recordedAddress(address: string, mode: ClientAddresses): string | undefined {
  if (mode === "none" || address === "") return undefined;
  // An IPv4 address in IPv6 (::ffff:192.0.2.1) is converted to IPv4.
  const plain = address.includes(".") ? address.slice(address.lastIndexOf(":") + 1) : address;
  if (mode === "full") return plain;
  if (plain.includes(".")) return `${plain.slice(0, plain.lastIndexOf("."))}.0/24`;
  const [before = "", after] = plain.split("::");
  const head = before === "" ? [] : before.split(":");
  const tail = after === undefined || after === "" ? [] : after.split(":");
  const zeros = Array<string>(Math.max(0, 8 - head.length - tail.length)).fill("0");
  return `${[...head, ...zeros, ...tail].slice(0, 3).join(":")}::/48`;
}
