import { BlockList, isIP } from "node:net";
import { parseNetwork as parseAddressOrNetwork } from "../../../lib/network/ip-address.ts";
import type { HttpHeaders } from "../message/headers.ts";

const mappedPrefix = "::ffff:";

/** IPv4 addresses that are written as IPv6 become IPv4. */
export function plainAddress(address: string): string {
  const isMapped = address.startsWith(mappedPrefix) && address.includes(".");
  return isMapped ? address.slice(mappedPrefix.length) : address;
}

/** The proxies that are trusted to report the client's address. */
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
   * Returns the client of a request from a trusted proxy: the rightmost address of `x-forwarded-for` that is not itself
   * a trusted proxy. The client wrote the entries to the left of it, which may be forged.
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

/** Whether the text is an address, a network as CIDR, or `loopback`. */
export function isTrustedProxy(entry: string): boolean {
  return entry === "loopback" || parseNetwork(entry) !== undefined;
}

/** As strict as `allowedIps` of keys: `10.0.0.5/8` is most likely a typo, and would trust a whole network. */
function parseNetwork(entry: string): { address: string; prefix: number; family: "ipv4" | "ipv6" } | undefined {
  const network = parseAddressOrNetwork(entry);
  if (typeof network === "string") return undefined;
  const { bytes, prefixLength: prefix } = network;
  return { address: entry.split("/")[0]!, prefix, family: bytes.length === 4 ? "ipv4" : "ipv6" };
}

/** Some proxies append the port. */
function addressOf(hop: string): string | undefined {
  const bare =
    /^\[([^\]]*)\](?::\d+)?$/.exec(hop)?.[1] ?? (/^[\d.]+:\d+$/.test(hop) ? hop.slice(0, hop.indexOf(":")) : hop);
  const address = plainAddress(bare.toLowerCase());
  return isIP(address) === 0 || address.includes("%") ? undefined : address;
}
