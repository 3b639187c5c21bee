import { expect, test } from "bun:test";
import { breakingChanges } from "./breaking-changes.ts";

const order = {
  type: "object",
  required: ["id"],
  properties: {
    id: { type: "string" },
    state: { enum: ["open", "paid"] },
    lines: { type: "array", items: { $ref: "#/components/schemas/Line" } },
  },
};
const line = {
  type: "object",
  properties: { amount: { type: "number" }, parent: { $ref: "#/components/schemas/Line" } },
};

function document(change: (document: ReturnType<typeof base>) => void = () => {}) {
  const made = structuredClone(base());
  change(made);
  return made;
}

function base() {
  return {
    openapi: "3.1.0",
    paths: {
      "/orders/{id}": {
        parameters: [{ in: "header", name: "x-tenant", schema: { type: "string" } }] as object[],
        get: {
          parameters: [
            { in: "path", name: "id", required: true },
            { $ref: "#/components/parameters/Expand" },
          ] as object[],
          responses: {
            200: { content: { "application/json": { schema: { $ref: "#/components/schemas/Order" } } } },
          } as Record<string, object>,
        },
      } as Record<string, unknown>,
      "/orders": {
        post: {
          requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Order" } } } },
          responses: { 201: {} },
        },
      },
    } as Record<string, Record<string, unknown>>,
    components: {
      schemas: { Order: order as Record<string, unknown>, Line: line as Record<string, unknown> },
      parameters: {
        Expand: { in: "query", name: "expand", schema: { enum: ["lines", "customer"] } } as Record<string, unknown>,
      },
    },
  };
}

const changes = (change: Parameters<typeof document>[0]) =>
  breakingChanges(document(), document(change)).map(({ method, path, detail }) => `${method} ${path}: ${detail}`);

test("documents that are equal, or only have more, break nothing", () => {
  expect(breakingChanges(document(), document())).toEqual([]);
  const more = changes(({ paths, components }) => {
    paths["/new"] = { get: { responses: {} } };
    paths["/orders/{orderId}"] = paths["/orders/{id}"]!;
    delete paths["/orders/{id}"];
    components.parameters.Expand.schema = { enum: ["lines", "customer", "all"] };
    (components.schemas.Order!.properties as Record<string, object>).note = { type: "string" };
  });
  expect(more).toEqual([]);
});

test.each<[what: string, change: Parameters<typeof document>[0], expected: string[]]>([
  ["an operation", ({ paths }) => delete paths["/orders"], ["POST /orders: is removed"]],
  [
    "a required parameter",
    ({ paths }) =>
      ((paths["/orders/{id}"] as { parameters: object[] }).parameters = [
        { in: "header", name: "x-tenant", required: true },
      ]),
    ["GET /orders/{id}: requires the header parameter x-tenant"],
  ],
  [
    "a value of a parameter",
    ({ components }) => (components.parameters.Expand.schema = { enum: ["lines"] }),
    ['GET /orders/{id}: the query parameter expand no longer accepts "customer"'],
  ],
  [
    "a required member, which responses may have",
    ({ components }) => (components.schemas.Order!.required = ["id", "state"]),
    ["POST /orders: the body requires /state"],
  ],
  [
    "a member of a response, which requests may still have",
    ({ components }) => delete (components.schemas.Order!.properties as Record<string, unknown>).state,
    ["GET /orders/{id}: response 200 no longer has /state"],
  ],
  [
    "a member that a response always had",
    ({ components }) => (components.schemas.Order!.required = []),
    ["GET /orders/{id}: response 200 may lack /id"],
  ],
  [
    "a type in a list, deep in a schema that refers to itself",
    ({ components }) => ((components.schemas.Line!.properties as Record<string, object>).amount = { type: "string" }),
    [
      "GET /orders/{id}: response 200 /lines/*/amount is of type string instead of number",
      "POST /orders: the body /lines/*/amount is of type string instead of number",
    ],
  ],
  [
    "a narrower number, which only a request cannot have",
    ({ components }) => ((components.schemas.Line!.properties as Record<string, object>).amount = { type: "integer" }),
    ["POST /orders: the body /lines/*/amount is of type integer instead of number"],
  ],
  [
    "a new value of a response",
    ({ components }) =>
      ((components.schemas.Order!.properties as Record<string, object>).state = { enum: ["open", "paid", "void"] }),
    ['GET /orders/{id}: response 200 /state can be "void"'],
  ],
  [
    "a status",
    ({ paths }) => {
      const { get } = paths["/orders/{id}"] as { get: { responses: Record<string, object> } };
      get.responses = { 404: {} };
    },
    ["GET /orders/{id}: no longer returns 200"],
  ],
])("%s", (_what, change, expected) => {
  expect(changes(change)).toEqual(expected);
});

test("documents that are not what they should be have no changes, and end", () => {
  const strange = [
    null,
    7,
    [],
    {},
    { paths: [] },
    { paths: { "/a": null } },
    { paths: { "/a": { get: 1, parameters: 2 } } },
  ];
  for (const one of strange) for (const other of strange) expect(Array.isArray(breakingChanges(one, other))).toBe(true);
  const loop = { paths: { "/a": { $ref: "#/paths/~1a" } } };
  expect(breakingChanges(loop, loop)).toEqual([]);
});

test.each(["properties", "allOf"])(
  "schemas that refer to each other many times with %s are compared once",
  (keyword) => {
    const documentOf = (last: object) => {
      const levels = Array.from({ length: 21 }, (_, level): [string, object] => {
        const next = Array(20).fill({ $ref: `#/components/schemas/${level + 1}` });
        const held = keyword === "allOf" ? { allOf: next } : { type: "object", properties: { ...next } };
        return [String(level), level === 20 ? last : held];
      });
      const body = { content: { "application/json": { schema: { $ref: "#/components/schemas/0" } } } };
      return { paths: { "/a": { post: { requestBody: body } } }, components: { schemas: Object.fromEntries(levels) } };
    };
    const before = documentOf({ type: "number" });
    expect(breakingChanges(before, structuredClone(before))).toEqual([]);
    const found = breakingChanges(before, documentOf({ type: "string" }));
    expect(found).toHaveLength(keyword === "allOf" ? 1 : 200);
    expect(found[0]!.detail).toEndWith("is of type string instead of number");
  },
);
