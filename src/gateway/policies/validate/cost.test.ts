import { expect, test } from "bun:test";
import { contextOf, pass } from "../../../../test/support/request-context.ts";
import type { RouteValidation } from "../../../core/artifact/artifact.ts";
import { ValidatePolicy } from "./validate.ts";

/** Without the budget most of these cases take minutes to hours. The benchmark measures the time with it. */
const timeoutMs = 60_000;

const post = (body: string) =>
  new Request("http://shop.localhost/things", {
    method: "POST",
    headers: { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) },
    body,
  });

async function outcomeOf(validation: RouteValidation, request: Request) {
  const response = await pass([new ValidatePolicy(validation)], contextOf(request));
  if (response.status === 200) return "accepted";
  expect(response.status).toBe(400);
  const { code, errors } = (await response.json()) as { code: string; errors?: { pointer: string; detail: string }[] };
  return code === "request_invalid" ? `${errors![0]!.pointer} ${errors![0]!.detail}` : code;
}

const outcomeOfBody = (schema: unknown, body: string) =>
  outcomeOf({ parameters: [], body: { required: true, content: { "application/json": schema } } }, post(body));

const branch = (name: string) => ({
  type: "object",
  properties: { [name]: { type: "string" }, child: { $ref: "#/$defs/Expr" } },
  required: [name, "child"],
});
const expression = {
  $ref: "#/$defs/Expr",
  $defs: {
    Expr: { oneOf: [branch("op"), branch("fn"), { properties: { value: { type: "integer" } }, required: ["value"] }] },
  },
};

function nested(depth: number, leaf: object): string {
  let value = leaf;
  for (let level = 0; level < depth; level++) value = { op: "a", child: value };
  return JSON.stringify(value);
}

function levels(keyword: "allOf" | "anyOf", leaf: object) {
  const $defs: Record<string, object> = { L20: leaf };
  for (let level = 0; level < 20; level++)
    $defs[`L${level}`] = { [keyword]: Array.from({ length: 10 }, () => ({ $ref: `#/$defs/L${level + 1}` })) };
  return { $ref: "#/$defs/L0", $defs };
}

function chained(depth: number): object {
  let schema: object = { type: "string" };
  for (let level = 0; level < depth; level++) schema = { allOf: [schema] };
  return schema;
}

const strings = { type: "array", items: { type: "string" } };
const wide = Object.fromEntries(
  Array.from({ length: 1_500 }, (_, index) => [`p${index}`, { type: "string", minLength: 1 }]),
);
const many = (count: number, item: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => item(index));
const tooDeep = " is nested too deeply: at most 200 levels are allowed";
const tooMany = " has too many parts: at most 40000 members, texts, objects and arrays are allowed";

const integersIn = { additionalProperties: { additionalProperties: { type: "integer" } } };
const longName = "n".repeat(100_000);
const cut = `${"n".repeat(499)}…`;
const shortened = `/${cut} must be integer`;

