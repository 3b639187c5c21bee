import { metaMembers } from "../../src/core/mcp/messages.ts";
import type { Deployed } from "./project.ts";

export interface McpResponse {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare it as a whole
  body: any;
}

export interface McpOptions {
  headers?: Record<string, string>;
  path?: string;
  revision?: string;
}

/** Sends a message as a client of the newest revision. */
export async function sendMessage(
  { call }: Pick<Deployed, "call">,
  method: string,
  params: Record<string, unknown> = {},
  { headers = {}, path = "/mcp", revision = "2026-07-28" }: McpOptions = {},
): Promise<McpResponse> {
  const meta = {
    [metaMembers.version]: revision,
    [metaMembers.capabilities]: {},
    [metaMembers.client]: { name: "test-agent", version: "1" },
  };
  const isStateless = revision === "2026-07-28";
  const response = await call(path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": revision,
      ...(isStateless && { "mcp-method": method }),
      ...(isStateless && typeof params.name === "string" && { "mcp-name": params.name }),
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: isStateless ? { ...params, _meta: meta } : params,
    }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
}
