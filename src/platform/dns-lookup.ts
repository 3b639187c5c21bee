import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";

const timeoutMilliseconds = 2_000;
const tries = 2;

/** Codes that prove that there is no such record. */
const absentCodes = new Set(["ENOTFOUND", "ENODATA", "NXDOMAIN", "NODATA"]);

/** No server gave a usable response, so nothing is known about the record. */
export class DnsUnavailable extends Error {
  constructor(readonly code: string) {
    super(`DNS lookup failed: ${code}`);
  }
}

/**
 * Looks records up at the configured servers, or those of the system. Returns an empty list if there are none, and throws
 * DnsUnavailable if that is not known, also when the signal aborts.
 */
export class DnsLookup {
  /** Addresses with an optional port; empty for those of the system. */
  constructor(private readonly servers: readonly string[]) {}

  /** The strings of TXT records. Bun does not tell which belong to one record: it returns each as if it were one. */
  async txt(name: string, signal: AbortSignal): Promise<string[]> {
    const records = await this.#resolve(signal, (resolver) => resolver.resolveTxt(name));
    return records.map((strings) => strings.join(""));
  }

  /** The names that a CNAME record leads to, without a trailing dot. */
  async cname(name: string, signal: AbortSignal): Promise<string[]> {
    const names = await this.#resolve(signal, (resolver) => resolver.resolveCname(name));
    return names.map((each) => each.toLowerCase().replace(/\.$/, ""));
  }

  /** IPv4 and IPv6 addresses, at the end of CNAME records too. */
  async addresses(name: string, signal: AbortSignal): Promise<string[]> {
    const found = await Promise.all([
      this.#resolve(signal, (resolver) => resolver.resolve4(name)),
      this.#resolve(signal, (resolver) => resolver.resolve6(name)),
    ]);
    return found.flat();
  }

  async #resolve<Record>(signal: AbortSignal, look: (resolver: Resolver) => Promise<Record[]>): Promise<Record[]> {
    if (signal.aborted) throw new DnsUnavailable("ECANCELLED");
    // A resolver caches what it found for the record's time to live, so each lookup has its own.
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

/** Whether it is an IP address with an optional port: `10.0.0.2`, `127.0.0.1:5353`, `[::1]:53`. */
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
