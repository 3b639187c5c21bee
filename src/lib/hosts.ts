const longestName = 255;

/** A name or an address, in brackets if it is one of IPv6, and perhaps a port. */
const host = /^(?:[a-z0-9_](?:[a-z0-9_-]|\.(?!\.))*|\[[0-9a-f:.]{2,45}\])(?::\d{0,5})?$/i;

/** Whether it may stand in a Host header. */
export function isHost(text: string): boolean {
  return text.length <= longestName + ":65535".length && host.test(text);
}

/** Without its port and the dot of a full name, in lower case: how hosts are compared. */
export function hostnameOf(text: string): string {
  return text.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
}

/** Whether it leads to the machine itself, wherever it is asked. */
export function isLoopbackHost(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127(?:\.\d{1,3}){3}$/.test(hostname)
  );
}
