import { expect, test } from "bun:test";
import { buildMarked, buildProject, here } from "../../../test/support/gateway-project.ts";
import { contextOf, pass } from "../../../test/support/request-context.ts";
import type { Artifact, RouteValidation } from "../../core/artifact/artifact.ts";
import { Budget } from "../../core/json-schema/budget.ts";
import { Check } from "../../core/json-schema/check.ts";
import { Preparation } from "../../core/json-schema/prepare.ts";
import { ValidatePolicy } from "../../gateway/policies/validate/validate.ts";

interface Parts {
  openapi?: string;
  parameters?: unknown[];
  body?: unknown;
  schemas?: Record<string, unknown>;
}

function project({ openapi = "3.1.0", parameters = [], body, schemas = {} }: Parts) {
  const requestBody = { required: true, content: { "application/json": { schema: body } } };
  return {
    "openapi.json": JSON.stringify({
      openapi,
      info: { title: "T", version: "1" },
      "x-tollgate": { policies: ["valid"] },
      paths: {
        "/a": { post: { parameters, ...(body !== undefined && { requestBody }) } },
        "/b": { get: { "x-tollgate": { policies: [] } } },
      },
      components: { schemas },
    }),
    "tollgate.json": '{ "upstream": "http://up.test", "policies": { "valid": { "type": "validate" } } }',
  };
}

async function validationOf(parts: Parts): Promise<RouteValidation> {
  const report = await buildProject(project(parts));
  expect(report.errors).toEqual([]);
  const artifact: Artifact = JSON.parse(report.artifact!);
  expect(artifact.routes[1]).not.toHaveProperty("validation");
  return artifact.routes[0]!.validation!;
}

/** Whether the schema of the body accepts values. */
async function verdicts(parts: Parts, values: unknown[]): Promise<boolean[]> {
  const { body } = await validationOf(parts);
  const node = new Preparation(body!.content["application/json"]).finish();
  return values.map((value) => new Check(new Budget()).fits(node, value, 0));
}

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

test("parameters have the style of their serialization", async () => {
  const schema = { type: "integer" };
  const { parameters } = await validationOf({
    parameters: [
      { name: "q", in: "query", schema, description: "left out" },
      { name: "list", in: "query", explode: false, schema: { type: "array", items: schema } },
      { name: "x-h", in: "header", required: true, schema },
      { name: "c", in: "cookie", schema: { ...schema, example: 1 } },
      { name: "Authorization", in: "header", schema },
    ],
  });
  expect(parameters).toEqual([
    { name: "q", in: "query", required: false, explode: true, schema },
    { name: "list", in: "query", required: false, explode: false, schema: { type: "array", items: schema } },
    { name: "x-h", in: "header", required: true, explode: false, schema },
    { name: "c", in: "cookie", required: false, explode: true, schema },
  ]);
});

test("parameters that cannot be checked are omitted with a warning", async () => {
  const parameters = [
    { name: "deep", in: "query", style: "deepObject", schema: { type: "object" } },
    { name: "json", in: "query", content: { "application/json": { schema: {} } } },
  ];
  const report = await buildProject(project({ parameters }));
  expect(report.warnings.map(({ message }) => message)).toEqual([
    'the parameter "deep" is not checked: only those with a schema and the style "form" are',
    'the parameter "json" is not checked: only those with a schema and the style "form" are',
  ]);
  expect(JSON.parse(report.artifact!).routes[0].validation.parameters).toEqual([]);
});

test("a required parameter with content must be present, whatever its value", async () => {
  const content = { "application/json": { schema: { type: "object" } } };
  const filter = { name: "filter", in: "query", required: true, content };
  const validation = await validationOf({ parameters: [filter, { ...filter, name: "x-meta", in: "header" }] });
  const send = async (search: string, headers: Record<string, string>) => {
    const request = new Request(`http://shop.localhost/a${search}`, { headers });
    const response = await pass([new ValidatePolicy(validation)], contextOf(request));
    return response.status === 200 ? [] : ((await response.json()) as { errors: unknown }).errors;
  };
  expect(await send('?filter={"a":1}', { "x-meta": "{}" })).toEqual([]);
  expect(await send("?filtered=1", {})).toEqual([
    { pointer: "?filter", detail: "is required" },
    { pointer: "x-meta", detail: "is required" },
  ]);
});

