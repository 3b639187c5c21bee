import type { CallerFinder } from "../../api/credentials.ts";
import type { Endpoint } from "../../api/endpoint.ts";
import { readBytes } from "../../api/form.ts";
import type { Pipeline } from "../../api/pipeline.ts";
import type { Caller } from "../../core/access.ts";
import { requestIdOf } from "../../core/http/request-id.ts";
import { problemResponse, toResponse } from "../../core/http/response.ts";
import { readMessage } from "../../core/mcp/messages.ts";
import { isForeignOrigin } from "../../core/mcp/origin.ts";
import { isReply } from "../../core/mcp/replies.ts";
import { respond } from "../../core/mcp/serve.ts";
import type { McpReply } from "../../core/mcp/types.ts";
import type { Metrics } from "../../core/metrics/metrics.ts";
import { Problem, problemOf } from "../../core/problems/problem.ts";
import type { Keyring } from "../../lib/crypto/keyring.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { HttpRequest } from "../../platform/http1/message/http-request.ts";
import type { HttpResponse } from "../../platform/http1/message/http-response.ts";
import type { Log } from "../../platform/telemetry/log.ts";
import { Confirmations } from "./confirmations.ts";
import { indexOf, type ManagementToolsOptions, managementTools } from "./management-tools.ts";
import { assistantOperations } from "./operations.ts";

const assistantPath = "/mcp";
const maxMessageBytes = 1024 * 1024;

export interface AssistantOptions {
  endpoints: Endpoint[];
  /** Returns the OpenAPI document of endpoints. */
  documentOf(endpoints: Endpoint[]): Promise<object>;
  pipeline: Pipeline;
  credentials: CallerFinder;
  keyring: Keyring;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  allowsWrites: boolean;
  version: string;
}

/** Serves the management API to assistants, as tools of the Model Context Protocol, with the rights of a token. */
export class Assistant {
  #tools: Promise<ManagementToolsOptions> | undefined;

  constructor(private readonly options: AssistantOptions) {}

  async handle(request: HttpRequest): Promise<HttpResponse> {
    const { clock, log, metrics } = this.options;
    const requestId = requestIdOf(request);
    const started = performance.now();
    const now = clock.now();
    let caller: Caller | undefined;
    let response: HttpResponse;
    try {
      caller = await this.#callerOf(request, now);
      response = toPlain(await this.#respond({ http: request, requestId, caller, now }), requestId);
    } catch (thrown) {
      const problem = problemOf(thrown);
      if (problem.status >= 500) log.error(problem.detail, { requestId, operation: "mcp", error: problem.cause });
      response = toResponse(problemResponse(problem, { path: assistantPath, requestId, now }), requestId);
    }
    const { status } = response;
    const milliseconds = performance.now() - started;
    metrics.request("mcp", status, milliseconds / 1000);
    const { method } = request;
    const origin = {
      method,
      path: assistantPath,
      operation: "mcp",
      caller: caller?.id,
      account: caller?.account?.name,
    };
    log.request({ time: now, requestId, status, milliseconds, origin });
    return response;
  }

  /** A session's cookie is no credential here: a page could use it without the person. */
  async #callerOf(request: HttpRequest, now: number): Promise<Caller> {
    const { headers, method } = request;
    if (isForeignOrigin(headers.get("origin"), headers.get("host")))
      throw new Problem("origin_mismatch", { detail: "Pages of other origins must not send requests to /mcp." });
    if (!headers.has("authorization"))
      throw new Problem("unauthenticated", {
        detail: "Send `Authorization: Bearer <token>` with a token of this server. Browser sessions are not accepted.",
      });
    const caller = await this.options.credentials.callerOf(request, now);
    if (method !== "POST") throw new Problem("method_not_allowed", { headers: { allow: "POST" } });
    return caller;
  }

  async #respond(received: { http: HttpRequest; requestId: string; caller: Caller; now: number }): Promise<McpReply> {
    const { http } = received;
    const message = readMessage(http.headers, await readBytes(http, maxMessageBytes));
    if (isReply(message)) return message;
    this.#tools ??= this.#newTools();
    return respond(managementTools(await this.#tools, received), message);
  }

  /** Takes as long as `/openapi.json`, so only the request of a caller with a token starts it. */
  async #newTools(): Promise<ManagementToolsOptions> {
    const { endpoints, documentOf, keyring, pipeline, allowsWrites, version } = this.options;
    const { operations } = await assistantOperations(endpoints, documentOf);
    const index = indexOf(operations);
    return { operations, index, pipeline, confirmations: new Confirmations(keyring), allowsWrites, version };
  }
}

function toPlain({ status, headers, body }: McpReply, requestId: string): HttpResponse {
  const fields = { ...headers, "cache-control": "no-store" };
  return toResponse(
    { status, headers: fields, body: body ?? null, type: body === undefined ? "none" : "json" },
    requestId,
  );
}
