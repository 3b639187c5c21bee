import type { Config } from "../../config/config.ts";
import { urlHost } from "../../lib/network/hosts.ts";

/** The URLs of this process and its deployments. They are known after it listens, since port 0 means any free port. */
export class OwnAddress {
  #port: number | undefined;
  #gatewayPort: number | undefined;

  constructor(private readonly config: Pick<Config, "host" | "publicUrl" | "gatewayUrl" | "portalUrl" | "tls">) {}

  listensOn(port: number, gatewayPort = port): void {
    this.#port = port;
    this.#gatewayPort = gatewayPort;
  }

  /** The URL that this process listens at. */
  get url(): string {
    const { host } = this.config;
    return `${this.#protocol}://${urlHost(host)}:${this.#listening()}`;
  }

  /** The URL for clients. If the server listens on all interfaces, local clients use loopback. */
  get publicUrl(): string {
    return this.config.publicUrl ?? this.url.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:)/, "//127.0.0.1");
  }

  urlOf(deployment: string): string {
    const template =
      this.config.gatewayUrl ?? `${this.#protocol}://{name}.localhost:${this.#gatewayPort ?? this.#listening()}`;
    return template.replace("{name}", deployment);
  }

  /** The origin of a portal. Custom domains use the protocol and the port of deployments. */
  portalUrlOf({ name, host }: { name: string; host: string | null }): string {
    if (host !== null) {
      const { protocol, port } = new URL(this.urlOf("name"));
      return `${protocol}//${host}${port === "" ? "" : `:${port}`}`;
    }
    const template =
      this.config.portalUrl ?? `${this.#protocol}://{name}.portal.localhost:${this.#gatewayPort ?? this.#listening()}`;
    return new URL(template.replace("{name}", name)).origin;
  }

  /** The host with its port, as in a `Host` header. */
  hostOf(deployment: string): string {
    return this.urlOf(deployment).replace(/^https?:\/\/|\/$/gi, "");
  }

  /** The ports that clients use: those of the public URLs, which a proxy or a firewall may map to ours. */
  get externalPorts(): { management: number; gateway: number } {
    const portOf = (url: string) => Number(new URL(url).port) || 443;
    return { management: portOf(this.publicUrl), gateway: portOf(this.urlOf("name")) };
  }

  get #protocol(): string {
    return this.config.tls ? "https" : "http";
  }

  #listening(): number {
    if (this.#port === undefined) throw new Error("The server is not listening yet.");
    return this.#port;
  }
}
