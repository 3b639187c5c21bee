import type { List, PageOptions } from "../transport/list.ts";
import type { ChangeOptions, RequestOptions } from "../transport/options.ts";
import type { Variable, VariableSet } from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

/** The variables of a gateway project. */
export class Variables {
  readonly #transport: Transport;
  readonly #projectName: string;

  constructor(transport: Transport, projectName: string) {
    this.#transport = transport;
    this.#projectName = projectName;
  }

  /**
   * All variables, in the order of creation; secrets without their values.
   *
   * @example
   * ```ts
   * for await (const { name, isSecret } of client.variables("orders").list()) console.log(name, isSecret);
   * ```
   */
  list(options: PageOptions & RequestOptions = {}): List<Variable> {
    const params = { projectName: this.#projectName };
    return this.#transport.list("listVariables", { call: { params }, paging: options });
  }

  /**
   * One variable; a secret without its value.
   *
   * @example
   * ```ts
   * const { environments } = await client.variables("orders").get("UPSTREAM_TOKEN");
   * ```
   */
  get(name: string, options?: RequestOptions): Promise<Variable> {
    return this.#transport.call("getVariable", { params: this.#paramsOf(name), options });
  }

  /**
   * Creates a variable or replaces it. A plain one takes effect with the next build, a secret with the next request.
   *
   * @example
   * ```ts
   * await client.variables("orders").set("UPSTREAM_TOKEN", { value: "s3cr3t-of-the-upstream", isSecret: true });
   * ```
   */
  set(name: string, variable: VariableSet, options?: ChangeOptions): Promise<Variable> {
    return this.#transport.call("setVariable", { params: this.#paramsOf(name), body: variable, options });
  }

  /**
   * Deletes a variable. Routes that use a deleted secret respond with 503.
   *
   * @example
   * ```ts
   * await client.variables("orders").delete("UPSTREAM_TOKEN");
   * ```
   */
  delete(name: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deleteVariable", { params: this.#paramsOf(name), options });
  }

  #paramsOf(variableName: string) {
    return { projectName: this.#projectName, variableName };
  }
}
