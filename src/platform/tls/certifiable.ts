import { isHost, isLoopbackHost } from "../../lib/network/hosts.ts";

/** Whether an authority would issue a certificate for the host: a public name, not an address. */
export function isCertifiable(host: string): boolean {
  const isName = isHost(host) && host.includes(".") && !/^[\d.]+$/.test(host) && !/[:[_]/.test(host);
  return isName && !isLoopbackHost(host) && !/\.(local|internal|invalid)$/.test(host);
}
