import { expect, test } from "bun:test";
import type { JsonObject } from "../../../lib/text/json-object.ts";
import { argumentErrors } from "./arguments.ts";
import { OperationTools, type ToolSource, UnusableOperation } from "./operation-tools.ts";

const json = (schema: unknown) => ({ "application/json": { schema } });

function toolOf(operation: JsonObject, { source = {}, ...more }: { source?: Partial<ToolSource> } & JsonObject = {}) {
  const method = source.method ?? "POST";
  const path = source.path ?? "/users/{id}";
  const document = {
    openapi: "3.1.0",
    paths: { [path]: { [method.toLowerCase()]: { operationId: "change", ...operation } } },
    ...more,
  };
  return new OperationTools(document, { credentialHeaders: ["x-api-key"] }).toolOf({ path, method, ...source });
}

const id = { name: "id", in: "path", required: true, schema: { type: "string" }, description: "Of the user." };
const user = {
  type: "object",
  required: ["id", "name"],
  properties: {
    id: { type: "string", readOnly: true },
    name: { type: "string" },
    password: { type: "string", writeOnly: true },
  },
};

test("a tool has one argument per parameter and member of the body", () => {
  const { tool, binding, bytes, tokens } = toolOf({
    summary: "Change a user",
    description: "Returns it.",
    parameters: [
      id,
      { name: "dry run", in: "query", schema: { type: "boolean", example: true } },
      { name: "x-trace", in: "header", schema: { type: "string" } },
      { name: "X-Api-Key", in: "header", required: true, schema: { type: "string" } },
      { name: "Authorization", in: "header", schema: { type: "string" } },
      { name: "session", in: "cookie", schema: { type: "string" } },
    ],
    requestBody: { required: true, content: json(user) },
  });
  expect(tool).toEqual({
    name: "change",
    title: "Change a user",
    description: "Change a user\n\nReturns it.",
    inputSchema: {
      type: "object",
      properties: {
        id: { type: "string", description: "Of the user." },
        dry_run: { type: "boolean" },
        "x-trace": { type: "string" },
        name: { type: "string" },
        password: { type: "string" },
      },
      required: ["id", "name"],
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  });
  expect(binding.body).toEqual({ mediaType: "application/json", required: true, members: ["name", "password"] });
  expect(bytes).toBe(JSON.stringify(tool).length);
  expect(tokens).toBe(Math.ceil(bytes / 4));
});

test("a tool has the body as one argument if its members are nested or collide", () => {
  const bodies = [
    { type: "object", properties: { id: { type: "string" } } },
    { type: "object", properties: { a: {} }, additionalProperties: true },
    { allOf: [{ type: "object", properties: { a: {} } }] },
    { type: "object", properties: { a: {}, b: {} }, minProperties: 1 },
    { type: "array", items: { type: "string" } },
    { type: "object", properties: { "a b": {} } },
  ];
  for (const schema of bodies) {
    const { tool, binding } = toolOf({ parameters: [id], requestBody: { content: json(schema) } });
    expect(Object.keys(tool.inputSchema.properties as JsonObject)).toEqual(["id", "body"]);
    expect(Object.keys(tool.inputSchema).sort()).toEqual(["properties", "required", "type"]);
    expect(binding.body).toEqual({ mediaType: "application/json", required: false, argument: "body" });
  }
});

test("inlines references up to a size, and keeps cycles in $defs", () => {
  const node = {
    type: "object",
    properties: { name: { $ref: "#/components/schemas/Name" }, next: { $ref: "#/components/schemas/Node" } },
  };
  const components = { schemas: { Node: node, Name: { type: "string", maxLength: 5 } } };
  const operation = {
    parameters: [{ ...id, schema: { $ref: "#/components/schemas/Name" } }],
    requestBody: { content: json({ type: "object", properties: { node: { $ref: "#/components/schemas/Node" } } }) },
  };
  const small = toolOf(operation, { components }).tool.inputSchema;
  expect(small.properties).toEqual({
    id: { type: "string", maxLength: 5, description: "Of the user." },
    node: { $ref: "#/$defs/Node" },
  });
  expect(small.$defs).toEqual({
    Node: {
      type: "object",
      properties: { name: { type: "string", maxLength: 5 }, next: { $ref: "#/$defs/Node" } },
    },
  });
  const wide = {
    type: "object",
    properties: Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`m${at}`, {}])),
  };
  const levels: JsonObject = { L0: wide };
  for (let level = 1; level < 12; level++) {
    const below = { $ref: `#/components/schemas/L${level - 1}` };
    levels[`L${level}`] = { type: "object", properties: { a: below, b: below } };
  }
  const body = { content: json({ type: "object", properties: { top: { $ref: "#/components/schemas/L11" } } }) };
  const large = toolOf({ parameters: [id], requestBody: body }, { components: { schemas: levels } });
  expect(large.tool.inputSchema.properties).toMatchObject({ top: { $ref: "#/$defs/L11" } });
  expect(large.bytes).toBeLessThan(5_000);
  const value = { m0: 1 };
  expect(argumentErrors(large.tool, { id: "a", top: { a: { a: value } } })).toEqual([]);
});

