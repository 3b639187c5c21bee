import { readMessage } from "../../core/mcp/messages.ts";
import { isReply } from "../../core/mcp/replies.ts";
import type { McpRequest } from "../../core/mcp/types.ts";
import { isJsonObject } from "../../lib/text/json-object.ts";
import { HttpResponse } from "../../platform/http1/message/http-response.ts";
import { readWhole } from "../../platform/http1/message/read-whole.ts";
import type { McpMessage } from "../exchange/mcp-use.ts";
import type { RequestContext } from "../exchange/policy.ts";
import { reject } from "../exchange/rejection.ts";
import { rejectUnread } from "../exchange/request-body.ts";
import type { McpRoute } from "../exchange/running-route.ts";

const maxMessageBytes = 1024 * 1024;

/** Reads the message of a request once, for its policies and its handler. */
export function messageOf(context: RequestContext): Promise<McpMessage> {
  context.mcpMessage ??= read(context);
  return context.mcpMessage;
}

async function read(context: RequestContext): Promise<McpMessage> {
  const { request } = context;
  const { headers } = request;
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity")
    return reject(context, "unsupported_media_type", { detail: "The body must not be encoded." });
  const body = context.body ?? request.body ?? "";
  const bytes = await readWhole(request, body, maxMessageBytes);
  if (typeof bytes === "string") return rejectUnread(context, bytes, maxMessageBytes);
  try {
    return readMessage(headers, bytes);
  } finally {
    request.release(bytes.length);
  }
}

export function isRequest(message: McpMessage): message is McpRequest {
  return !(message instanceof HttpResponse) && !isReply(message);
}

/** The operation that a message calls. Undefined for other messages, and for tools that do not exist. */
export function calledTool({ method, params }: McpRequest, { options, tools }: McpRoute) {
  if (method !== "tools/call") return undefined;
  const { name, arguments: given } = params;
  if (options.mode === "tools") return typeof name === "string" ? tools.get(name) : undefined;
  const id = name === "call" && isJsonObject(given) ? given.operationId : undefined;
  return typeof id === "string" ? tools.get(id) : undefined;
}
