import type { ArtifactTool } from "../../core/artifact/mcp-schema.ts";
import { argumentErrors, argumentsResult } from "../../core/mcp/tools/arguments.ts";
import { ArgumentError, type ToolRequest, toolRequest } from "../../core/mcp/tools/tool-request.ts";
import { error, maxResultBytes, toolResult } from "../../core/mcp/tools/tool-result.ts";
import type { ToolResult } from "../../core/mcp/types.ts";
import type { JsonObject } from "../../lib/text/json-object.ts";
import { bufferPiece } from "../../platform/http1/memory/buffer-memory.ts";
import { Body } from "../../platform/http1/message/body.ts";
import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import { HttpRequest } from "../../platform/http1/message/http-request.ts";
import type { HttpResponse } from "../../platform/http1/message/http-response.ts";
import type { Exchange, IncomingRequest } from "../exchange/exchange.ts";
import type { ParentMessage } from "../exchange/mcp-use.ts";
import type { FoundOperation, McpRoute } from "../exchange/running-route.ts";

/** A request that the gateway makes for a caller. */
interface InnerRequest {
  incoming: IncomingRequest;
  /** The response, once there is one. */
  response: Promise<HttpResponse>;
}

export interface OperationCallDependencies {
  protocol: string;
  /** Begins a request beside the one of the message, with its own id and trace. */
  incoming(request: HttpRequest, outer: IncomingRequest, path: string, search: string): IncomingRequest;
  /** Runs the policies and the target of a request. */
  enter(incoming: IncomingRequest, exchange: Exchange, found: FoundOperation): void;
}

const acceptedTypes = "application/json, text/*;q=0.9, */*;q=0.8";

/** Makes the request of a tool's operation, with the caller's credentials and no other of its headers. */
export function innerRequest(
  exchange: Exchange,
  { method, path, query, headers, body }: ToolRequest,
  { incoming }: OperationCallDependencies,
): InnerRequest {
  const outer = exchange.incoming;
  const received = Promise.withResolvers<HttpResponse>();
  const agent = exchange.headers.get("user-agent");
  const head = new HttpHeaders([
    ["host", outer.host],
    ["accept", acceptedTypes],
    ...(agent === null ? [] : [["user-agent", agent] as [string, string]]),
    ...(exchange.credentials ?? []),
    ...headers,
    ...(body ? [["content-length", String(body.length)] as [string, string]] : []),
  ]);
  const target = query === "" ? path : `${path}?${query}`;
  const request = new HttpRequest(method, target, head, body && Body.of(body), outer.ip, {
    respond: (_, response) => received.resolve(response),
  });
  request.forwarder = outer.request.forwarder;
  request.memory = outer.request.memory;
  const inner = incoming(request, outer, path, query);
  if (outer.asKey) inner.asKey = outer.asKey;
  if (outer.mountPath !== undefined) inner.mountPath = outer.mountPath;
  if (outer.prefix !== undefined) inner.prefix = outer.prefix;
  return { incoming: inner, response: received.promise };
}

/** Calls the operation of a tool as a request of the same caller. */
export async function callOperation(
  exchange: Exchange,
  route: McpRoute,
  tool: ArtifactTool,
  given: JsonObject,
  parent: ParentMessage,
  dependencies: OperationCallDependencies,
): Promise<ToolResult> {
  const request = requestFor(tool, given);
  if ("content" in request) return request;
  const found = route.find(request.path, request.method);
  // Another operation, with other policies, could be meant by a value such as "me".
  if (found?.running !== route.routeOf(tool))
    return argumentsResult(["An argument of the path leads to another operation."]);
  const { incoming, response } = innerRequest(exchange, request, dependencies);
  incoming.parent = parent;
  incoming.countedSubject = exchange.keyId;
  const uri = `${dependencies.protocol}://${incoming.host}${incoming.prefix ?? ""}${request.path}`;
  exchange.attempts = 1;
  dependencies.enter(incoming, exchange, found);
  return resultOf(exchange, incoming.request, response, uri);
}

function requestFor({ tool, binding }: ArtifactTool, given: JsonObject): ToolRequest | ToolResult {
  const errors = argumentErrors(tool, given);
  if (errors.length > 0) return argumentsResult(errors);
  try {
    return toolRequest(binding, given);
  } catch (failure) {
    if (failure instanceof ArgumentError) return argumentsResult([failure.message]);
    throw failure;
  }
}

/** Collects the response. Ends the request if the client of the message disconnects. */
async function resultOf(
  { request: outer, route }: Exchange,
  request: HttpRequest,
  responded: Promise<HttpResponse>,
  uri: string,
): Promise<ToolResult> {
  const over = Promise.withResolvers<void>();
  let timer: Timer | undefined;
  outer.abortListener = {
    onAbort: () => {
      request.abort();
      request.done(false);
      over.resolve();
    },
  };
  try {
    const response = await responded;
    // The operation's own timeout ends where its response begins.
    timer = setTimeout(() => over.resolve(), route.timeoutSeconds * 1000);
    const body = await collectBody(request, request.method === "HEAD" ? undefined : response.body, over.promise);
    if (request.method === "HEAD" || response.tunnel) response.discard();
    const { bytes, isTooLarge, failure } = body;
    request.done(failure === undefined);
    if (failure !== undefined) return error(failures[failure]);
    return toolResult({ status: response.status, headers: response.headers, body: bytes, isTooLarge, uri });
  } finally {
    clearTimeout(timer);
    outer.abortListener = undefined;
  }
}

const failures = {
  late: "The response of the API has not ended in time.",
  failed: "The response of the API ended before its end.",
  full: "The server is busy. Try again after 1 second.",
};

interface CollectedBody {
  bytes: Buffer;
  /** Whether `bytes` is only the beginning. */
  isTooLarge: boolean;
  /** Why the body has not ended. */
  failure?: "late" | "failed" | "full";
}

/** Reads the body of a response until its end, its limit or the deadline. */
async function collectBody(
  request: HttpRequest,
  body: HttpResponse["body"],
  deadline: Promise<void>,
): Promise<CollectedBody> {
  if (!(body instanceof Body)) {
    const bytes = typeof body === "string" ? Buffer.from(body) : Buffer.from(body ?? []);
    return { bytes: bytes.subarray(0, maxResultBytes), isTooLarge: bytes.length > maxResultBytes };
  }
  const pieces: Buffer[] = [];
  let size = 0;
  let failure: CollectedBody["failure"] = "late";
  let isTooLarge = false;
  const over = Promise.withResolvers<void>();
  body.consume({
    write: (piece) => {
      if (!request.reserve(piece.length)) {
        failure = "full";
        over.resolve();
        return false;
      }
      bufferPiece(pieces, piece);
      size += piece.length;
      isTooLarge = size > maxResultBytes;
      if (isTooLarge) over.resolve();
      return !isTooLarge;
    },
    end: () => {
      failure = undefined;
      over.resolve();
    },
    fail: () => {
      failure = "failed";
      over.resolve();
    },
  });
  await Promise.race([over.promise, deadline]);
  const isComplete = failure === undefined;
  if (!isComplete) body.cancel();
  const bytes = Buffer.concat(pieces).subarray(0, maxResultBytes);
  return { bytes, isTooLarge, ...(failure !== undefined && !isTooLarge && { failure }) };
}
