import type { List, PageOptions } from "../transport/list.ts";
import type { ChangeOptions, CreateOptions, RequestOptions } from "../transport/options.ts";
import type {
  ExchangedToken,
  TrustedIssuer,
  TrustedIssuerCreate,
  TrustedIssuerUpdate,
} from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

/** Identity providers, such as CI services, whose tokens are exchanged for tokens of the account. For admins. */
export class TrustedIssuers {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * All trusted issuers, in the order of creation.
   *
   * @example
   * ```ts
   * for await (const { issuer, subject } of client.trustedIssuers.list()) console.log(issuer, subject);
   * ```
   */
  list(options: PageOptions & RequestOptions = {}): List<TrustedIssuer> {
    return this.#transport.list("listTrustedIssuers", { call: {}, paging: options });
  }

  /**
   * Trusts tokens of an issuer whose subject and claims match.
   *
   * @example
   * ```ts
   * await client.trustedIssuers.create({
   *   issuer: "https://token.actions.githubusercontent.com",
   *   subject: "repo:acme/shop:pull_request",
   *   role: "editor",
   *   project: "shop",
   *   branchClaim: "head_ref",
   * });
   * ```
   */
  create(issuer: TrustedIssuerCreate, options?: CreateOptions): Promise<TrustedIssuer> {
    return this.#transport.call("createTrustedIssuer", { body: issuer, options });
  }

  /**
   * One trusted issuer.
   *
   * @example
   * ```ts
   * const { audience } = await client.trustedIssuers.get("trst_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  get(id: string, options?: RequestOptions): Promise<TrustedIssuer> {
    return this.#transport.call("getTrustedIssuer", { params: { trustedIssuerId: id }, options });
  }

  /**
   * Changes a trusted issuer. The tokens that it issued stop working immediately.
   *
   * @example
   * ```ts
   * await client.trustedIssuers.update("trst_0QGzNqW81Kx8VhTb3mPcRdZu", { subject: "repo:acme/shop:*" });
   * ```
   */
  update(id: string, changes: TrustedIssuerUpdate, options?: ChangeOptions): Promise<TrustedIssuer> {
    return this.#transport.call("updateTrustedIssuer", { params: { trustedIssuerId: id }, body: changes, options });
  }

  /**
   * Stops trusting an issuer. The tokens that it issued stop working immediately.
   *
   * @example
   * ```ts
   * await client.trustedIssuers.delete("trst_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  delete(id: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deleteTrustedIssuer", { params: { trustedIssuerId: id }, options });
  }
}

export interface ExchangeOptions extends RequestOptions {
  /** `<server's public URL>/v1/accounts/<account>`, if trusted issuers of several accounts accept the token. */
  audience?: string;
}

/** Exchanges a token of a trusted issuer. The client needs no token of its own. */
export function exchangeToken(
  transport: Transport,
  subjectToken: string,
  { audience, ...options }: ExchangeOptions = {},
): Promise<ExchangedToken> {
  const fields = {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    subject_token: subjectToken,
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    ...(audience !== undefined && { audience }),
  };
  return transport.submit("exchangeToken", fields, options);
}
