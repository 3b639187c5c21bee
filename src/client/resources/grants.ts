import type { List, PageOptions } from "../transport/list.ts";
import type { CreateOptions, RequestOptions } from "../transport/options.ts";
import type { Grant, GrantEntry, GrantInput } from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

/** The grants of one customer: credits in units of a meter, or money. */
export class Grants {
  readonly #transport: Transport;
  readonly #params: { bucketId: string; customerKey: string };

  constructor(transport: Transport, bucketId: string, customerKey: string) {
    this.#transport = transport;
    this.#params = { bucketId, customerKey };
  }

  /**
   * All grants of the customer, with what is left of them.
   *
   * @example
   * ```ts
   * for await (const { amount, balance } of client.grants(bucketId, "acme").list()) console.log(amount, balance);
   * ```
   */
  list(options: PageOptions & RequestOptions = {}): List<Grant> {
    return this.#transport.list("listGrants", { call: { params: this.#params }, paging: options });
  }

  /**
   * Grants credits, which pay for usage from now on.
   *
   * @example
   * ```ts
   * await client.grants(bucketId, "acme").create({ meter: "requests", amount: 1000, funding: "promotional" });
   * ```
   */
  create(grant: GrantInput, options?: CreateOptions): Promise<Grant> {
    return this.#transport.call("createGrant", { params: this.#params, body: grant, options });
  }

  /**
   * One grant.
   *
   * @example
   * ```ts
   * const { balance } = await client.grants(bucketId, "acme").get(grantId);
   * ```
   */
  get(grantId: string, options?: RequestOptions): Promise<Grant> {
    return this.#transport.call("getGrant", { params: { ...this.#params, grantId }, options });
  }

  /**
   * The ledger of a grant. Its entries never change.
   *
   * @example
   * ```ts
   * const entries = await client.grants(bucketId, "acme").entries(grantId).all();
   * ```
   */
  entries(grantId: string, options: PageOptions & RequestOptions = {}): List<GrantEntry> {
    const call = { params: { ...this.#params, grantId } };
    return this.#transport.list("listGrantEntries", { call, paging: options });
  }

  /**
   * Voids what is left of a grant.
   *
   * @example
   * ```ts
   * await client.grants(bucketId, "acme").void(grantId);
   * ```
   */
  void(grantId: string, options?: CreateOptions): Promise<Grant> {
    return this.#transport.call("voidGrant", { params: { ...this.#params, grantId }, body: {}, options });
  }
}
