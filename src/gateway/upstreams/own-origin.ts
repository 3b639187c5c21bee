import { createHash } from "node:crypto";
import type { UpstreamTls } from "../../core/artifact/upstream-schema.ts";
import type { EgressAddress } from "../../platform/egress/egress.ts";

interface OwnOriginOptions {
  tls?: UpstreamTls | undefined;
  maxConnections?: number | undefined;
}

/**
 * An upstream of one deployment. Connections are pooled by address, server name, TLS identity and deployment: a
 * connection with a client certificate must never be used for requests of another deployment.
 */
export class OwnOrigin {
  /** The key of its state, which versions share. */
  readonly key: string;
  /** The host of the URL, with a port that is not the default one. */
  readonly host: string;
  /** The path of the URL, without a slash at the end. */
  readonly basePath: string;
  readonly #suffix: string;
  #located: EgressAddress | undefined;
  #own: EgressAddress | undefined;

  constructor(
    /** An origin, optionally with a base path. */
    readonly url: string,
    deploymentSeq: number,
    private readonly options: OwnOriginOptions = {},
  ) {
    const { host, pathname } = new URL(url);
    this.host = host;
    this.basePath = pathname.replace(/\/+$/, "");
    const { tls } = options;
    const identity = tls && createHash("sha256").update(JSON.stringify(tls)).digest("base64");
    this.#suffix = ` of ${deploymentSeq}${identity ? ` as ${identity}` : ""}`;
    this.key = url + this.#suffix;
  }

  /**
   * The result of `Egress.locate`, with this upstream's own pool. Returns the same object until the address changes.
   */
  at(located: EgressAddress): EgressAddress {
    if (located === this.#located) return this.#own!;
    this.#located = located;
    this.#own = this.#ownOf(located);
    return this.#own;
  }

  #ownOf({ origin, basePath }: EgressAddress): EgressAddress {
    const { tls, maxConnections } = this.options;
    const { connect, host } = origin;
    const key = origin.key + this.#suffix;
    if (!tls || "unix" in connect || !connect.tls) return { origin: { key, host, connect, maxConnections }, basePath };
    const { serverName = connect.tls.serverName, ca, cert, key: privateKey } = tls;
    const trust = {
      ...(serverName !== undefined && { serverName }),
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && { cert }),
      ...(privateKey !== undefined && { key: privateKey }),
    };
    return { origin: { key, host, connect: { ...connect, tls: trust }, maxConnections }, basePath };
  }
}
