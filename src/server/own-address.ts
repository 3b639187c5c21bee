import type { Config } from "../config/config.ts";

/** The URLs of this process and its deployments. Known once it listens, since port 0 means any free port. */
export class OwnAddress {
  #port: number | undefined;

  constructor(private readonly config: Pick<Config, "host" | "publicUrl" | "gatewayUrl">) {}

  listensOn(port: number): void {
    this.#port = port;
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
    const template = this.config.gatewayUrl ?? `http://{name}.localhost:${this.#listening()}`;
    return template.replace("{name}", deployment);
  }

  #listening(): number {
    if (this.#port === undefined) throw new Error("The server is not listening yet.");
    return this.#port;
  }
}
