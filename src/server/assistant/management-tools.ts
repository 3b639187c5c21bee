import type { Endpoint } from "../../api/endpoint.ts";
import type { Pipeline } from "../../api/pipeline.ts";
import { mayCall } from "../../api/project-access.ts";
import { redact, secretsOf, shownSecretsOf } from "../../api/redact.ts";
import { explainRequest } from "../../client/explain-request.ts";
import type { Caller } from "../../core/access.ts";
import { unknownTool } from "../../core/mcp/serve.ts";
import { argumentErrors, argumentsResult } from "../../core/mcp/tools/arguments.ts";
import { SearchIndex, searchServer } from "../../core/mcp/tools/search-tools.ts";
import { ArgumentError, type ToolRequest, toolRequest } from "../../core/mcp/tools/tool-request.ts";
import { error, maxResultBytes, toolResult } from "../../core/mcp/tools/tool-result.ts";
import {
  errorCodes,
  type InputRequired,
  McpError,
  type McpRequest,
  type McpServer,
  missingCapability,
  type ToolCall,
  type ToolOutcome,
  type ToolResult,
} from "../../core/mcp/types.ts";
import { isStorable } from "../../core/schemas/schemas.ts";
import { isJsonObject, type JsonObject } from "../../lib/text/json-object.ts";
import { Body } from "../../platform/http1/message/body.ts";
import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import { HttpRequest } from "../../platform/http1/message/http-request.ts";
import type { HttpResponse } from "../../platform/http1/message/http-response.ts";
import { redactText } from "../../platform/telemetry/log.ts";
import type { Confirmations } from "./confirmations.ts";
import { type AssistantOperation, defaultLimit } from "./operations.ts";

export interface ManagementToolsOptions {
  operations: ReadonlyMap<string, AssistantOperation>;
  index: SearchIndex;
  pipeline: Pipeline;
  confirmations: Confirmations;
  /** Whether operations that change something may be called, each after a person has confirmed it. */
  allowsWrites: boolean;
  version: string;
}

/** The HTTP request that carries a message, and its caller. */
interface Received {
  http: HttpRequest;
  requestId: string;
  caller: Caller;
  now: number;
}

const instructions =
  "The management API of a Tollgate server: customers are called consumers, their API keys are in key buckets, their plans, " +
  "usage and invoices in metering buckets, where the key of a customer is the name of the consumer. Use `search` to find an " +
  "operation and the schema of its arguments, then `call`. Requests to deployments have an `explanation`. Keys are masked.";

/** Headers of the client's request that the request of a call has too. */
const passedHeaders = ["authorization", "host", "traceparent", "user-agent"];

/** The tools of one caller. */
export function managementTools(options: ManagementToolsOptions, received: Received): McpServer {
  return searchServer({
    info: { name: "tollgate", title: "Tollgate", version: options.version },
    instructions,
    isReadOnly: !options.allowsWrites,
    index: options.index,
    offered: (request) => {
      const offered = [...options.operations].filter(isOffered(options, received, request));
      return new Set(offered.map(([operationId]) => operationId));
    },
    call: (call) => callOperation(options, received, call),
  });
}

/** What the caller may call, and the client can have confirmed. */
function isOffered({ allowsWrites }: ManagementToolsOptions, { caller }: Received, request: McpRequest) {
  const canWrite = allowsWrites && canConfirm(request);
  return ([, { endpoint, kind }]: [string, AssistantOperation]) =>
    (kind === "read" || canWrite) && mayCall(endpoint, caller);
}

function canConfirm({ isStateless, clientCapabilities }: McpRequest): boolean {
  const { elicitation } = clientCapabilities;
  // A client that names modes must name the one with forms.
  return isStateless && isJsonObject(elicitation) && ("form" in elicitation || !("url" in elicitation));
}

export function indexOf(operations: ReadonlyMap<string, AssistantOperation>): SearchIndex {
  return new SearchIndex(
    Array.from(operations.values(), ({ endpoint: { operationId, method, path }, tool, words }) => ({
      operationId,
      method,
      path,
      tool,
      tags: words,
    })),
  );
}

