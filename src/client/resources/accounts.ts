import type { List, PageOptions } from "../transport/list.ts";
import type { ChangeOptions, CreateOptions, RequestOptions } from "../transport/options.ts";
import type { Account, AccountCreate, CreatedToken, Token, TokenCreate } from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

/** The accounts of an installation. For the operator. */
export class Accounts {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * All accounts, in the order of creation.
   *
   * @example
   * ```ts
   * for await (const account of client.accounts.list()) console.log(account.name);
   * ```
   */
  list(options: PageOptions & RequestOptions = {}): List<Account> {
    return this.#transport.list("listAccounts", { call: {}, paging: options });
  }

  /**
   * Creates an account.
   *
   * @example
   * ```ts
   * await client.accounts.create({ name: "acme" });
   * await client.inAccount("acme").tokens.create({ role: "admin" });
   * ```
   */
  create(account: AccountCreate, options?: CreateOptions): Promise<Account> {
    return this.#transport.call("createAccount", { body: account, options });
  }

  /**
   * One account.
   *
   * @example
   * ```ts
   * const { createdOn } = await client.accounts.get("acme");
   * ```
   */
  get(name: string, options?: RequestOptions): Promise<Account> {
    return this.#transport.call("getAccount", { params: { accountName: name }, options });
  }

  /**
   * Deletes an account with everything in it.
   *
   * @example
   * ```ts
   * await client.accounts.delete("acme");
   * ```
   */
  delete(name: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deleteAccount", { params: { accountName: name }, options });
  }
}

/** The credentials of the management API. For admins. */
export class Tokens {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * All tokens of the account, without their values.
   *
   * @example
   * ```ts
   * for await (const token of client.tokens.list()) console.log(token.role, token.lastUsedOn);
   * ```
   */
  list(options: PageOptions & RequestOptions = {}): List<Token> {
    return this.#transport.list("listTokens", { call: {}, paging: options });
  }

  /**
   * Creates a token. Only this response contains its value.
   *
   * @example
   * ```ts
   * const { token } = await client.tokens.create({ role: "verifier", name: "my gateway" });
   * ```
   */
  create(token: TokenCreate, options?: CreateOptions): Promise<CreatedToken> {
    return this.#transport.call("createToken", { body: token, options });
  }

  /**
   * One token, without its value.
   *
   * @example
   * ```ts
   * const { sub } = await client.whoAmI();
   * const { expiresOn } = await client.tokens.get(sub);
   * ```
   */
  get(id: string, options?: RequestOptions): Promise<Token> {
    return this.#transport.call("getToken", { params: { tokenId: id }, options });
  }

  /**
   * Deletes a token: it stops working immediately.
   *
   * @example
   * ```ts
   * await client.tokens.delete("tokn_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  delete(id: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deleteToken", { params: { tokenId: id }, options });
  }
}
