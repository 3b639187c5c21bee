import { expect, test } from "bun:test";
import type { JsonObject } from "../../../lib/text/json-object.ts";
import type { McpRequest, ToolResult } from "../types.ts";
import { type Searchable, SearchIndex, searchServer } from "./search-tools.ts";

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

function searching(all: Searchable[]) {
  return { index: new SearchIndex(all), offered: () => new Set(all.map(({ operationId }) => operationId)) };
}
const find = async (all: Searchable[], query: string) => {
  const { index, offered } = searching(all);
  return (await index.find(query, offered())).map(({ operationId }) => operationId);
};

const resultOf = ({ content }: ToolResult) => JSON.parse((content[0] as { text: string }).text);
const request = { id: 1, revision: "2026-07-28" } as McpRequest;

const server = searchServer({
  info: { name: "test", version: "1" },
  ...searching(operations),
  call: ({ name, arguments: given }) =>
    name === "getUser" ? { content: [{ type: "text", text: JSON.stringify(given) }] } : undefined,
});

test("finds operations by words, the best first", async () => {
  expect((await find(operations, "list users"))[0]).toBe("listUsers");
  expect((await find(operations, "create an invoice"))[0]).toBe("createInvoice");
  expect(await find(operations, "person")).toEqual(["getUser"]);
  expect((await find(operations, "getUser"))[0]).toBe("getUser");
  expect((await find(operations, "INVOICES"))[0]).toBe("createInvoice");
  expect(await find(operations, "zebra")).toEqual([]);
  expect(await find(operations, "")).toHaveLength(3);
});

test("finds words within identifiers, and of equal operations the one with the fewest other words", async () => {
  const calls = [
    operation("ListCallRecordingMetrics", "GET", "/Calls/{id}/Recordings/Metrics.json", "Lists metrics."),
    operation("ListCallEvent", "GET", "/Calls/{id}/Events.json", "Lists the events of a call."),
    operation("FetchCall", "GET", "/Calls/{id}.json", "Returns a call."),
    operation("ListCall", "GET", "/Calls.json", "Returns calls."),
    operation("ListAPIKeys", "GET", "/APIKeys.json", "Returns credentials."),
    operation("list_short_codes", "GET", "/SMS/ShortCodes.json", "Returns numbers."),
  ];
  const first = async (query: string) => (await find(calls, query))[0];
  expect(await first("list calls")).toBe("ListCall");
  expect(await first("fetch calls")).toBe("FetchCall");
  expect(await first("call events")).toBe("ListCallEvent");
  expect(await first("api keys")).toBe("ListAPIKeys");
  expect(await first("short code")).toBe("list_short_codes");
});

test("results are compact, and sent once", async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`property${index}`, { type: "string", description: "x".repeat(60) }]),
  );
  const many = Array.from({ length: 20 }, (_, index) => {
    const one = operation(`listThing${index}`, "GET", `/things/${index}`, "Lists things. ".repeat(200));
    return { ...one, tool: { ...one.tool, inputSchema: { type: "object" as const, properties } } };
  });
  const large = searchServer({ info: { name: "test", version: "1" }, ...searching(many), call: () => undefined });
  const search = async (query: string) => {
    const result = (await large.callTool({ request, name: "search", arguments: { query } })) as ToolResult;
    expect(result.structuredContent).toBeUndefined();
    return result.content[0] as { text: string };
  };
  const { text } = await search("list things");
  expect(text.length).toBeLessThan(14_000);
  const { operations: found } = JSON.parse(text);
  expect(found).toHaveLength(5);
  expect(found[0]).toHaveProperty("inputSchema");
  expect(found[4]).toMatchObject({ note: expect.stringContaining("operationId") });
  // The operation itself has all of its description and its schema.
  const [exact] = JSON.parse((await search("listThing19")).text).operations;
  expect(exact).toMatchObject({ operationId: "listThing19", inputSchema: { properties } });
});

test("the search server has the tools search and call", async () => {
  const tools = await server.listTools(request);
  expect(tools.map(({ name }) => name)).toEqual(["search", "call"]);
  const call = (name: string, given: JsonObject) => server.callTool({ request, name, arguments: given });
  const found = (await call("search", { query: "users", limit: 1 })) as ToolResult;
  expect(resultOf(found)).toMatchObject({
    operations: [{ operationId: "listUsers", inputSchema: { type: "object" } }],
    total: 3,
  });
  const none = (await call("search", { query: "zebra" })) as ToolResult;
  expect(resultOf(none)).toMatchObject({
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

test("finds only what is offered, and ignores words beyond the first 32", async () => {
  const index = new SearchIndex(operations);
  const found = async (query: string) =>
    (await index.find(query, new Set(["getUser"]))).map((each) => each.operationId);
  expect(await found("users")).toEqual(["getUser"]);
  expect(await found("")).toEqual(["getUser"]);
  expect(await found("createInvoice")).toEqual([]);
  const others = Array.from({ length: 32 }, (_, index) => `zebra${index}`).join(" ");
  expect(await found(`${others} users`)).toEqual([]);
});