test("references become definitions inside the schema, including circular ones, and only if needed", async () => {
  const { body } = await validationOf({
    body: ref("Tree"),
    schemas: {
      Tree: { type: "object", properties: { "left/right": ref("Tree"), label: ref("a b") }, required: ["label"] },
      "a b": { type: "string", maxLength: 3 },
      Other: { type: "null" },
    },
  });
  expect(body).toEqual({
    required: true,
    content: {
      "application/json": {
        $ref: "#/$defs/Tree",
        $defs: {
          Tree: {
            type: "object",
            properties: { "left/right": { $ref: "#/$defs/Tree" }, label: { $ref: "#/$defs/a_b" } },
            required: ["label"],
          },
          a_b: { type: "string", maxLength: 3 },
        },
      },
    },
  });
});

test("a recursive schema is checked to the end of the value", async () => {
  const schemas = { Tree: { type: "object", properties: { next: ref("Tree") }, additionalProperties: false } };
  expect(
    await verdicts({ body: ref("Tree"), schemas }, [{ next: { next: {} } }, { next: { next: { x: 1 } } }]),
  ).toEqual([true, false]);
});

test("a chain of references may be longer than the call stack", async () => {
  const links = Array.from({ length: 5000 }, (_, index) => [`S${index}`, ref(`S${index + 1}`)]);
  const schemas = { ...Object.fromEntries(links), S5000: { const: 1 } };
  const { body } = await validationOf({ body: { properties: { a: ref("S0") } }, schemas });
  expect(Object.keys((body!.content["application/json"] as { $defs: object }).$defs)).toHaveLength(5001);
});

test("the dialect of OpenAPI 3.0 is understood", async () => {
  const body = {
    type: "object",
    properties: {
      name: { type: "string", nullable: true, example: "x" },
      low: { type: "number", minimum: 1, exclusiveMinimum: true },
      high: { type: "number", maximum: 9, exclusiveMaximum: false },
      referred: { ...ref("Short"), maxLength: 0 },
    },
  };
  const schemas = { Short: { type: "string", maxLength: 2 } };
  const values = [
    { name: null },
    { low: 1 },
    { low: 1.5 },
    { high: 9 },
    { high: 9.5 },
    { referred: "ab" },
    { referred: "abc" },
  ];
  expect(await verdicts({ openapi: "3.0.3", body, schemas }, values)).toEqual([
    true,
    false,
    true,
    true,
    false,
    true,
    false,
  ]);
});

test("the schema of OpenAPI 3.1 is JSON Schema itself", async () => {
  const body = {
    type: ["object", "null"],
    properties: { referred: { ...ref("Short"), minLength: 1 }, low: { exclusiveMinimum: 1 } },
    patternProperties: { "^x-": { const: 1 } },
    unevaluatedProperties: false,
  };
  const schemas = { Short: { type: "string", maxLength: 2 } };
  const values = [null, { referred: "" }, { referred: "ab" }, { low: 1 }, { "x-a": 1 }, { "x-a": 2 }, { other: 1 }];
  expect(await verdicts({ body, schemas }, values)).toEqual([true, false, true, false, true, false, false]);
});

test("readOnly members are not required in requests", async () => {
  const schemas = { Id: { type: "string", readOnly: true } };
  const body = {
    type: "object",
    required: ["id", "ref", "name"],
    properties: { id: { type: "string", readOnly: true }, ref: ref("Id"), name: { type: "string" } },
  };
  expect(await verdicts({ body, schemas }, [{ name: "x" }, {}])).toEqual([true, false]);
});

