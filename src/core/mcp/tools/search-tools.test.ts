import { expect, test } from "bun:test";
import type { JsonObject } from "../../../lib/text/json-object.ts";
import type { McpRequest, ToolResult } from "../types.ts";
import { type Searchable, searchOperations, searchServer } from "./search-tools.ts";

const operation = (operationId: string, method: string, path: string, description: string): Searchable => ({
  operationId,
  method,
  path,
  tool: { name: operationId, description, inputSchema: { type: "object", properties: { id: { type: "string" } } } },
});

const operations = [
  operation("listUsers", "GET", "/users", "Lists the users of an account."),
  operation("getUser", "GET", "/users/{id}", "Returns one person."),
  operation("createInvoice", "POST", "/invoices", "Creates an invoice for a user."),
];

const request = { id: 1, revision: "2026-07-28" } as McpRequest;

const server = searchServer({
  info: { name: "test", version: "1" },
  operations: () => operations,
  call: ({ name, arguments: given }) =>
    name === "getUser" ? { content: [{ type: "text", text: JSON.stringify(given) }] } : undefined,
});

test("finds operations by words, the best first", () => {
  const found = (query: string) => searchOperations(operations, query).map(({ operationId }) => operationId);
  expect(found("list users")[0]).toBe("listUsers");
  expect(found("create an invoice")[0]).toBe("createInvoice");
  expect(found("person")).toEqual(["getUser"]);
  expect(found("getUser")[0]).toBe("getUser");
  expect(found("INVOICES")[0]).toBe("createInvoice");
  expect(found("zebra")).toEqual([]);
  expect(found("")).toHaveLength(3);
});

test("the search server has the tools search and call", async () => {
  const tools = await server.listTools(request);
  expect(tools.map(({ name }) => name)).toEqual(["search", "call"]);
  const call = (name: string, given: JsonObject) => server.callTool({ request, name, arguments: given });
  const found = (await call("search", { query: "users", limit: 1 })) as ToolResult;
  expect(found.structuredContent).toMatchObject({
    operations: [{ operationId: "listUsers", inputSchema: { type: "object" } }],
    total: 3,
  });
  const none = (await call("search", { query: "zebra" })) as ToolResult;
  expect(none.structuredContent).toMatchObject({
    operations: [],
    operationIds: ["listUsers", "getUser", "createInvoice"],
  });
  expect(await call("search", { query: 5 })).toMatchObject({ isError: true });
  expect(await call("search", { query: "a", limit: 100 })).toMatchObject({ isError: true });
  expect(await call("call", { operationId: "getUser", arguments: { id: "7" } })).toMatchObject({
    content: [{ text: '{"id":"7"}' }],
  });
  expect(await call("call", { operationId: "other" })).toBeUndefined();
  expect(await call("getUser", {})).toBeUndefined();
});
