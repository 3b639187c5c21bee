import { isIP } from "node:net";
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

/** What to connect to, and as whom to address it. */
export interface Destination {
  url: string;
  headers: Record<string, string>;
  tls: { serverName: string } | undefined;
}

const web = /^(?:http|ws)s?:\/\//i;

/** The way out to upstreams and for code: all connections that deployments cause begin here. */
export class Egress {
  constructor(
    readonly mode: EgressMode,
    private readonly resolver: Pick<Resolver, "addresses"> = new Resolver(),
    private readonly isAllowed: (address: string) => boolean = isPublicAddress,
  ) {}

  /**
   * Like `fetch`, without following redirects (the next address would be unchecked) and without unpacking bodies. Takes
   * `init` over and changes it: a copy for each request would be felt in the proxy's throughput.
   */
  fetch(url: string, init: BunFetchRequestInit): Promise<Response> {
    init.redirect = "manual";
    init.decompress = false;
    // How long an answer may take is for the caller to say; the default would cut quiet event streams off.
    init.timeout = false;
    if (this.mode === "any" && web.test(url)) return fetch(url, init);
    return this.#fetchChecked(url, init);
  }

  /** For connections that are not made by `fetch`. */
  async resolve(url: string): Promise<Destination> {
    if (!web.test(url)) throw new EgressRefused(url);
    if (this.mode === "any") return { url, headers: {}, tls: undefined };
    const destination = new URL(url);
    const { host } = destination;
    // URL parsing has brought odd spellings (decimal, octal, hexadecimal) to the usual one.
    const name = destination.hostname.replace(/^\[|\]$/g, "");
    const isAddress = isIP(name) !== 0;
    const addresses = isAddress ? [name] : await this.resolver.addresses(name);
    if (addresses.length === 0 || !addresses.every(this.isAllowed)) throw new EgressRefused(name);
    const address = addresses[0]!;
    destination.hostname = isIP(address) === 6 ? `[${address}]` : address;
    return {
      url: destination.href,
      headers: { host },
      tls: isAddress ? undefined : { serverName: name.replace(/\.$/, "") },
    };
  }

  /** Connects to the very address that was checked: a second look-up might give another (DNS rebinding). */
  async #fetchChecked(url: string, init: BunFetchRequestInit): Promise<Response> {
    const destination = await this.resolve(url);
    const headers = new Headers(init.headers as Bun.HeadersInit | undefined);
    for (const [name, value] of Object.entries(destination.headers)) if (!headers.has(name)) headers.set(name, value);
    init.headers = headers;
    // The certificate must be that of the name, not that of the address.
    if (destination.tls) init.tls = { ...init.tls, ...destination.tls };
    return fetch(destination.url, init);
  }
}