// Backtracking would take practically forever.
test("patterns are RE2 expressions and match in linear time", async () => {
  const body = { type: "object", properties: { a: { pattern: "^(x+x+)+y$" }, b: { pattern: "^\\p{Lu}$" } } };
  const values = [{ a: `${"x".repeat(5_000)}z` }, { a: "xxy", b: "Ä" }, { a: "xxy", b: "ä" }];
  expect(await verdicts({ body }, values)).toEqual([false, true, false]);
});

test.each<[string, string, string]>([
  ["look-ahead", `{ "pattern": ${here}"^(?=a)" }`, "this pattern cannot be used: invalid or unsupported Perl syntax"],
  ["back reference", `{ "pattern": ${here}"(a)\\\\1" }`, "this pattern cannot be used: invalid escape sequence"],
  [
    "pattern of names",
    `{ "patternProperties": { ${here}"(": true } }`,
    "this pattern cannot be used: missing closing )",
  ],
  [
    "pattern that is too large",
    `{ "pattern": ${here}"(\\\\p{L}\\\\p{N}){300}" }`,
    "this pattern cannot be used: it is too large",
  ],
  ["unknown type", `{ "properties": { "a": { "type": ${here}"strnig" } } }`, '"type" must be "null"'],
  ["number that is none", `{ "minimum": ${here}"1" }`, '"minimum" must be a number'],
  ["count that is none", `{ "allOf": [{ "maxLength": ${here}-1 }] }`, '"maxLength" must be a whole number, 0 or more'],
  ["required that is no list", `{ "required": ${here}true }`, '"required" must be a list of names'],
  ["properties that are a list", `{ "properties": ${here}[] }`, '"properties" must be an object'],
  ["schemas that are no list", `{ "anyOf": ${here}{} }`, '"anyOf" must be a list of schemas'],
  ["schema that is a text", `{ "items": ${here}"string" }`, "a schema must be an object"],
  [
    "keyword of older versions",
    `{ "items": { ${here}"dependencies": { "a": ["b"] } } }`,
    'write "dependentRequired" for names, "dependentSchemas" for schemas',
  ],
  ["address of its own", `{ ${here}"$id": "https://x.test" }`, '"$id" is not supported'],
  [
    "reference to nothing",
    `{ "items": { "$ref": ${here}"#/components/schemas/Nope" } }`,
    'there is no "#/components/schemas/Nope"',
  ],
  [
    "circle without end",
    `{ "anyOf": [{ "$ref": ${here}"#/components/schemas/A" }] }`,
    "this schema refers to itself without end",
  ],
])("a schema with an error: %s", async (_, schema, message) => {
  const files = project({ body: ref("A"), schemas: { A: "SCHEMA" } });
  const marked = { ...files, "openapi.json": files["openapi.json"].replace('"SCHEMA"', schema) };
  const { atMark, elsewhere } = await buildMarked(marked);
  expect({ atMark, elsewhere }).toEqual({ atMark: [expect.stringContaining(message)], elsewhere: [] });
});

test("a schema that is too large is a build error at its position", async () => {
  const values = Array.from({ length: 50_001 }, (_, index) => index);
  const files = project({ body: "SCHEMA" });
  const schema = `${here}{ "enum": ${JSON.stringify(values)} }`;
  const marked = { ...files, "openapi.json": files["openapi.json"].replace('"SCHEMA"', () => schema) };
  const { atMark, elsewhere } = await buildMarked(marked);
  expect({ atMark, elsewhere }).toEqual({
    atMark: ["this schema cannot be used: it has more than 50000 parts"],
    elsewhere: [],
  });
});

test("schemas of routes without validation are not checked", async () => {
  const files = project({ body: { pattern: "(?=a)", type: "strnig" } });
  const open = files["openapi.json"].replace('["valid"]', "[]");
  const settings = files["tollgate.json"].replace('"type": "validate"', '"type": "validate", "unused": true');
  const report = await buildProject({ ...files, "openapi.json": open, "tollgate.json": settings });
  expect(report.errors).toEqual([]);
});
