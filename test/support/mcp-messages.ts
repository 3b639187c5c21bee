// biome-ignore lint/suspicious/noExplicitAny: tests read the members that they expect.
type Json = any;

export interface McpResponse {
  status: number;
  headers: Headers;
  /** The JSON-RPC message, or a problem. */
  body: Json;
  /** The result, if the message has one. */
  result: Json;
  /** The JSON of a tool's text, or the text. */
  value: Json;
}

interface Options {
  token?: string | undefined;
  revision?: "2026-07-28" | "2025-11-25" | "2025-06-18";
  capabilities?: object;
  client?: { name: string; version: string };
  headers?: Record<string, string>;
}

/** Sends messages of the Model Context Protocol as they are, to test what clients would not send. */
export class McpMessages {
  constructor(
    private readonly url: () => string,
    private readonly options: Options = {},
  ) {}

  with(options: Options): McpMessages {
    return new McpMessages(this.url, { ...this.options, ...options });
  }

  async send(method: string, params: Record<string, unknown> = {}, id: unknown = 1): Promise<McpResponse> {
    const { token, revision = "2026-07-28", capabilities = { elicitation: {} }, client, headers } = this.options;
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": revision,
      "io.modelcontextprotocol/clientCapabilities": capabilities,
      ...(client && { "io.modelcontextprotocol/clientInfo": client }),
    };
    const isStateless = revision === "2026-07-28";
    const response = await fetch(this.url(), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": revision,
        ...(isStateless && { "mcp-method": method }),
        ...(isStateless && typeof params.name === "string" && { "mcp-name": params.name }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id, method, params: isStateless ? { ...params, _meta } : params }),
    });
    const text = await response.text();
    const body = text === "" ? undefined : JSON.parse(text);
    const content = body?.result?.content?.[0]?.text;
    return { status: response.status, headers: response.headers, body, result: body?.result, value: parsed(content) };
  }

  search(query: string, limit = 5): Promise<McpResponse> {
    return this.send("tools/call", { name: "search", arguments: { query, limit } });
  }

  /** `more` are the members of a call that is continued. */
  call(operationId: string, given: object = {}, more: object = {}): Promise<McpResponse> {
    return this.send("tools/call", { name: "call", arguments: { operationId, arguments: given }, ...more });
  }
}

function parsed(text: string | undefined): Json {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}
