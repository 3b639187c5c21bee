import type { JsonObject } from "../../lib/text/json-object.ts";
/** The supported revisions of the Model Context Protocol, the newest first. */
export const revisions = ["2026-07-28", "2025-11-25", "2025-06-18"] as const;
export type Revision = (typeof revisions)[number];

/** The revision in which each request carries its version and the client's capabilities. */
export const statelessRevision = "2026-07-28";
/** The revision of `initialize` requests that name one we do not support. */
export const latestHandshakeRevision = "2025-11-25";

/** Codes of JSON-RPC and of the protocol. */
export const errorCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

/** The name and version of a client or server, as it reports them. */
export interface Implementation {
  name: string;
  version: string;
  title?: string;
}

/** A request that passed the checks of its message. */
export interface McpRequest {
  revision: Revision;
  /** Whether the request carries the client's capabilities: they are unknown in the older revisions. */
  isStateless: boolean;
  id: string | number;
  method: string;
  params: JsonObject;
  /** The client as it reports itself, in the newest revision and in `initialize`. */
  client?: { name: string; version?: string };
  clientCapabilities: JsonObject;
}

/** An HTTP response; the body is JSON text. */
export interface McpReply {
  status: number;
  headers: Record<string, string>;
  body?: string;
}

export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/** A tool as `tools/list` describes it. */
export interface Tool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
  annotations?: ToolAnnotations;
}

export type Content =
  | { type: "text"; text: string }
  | { type: "image" | "audio"; data: string; mimeType: string }
  | { type: "resource"; resource: { uri: string; mimeType: string; blob: string } };

export interface ToolResult {
  content: Content[];
  structuredContent?: JsonObject;
  isError?: boolean;
}

/** Asks the client for input; it repeats the call with `inputResponses` and the state. Only in the newest revision. */
export interface InputRequired {
  inputRequests: Record<string, { method: string; params: JsonObject }>;
  requestState?: string;
}

export interface ToolCall {
  request: McpRequest;
  name: string;
  arguments: JsonObject;
  inputResponses?: JsonObject;
  requestState?: string;
}

/** Undefined if there is no such tool. A reply is an HTTP response instead of a result, such as 403. */
export type ToolOutcome = ToolResult | InputRequired | McpReply | undefined;

/** What a server offers. */
export interface McpServer {
  info: Implementation;
  instructions?: string | undefined;
  /** Returns the tools that the caller may use. */
  listTools(request: McpRequest): readonly Tool[] | Promise<readonly Tool[]>;
  /** Throws an McpError for an error of the protocol. */
  callTool(call: ToolCall): ToolOutcome | Promise<ToolOutcome>;
}

/** An error of the protocol, which a client gets instead of a result. */
export class McpError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

/** The request needs capabilities that the client has not declared. */
export function missingCapability(requiredCapabilities: JsonObject): McpError {
  const names = Object.keys(requiredCapabilities).join(", ");
  return new McpError(errorCodes.missingCapability, `The client does not declare the capability ${names}.`, {
    requiredCapabilities,
  });
}
