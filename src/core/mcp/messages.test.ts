import { expect, test } from "bun:test";
import type { JsonObject } from "../../lib/text/json-object.ts";
import { metaMembers, readMessage } from "./messages.ts";
import { isForeignOrigin } from "./origin.ts";
import { isReply } from "./replies.ts";
import { respond } from "./serve.ts";
import { McpError, type McpReply, type McpServer, missingCapability } from "./types.ts";

const meta = { [metaMembers.version]: "2026-07-28", [metaMembers.capabilities]: {} };

const server: McpServer = {
  info: { name: "test", version: "1" },
  instructions: "Use it.",
  listTools: () => [{ name: "one", inputSchema: { type: "object", properties: {} } }],
  callTool: ({ name, arguments: given }) => {
    if (name === "confirm") return { inputRequests: { a: { method: "elicitation/create", params: {} } } };
    if (name === "needs") throw missingCapability({ elicitation: {} });
    if (name === "denied") return { status: 403, headers: { "www-authenticate": "Bearer" } };
    if (name === "fails") throw new McpError(-32603, "failed");
    return name === "one" ? { content: [{ type: "text", text: JSON.stringify(given) }] } : undefined;
  },
};

async function send(message: unknown, headers: Record<string, string> = {}) {
  const body = typeof message === "string" ? message : JSON.stringify(message);
  const read = readMessage(new Headers({ "content-type": "application/json", ...headers }), Buffer.from(body));
  const reply: McpReply = isReply(read) ? read : await respond(server, read);
  const content = reply.body === undefined ? undefined : (JSON.parse(reply.body) as JsonObject);
  return { status: reply.status, content, error: content?.error as { code: number; message: string; data?: unknown } };
}