async function callOperation(
  options: ManagementToolsOptions,
  received: Received,
  call: ToolCall,
): Promise<ToolOutcome> {
  const operation = options.operations.get(call.name);
  if (!operation || !mayCall(operation.endpoint, received.caller)) throw unknownTool(call.name);
  const given = withDefaults(operation, received.caller, call.arguments);
  const errors = argumentErrors(operation.tool, given);
  if (errors.length > 0) return argumentsResult(errors);
  let request: ToolRequest;
  try {
    request = toolRequest(operation.binding, given);
  } catch (thrown) {
    if (thrown instanceof ArgumentError) return argumentsResult([thrown.message]);
    throw thrown;
  }
  if (containsSecret(operation, request)) return argumentsResult(["A credential must not be an argument."]);
  if (operation.kind === "read") return send(options, received, operation, request, call);
  return confirmed(options, received, call, { operation, given, request });
}

/** The account of the token, and short pages. */
function withDefaults({ tool, endpoint }: AssistantOperation, { account }: Caller, given: JsonObject): JsonObject {
  const properties = tool.inputSchema.properties as JsonObject;
  return {
    ...(account && endpoint.path.includes("{accountName}") && { accountName: account.name }),
    ...("limit" in properties && endpoint.method === "GET" && { limit: defaultLimit }),
    ...given,
  };
}

/** Schemas without secrets may still permit any member. */
function containsSecret({ endpoint }: AssistantOperation, { body }: ToolRequest): boolean {
  if (!body) return false;
  const text = body.toString();
  return JSON.stringify(redact(JSON.parse(text), secretsOf(endpoint))) !== text;
}

interface Write {
  operation: AssistantOperation;
  /** The arguments with their defaults. */
  given: JsonObject;
  request: ToolRequest;
}

/** Runs a write once for each confirmation of a person. */
function confirmed(
  options: ManagementToolsOptions,
  received: Received,
  call: ToolCall,
  { operation, given, request }: Write,
): ToolOutcome | Promise<ToolOutcome> {
  const { allowsWrites, confirmations } = options;
  const { caller, now } = received;
  if (!allowsWrites)
    return error(`${call.name} changes something, and this server permits that only with TOLLGATE_MCP_WRITES=1.`);
  if (!call.request.isStateless)
    return error(
      `${call.name} changes something, so a person has to confirm it, which needs revision 2026-07-28 of the protocol.`,
    );
  if (!canConfirm(call.request)) throw missingCapability({ elicitation: {} });
  const subject = { actor: caller.id, operationId: call.name, arguments: given };
  const ask = () =>
    confirmationOf(operation.tool.title ?? call.name, request, confirmations.issue(subject, now)) ??
    error("The arguments are too long for a person to confirm. Use the console, the command line or the API.");
  const decision = decisionOf(call);
  if (call.requestState === undefined || decision === undefined) return ask();
  const state = confirmations.open(call.requestState, subject, now);
  if (state === "invalid") throw new McpError(errorCodes.invalidParams, "requestState is not that of this call.");
  if (state === "expired") return ask();
  if (!decision) return error("The person did not confirm it. Nothing was changed.");
  return send(options, received, operation, request, call, state.id);
}

/** Runs the request like one of the caller. */
async function send(
  { pipeline }: ManagementToolsOptions,
  { http, requestId }: Received,
  { endpoint }: AssistantOperation,
  { method, path, query, headers, body }: ToolRequest,
  call: ToolCall,
  confirmation?: string,
): Promise<ToolOutcome> {
  const head = new HttpHeaders([...headers, ["accept", "application/json"], ["x-request-id", requestId]]);
  for (const name of passedHeaders) {
    const value = http.headers.get(name);
    if (value !== null) head.set(name, value);
  }
  if (body) head.set("content-length", String(body.length));
  const target = query === "" ? path : `${path}?${query}`;
  const request = new HttpRequest(method, target, head, body && Body.of(body), http.ip);
  request.forwarder = http.forwarder;
  const response = await pipeline.handle(request, { client: clientOf(call.request), confirmation });
  return resultOf(endpoint, response, target);
}

