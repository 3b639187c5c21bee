import { hostnameOf, isLoopbackHost } from "../../lib/network/hosts.ts";
import { probePaths } from "./probes.ts";

/** Probes and scrapers may use any address. */
const openPaths = new Set([...probePaths, "/metrics"]);

/**
 * The hosts that the management API accepts. With a public URL it rejects all others: a page on another name that resolves
 * to this server could reach it behind a firewall (DNS rebinding).
 */
export class OwnHosts {
  readonly #names: ReadonlySet<string> | undefined;

  /** Without a public URL, every host is accepted. */
  constructor(publicUrl: string | undefined, allowed: readonly string[]) {
    if (publicUrl === undefined) return;
    this.#names = new Set([new URL(publicUrl).host, ...allowed].map(hostnameOf));
  }

  /** An HTTP/1.0 request may have no host; browsers always send one. */
  has(host: string | null): boolean {
    if (!this.#names || host === null) return true;
    const hostname = hostnameOf(host);
    return this.#names.has(hostname) || isLoopbackHost(hostname);
  }

  /** Whether the host is reserved: it is configured, or loopback, so that no deployment can have it. */
  isCertain(host: string | null): boolean {
    if (host === null) return true;
    const hostname = hostnameOf(host);
    return isLoopbackHost(hostname) || this.#names?.has(hostname) === true;
  }

  /** Without a public URL: names of this machine, as opposed to names of deployments. */
  owns(hostname: string): boolean {
    return this.#names?.has(hostname) ?? !hostname.endsWith(".localhost");
  }

  isOpen(path: string): boolean {
    return openPaths.has(path);
  }
}