test.each<[string, unknown, string, string]>([
  ["branches that fit", expression, nested(150, { value: 1 }), "accepted"],
  ["branches that do not", expression, nested(24, { value: "x" }), `${"/child".repeat(24)}/op is required`],
  ["references at twenty levels", levels("allOf", { type: "string" }), '"x"', "accepted"],
  ["alternatives at twenty levels", levels("anyOf", { type: "integer" }), '"x"', " must be integer"],
  ["many properties", { properties: wide }, JSON.stringify({ p7: "a", p9: "" }), "/p9 must NOT have fewer"],
  [
    "a schema that is too large",
    { properties: Object.fromEntries(many(60_000, String).map((name) => [name, true])) },
    "{}",
    "validation_too_costly",
  ],
  ["schemas that are too deep", chained(5_000), '"x"', "validation_too_costly"],
  ["schemas that are deep", chained(500), '"x"', "accepted"],
  [
    "a pattern and a long text",
    { pattern: "^(a+)+$" },
    JSON.stringify(`${"a".repeat(500_000)}!`),
    "validation_too_costly",
  ],
  ["a pattern that is too large", { pattern: "(\\p{L}\\p{N}){300}" }, '"x"', "validation_too_costly"],
  ["a class that is repeated too often", { pattern: "^\\p{L}{1000}$" }, '"x"', "validation_too_costly"],
  ["a class that is repeated", { pattern: "^[\\p{L}\\d]{1,15}$" }, '"x"', "accepted"],
  ["a class and a long text", { pattern: "^[a-z]+$" }, JSON.stringify("a".repeat(500_000)), "accepted"],
  [
    "a URI that is too long",
    { format: "uri" },
    JSON.stringify(`a:${"a".repeat(1_000_000)}`),
    ' must match format "uri"',
  ],
  ["a long URL", { format: "url" }, JSON.stringify(`http://${":".repeat(60_000)}`), "validation_too_costly"],
  ["many different items", { uniqueItems: true }, `[${many(100_000, String)}]`, "validation_too_costly"],
  ["some different items", { uniqueItems: true }, `[${many(2_000, String)}]`, "accepted"],
  ["many errors", strings, `[${many(100_000, () => "1")}]`, "/0 must be string"],
  ["many numbers", { items: { type: "integer" } }, `[${many(200_000, () => "1")}]`, "accepted"],
  ["too many numbers", { items: { type: "integer" } }, `[${many(500_000, () => "1")}]`, "validation_too_costly"],
  ["deep nesting", true, "[".repeat(200) + "]".repeat(200), "accepted"],
  ["too deep nesting", true, "[".repeat(201) + "]".repeat(201), tooDeep],
  ["far too deep nesting", true, "[".repeat(500_000), tooDeep],
  ["many members", true, `{${many(13_000, (index) => `"${index}":"a"`)}}`, "accepted"],
  ["too many members", true, `{${many(30_000, (index) => `"${index}":1`)}}`, tooMany],
  ["a name that is too long to repeat", integersIn, JSON.stringify({ [longName]: { a: 1, b: "x" } }), shortened],
  ["two of a name that is too long", true, `{"${longName}":1,"${longName}":2}`, `/${cut} occurs more than once`],
  ["too many arrays", true, `[${many(60_000, () => "[]")}]`, tooMany],
])(
  "%s",
  async (_, schema, body, expected) => {
    expect(await outcomeOfBody(schema, body)).toContain(expected);
  },
  timeoutMs,
);

test(
  "parameters have the same budget",
  async () => {
    const parameter = {
      name: "q",
      in: "query",
      required: true,
      explode: true,
      schema: { pattern: "(x+x+)+y" },
    } as const;
    const request = new Request(`http://shop.localhost/things?q=${"x".repeat(30_000)}`);
    expect(await outcomeOf({ parameters: [parameter] }, request)).toBe("validation_too_costly");
  },
  timeoutMs,
);

/** Counts the reads of the schema. */
function watchedSchema(schema: object) {
  const watched = { reads: 0, schema: {} };
  watched.schema = new Proxy(schema, {
    get: (target, name) => {
      if (name === "properties") watched.reads++;
      return Reflect.get(target, name);
    },
  });
  return watched;
}

test.each<[string, object]>([
  ["that fits", { properties: wide }],
  ["that is too large", { properties: Object.fromEntries(many(60_000, String).map((name) => [name, true])) }],
])("many first requests prepare a schema %s once", async (_, schema) => {
  const policyFor = (watched: object) =>
    new ValidatePolicy({ parameters: [], body: { required: true, content: { "application/json": watched } } });
  const alone = watchedSchema(schema);
  const { status } = await pass([policyFor(alone.schema)], contextOf(post("{}")));
  const shared = watchedSchema(schema);
  const policy = policyFor(shared.schema);
  const together = await Promise.all(many(10, () => "{}").map((body) => pass([policy], contextOf(post(body)))));
  together.push(await pass([policy], contextOf(post("{}"))));
  expect(new Set(together.map((response) => response.status))).toEqual(new Set([status]));
  expect(shared.reads).toBe(alone.reads);
});

test("a large schema is prepared without blocking other requests", async () => {
  const properties: Record<string, object> = {};
  for (let index = 0; index < 3_000; index++) properties[`p${index}`] = { pattern: `^[^${index}]+$` };
  let turns = 0;
  const counting = setInterval(() => turns++, 0);
  const body = { required: true, content: { "application/json": { properties } } };
  await pass([new ValidatePolicy({ parameters: [], body })], contextOf(post("{}")));
  clearInterval(counting);
  expect(turns).toBeGreaterThan(0);
});
