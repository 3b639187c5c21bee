import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";
import type { Origin } from "../http1/client/client-request.ts";
import type { HttpHeaders } from "../http1/message/headers.ts";
import { dashed, NameSet } from "../http1/message/name-set.ts";
import { isLocalhost } from "./addresses.ts";
import { embeddedAddresses } from "./embedded-addresses.ts";

/** Headers other than `x-forwarded-*` that may be read as the client's address. */
export const clientAddressHeaders = new NameSet(
  "forwarded",
  "x-real-ip",
  "x-client-ip",
  "x-cluster-client-ip",
  "true-client-ip",
  "cf-connecting-ip",
  "fastly-client-ip",
);

const interfacesMilliseconds = 10_000;

interface OwnServerOptions {
  /** The ports that this server listens on, and those of its public URLs, which a proxy on this machine may serve. */
  ports: Iterable<number>;
  /** Whether a Host header names this server, one of its deployments or one of its portals. */
  isHost(host: string): boolean;
}

/**
 * Detects requests of deployments to this server itself, direct or through its own proxy. They come from an address that
 * may be a trusted proxy, but what they say about a client's address is written by the deployment.
 */
export class OwnServer {
  readonly #ports: Set<number>;
  #local = new BlockList();
  #localUntil = 0;

  constructor(private readonly options: OwnServerOptions) {
    this.#ports = new Set(options.ports);
  }

  listensOn(port: number): void {
    this.#ports.add(port);
  }

  /** Returns the headers to send to an origin: without a client's address if the origin is this server. */
  headersFor(headers: HttpHeaders, origin: Origin, host = origin.host): HttpHeaders {
    if (!this.#isAt(origin) && !this.options.isHost(host)) return headers;
    const copy = headers.copy();
    for (const [name] of headers)
      if (clientAddressHeaders.has(name) || dashed(name).startsWith("x-forwarded-")) copy.delete(name);
    return copy;
  }

  #isAt({ connect }: Origin): boolean {
    if ("unix" in connect || !this.#ports.has(connect.port)) return false;
    const { hostname, addresses = [hostname] } = connect;
    return addresses.some((address) => this.#isLocal(address));
  }

  #isLocal(address: string): boolean {
    const family = isIP(address);
    if (family === 0) return isLocalhost(address);
    const now = performance.now();
    if (now >= this.#localUntil) {
      this.#local = localAddresses();
      this.#localUntil = now + interfacesMilliseconds;
    }
    if (family === 4) return this.#local.check(address, "ipv4");
    return (
      this.#local.check(address, "ipv6") || embeddedAddresses(address).some((each) => this.#local.check(each, "ipv4"))
    );
  }
}

/** Addresses at which a connection reaches this machine. */
function localAddresses(): BlockList {
  const local = new BlockList();
  local.addSubnet("127.0.0.0", 8, "ipv4");
  local.addAddress("0.0.0.0", "ipv4");
  local.addAddress("::", "ipv6");
  local.addAddress("::1", "ipv6");
  for (const addresses of Object.values(networkInterfaces()))
    for (const { address, family } of addresses ?? []) local.addAddress(address, family === "IPv4" ? "ipv4" : "ipv6");
  return local;
}
