import { isJsonObject, type JsonObject } from "../../lib/text/json-object.ts";
import { metaMembers } from "./messages.ts";
import { errorReply, isReply, resultReply, statusOf } from "./replies.ts";
import {
  errorCodes,
  McpError,
  type McpReply,
  type McpRequest,
  type McpServer,
  revisions,
  type ToolCall,
  type ToolOutcome,
} from "./types.ts";

/** How long clients may use a list of tools. Permissions of keys and versions of deployments change. */
const listTtlMs = 60_000;
/** Only tools: there are no resources, prompts, logs or subscriptions, and lists change without notice. */
const capabilities = { tools: {} };
/** Limits what an error repeats. */
const maxNameLength = 128;

/** Statuses of errors in the newest revision; others are 200. */
const statuses: Partial<Record<number, number>> = {
  [errorCodes.methodNotFound]: 404,
  [errorCodes.missingCapability]: 400,
  [errorCodes.internalError]: 500,
};

/** Responds to a request. Rejects only if the server fails. */
export async function respond(server: McpServer, request: McpRequest): Promise<McpReply> {
  try {
    return await dispatch(server, request);
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    const { code, message, data } = error;
    return errorReply(request, statusOf(request, statuses[code] ?? 200), code, message, data);
  }
}

async function dispatch(server: McpServer, request: McpRequest): Promise<McpReply> {
  const { method, isStateless } = request;
  if (method === "tools/list") return listTools(server, request);
  if (method === "tools/call") return callTool(server, request);
  if (isStateless && method === "server/discover") return discover(server, request);
  if (!isStateless && method === "initialize") return initialize(server, request);
  if (!isStateless && method === "ping") return resultReply(request, {});
  const name = method.length > maxNameLength ? "" : `: ${method}`;
  throw new McpError(errorCodes.methodNotFound, `Method not found${name}`);
}

function initialize({ info, instructions }: McpServer, request: McpRequest): McpReply {
  const { revision } = request;
  return resultReply(request, {
    protocolVersion: revision,
    capabilities,
    serverInfo: info,
    ...(instructions !== undefined && { instructions }),
  });
}

function discover(server: McpServer, request: McpRequest): McpReply {
  const { instructions } = server;
  return complete(server, request, {
    supportedVersions: revisions,
    capabilities,
    ...(instructions !== undefined && { instructions }),
    ttlMs: listTtlMs,
    cacheScope: "private",
  });
}

async function listTools(server: McpServer, request: McpRequest): Promise<McpReply> {
  if (request.params.cursor !== undefined) throw new McpError(errorCodes.invalidParams, "There is no such page.");
  const tools = await server.listTools(request);
  const caching = request.isStateless ? { ttlMs: listTtlMs, cacheScope: "private" } : {};
  return complete(server, request, { tools, ...caching });
}

async function callTool(server: McpServer, request: McpRequest): Promise<McpReply> {
  const call = toolCallOf(request);
  const outcome = await server.callTool(call);
  if (outcome === undefined) throw unknownTool(call.name);
  if (isReply(outcome)) return outcome;
  return complete(server, request, { ...outcome }, resultTypeOf(outcome));
}

export function unknownTool(name: string): McpError {
  return new McpError(errorCodes.invalidParams, name.length > maxNameLength ? "Unknown tool" : `Unknown tool: ${name}`);
}

/** Throws an McpError if the parameters of a `tools/call` are not valid. */
function toolCallOf(request: McpRequest): ToolCall {
  const { name, arguments: given = {}, inputResponses, requestState } = request.params;
  if (typeof name !== "string") throw new McpError(errorCodes.invalidParams, "params.name must be a text.");
  if (!isJsonObject(given)) throw new McpError(errorCodes.invalidParams, "params.arguments must be an object.");
  if (inputResponses !== undefined && !isJsonObject(inputResponses))
    throw new McpError(errorCodes.invalidParams, "params.inputResponses must be an object.");
  if (requestState !== undefined && typeof requestState !== "string")
    throw new McpError(errorCodes.invalidParams, "params.requestState must be a text.");
  return {
    request,
    name,
    arguments: given,
    ...(inputResponses !== undefined && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
  };
}

function resultTypeOf(outcome: NonNullable<ToolOutcome>): string {
  return "inputRequests" in outcome ? "input_required" : "complete";
}

/** Adds what the newest revision requires of each result. */
function complete({ info }: McpServer, request: McpRequest, result: JsonObject, resultType = "complete"): McpReply {
  if (!request.isStateless) return resultReply(request, result);
  return resultReply(request, { resultType, ...result, _meta: { [metaMembers.server]: info } });
}
