import { lookup } from "node:dns/promises";

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
