import type { List, PageOptions } from "../transport/list.ts";
import type { ChangeOptions, CreateOptions, RequestOptions } from "../transport/options.ts";
import type { Domain, DomainCreate, DomainUpdate } from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

/** Custom domains: your own hosts, served by deployments. */
export class Domains {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * All custom domains of the account.
   *
   * @example
   * ```ts
   * for await (const { host, status, message } of client.domains.list()) console.log(host, status, message);
   * ```
   */
  list(options: PageOptions & RequestOptions = {}): List<Domain> {
    return this.#transport.list("listDomains", { call: {}, paging: options });
  }

  /**
   * Claims a host for a deployment. It is served once the TXT record in `dns` is found.
   *
   * @example
   * ```ts
   * const { dns } = await client.domains.create({ host: "api.acme.example", deploymentName: "orders-main-1a2b3c4" });
   * for (const { type, name, value } of dns) console.log(type, name, value);
   * ```
   */
  create(domain: DomainCreate, options?: CreateOptions): Promise<Domain> {
    return this.#transport.call("createDomain", { body: domain, options });
  }

  /**
   * One domain, with the records to set and whether they were found.
   *
   * @example
   * ```ts
   * const { status, certificate } = await client.domains.get("domn_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  get(id: string, options?: RequestOptions): Promise<Domain> {
    return this.#transport.call("getDomain", { params: { domainId: id }, options });
  }

  /**
   * Changes the deployments: one for all paths, or mounts by path. Applies to the next request.
   *
   * @example
   * ```ts
   * await client.domains.update("domn_0QGzNqW81Kx8VhTb3mPcRdZu", {
   *   mounts: [
   *     { path: "/", deploymentName: "shop-main-9f8e7d6" },
   *     { path: "/billing", deploymentName: "billing-main-1a2b3c4", stripPath: true },
   *   ],
   * });
   * ```
   */
  update(id: string, change: DomainUpdate, options?: ChangeOptions): Promise<Domain> {
    return this.#transport.call("updateDomain", { params: { domainId: id }, body: change, options });
  }

  /**
   * Starts a DNS lookup now. Returns the domain in its state before the lookup.
   *
   * @example
   * ```ts
   * await client.domains.check("domn_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  check(id: string, options?: CreateOptions): Promise<Domain> {
    return this.#transport.call("checkDomain", { params: { domainId: id }, body: {}, options });
  }

  /**
   * Deletes a domain. Requests to its host are no longer served.
   *
   * @example
   * ```ts
   * await client.domains.delete("domn_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  delete(id: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deleteDomain", { params: { domainId: id }, options });
  }
}
