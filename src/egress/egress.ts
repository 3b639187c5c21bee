import { isIP } from "node:net";
import type { Origin, Trust } from "../wire/question.ts";
import { isPublicAddress } from "./addresses.ts";
import { Resolver } from "./resolver.ts";

/** Which addresses the gateway and the code that runs in it may reach. */
export type EgressMode = "any" | "public";

/** The destination is one that the operator does not let deployments reach. */
export class EgressRefused extends Error {
  constructor(host: string) {
    super(
      `${host} is not a public address, and this server's operator lets deployments reach no others (TOLLGATE_EGRESS)`,
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

/** The way out to upstreams and for code: all connections that deployments cause go where this says. */
export class Egress {
  readonly #parsed = new Map<string, Located>();

  constructor(
    readonly mode: EgressMode,
    private readonly resolver: Pick<Resolver, "addresses"> = new Resolver(),
    private readonly isAllowed: (address: string) => boolean = isPublicAddress,
  ) {}

  /** Where the server of a URL is reached. Without a promise where nothing has to be checked. */
  locate(url: string): Located | Promise<Located> {
    const located = this.#parsed.get(url) ?? this.#parse(url);
    return this.mode === "any" ? located : this.#check(located);
  }

  #parse(url: string): Located {
    if (!URL.canParse(url)) throw new EgressRefused(url);
    const { protocol, host, hostname, port, pathname } = new URL(url);
    if (protocol !== "http:" && protocol !== "https:") throw new EgressRefused(url);
    const isSecure = protocol === "https:";
    // URL parsing has brought odd spellings of addresses (decimal, octal, hexadecimal) to the usual one.
    const name = hostname.replace(/^\[|\]$/g, "");
    const trust: Trust = isIP(name) === 0 ? { serverName: name.replace(/\.$/, "") } : {};
    const connect = { hostname: name, port: Number(port) || (isSecure ? 443 : 80), tls: isSecure ? trust : undefined };
    const located = { origin: { key: `${protocol}//${host}`, host, connect }, basePath: pathname.replace(/\/$/, "") };
    if (url.length > longestRemembered) return located;
    if (this.#parsed.size >= mostRemembered) this.#parsed.clear();
    this.#parsed.set(url, located);
    return located;
  }

  /** Connects to the very address that was checked: a second look-up might give another (DNS rebinding). */
  async #check({ origin, basePath }: Located): Promise<Located> {
    const { host, connect } = origin;
    if ("unix" in connect) throw new EgressRefused(host);
    const name = connect.hostname;
    const addresses = isIP(name) === 0 ? await this.resolver.addresses(name) : [name];
    if (addresses.length === 0 || !addresses.every(this.isAllowed)) throw new EgressRefused(name);
    const hostname = addresses[0]!;
    return { origin: { key: `${origin.key} at ${hostname}`, host, connect: { ...connect, hostname } }, basePath };
  }
}
