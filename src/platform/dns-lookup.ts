import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";

const timeoutMilliseconds = 2_000;
const tries = 2;

/** Error codes that prove that the record does not exist. */
const absentCodes = new Set(["ENOTFOUND", "ENODATA", "NXDOMAIN", "NODATA"]);

/** No server gave a usable response, so it is unknown whether the record exists. */
export class DnsUnavailable extends Error {
  constructor(readonly code: string) {
    super(`DNS lookup failed: ${code}`);
  }
}

/**
 * Looks up records at the configured servers, or at those of the system. Returns an empty list if there are none.
 * Throws DnsUnavailable if no server gave a usable response or the signal aborts.
 */
export class DnsLookup {
  /** Addresses with an optional port. Empty to use the servers of the system. */
  constructor(private readonly servers: readonly string[]) {}

  /** Returns the strings of TXT records. Bun returns each string of a record as if it were a record of its own. */
  async txt(name: string, signal: AbortSignal): Promise<string[]> {
    const records = await this.#resolve(signal, (resolver) => resolver.resolveTxt(name));
    return records.map((strings) => strings.join(""));
  }

  /** Returns the targets of CNAME records, without a trailing dot. */
  async cname(name: string, signal: AbortSignal): Promise<string[]> {
    const names = await this.#resolve(signal, (resolver) => resolver.resolveCname(name));
    return names.map((each) => each.toLowerCase().replace(/\.$/, ""));
  }

  /** Returns IPv4 and IPv6 addresses; CNAME records are followed. */
  async addresses(name: string, signal: AbortSignal): Promise<string[]> {
    const found = await Promise.all([
      this.#resolve(signal, (resolver) => resolver.resolve4(name)),
      this.#resolve(signal, (resolver) => resolver.resolve6(name)),
    ]);
    return found.flat();
  }

  async #resolve<Record>(signal: AbortSignal, look: (resolver: Resolver) => Promise<Record[]>): Promise<Record[]> {
    if (signal.aborted) throw new DnsUnavailable("ECANCELLED");
    // A resolver caches a record for its time to live, so each lookup creates a resolver.
    const resolver = new Resolver({ timeout: timeoutMilliseconds, tries });
    if (this.servers.length > 0) resolver.setServers(this.servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    try {
      return await look(resolver);
    } catch (error) {
      const code = (error as { code?: string }).code ?? "unknown";
      if (absentCodes.has(code)) return [];
      throw new DnsUnavailable(code);
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }
}

/** Whether the text is an IP address with an optional port: `10.0.0.2`, `127.0.0.1:5353`, `[::1]:53`. */
export function isDnsServer(text: string): boolean {
  const matched = /^(?:\[([^\]]+)\](?::(\d{1,5}))?|([^:[\]]+):(\d{1,5})|([^[\]]+))$/.exec(text);
  if (!matched) return false;
  const [, bracketed, bracketedPort, v4, v4Port, plain] = matched;
  const port = Number(bracketedPort ?? v4Port ?? 53);
  if (port < 1 || port > 65_535) return false;
  if (bracketed !== undefined) return isIP(bracketed) === 6;
  if (v4 !== undefined) return isIP(v4) === 4;
  return isIP(plain!) !== 0;
}
