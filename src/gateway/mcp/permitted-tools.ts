import type { ArtifactTool } from "../../core/artifact/mcp-schema.ts";
import type { HttpResponse } from "../../platform/http1/message/http-response.ts";
import { Exchange } from "../exchange/exchange.ts";
import type { McpRoute } from "../exchange/running-route.ts";
import { innerRequest, type OperationCallDependencies } from "./operation-call.ts";

/** The policies that decide who may call an operation. They count nothing in a check, and run no code. */
const guards = ["api-key", "oauth", "basic-auth", "jwt", "permission", "ip-filter"];

/** Why the caller may not call an operation. */
export interface Denial {
  exchange: Exchange;
  response: HttpResponse;
}

/** Checks which operations the caller of a message may call, with the policies of the operations. */
export class PermittedTools {
  /** Results by the names of the deciding policies, which most operations share. */
  readonly #known = new Map<string, Promise<Denial | undefined>>();

  constructor(
    private readonly exchange: Exchange,
    private readonly route: McpRoute,
    private readonly dependencies: OperationCallDependencies,
  ) {}

  /** Returns undefined if the caller may call the operation. */
  denial(tool: ArtifactTool): Promise<Denial | undefined> {
    const { steps } = this.route.routeOf(tool);
    const names = steps.filter(({ type }) => guards.includes(type)).map(({ policy }) => policy);
    const key = names.join(" ");
    const known = this.#known.get(key) ?? this.#check(tool);
    this.#known.set(key, known);
    return known;
  }

  async #check({ binding }: ArtifactTool): Promise<Denial | undefined> {
    const { method, path } = binding;
    const running = this.route.routeOf({ binding });
    const { incoming } = innerRequest(this.exchange, { method, path, query: "", headers: [] }, this.dependencies);
    incoming.countedSubject = true;
    const exchange = new Exchange(incoming, this.exchange.version, running, {});
    exchange.clientHost = this.exchange.clientHost;
    for (const [at, { type }] of running.steps.entries()) {
      if (!guards.includes(type)) continue;
      const response = await running.policies[at]!.enter?.(exchange);
      if (response) return { exchange, response };
    }
    return undefined;
  }
}
