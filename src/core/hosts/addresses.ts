import { ownCopy } from "../../lib/cache/own-copy.ts";
import { plainNamePattern } from "../../lib/text/names.ts";

/** The maximum number of cached hosts. Invented names can evict others, but not grow the cache without bound. */
const maxCached = 4000;
/** The length of a DNS name with a port. */
const maxCachedLength = 260;

const place = "{name}";

/** The addresses of deployments: a template such as `https://{name}.api.example.com`. */
export class GatewayAddresses {
  readonly protocol: "http" | "https";
  readonly #hostBefore: string;
  readonly #hostAfter: string;
  readonly #publicHost: string | undefined;
  /**
   * Deployments by Host header. Every request needs this, also those to the management API, and a cache hit takes a
   * tenth of the time.
   */
  readonly #remembered = new Map<string, string | undefined>();

  /**
   * Throws an error that explains what is wrong with the template. The host of `publicUrl` belongs to the management
   * API even if it matches the template.
   */
  constructor(
    template: string,
    publicUrl?: string,
    /** Deployments by additional Host headers. May change at any time. */
    private readonly aliases?: ReadonlyMap<string, string>,
  ) {
    this.#publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).hostname;
    const parts = template.split(place);
    if (parts.length !== 2) throw new Error(`must contain ${place} once`);
    const [before, after] = parts as [string, string];
    const matched = /^(https?):\/\/([^/?#@]*)$/i.exec(before);
    if (!matched) {
      if (/^https?:\/\//i.test(before)) throw new Error(`must contain ${place} in its host`);
      throw new Error("must be an http or https address");
    }
    const host = /^([^/?#@:]*)(:\d{1,5})?\/?$/.exec(after);
    if (!host || !isAddress(`${before}name${after}`))
      throw new Error(`must be an address that ends with its host, such as http://${place}.localhost:8787`);
    this.protocol = matched[1]!.toLowerCase() as "http" | "https";
    this.#hostBefore = matched[2]!.toLowerCase();
    this.#hostAfter = host[1]!.toLowerCase();
  }

  /** Returns the deployment that a Host header names, if any. The port is ignored. */
  nameIn(host: string): string | undefined {
    const alias = this.aliases?.get(host);
    if (alias !== undefined) return alias;
    const known = this.#remembered.get(host);
    if (known !== undefined || this.#remembered.has(host)) return known;
    if (host.length > maxCachedLength) return this.#read(host);
    // The name is a slice of the host, and is cached too.
    const own = ownCopy(host);
    const name = this.#read(own);
    if (this.#remembered.size >= maxCached) this.#remembered.clear();
    this.#remembered.set(own, name);
    return name;
  }

  #read(host: string): string | undefined {
    const bare = host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
    if (bare === this.#publicHost) return undefined;
    if (!bare.startsWith(this.#hostBefore) || !bare.endsWith(this.#hostAfter)) return undefined;
    const name = bare.slice(this.#hostBefore.length, bare.length - this.#hostAfter.length);
    return plainNamePattern.test(name) ? name : undefined;
  }
}

function isAddress(text: string): boolean {
  return URL.canParse(text);
}
