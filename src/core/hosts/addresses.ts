import { ownCopy } from "../../lib/cache/own-copy.ts";
import { plainNamePattern } from "../../lib/text/names.ts";

/** Hosts in constant use; invented names may evict them, never grow the cache without bound. */
const mostRemembered = 4000;
/** Of a name in DNS, with a port. */
const longestRemembered = 260;

const place = "{name}";

/** Where deployments are served: a template such as `https://{name}.api.example.com`. */
export class GatewayAddresses {
  readonly protocol: "http" | "https";
  readonly #hostBefore: string;
  readonly #hostAfter: string;
  readonly #publicHost: string | undefined;
  /** Every request needs it, also those to the management API: a look-up costs a tenth of working it out. */
  readonly #remembered = new Map<string, string | undefined>();

  /**
   * Throws a sentence on what is wrong with the template. The host of `publicUrl` belongs to the management interface,
   * though it may fit the template.
   */
  constructor(
    template: string,
    publicUrl?: string,
    /** Deployments by further Host headers; may change at any time. */
    private readonly aliases?: ReadonlyMap<string, string>,
  ) {
    this.#publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).hostname;
    const parts = template.split(place);
    if (parts.length !== 2) throw new Error(`must hold ${place} once`);
    const [before, after] = parts as [string, string];
    const matched = /^(https?):\/\/([^/?#@]*)$/i.exec(before);
    if (!matched) {
      if (/^https?:\/\//i.test(before)) throw new Error(`must hold ${place} in its host`);
      throw new Error("must be an http or https address");
    }
    const host = /^([^/?#@:]*)(:\d{1,5})?\/?$/.exec(after);
    if (!host || !isAddress(`${before}name${after}`))
      throw new Error(`must be an address that ends with its host, such as http://${place}.localhost:8787`);
    this.protocol = matched[1]!.toLowerCase() as "http" | "https";
    this.#hostBefore = matched[2]!.toLowerCase();
    this.#hostAfter = host[1]!.toLowerCase();
  }

  /** The deployment that a Host header names, if it names one. Its port does not matter. */
  nameIn(host: string): string | undefined {
    const alias = this.aliases?.get(host);
    if (alias !== undefined) return alias;
    const known = this.#remembered.get(host);
    if (known !== undefined || this.#remembered.has(host)) return known;
    if (host.length > longestRemembered) return this.#read(host);
    // The name is a part of it, and is remembered too.
    const own = ownCopy(host);
    const name = this.#read(own);
    if (this.#remembered.size >= mostRemembered) this.#remembered.clear();
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