/** A request of the newest revision with the headers that it needs. */
function stateless(method: string, params: JsonObject = {}, headers: Record<string, string> = {}) {
  const name: Record<string, string> = typeof params.name === "string" ? { "mcp-name": params.name } : {};
  const message = { jsonrpc: "2.0", id: 7, method, params: { _meta: meta, ...params } };
  return send(message, { "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...name, ...headers });
}

function older(method: string, params: JsonObject = {}, headers: Record<string, string> = {}) {
  return send({ jsonrpc: "2.0", id: "a", method, params }, { "mcp-protocol-version": "2025-06-18", ...headers });
}

test("rejects messages with too many values before they are parsed", async () => {
  const many = (count: number) => ({ values: Array.from({ length: count }, () => ({})) });
  expect((await stateless("tools/list", many(39_000))).status).toBe(200);
  const { status, error } = await stateless("tools/list", many(340_000));
  expect({ status, code: error.code }).toEqual({ status: 400, code: -32600 });
  expect(error.message).toContain("40000");
});

test("describes the server in the newest revision and in those with a handshake", async () => {
  const discovered = await stateless("server/discover");
  expect(discovered.content).toEqual({
    jsonrpc: "2.0",
    id: 7,
    result: {
      resultType: "complete",
      supportedVersions: ["2026-07-28", "2025-11-25", "2025-06-18"],
      capabilities: { tools: {} },
      instructions: "Use it.",
      ttlMs: 60000,
      cacheScope: "private",
      _meta: { [metaMembers.server]: { name: "test", version: "1" } },
    },
  });
  for (const [asked, served] of [
    ["2025-06-18", "2025-06-18"],
    ["2025-11-25", "2025-11-25"],
    ["2024-11-05", "2025-11-25"],
    ["2026-07-28", "2025-11-25"],
  ]) {
    const params = { protocolVersion: asked, capabilities: {}, clientInfo: { name: "c", version: "1" } };
    const { content } = await send({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    expect(content!.result).toMatchObject({ protocolVersion: served, capabilities: { tools: {} } });
  }
  expect((await older("ping")).content).toEqual({ jsonrpc: "2.0", id: "a", result: {} });
  expect((await older("tools/list")).content!.result).toEqual({
    tools: [{ name: "one", inputSchema: { type: "object", properties: {} } }],
  });
  expect((await send({ jsonrpc: "2.0", method: "notifications/initialized" })).status).toBe(202);
});

test("calls tools", async () => {
  const called = await stateless("tools/call", { name: "one", arguments: { a: 1 } });
  expect(called.content!.result).toMatchObject({ resultType: "complete", content: [{ text: '{"a":1}' }] });
  const asks = await stateless("tools/call", { name: "confirm" });
  expect(asks.content!.result).toMatchObject({ resultType: "input_required", inputRequests: { a: {} } });
  expect((await stateless("tools/call", { name: "denied" })).status).toBe(403);
  for (const [name, status, code] of [
    ["needs", 400, -32021],
    ["fails", 500, -32603],
    ["unknown", 200, -32602],
  ] as const)
    expect(await stateless("tools/call", { name })).toMatchObject({ status, error: { code } });
  expect(await older("tools/call", { name: "unknown" })).toMatchObject({ status: 200, error: { code: -32602 } });
  expect(await stateless("tools/call", { name: "one", arguments: [1] })).toMatchObject({ error: { code: -32602 } });
  const long = await stateless("tools/call", { name: "x".repeat(10_000) });
  expect(long.error).toEqual({ code: -32602, message: "Unknown tool" });
});

test("rejects messages that are not requests", async () => {
  const rejected: [unknown, number, number, Record<string, string>?][] = [
    ["{", 400, -32700],
    ['"\xff"', 400, -32600],
    ["[]", 400, -32600],
    [[{ jsonrpc: "2.0", id: 1, method: "ping" }], 400, -32600],
    [{ id: 1, method: "ping" }, 400, -32600],
    [{ jsonrpc: "2.0", id: null, method: "ping" }, 400, -32600],
    [{ jsonrpc: "2.0", id: 1.5, method: "ping" }, 400, -32600],
    [{ jsonrpc: "2.0", id: "x".repeat(300), method: "ping" }, 400, -32600],
    [{ jsonrpc: "2.0", method: "tools/call" }, 400, -32600],
    [{ jsonrpc: "2.0", id: 1, result: {} }, 400, -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}', 400, -32600],
    [`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${"[".repeat(300)}${"]".repeat(300)}}}`, 400, -32600],
    [{ jsonrpc: "2.0", id: 1, method: "ping" }, 415, -32600, { "content-type": "text/plain" }],
  ];
  for (const [message, status, code, headers] of rejected) {
    const response = await send(message, { "mcp-protocol-version": "2025-11-25", ...headers });
    expect(response).toMatchObject({ status, error: { code } });
    expect(response.content).not.toHaveProperty("id");
  }
});

test("rejects requests whose headers and body disagree", async () => {
  const call = { name: "one", arguments: {} };
  const mismatches: Record<string, string>[] = [
    { "mcp-protocol-version": "2025-11-25" },
    { "mcp-method": "tools/list" },
    { "mcp-method": "TOOLS/CALL" },
    { "mcp-name": "two" },
    { "mcp-name": "=?base64?b25=?=" },
  ];
  for (const headers of mismatches)
    expect(await stateless("tools/call", call, headers)).toMatchObject({ status: 400, error: { code: -32020 } });
  const encoded = { "mcp-name": "=?base64?b25l?=" };
  expect((await stateless("tools/call", call, encoded)).status).toBe(200);
  const message = { jsonrpc: "2.0", id: 7, method: "tools/list", params: { _meta: meta } };
  expect(await send(message)).toMatchObject({ status: 400, content: { id: 7 }, error: { code: -32020 } });
  expect(await send(message, { "mcp-protocol-version": "2026-07-28" })).toMatchObject({ error: { code: -32020 } });
});

test("rejects revisions that it does not support, and requests without what their revision requires", async () => {
  const other = { _meta: { ...meta, [metaMembers.version]: "1900-01-01" } };
  expect(await stateless("tools/list", other, { "mcp-protocol-version": "1900-01-01" })).toMatchObject({
    status: 400,
    error: { code: -32022, data: { supported: ["2026-07-28", "2025-11-25", "2025-06-18"], requested: "1900-01-01" } },
  });
  expect(await older("tools/list", {}, { "mcp-protocol-version": "2025-03-26" })).toMatchObject({ status: 400 });
  for (const broken of [undefined, {}, { [metaMembers.version]: "2026-07-28" }, "text"])
    expect(await stateless("tools/list", { _meta: broken })).toMatchObject({ status: 400, error: { code: -32602 } });
  expect(await stateless("initialize")).toMatchObject({ status: 404, error: { code: -32601 } });
  expect(await older("server/discover")).toMatchObject({ status: 200, error: { code: -32601 } });
  expect(await older("resources/list")).toMatchObject({ status: 200, error: { code: -32601 } });
});

test("recognizes pages of other hosts", () => {
  expect(isForeignOrigin(null, "api.test")).toBe(false);
  expect(isForeignOrigin("https://api.test:8443", "API.test:8443")).toBe(false);
  for (const origin of ["https://evil.test", "https://api.test:1", "null", "file://api.test"])
    expect(isForeignOrigin(origin, "api.test")).toBe(true);
});
