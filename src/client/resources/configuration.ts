import type { ChangeOptions, RequestOptions } from "../transport/options.ts";
import type { ConfigurationDump, ConfigurationPlan, ConfigurationPlanCreate } from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

/** The buckets, plans, webhooks, domains and variables of an account as one document. */
export class ConfigurationResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * The configuration of the account. Secrets are references to environment variables.
   *
   * @example
   * ```ts
   * const { configuration } = await client.configuration.get();
   * console.log(Object.keys(configuration.keyBuckets ?? {}));
   * ```
   */
  get(options?: RequestOptions): Promise<ConfigurationDump> {
    return this.#transport.call("getConfiguration", { options });
  }

  /**
   * Plans the changes that make the account match a configuration. Changes nothing.
   *
   * @example
   * ```ts
   * const { planId, steps } = await client.configuration.plan({
   *   configuration: { version: 1, keyBuckets: { main: { keyPrefix: "acme" } } },
   *   as: "shop",
   *   prune: true,
   * });
   * for (const { action, kind, name } of steps) console.log(action, kind, name);
   * await client.configuration.apply(planId);
   * ```
   */
  plan(request: ConfigurationPlanCreate, options?: ChangeOptions): Promise<ConfigurationPlan> {
    return this.#transport.call("planConfiguration", { body: request, options });
  }

  /**
   * A plan of the last 100.
   *
   * @example
   * ```ts
   * const { status } = await client.configuration.getPlan(planId);
   * ```
   */
  getPlan(planId: string, options?: RequestOptions): Promise<ConfigurationPlan> {
    return this.#transport.call("getConfigurationPlan", { params: { configurationPlanId: planId }, options });
  }

  /**
   * Applies a plan, all steps or none. Throws with the code `configuration_changed` if a resource of its steps changed.
   *
   * @example
   * ```ts
   * const { appliedOn } = await client.configuration.apply(planId);
   * ```
   */
  apply(planId: string, options?: ChangeOptions): Promise<ConfigurationPlan> {
    return this.#transport.call("applyConfiguration", { body: { planId }, options });
  }
}
