import { expect, test } from "bun:test";
import { buildProject } from "../../../test/support/gateway-project.ts";
import type { Artifact } from "../../core/artifact/artifact.ts";
import type { McpTarget } from "../../core/artifact/mcp-schema.ts";

const routing = (mcp: unknown, more: object = {}) => ({ "x-tollgate": { handler: "mcp", mcp, ...more } });

async function build(paths: object, settings: object = {}, more: object = {}) {
  const { errors, warnings, artifact } = await buildProject({
    "openapi.json": JSON.stringify({ openapi: "3.1.0", info: { title: "T", version: "2" }, paths, ...more }),
    "tollgate.json": JSON.stringify({ upstream: "https://api.example.com", ...settings }),
  });
  return {
    errors: errors.map(({ message }) => message),
    warnings: warnings.map(({ message }) => message),
    routes: artifact === undefined ? [] : (JSON.parse(artifact) as Artifact).routes,
  };
}

const user = { type: "object", properties: { name: { type: "string" } } };
const response = {
  200: { description: "", content: { "application/json": { schema: { $ref: "#/components/schemas/User" } } } },
};
const components = { schemas: { User: user } };
const listUsers = { operationId: "listUsers", tags: ["users"], responses: response };

test("the artifact has the tools of a route", async () => {
  const policies = { strict: { type: "validate", options: { response: "enforce" } }, loose: { type: "validate" } };
  const { errors, warnings, routes } = await build(
    {
      "/users": { get: { ...listUsers, "x-tollgate": { policies: ["strict"] } } },
      "/others": { get: { operationId: "listOthers", responses: response, "x-tollgate": { policies: ["loose"] } } },
      "/mcp": { post: routing({ tools: ["listOthers", "listUsers"], instructions: "I" }) },
    },
    { policies },
    { components },
  );
  expect(errors).toEqual([]);
  expect(warnings).toEqual([]);
  const { target } = routes.find(({ path }) => path === "/mcp")!;
  expect(target).toMatchObject({ handler: "mcp", mcp: { mode: "tools", title: "T", version: "2", instructions: "I" } });
  const { tools } = (target as McpTarget).mcp;
  expect(tools.map(({ tool }) => tool.name)).toEqual(["listOthers", "listUsers"]);
  expect(tools[0]!.tool).not.toHaveProperty("outputSchema");
  expect(tools[1]).toMatchObject({
    tool: { outputSchema: user },
    binding: { method: "GET", path: "/users" },
    tags: ["users"],
  });
});

test("reports routes and tools that are not possible", async () => {
  const users = { "/users": { get: listUsers } };
  const cases: [object, string][] = [
    [
      { "/mcp": { get: routing({ tools: ["listUsers"] }) } },
      'GET /mcp has the handler "mcp": it must be the operation of POST',
    ],
    [{ "/mcp": { post: { "x-tollgate": { handler: "mcp" } } } }, 'the handler "mcp" needs "mcp" beside it'],
    [{ "/mcp": { post: { "x-tollgate": { mcp: { tools: ["listUsers"] } } } } }, 'has options of "handler": "mcp"'],
    [{ "/mcp": { post: routing({ tools: [] }) } }, "must name at least one operation"],
    [{ "/mcp": { post: routing({ tools: ["other"] }) } }, 'no operation of the document has the operationId "other"'],
    [{ "/mcp": { post: routing({ tools: ["listUsers", "listUsers"] }) } }, 'names "listUsers" twice'],
    [{ "/mcp": { post: { operationId: "own", ...routing({ tools: ["own"] }) } } }, '"own" has "handler": "mcp"'],
    [
      { "/mcp": { post: routing({ tools: ["rest"] }) }, "/rest": { "x-tollgate-any": { operationId: "rest" } } },
      '"rest" has "x-tollgate-any"',
    ],
    [
      { "/mcp": { post: routing({ tools: ["a b"] }) }, "/a": { get: { operationId: "a b" } } },
      '"a b" cannot be a tool: the name of a tool is its operationId',
    ],
    [{ "/mcp": { post: routing({ tools: ["listUsers"], mode: "all" }) } }, "search"],
  ];
  for (const [paths, message] of cases) {
    const { errors } = await build({ ...users, ...paths }, {}, { components });
    expect({ message, errors }).toEqual({ message, errors: [expect.stringContaining(message)] });
  }
});

test("warns of more tools than models choose well of", async () => {
  const ids = Array.from({ length: 41 }, (_, at) => `operation${at}`);
  const operations = Object.fromEntries(ids.map((operationId) => [`/${operationId}`, { get: { operationId } }]));
  const many = await build({ ...operations, "/mcp": { post: routing({ tools: ids }) } });
  expect(many).toMatchObject({
    errors: [],
    warnings: [expect.stringMatching(/^\/mcp offers 41 tools of about \d+ tokens/)],
  });
  const search = await build({ ...operations, "/mcp": { post: routing({ tools: ids, mode: "search" }) } });
  expect(search).toMatchObject({ errors: [], warnings: [] });
  const long = { operationId: "long", description: "x".repeat(90_000) };
  const large = await build({ "/long": { get: long }, "/mcp": { post: routing({ tools: ["long"] }) } });
  expect(large.warnings).toEqual([expect.stringContaining("The largest are long (22")]);
});
