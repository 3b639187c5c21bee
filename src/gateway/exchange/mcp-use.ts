import type { McpReply, McpRequest } from "../../core/mcp/types.ts";
import type { HttpResponse } from "../../platform/http1/message/http-response.ts";

/** A message to a route with the handler `mcp`: a request, or the response to what is none. */
export type McpMessage = McpRequest | McpReply | HttpResponse;

/** What a message to a route with the handler `mcp` was, for the record of the request. */
export interface McpUse {
  method: string;
  /** The called tool, if there is one with that name. */
  tool?: string;
  /** The client as it reports itself. */
  client?: string;
  /** The code of the error that the client got instead of a result. */
  error?: number;
}

/** The message that caused a request to an operation. */
export interface ParentMessage {
  requestId: string;
  tool: string;
  client?: string;
  /** The same object for each call of the tool of a version: analytics count by it. */
  counted: { readonly route: { readonly path: string }; readonly tool: string };
}