/** The name that the assistant reports, which nothing proves. */
function clientOf({ client }: McpRequest): string {
  const text = client && redactText([client.name, client.version].filter(Boolean).join(" "));
  return text && isStorable(text) ? text : "unknown";
}

/** Operations that return requests to deployments. */
const returnsRequests = new Set(["getRequest", "listRequests", "listDeploymentRequests"]);

/** Converts the response of the management API to the result of a tool: without secrets, and with explanations. */
export async function resultOf(endpoint: Endpoint, response: HttpResponse, uri: string): Promise<ToolResult> {
  const { status, headers } = response;
  const body = await bytesOf(response);
  if (!body) return toolResult({ status, headers, body: Buffer.alloc(0), uri, isTooLarge: true });
  if (status >= 300) return toolResult({ status, headers, body, uri });
  return toolResult({ status, headers, body: shown(endpoint, body), uri });
}

/** Undefined if it is too large. */
async function bytesOf({ body }: HttpResponse): Promise<Buffer | undefined> {
  if (body === undefined) return Buffer.alloc(0);
  if (body instanceof Body) {
    const bytes = await body.bytes(maxResultBytes);
    return bytes && Buffer.from(bytes);
  }
  const bytes = Buffer.from(body as string);
  return bytes.length > maxResultBytes ? undefined : bytes;
}

function shown(endpoint: Endpoint, body: Buffer): Buffer {
  const secrets = shownSecretsOf(endpoint);
  const hasRequests = returnsRequests.has(endpoint.operationId);
  if ((secrets.length === 0 && !hasRequests) || body.length === 0) return body;
  const value = redact(JSON.parse(body.toString()), secrets, isMask) as JsonObject;
  return Buffer.from(JSON.stringify(hasRequests ? explained(value) : value));
}

/** Keys are masked by the operations themselves; anything else at their place is not shown. */
function isMask(value: unknown): boolean {
  return typeof value === "string" && value.startsWith("****");
}

function explained(value: JsonObject): JsonObject {
  if (Array.isArray(value.data))
    return { ...value, data: value.data.map((each) => (isJsonObject(each) ? explained(each) : each)) };
  return { ...value, explanation: explainRequest(value as unknown as Parameters<typeof explainRequest>[0]) };
}

const question = "confirm";
/** A person reads it. */
const longestMessage = 8000;

/** Asks the person to confirm a request. Returns undefined if it is too long to be read. */
export function confirmationOf(title: string, request: ToolRequest, requestState: string): InputRequired | undefined {
  const message = messageOf(title, request);
  if (message.length > longestMessage) return undefined;
  return {
    inputRequests: {
      [question]: {
        method: "elicitation/create",
        params: {
          mode: "form",
          message,
          requestedSchema: {
            type: "object",
            // Without a default: a client that accepts with the defaults of a form confirms nothing.
            properties: { confirm: { type: "boolean", title: "Do this" } },
            required: ["confirm"],
          },
        },
      },
    },
    requestState,
  };
}

/** Whether the person confirmed. Undefined if there is no response to the question. */
export function decisionOf({ inputResponses }: Pick<ToolCall, "inputResponses">): boolean | undefined {
  const response = inputResponses?.[question];
  if (!isJsonObject(response)) return undefined;
  return response.action === "accept" && isJsonObject(response.content) && response.content.confirm === true;
}

/** The request as it will be sent, so that nothing is hidden from the person. */
function messageOf(title: string, { method, path, query, body }: ToolRequest): string {
  const target = query === "" ? path : `${path}?${query}`;
  const content = body && JSON.stringify(JSON.parse(body.toString()) as JsonObject, undefined, 2);
  return [title, "", `${method} ${target}`, ...(content === undefined ? [] : [visible(content)])].join("\n");
}

/** Shows characters that are invisible or change the order of others as their code points. */
function visible(text: string): string {
  return text.replaceAll(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu, (one) => `\\u{${one.codePointAt(0)!.toString(16)}}`);
}