test("converts large definitions once for all operations, and rejects what is too large for a tool", () => {
  const ofSize = (count: number) => {
    const links = Array.from({ length: count }, (_, at): [string, JsonObject] => {
      const next = at + 1 < count ? { $ref: `#/components/schemas/S${at + 1}` } : { type: "string" };
      return [`S${at}`, { type: "object", properties: { next } }];
    });
    const requestBody = { required: true, content: json({ $ref: "#/components/schemas/S0" }) };
    return new OperationTools({
      openapi: "3.1.0",
      paths: { "/a": { post: { operationId: "a", requestBody }, put: { operationId: "b", requestBody } } },
      components: { schemas: Object.fromEntries(links) },
    });
  };
  const tools = ofSize(1_000);
  const [one, other] = ["POST", "PUT"].map((method) => tools.toolOf({ path: "/a", method }).tool.inputSchema.$defs);
  expect(Object.keys(one as JsonObject)).toHaveLength(999);
  expect((one as JsonObject).S999).toBe((other as JsonObject).S999);
  expect(() => ofSize(20_000).toolOf({ path: "/a", method: "POST" })).toThrow(
    new UnusableOperation("its schemas have more than 10000 parts"),
  );
});

test("converts schemas of OpenAPI 3.0 and drops patterns that cannot be checked", () => {
  const { tool } = toolOf(
    {
      parameters: [
        { ...id, schema: { type: "string", nullable: true, pattern: "(?=a)" } },
        { name: "n", in: "query", schema: { type: "integer", minimum: 1, exclusiveMinimum: true } },
      ],
    },
    { openapi: "3.0.3" },
  );
  expect(tool.inputSchema.properties).toEqual({
    id: { type: ["string", "null"], description: "Of the user." },
    n: { type: "integer", exclusiveMinimum: 1 },
  });
});

test("a tool has an output schema only if responses are validated", () => {
  const responses = { 200: { description: "", content: json(user) } };
  const source = { hasOutput: true };
  expect(toolOf({ parameters: [id], responses }).tool).not.toHaveProperty("outputSchema");
  expect(toolOf({ parameters: [id], responses }, { source }).tool.outputSchema).toEqual({
    type: "object",
    required: ["id", "name"],
    properties: { id: { type: "string" }, name: { type: "string" } },
  });
  for (const other of [
    { ...responses, 204: { description: "" } },
    { ...responses, default: { description: "" } },
    { 200: { description: "", content: json({ type: "array" }) } },
  ])
    expect(toolOf({ parameters: [id], responses: other }, { source }).tool).not.toHaveProperty("outputSchema");
});

test("reports operations that cannot be tools", () => {
  const unusable: [JsonObject, RegExp][] = [
    [{ operationId: "has space" }, /at most 64 letters/],
    [{ operationId: "x".repeat(65) }, /at most 64 letters/],
    [{ parameters: [{ name: "s", in: "cookie", required: true, schema: {} }] }, /requires the cookie "s"/],
    [{ parameters: [{ ...id, style: "matrix" }] }, /style "matrix"/],
    [{ requestBody: { required: true, content: { "multipart/form-data": {} } } }, /requires multipart\/form-data/],
  ];
  for (const [operation, message] of unusable) expect(() => toolOf(operation)).toThrow(message);
});

test("checks arguments", () => {
  const { tool } = toolOf({ parameters: [id, { name: "n", in: "query", schema: { type: "integer", maximum: 3 } }] });
  expect(argumentErrors(tool, { id: "a", n: 3 })).toEqual([]);
  expect(argumentErrors(tool, { id: "a", n: 4 })).toEqual(["n must be <= 3"]);
  expect(argumentErrors(tool, {})[0]).toContain("required");
  expect(argumentErrors(tool, { id: "a", other: 1 })).toEqual(["There is no argument other."]);
});
