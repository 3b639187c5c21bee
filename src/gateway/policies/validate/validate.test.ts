import { expect, test } from "bun:test";
import { contextOf, pass } from "../../../../test/support/request-context.ts";
import type { RouteValidation } from "../../../core/artifact/artifact.ts";
import type { RequestContext } from "../../exchange/policy.ts";
import { ValidatePolicy } from "./validate.ts";

type Parameter = RouteValidation["parameters"][number];

const parameter = (
  name: string,
  place: Parameter["in"],
  schema: unknown,
  more: Partial<Parameter> = {},
): Parameter => ({
  name,
  in: place,
  required: false,
  explode: place === "query",
  schema,
  ...more,
});

async function errorsOf(validation: RouteValidation, request: Request, parts: Partial<RequestContext> = {}) {
  const response = await pass([new ValidatePolicy(validation)], contextOf(request, parts));
  if (response.status === 200) return [];
  const { code, errors } = (await response.json()) as { code: string; errors: { pointer: string; detail: string }[] };
  expect({ status: response.status, code }).toEqual({ status: 400, code: "request_invalid" });
  return errors.map(({ pointer, detail }) => `${pointer} ${detail}`);
}

const get = (search: string, headers: Record<string, string> = {}) =>
  new Request(`http://shop.localhost/things${search}`, { headers });

const integer = { type: "integer", minimum: 1 };
const list = { type: "array", items: { type: "integer" }, minItems: 1 };
const referring = { $ref: "#/$defs/list", $defs: { list } };

test.each<[Parameter, string, string[]]>([
  [parameter("limit", "query", integer), "", []],
  [parameter("limit", "query", integer, { required: true }), "", ["?limit is required"]],
  [parameter("limit", "query", integer), "?limit=5", []],
  [parameter("limit", "query", integer), "?limit=0", ["?limit must be >= 1"]],
  [parameter("limit", "query", integer), "?limit=five", ["?limit must be integer"]],
  [parameter("limit", "query", integer), "?limit=1.5", ["?limit must be integer"]],
  [parameter("limit", "query", integer), "?limit=1&limit=2", ["?limit must be integer"]],
  [parameter("on", "query", { type: "boolean" }), "?on=true", []],
  [parameter("on", "query", { type: "boolean" }), "?on=yes", ["?on must be boolean"]],
  [parameter("ids", "query", list), "?ids=1&ids=2", []],
  [parameter("ids", "query", list), "?ids=1", []],
  [parameter("ids", "query", list), "?ids=1&ids=x", ["?ids/1 must be integer"]],
  [parameter("ids", "query", list, { explode: false }), "?ids=1,2", []],
  [parameter("ids", "query", referring, { explode: false }), "?ids=1,2", []],
  [parameter("ids", "query", list, { explode: false }), "?ids=1,x", ["?ids/1 must be integer"]],
  [parameter("text", "query", { type: "string" }, { explode: false }), "?text=a,b", []],
  [parameter("sort", "query", { enum: ["up", "down"] }), "?sort=side", ['?sort must be one of "up", "down"']],
  [parameter("day", "query", { type: "string", format: "date" }), "?day=2026-02-30", ['?day must match format "date"']],
  [parameter("code", "query", { type: "string", pattern: "^\\p{Lu}{2}$" }), "?code=%C3%84B", []],
  [parameter("filter", "query", { type: "object" }), "?filter=x", []],
  [parameter("id", "query", { pattern: "^[a-z]+$" }), "?id=a", []],
  [parameter("id", "query", { pattern: "^[a-z]+$" }), "?id=1&id=a", ["?id occurs more than once"]],
  [parameter("id", "query", { anyOf: [{ type: "string" }, list] }), "?id=1&id=2", []],
  [parameter("any", "query", {}), "?any=1&any=2", []],
  ...["%20", "%205", "0x1F", "0b11", "0o7", "1e400", "-1e400", "Infinity", "NaN", "1_0", "."].map(
    (text): [Parameter, string, string[]] => [
      parameter("n", "query", { type: "number", maximum: 10, minimum: -10 }),
      `?n=${text}`,
      ["?n must be number"],
    ],
  ),
  ...["05", "-1.5", "1e1", "%2B.5", "1."].map((text): [Parameter, string, string[]] => [
    parameter("n", "query", { type: "number", maximum: 10 }),
    `?n=${text}`,
    [],
  ]),
  [parameter("n", "query", integer), "?n=1e400", ["?n must be integer"]],
  [parameter("ids", "query", list), "?ids=1&ids=0x1F", ["?ids/1 must be integer"]],
])("query: %j of %s", async (each, search, errors) => {
  expect(await errorsOf({ parameters: [each] }, get(search))).toEqual(errors);
});

