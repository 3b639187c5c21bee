import { hostnameOf, isLoopbackHost } from "../lib/hosts.ts";

/** What probes ask for by whatever address they have. */
const openPaths = new Set(["/healthz", "/readyz", "/metrics"]);

/**
 * Under which hosts the management interface answers: where clients are told its address, under no other that somebody has pointed
 * at it. A page at such a name could otherwise reach a server behind a firewall (DNS rebinding).
 */
export class OwnHosts {
  readonly #names: ReadonlySet<string> | undefined;

  /** Without a public URL under all. */
  constructor(publicUrl: string | undefined, allowed: readonly string[]) {
    if (publicUrl === undefined) return;
    this.#names = new Set([new URL(publicUrl).host, ...allowed].map(hostnameOf));
  }

  /** A request of HTTP/1.0 may name none: browsers always do. */
  has(host: string | null): boolean {
    if (!this.#names || host === null) return true;
    const hostname = hostnameOf(host);
    return this.#names.has(hostname) || isLoopbackHost(hostname);
  }

  isOpen(path: string): boolean {
    return openPaths.has(path);
  }
}
