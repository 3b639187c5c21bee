const maxNameLength = 255;

/** A name or an address (IPv6 in brackets) with an optional port. */
const host = /^(?:[a-z0-9_](?:[a-z0-9_-]|\.(?!\.))*|\[[0-9a-f:.]{2,45}\])(?::(\d{0,5}))?$/i;
const highestPort = 65_535;

/** Whether the text is a valid Host header. */
export function isHost(text: string): boolean {
  if (text.length > maxNameLength + ":65535".length) return false;
  const match = host.exec(text);
  return match !== null && Number(match[1] ?? 0) <= highestPort;
}

/** Returns the host in lower case, without the port and a trailing dot, for comparisons. */
export function hostnameOf(text: string): string {
  return text.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
}

/** The host of a URL: an IPv6 address in brackets. */
export function urlHost(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

export function isLoopbackHost(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127(?:\.\d{1,3}){3}$/.test(hostname)
  );
}