test("path, headers and cookies", async () => {
  const validation = {
    parameters: [
      parameter("id", "path", integer, { required: true }),
      parameter("X-Ids", "header", list),
      parameter("session", "cookie", { type: "string", minLength: 3 }, { required: true }),
    ],
  };
  const good = get("", { "x-ids": "1, 2", cookie: "a=b; session=ab%20c" });
  expect(await errorsOf(validation, good, { params: { id: "7" } })).toEqual([]);
  const bad = get("", { "x-ids": "1, two", cookie: "session=ab" });
  expect(await errorsOf(validation, bad, { params: { id: "seven" } })).toEqual([
    "id must be integer",
    "X-Ids/1 must be integer",
    "session must NOT have fewer than 3 characters",
  ]);
  expect(await errorsOf(validation, get(""), { params: { id: "7" } })).toEqual(["session is required"]);
});

test("a duplicate cookie, in one header or two", async () => {
  const validation = { parameters: [parameter("session", "cookie", { type: "string", maxLength: 3 })] };
  const twice = ["session occurs more than once"];
  expect(await errorsOf(validation, get("", { cookie: "session=evil; session=abc" }))).toEqual(twice);
  const request = get("", { cookie: "session=abc" });
  const context = contextOf(request);
  context.headers.append("cookie", "session=evil");
  const response = await pass([new ValidatePolicy(validation)], context);
  expect(await response.json()).toMatchObject({ errors: [{ detail: "occurs more than once" }] });
  expect(await errorsOf(validation, get("", { cookie: "session=abc; other=evil; other=b" }))).toEqual([]);
});

const thing = {
  type: "object",
  properties: { name: { type: "string" }, size: { type: "integer" }, tags: { type: "array", uniqueItems: true } },
  required: ["name"],
  additionalProperties: false,
};

const bodyOf = (content: Record<string, unknown> = { "application/json": thing }, required = true) => ({
  parameters: [],
  body: { required, content },
});

function post(body: string | ReadableStream | undefined, type = "application/json", more: Record<string, string> = {}) {
  const headers: Record<string, string> = { ...more };
  if (body !== undefined) {
    headers["content-type"] = type;
    if (typeof body === "string") headers["content-length"] = String(Buffer.byteLength(body));
  }
  return new Request("http://shop.localhost/things", {
    method: "POST",
    headers,
    ...(body === undefined ? {} : { body }),
  });
}

test.each<[string, string[]]>([
  ['{"name":"a","size":1}', []],
  ["{}", ["/name is required"]],
  [
    '{"name":1,"size":"2","co/lor":3}',
    ["/co~1lor is not allowed here", "/name must be string", "/size must be integer"],
  ],
  ['{"name":"a","tags":[{"a":1,"b":2},{"b":2,"a":1}]}', ["/tags must not have equal items"]],
  ['{"name":"a","tags":[1,"1",{"a":1},[1]]}', []],
  ["{", [" is not valid JSON"]],
  ['{"name":"a","name":"b"}', ["/name occurs more than once"]],
  ['{"name":"a","tags":[1,{"b/c":1,"d":{"e":1},"b\\u002fc":2}]}', ["/tags/1/b~1c occurs more than once"]],
  ['{"name":"a: {\\"b\\": 1}","tags":["x:y",{"name":1}]}', []],
])("body %s", async (body, errors) => {
  expect((await errorsOf(bodyOf(), post(body))).toSorted()).toEqual(errors);
});

test("numbers beyond the range of doubles are compared with limits", async () => {
  const schema = { properties: { high: { maximum: 10 }, low: { exclusiveMinimum: 0 }, even: { multipleOf: 2 } } };
  const body = bodyOf({ "application/json": schema });
  expect(await errorsOf(body, post('{"high":1e400,"low":-1e400,"even":1e400}'))).toEqual([
    "/high must be <= 10",
    "/low must be > 0",
    "/even must be multiple of 2",
  ]);
  expect(await errorsOf(body, post('{"high":-1e400,"low":1e400}'))).toEqual([]);
});

test("the body reaches the target unchanged", async () => {
  const text = '{ "name": "Zürich" }';
  const context = contextOf(post(text));
  const response = await pass([new ValidatePolicy(bodyOf())], context, ({ body }) => new Response(body));
  expect(await response.text()).toBe(text);
});

test("bodies without a length are checked too", async () => {
  expect(await errorsOf(bodyOf(), post(new Blob(['{"name":', '"a"}']).stream()))).toEqual([]);
  expect(await errorsOf(bodyOf(), post(new Blob(["{}"]).stream()))).toEqual(["/name is required"]);
});

