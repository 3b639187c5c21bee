import type { HttpResponse } from "../../platform/http1/message/http-response.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { McpRoute } from "../exchange/running-route.ts";
import type { McpHandler } from "./handler.ts";
import type { OperationCallDependencies } from "./operation-call.ts";

/** The handler of messages, loaded with the first one: most servers have no tools. */
export class McpOnDemand {
  #handler: Promise<McpHandler> | undefined;

  constructor(private readonly dependencies: OperationCallDependencies) {}

  async serve(exchange: Exchange, route: McpRoute): Promise<HttpResponse> {
    this.#handler ??= import("./handler.ts").then(({ McpHandler }) => new McpHandler(this.dependencies));
    return (await this.#handler).serve(exchange, route);
  }
}
