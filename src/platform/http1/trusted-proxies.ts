import { BlockList, isIP } from "node:net";
import type { HttpHeaders } from "./headers.ts";

const mappedPrefix = "::ffff:";

/** IPv4 addresses that are written as IPv6 become IPv4. */
export function plainAddress(address: string): string {
  const isMapped = address.startsWith(mappedPrefix) && address.includes(".");
  return isMapped ? address.slice(mappedPrefix.length) : address;
}

/** The proxies whose word on the client's address is believed. */
export class TrustedProxies {
  readonly #list = new BlockList();
  readonly #isEmpty: boolean;

  /** Addresses, networks as CIDR, or `loopback`. Throws an Error that names the first invalid entry. */
  constructor(entries: readonly string[] = []) {
    this.#isEmpty = entries.length === 0;
    for (const entry of entries) this.#add(entry);
  }

  has(address: string): boolean {
    if (this.#isEmpty) return false;
    const family = isIP(address);
    return family !== 0 && this.#list.check(address, family === 4 ? "ipv4" : "ipv6");
  }

  /**
   * The client of a request that a trusted proxy sent: the rightmost address of `x-forwarded-for` that is not itself a
   * trusted proxy. What stands left of it was written by the client and may be forged.
   */
  clientOf(headers: HttpHeaders, proxy: string): string {
    let client = proxy;
    const hops = headers.get("x-forwarded-for")?.split(",") ?? [];
    for (const hop of hops.reverse()) {
      const address = addressOf(hop.trim());
      if (address === undefined) return client;
      client = address;
      if (!this.has(address)) return client;
    }
    return client;
  }

  #add(entry: string): void {
    if (entry === "loopback") {
      this.#list.addSubnet("127.0.0.0", 8, "ipv4");
      this.#list.addAddress("::1", "ipv6");
      return;
    }
    const network = parseNetwork(entry);
    if (!network) throw new Error(`${JSON.stringify(entry)} is neither an address nor a network`);
    this.#list.addSubnet(network.address, network.prefix, network.family);
  }
}

/** Whether it is an address, a network as CIDR, or `loopback`. */
export function isTrustedProxy(entry: string): boolean {
  return entry === "loopback" || parseNetwork(entry) !== undefined;
}

function parseNetwork(entry: string): { address: string; prefix: number; family: "ipv4" | "ipv6" } | undefined {
  const [address = "", prefix, ...rest] = entry.split("/");
  const family = isIP(address);
  const bits = family === 4 ? 32 : 128;
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
  if (family === 0 || !isPrefix || rest.length > 0 || address.includes("%")) return undefined;
  return { address, prefix: prefix === undefined ? bits : Number(prefix), family: family === 4 ? "ipv4" : "ipv6" };
}

/** Some proxies append the port. */
function addressOf(hop: string): string | undefined {
  const bare =
    /^\[([^\]]*)\](?::\d+)?$/.exec(hop)?.[1] ?? (/^[\d.]+:\d+$/.test(hop) ? hop.slice(0, hop.indexOf(":")) : hop);
  const address = plainAddress(bare.toLowerCase());
  return isIP(address) === 0 || address.includes("%") ? undefined : address;
}
