import { lookup } from "node:dns/promises";

const maxNames = 1_000;
const ttlSeconds = 30;

interface Resolution {
  addresses: Promise<string[]>;
  /** Set once resolved. */
  found?: string[];
  until: number;
}

/** Resolves names with the system resolver and caches the addresses briefly. */
export class Resolver {
  readonly #resolutions = new Map<string, Resolution>();

  /** The cached addresses, so that the hot path awaits no promise. */
  cached(name: string): string[] | undefined {
    const resolution = this.#resolutions.get(name);
    return resolution && resolution.until > performance.now() ? resolution.found : undefined;
  }

  /** At least one address, IPv4 first: hosts without IPv6 connectivity often resolve IPv6 addresses. */
  addresses(name: string): Promise<string[]> {
    const cached = this.#resolutions.get(name);
    if (cached && cached.until > performance.now()) return cached.addresses;
    const addresses = lookup(name, { all: true }).then((found) =>
      found.sort((one, other) => one.family - other.family).map(({ address }) => address),
    );
    const resolution: Resolution = { addresses, until: performance.now() + ttlSeconds * 1000 };
    addresses.then(
      (found) => {
        resolution.found = found;
      },
      () => this.#resolutions.delete(name),
    );
    if (this.#resolutions.size >= maxNames) this.#resolutions.delete(this.#resolutions.keys().next().value!);
    this.#resolutions.set(name, resolution);
    return addresses;
  }
}
