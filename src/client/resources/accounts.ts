import type { List, PageOptions } from "../transport/list.ts";
import type { ChangeOptions, CreateOptions, RequestOptions } from "../transport/options.ts";
import type { Account, AccountCreate } from "../transport/schema.gen.ts";
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
