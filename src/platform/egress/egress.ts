import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Origin, ServerVerification } from "../http1/client/client-request.ts";
import type { HttpHeaders } from "../http1/message/headers.ts";
import { type EgressMode, hostnameOf, isLocalhost, isMetadataAddress, isPublicAddress } from "./addresses.ts";
import type { OwnServer } from "./own-server.ts";

export type { EgressMode };

/** The operator does not allow deployments to reach this destination. */
export class EgressDenied extends Error {
  constructor(host: string, mode: EgressMode) {
    super(
      mode === "any"
        ? `${host} is a link-local or metadata address, which deployments can never reach, whatever TOLLGATE_EGRESS is`
        : `${host} is not a public address, and this server allows deployments to reach only public addresses (TOLLGATE_EGRESS)`,
    );
  }
}

/** The address of a URL that passed the egress rules. */
export interface EgressAddress {
  readonly origin: Origin;
  /** Prefix of every path, without a trailing slash. */
  readonly basePath: string;
}

const maxCachedUrls = 10_000;
/** Longer URLs are not cached, because code can fetch any number of them. */
const maxCachedUrlLength = 2_000;

/** A parsed URL with the last address of its host. */
interface Destination {
  readonly resolved: EgressAddress;
  /** The host if it is a name that must be resolved and checked. */
  readonly name: string | undefined;
  /** The addresses that were checked last, and how to connect to them. */
  addresses?: string[];
  pinned?: EgressAddress;
}

/** Decides which servers deployments may connect to. Every upstream and every `fetch` of code passes through here. */
export class Egress {
  readonly #destinations = new Map<string, Destination>();

  constructor(
    readonly mode: EgressMode,
    private readonly resolver: Pick<Resolver, "addresses"> & Partial<Pick<Resolver, "cached">> = new Resolver(),
    private readonly isAllowed: (address: string) => boolean = mode === "any"
      ? (address) => !isMetadataAddress(address)
      : isPublicAddress,
    private readonly ownServer?: OwnServer,
  ) {}

  /**
   * Returns the headers of a deployment's request to send to a located origin. `host` is the Host header, if it differs
   * from that of the origin.
   */
  headersFor(headers: HttpHeaders, origin: Origin, host?: string): HttpHeaders {
    return this.ownServer ? this.ownServer.headersFor(headers, origin, host) : headers;
  }

  /** Resolves the server of a URL, synchronously if no name has to be looked up. Throws EgressDenied. */
  locate(url: string): EgressAddress | Promise<EgressAddress> {
    const destination = this.#destinations.get(url) ?? this.#parse(url);
    if (destination.name === undefined) return destination.resolved;
    const cached = this.resolver.cached?.(destination.name);
    return cached ? this.#pin(destination, cached) : this.#resolve(destination, destination.name);
  }

  #parse(url: string): Destination {
    if (!URL.canParse(url)) throw new EgressDenied(url, "public");
    const parsed = new URL(url);
    const { protocol, host, port, pathname } = parsed;
    if (protocol !== "http:" && protocol !== "https:") throw new EgressDenied(url, "public");
    const isSecure = protocol === "https:";
    const name = hostnameOf(parsed);
    const isLiteral = isIP(name) !== 0;
    if (isLiteral && !this.isAllowed(name)) throw new EgressDenied(name, this.mode);
    const verification: ServerVerification = isLiteral ? {} : { serverName: name.replace(/\.$/, "") };
    const connect = {
      hostname: name,
      port: Number(port) || (isSecure ? 443 : 80),
      tls: isSecure ? verification : undefined,
    };
    const resolved = { origin: { key: `${protocol}//${host}`, host, connect }, basePath: pathname.replace(/\/$/, "") };
    // localhost may be 127.0.0.1 or ::1, depending on where the upstream listens. The connection tries both.
    const needsLookup = !isLiteral && !(this.mode === "any" && isLocalhost(name));
    const destination: Destination = { resolved, name: needsLookup ? name : undefined };
    if (url.length > maxCachedUrlLength) return destination;
    if (this.#destinations.size >= maxCachedUrls) this.#destinations.clear();
    this.#destinations.set(url, destination);
    return destination;
  }

