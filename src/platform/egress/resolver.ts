import { lookup } from "node:dns/promises";

const mostNames = 1_000;
const keptSeconds = 30;

interface Resolution {
  addresses: Promise<string[]>;
  /** Once they are there. */
  found?: string[];
  until: number;
}

/** Asks the system which addresses a name has, and remembers it for a while. */
export class Resolver {
  readonly #resolutions = new Map<string, Resolution>();

  /** What `addresses` would resolve with, where it was found out a moment ago: the hot path waits for no promise. */
  known(name: string): string[] | undefined {
    const resolution = this.#resolutions.get(name);
    return resolution && resolution.until > performance.now() ? resolution.found : undefined;
  }

  /** At least one address, IPv4 first: a host without a way to IPv6 often knows IPv6 addresses. */
  addresses(name: string): Promise<string[]> {
    const known = this.#resolutions.get(name);
    if (known && known.until > performance.now()) return known.addresses;
    const addresses = lookup(name, { all: true }).then((found) =>
      found.sort((one, other) => one.family - other.family).map(({ address }) => address),
    );
    const resolution: Resolution = { addresses, until: performance.now() + keptSeconds * 1000 };
    addresses.then(
      (found) => {
        resolution.found = found;
      },
      () => this.#resolutions.delete(name),
    );
    if (this.#resolutions.size >= mostNames) this.#resolutions.delete(this.#resolutions.keys().next().value!);
    this.#resolutions.set(name, resolution);
    return addresses;
  }
}
