import type { JsonObject } from "../../lib/text/json-object.ts";
import { type McpReply, type McpRequest, statelessRevision } from "./types.ts";

const jsonHeaders = { "content-type": "application/json" };

/** An error without a request has no id: it could not be read. */
export function errorReply(
  request: Pick<McpRequest, "id"> | undefined,
  status: number,
  code: number,
  message: string,
  data?: unknown,
): McpReply {
  const error = { code, message, ...(data !== undefined && { data }) };
  const id = request ? { id: request.id } : {};
  return { status, headers: { ...jsonHeaders }, body: JSON.stringify({ jsonrpc: "2.0", ...id, error }) };
}

export function resultReply({ id }: McpRequest, result: JsonObject): McpReply {
  return { status: 200, headers: { ...jsonHeaders }, body: JSON.stringify({ jsonrpc: "2.0", id, result }) };
}

/**
 * The status of an error that a request causes. Clients of the older revisions read errors of requests only from a
 * response with 200.
 */
export function statusOf({ revision }: Pick<McpRequest, "revision">, status: number): number {
  return revision === statelessRevision ? status : 200;
}

export function isReply(value: object): value is McpReply {
  return "status" in value;
}