  async #resolve(destination: Destination, name: string): Promise<EgressAddress> {
    return this.#pin(destination, await this.resolver.addresses(name));
  }

  /** Connects only to the addresses that were checked: a second look-up could return others (DNS rebinding). */
  #pin(destination: Destination, addresses: string[]): EgressAddress {
    // The resolver returns the same array until it looks the name up again.
    if (destination.pinned && destination.addresses === addresses) return destination.pinned;
    const { origin, basePath } = destination.resolved;
    const [hostname] = addresses;
    if (hostname === undefined || !addresses.every(this.isAllowed))
      throw new EgressDenied(destination.name ?? origin.host, this.mode);
    const { host, key, connect } = origin;
    destination.addresses = addresses;
    destination.pinned = {
      origin: { key: `${key} at ${[...addresses].sort().join()}`, host, connect: { ...connect, hostname, addresses } },
      basePath,
    };
    return destination.pinned;
  }
}

const maxNames = 1_000;
const ttlSeconds = 30;
/** The time until the next attempt after a failed lookup of a name with cached addresses. */
const retrySeconds = 5;

interface ResolverOptions {
  /** Returns all addresses of a name; by default from the system's resolver. */
  lookup?: (name: string) => Promise<{ address: string; family: number }[]>;
  /** Milliseconds of a monotonic clock. */
  now?: () => number;
}

interface Resolution {
  addresses: Promise<string[]>;
  /** Set once the name is resolved. */
  found?: string[];
  until: number;
}

/** Resolves names and caches the addresses for 30 s. If a name cannot be resolved again, its last addresses are kept. */
export class Resolver {
  readonly #resolutions = new Map<string, Resolution>();
  readonly #lookup: NonNullable<ResolverOptions["lookup"]>;
  readonly #now: () => number;

  constructor(options: ResolverOptions = {}) {
    this.#lookup = options.lookup ?? ((name) => lookup(name, { all: true }));
    this.#now = options.now ?? (() => performance.now());
  }

  /**
   * Returns the cached addresses synchronously, so that the hot path awaits no promise. Just after they expire they are
   * returned once more while the name is resolved again, so that a slow DNS server does not delay requests.
   */
  cached(name: string): string[] | undefined {
    const resolution = this.#resolutions.get(name);
    if (!resolution) return undefined;
    const now = this.#now();
    if (resolution.until > now) return resolution.found;
    if (resolution.until + ttlSeconds * 1000 <= now || !resolution.found) return undefined;
    const { found } = resolution;
    this.addresses(name).catch(() => {});
    return found;
  }

  /** Returns at least one address, IPv4 first: hosts without IPv6 connectivity often resolve IPv6 addresses. */
  addresses(name: string): Promise<string[]> {
    const known = this.#resolutions.get(name);
    if (known && known.until > this.#now()) return known.addresses;
    const resolution: Resolution = {
      addresses: this.#resolve(name, known?.found, (until) => {
        resolution.until = until;
      }),
      until: this.#now() + ttlSeconds * 1000,
      ...(known?.found && { found: known.found }),
    };
    resolution.addresses.then(
      (found) => {
        resolution.found = found;
      },
      () => this.#resolutions.delete(name),
    );
    if (this.#resolutions.size >= maxNames) this.#resolutions.delete(this.#resolutions.keys().next().value!);
    this.#resolutions.set(name, resolution);
    return resolution.addresses;
  }

  async #resolve(name: string, last: string[] | undefined, expire: (until: number) => void): Promise<string[]> {
    try {
      const found = await this.#lookup(name);
      return found.sort((one, other) => one.family - other.family).map(({ address }) => address);
    } catch (error) {
      if (!last) throw error;
      expire(this.#now() + retrySeconds * 1000);
      return last;
    }
  }
}
