import { isIP } from "node:net";
import type { Origin, Trust } from "../http1/question.ts";
import { type EgressMode, hostnameOf, isLocalhost, isMetadataAddress, isPublicAddress } from "./addresses.ts";
import { Resolver } from "./resolver.ts";

export type { EgressMode };

/** The destination is one that the operator does not let deployments reach. */
export class EgressRefused extends Error {
  constructor(host: string, mode: EgressMode) {
    super(
      mode === "any"
        ? `${host} is a link-local or metadata address, which no deployment may reach, whatever TOLLGATE_EGRESS is`
        : `${host} is not a public address, and this server's operator lets deployments reach no others (TOLLGATE_EGRESS)`,
    );
  }
}

/** A server that may be asked, and what its paths begin with. */
export interface Located {
  readonly origin: Origin;
  /** Without a slash at its end. */
  readonly basePath: string;
}

/** The same few are asked all the time. */
const mostRemembered = 10_000;
/** Code may ask for others, and invent them. */
const longestRemembered = 2_000;

/** A URL that was parsed, and what was last found out about its host. */
interface Destination {
  readonly located: Located;
  /** The host, where it is a name that has to be resolved and checked. */
  readonly name: string | undefined;
  /** The address that was checked last, and the way to it. */
  address?: string;
  pinned?: Located;
}

/** The way out to upstreams and for code: all connections that deployments cause go where this says. */
export class Egress {
  readonly #destinations = new Map<string, Destination>();

  constructor(
    readonly mode: EgressMode,
    private readonly resolver: Pick<Resolver, "addresses"> & Partial<Pick<Resolver, "known">> = new Resolver(),
    private readonly isAllowed: (address: string) => boolean = mode === "any"
      ? (address) => !isMetadataAddress(address)
      : isPublicAddress,
  ) {}

  /** Where the server of a URL is reached. Without a promise where no name has to be resolved. Throws an EgressRefused. */
  locate(url: string): Located | Promise<Located> {
    const destination = this.#destinations.get(url) ?? this.#parse(url);
    if (destination.name === undefined) return destination.located;
    const known = this.resolver.known?.(destination.name);
    return known ? this.#pin(destination, known) : this.#resolve(destination, destination.name);
  }

  #parse(url: string): Destination {
    if (!URL.canParse(url)) throw new EgressRefused(url, "public");
    const parsed = new URL(url);
    const { protocol, host, port, pathname } = parsed;
    if (protocol !== "http:" && protocol !== "https:") throw new EgressRefused(url, "public");
    const isSecure = protocol === "https:";
    const name = hostnameOf(parsed);
    const isLiteral = isIP(name) !== 0;
    if (isLiteral && !this.isAllowed(name)) throw new EgressRefused(name, this.mode);
    const trust: Trust = isLiteral ? {} : { serverName: name.replace(/\.$/, "") };
    const connect = { hostname: name, port: Number(port) || (isSecure ? 443 : 80), tls: isSecure ? trust : undefined };
    const located = { origin: { key: `${protocol}//${host}`, host, connect }, basePath: pathname.replace(/\/$/, "") };
    // localhost may be 127.0.0.1 or ::1, whichever the upstream listens on: the connection tries both.
    const needsLookup = !isLiteral && !(this.mode === "any" && isLocalhost(name));
    const destination: Destination = { located, name: needsLookup ? name : undefined };
    if (url.length > longestRemembered) return destination;
    if (this.#destinations.size >= mostRemembered) this.#destinations.clear();
    this.#destinations.set(url, destination);
    return destination;
  }

  async #resolve(destination: Destination, name: string): Promise<Located> {
    return this.#pin(destination, await this.resolver.addresses(name));
  }

  /** Connects to the very address that was checked: a second look-up might give another (DNS rebinding). */
  #pin(destination: Destination, addresses: string[]): Located {
    const { origin, basePath } = destination.located;
    const hostname = addresses[0];
    if (hostname === undefined || !addresses.every(this.isAllowed))
      throw new EgressRefused(destination.name ?? origin.host, this.mode);
    if (destination.pinned && destination.address === hostname) return destination.pinned;
    const { host, key, connect } = origin;
    destination.address = hostname;
    destination.pinned = {
      origin: { key: `${key} at ${hostname}`, host, connect: { ...connect, hostname } },
      basePath,
    };
    return destination.pinned;
  }
}
