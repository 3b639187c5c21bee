import type { ArtifactTool } from "../../core/artifact/mcp-schema.ts";
import { isForeignOrigin } from "../../core/mcp/origin.ts";
import { errorReply } from "../../core/mcp/replies.ts";
import { respond } from "../../core/mcp/serve.ts";
import { SearchIndex, searchServer } from "../../core/mcp/tools/search-tools.ts";
import { errorCodes, type McpReply, type McpRequest, type McpServer, type ToolOutcome } from "../../core/mcp/types.ts";
import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import { HttpResponse } from "../../platform/http1/message/http-response.ts";
import { Exchange } from "../exchange/exchange.ts";
import type { ParentMessage } from "../exchange/mcp-use.ts";
import type { McpRoute } from "../exchange/running-route.ts";
import { CorsPolicy } from "../policies/cors/cors.ts";
import { calledTool, isRequest, messageOf } from "./message.ts";
import { callOperation, innerRequest, type OperationCallDependencies } from "./operation-call.ts";

/** Thrown where a reply cannot be returned. */
class EarlyResponse extends Error {
  constructor(readonly response: HttpResponse) {
    super();
  }
}

/** Serves the messages of agents: operations of the same version are their tools. */
export class McpHandler {
  readonly #counted = new WeakMap<ArtifactTool, ParentMessage["counted"]>();
  readonly #indexes = new WeakMap<McpRoute, SearchIndex>();

  constructor(private readonly dependencies: OperationCallDependencies) {}

  async serve(exchange: Exchange, route: McpRoute): Promise<HttpResponse> {
    if (!isAllowedOrigin(exchange))
      return responseOf(
        errorReply(undefined, 403, errorCodes.invalidRequest, "Pages of this origin may not send messages."),
      );
    const message = await messageOf(exchange);
    if (message instanceof HttpResponse) return message;
    if (!isRequest(message)) return responseOf(message);
    const client = clientOf(message, exchange);
    const tool = calledTool(message, route);
    exchange.mcp = {
      method: message.method.slice(0, 64),
      ...(tool && { tool: tool.tool.name }),
      ...(client !== undefined && { client }),
    };
    try {
      const reply = await respond(this.#serverOf(exchange, route), message);
      exchange.mcp.error = errorOf(reply);
      return responseOf(reply);
    } catch (error) {
      if (error instanceof EarlyResponse) return error.response;
      throw error;
    }
  }

  #serverOf(exchange: Exchange, route: McpRoute): McpServer {
    const { mode, title, version, instructions } = route.options;
    const permitted = new PermittedTools(exchange, route, this.dependencies);
    const info = { name: exchange.version.deployment.deploymentName, ...(title !== undefined && { title }), version };
    const call = async (name: string, given: Record<string, unknown>): Promise<ToolOutcome> => {
      const tool = route.tools.get(name);
      if (!tool) return undefined;
      const denial = await permitted.denial(tool);
      if (denial) return denied(exchange, denial);
      return callOperation(exchange, route, tool, given, this.#parentOf(exchange, tool), this.dependencies);
    };
    const list = () => this.#permittedTools(route, permitted);
    if (mode === "tools")
      return {
        info,
        instructions,
        listTools: async () => (await list()).map(({ tool }) => tool),
        callTool: ({ name, arguments: given }) => call(name, given),
      };
    return searchServer({
      info,
      instructions,
      index: this.#indexOf(route),
      offered: async () => new Set((await list()).map(({ tool }) => tool.name)),
      call: ({ name, arguments: given }) => call(name, given),
    });
  }

  #indexOf(route: McpRoute): SearchIndex {
    const known = this.#indexes.get(route);
    if (known) return known;
    const index = new SearchIndex(
      Array.from(route.tools.values(), ({ tool, binding: { method, path }, tags }) => ({
        operationId: tool.name,
        method,
        path,
        tool,
        ...(tags && { tags }),
      })),
    );
    this.#indexes.set(route, index);
    return index;
  }

  async #permittedTools({ tools }: McpRoute, permitted: PermittedTools): Promise<ArtifactTool[]> {
    const offered: ArtifactTool[] = [];
    for (const tool of tools.values()) {
      const denial = await permitted.denial(tool);
      if (!denial) offered.push(tool);
      // Clients cache lists, so an incomplete list must not be returned.
      else if (denial.exchange.rejection === "storage_unavailable") throw new EarlyResponse(denial.response);
    }
    return offered;
  }

  #parentOf({ requestId, mcp }: Exchange, tool: ArtifactTool): ParentMessage {
    const { name } = tool.tool;
    const counted = this.#counted.get(tool) ?? { route: { path: tool.binding.path }, tool: name };
    this.#counted.set(tool, counted);
    return { requestId, tool: name, counted, ...(mcp?.client !== undefined && { client: mcp.client }) };
  }
}

/**
 * A denied tool looks like an unknown one, except to callers that can do something about it: those without a credential,
 * and OAuth clients, which can ask their user for more.
 */
function denied(outer: Exchange, { exchange, response }: Denial): ToolOutcome {
  const challenge = response.headers.get("www-authenticate") ?? "";
  const isScope = response.status === 403 && challenge.includes('error="insufficient_scope"');
  const isAnonymous = response.status === 401 && outer.user === undefined;
  const isUnavailable = exchange.rejection === "storage_unavailable";
  if (!isScope && !isAnonymous && !isUnavailable) return undefined;
  outer.rejection = exchange.rejection;
  outer.rejectionDetail = exchange.rejectionDetail;
  throw new EarlyResponse(response);
}

/** Pages may send messages from the gateway's own origin, and from those that a policy `cors` allows. */
function isAllowedOrigin(exchange: Exchange): boolean {
  const { headers, clientHost } = exchange;
  if (!isForeignOrigin(headers.get("origin"), clientHost ?? null)) return true;
  for (let state = exchange.state; state; state = state.previous) if (state.policy instanceof CorsPolicy) return true;
  return false;
}

/** In older revisions, only the first message has the name of the client; the user agent is in all. */
function clientOf({ client }: McpRequest, { headers }: Exchange): string | undefined {
  if (client) return client.name.slice(0, 100);
  const product = /^[\w.-]{1,64}/.exec(headers.get("user-agent") ?? "");
  return product?.[0];
}

function errorOf({ body }: McpReply): number | undefined {
  const code = body !== undefined && body.length < 10_000 ? /"error":\{"code":(-\d+)/.exec(body)?.[1] : undefined;
  return code === undefined ? undefined : Number(code);
}

function responseOf({ status, headers, body }: McpReply): HttpResponse {
  return new HttpResponse(status, new HttpHeaders({ ...headers, "cache-control": "no-store" }), body);
}

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
