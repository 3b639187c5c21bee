import type { Config } from "../config/config.ts";

/** The URLs of this process and its deployments. Known once it listens, since port 0 means any free port. */
export class OwnAddress {
  #port: number | undefined;
  #gatewayPort: number | undefined;

  constructor(private readonly config: Pick<Config, "host" | "publicUrl" | "gatewayUrl">) {}

  listensOn(port: number, gatewayPort = port): void {
    this.#port = port;
    this.#gatewayPort = gatewayPort;
  }

  /** Where this process listens. */
  get url(): string {
    const { host } = this.config;
    return `http://${host.includes(":") ? `[${host}]` : host}:${this.#listening()}`;
  }

  get publicUrl(): string {
    return this.config.publicUrl ?? this.url;
  }

  urlOf(deployment: string): string {
    const template = this.config.gatewayUrl ?? `http://{name}.localhost:${this.#gatewayPort ?? this.#listening()}`;
    return template.replace("{name}", deployment);
  }

  /** With its port, as callers write it. */
  hostOf(deployment: string): string {
    return this.urlOf(deployment).replace(/^https?:\/\/|\/$/gi, "");
  }

  #listening(): number {
    if (this.#port === undefined) throw new Error("The server is not listening yet.");
    return this.#port;
  }
}