test("only UTF-8 is accepted as JSON", async () => {
  const bytes = (text: string, encoding: BufferEncoding) => new Blob([Buffer.from(text, encoding)]).stream();
  expect(await errorsOf(bodyOf(), post(bytes('{"name":"\xe4"}', "latin1")))).toEqual([" is not valid UTF-8"]);
  for (const charset of ["iso-8859-1", '"UTF-16"', "utf-8; charset=utf-7", "us-ascii"])
    expect(await errorsOf(bodyOf(), post('{"name":"a"}', `application/json; charset=${charset}`))).toEqual([
      "content-type must have the charset UTF-8 or none",
    ]);
  for (const charset of ["utf-8", "UTF8", '"UTF-8"'])
    expect(await errorsOf(bodyOf(), post('{"name":"a"}', `application/json; charset=${charset}`))).toEqual([]);
});

test("inherited members of objects do not count as members", async () => {
  const schema = {
    properties: { constructor: { type: "integer" }, ["__proto__"]: { type: "integer" } },
    required: ["toString"],
  };
  const content = { "application/json": JSON.parse(JSON.stringify(schema)) };
  expect(await errorsOf(bodyOf(content), post("{}"))).toEqual(["/toString is required"]);
  expect(await errorsOf(bodyOf(content), post('{"toString":1,"constructor":"x"}'))).toEqual([
    "/constructor must be integer",
  ]);
});

test("a body that is missing", async () => {
  expect(await errorsOf(bodyOf(), post(undefined))).toEqual([" is required"]);
  expect(await errorsOf(bodyOf(undefined, false), post(undefined))).toEqual([]);
});

test.each<[Record<string, unknown>, string, number]>([
  [{ "application/json": thing }, "application/json; charset=utf-8", 200],
  [{ "application/json": thing }, "APPLICATION/JSON", 200],
  [{ "application/json": thing }, "text/plain", 415],
  [{ "application/*": true }, "application/vnd.api+json", 200],
  [{ "application/*": true }, "text/plain", 415],
  [{ "*/*": true }, "text/plain", 200],
  [{ "text/plain": { type: "string", maxLength: 1 } }, "text/plain", 200],
])("%j takes %s: %d", async (content, type, status) => {
  const response = await pass([new ValidatePolicy(bodyOf(content))], contextOf(post('{"name":"a"}', type)));
  expect(response.status).toBe(status);
  if (status === 415) expect(await response.json()).toMatchObject({ code: "unsupported_media_type" });
});

test("bodies that are not JSON are streamed", async () => {
  const context = contextOf(post("a,b", "text/csv"));
  const response = await pass([new ValidatePolicy(bodyOf({ "text/csv": true }))], context, ({ request, body }) => {
    expect(body).toBeUndefined();
    return new Response(request.body);
  });
  expect(await response.text()).toBe("a,b");
});

test("compressed JSON is rejected, not misread", async () => {
  const request = post('{"name":"a"}', "application/json", { "content-encoding": "gzip" });
  expect((await pass([new ValidatePolicy(bodyOf())], contextOf(request))).status).toBe(415);
});

test("more than 1 MiB is rejected, with or without Content-Length", async () => {
  const text = JSON.stringify({ name: "x".repeat(1024 * 1024) });
  for (const body of [text, new Blob([text]).stream()]) {
    const response = await pass([new ValidatePolicy(bodyOf())], contextOf(post(body)));
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: "body_too_large" });
  }
});

test("reports all errors, up to twenty, of parameters and body together", async () => {
  const validation = {
    parameters: [parameter("limit", "query", integer)],
    body: { required: true, content: { "application/json": { type: "array", items: { type: "integer" } } } },
  };
  const request = new Request("http://shop.localhost/things?limit=0", post(JSON.stringify(Array(50).fill("x"))));
  const errors = await errorsOf(validation, request);
  expect(errors).toHaveLength(20);
  expect(errors.slice(0, 2)).toEqual(["?limit must be >= 1", "/0 must be integer"]);
});

test("base64 may be long", async () => {
  const schema = { type: "string", format: "byte" };
  expect(await errorsOf(bodyOf({ "application/json": schema }), post(JSON.stringify("QUJD".repeat(50_000))))).toEqual(
    [],
  );
});

test("two routes may use one $id for different schemas", async () => {
  const one = { $id: "https://example.com/thing", type: "integer" };
  const other = { $id: "https://example.com/thing", type: "string" };
  for (const [schema, body] of [
    [one, "1"],
    [other, '"a"'],
  ] as const)
    expect(await errorsOf(bodyOf({ "application/json": schema }), post(body))).toEqual([]);
});

test("an operation without schemas accepts everything", async () => {
  expect(await errorsOf({ parameters: [] }, post("whatever", "text/plain"))).toEqual([]);
});
