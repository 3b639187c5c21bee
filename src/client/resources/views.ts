import type { List, PageOptions } from "../transport/list.ts";
import type { ChangeOptions, RequestOptions } from "../transport/options.ts";
import type { View, ViewCreate, ViewUpdate } from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

/** The saved views of an account: named filters of the console's lists. */
export class Views {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * All views, in the order of creation.
   *
   * @example
   * ```ts
   * for await (const { name, page, search } of client.views.list()) console.log(name, `${page}?${search}`);
   * ```
   */
  list(options: PageOptions & RequestOptions = {}): List<View> {
    return this.#transport.list("listViews", { call: {}, paging: options });
  }

  /**
   * Saves a view.
   *
   * @example
   * ```ts
   * await client.views.create({ name: "Gold customers", page: "consumers", search: "tag=plan%3Dgold" });
   * ```
   */
  create(view: ViewCreate, options?: ChangeOptions): Promise<View> {
    return this.#transport.call("createView", { body: view, options });
  }

  /**
   * One view.
   *
   * @example
   * ```ts
   * const { name } = await client.views.get(viewId);
   * ```
   */
  get(viewId: string, options?: RequestOptions): Promise<View> {
    return this.#transport.call("getView", { params: { viewId }, options });
  }

  /**
   * Renames a view or changes its filters.
   *
   * @example
   * ```ts
   * await client.views.update(viewId, { name: "Gold and platinum customers" });
   * ```
   */
  update(viewId: string, changes: ViewUpdate, options?: ChangeOptions): Promise<View> {
    return this.#transport.call("updateView", { params: { viewId }, body: changes, options });
  }

  /**
   * Deletes a view. What it lists is not changed.
   *
   * @example
   * ```ts
   * await client.views.delete(viewId);
   * ```
   */
  delete(viewId: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deleteView", { params: { viewId }, options });
  }
}
