import { expect, test } from "bun:test";
import { archiveOf, inChunks } from "../../test/support/archives.ts";
import { buildMarked, buildProject, type Files } from "../../test/support/gateway-project.ts";
import { api, openapi, settings, up, yaml, yamlHead } from "../../test/support/project-files.ts";
import { runBuilder } from "./builder.ts";

/** Errors in OpenAPI documents. */
test.each<[string, Files, string]>([
  [
    "a catch-all that is not the last segment",
    api({ path: '▶"/a/{rest+}/b"' }),
    'the path "/a/{rest+}/b" has {rest+} in the middle: only the last segment can match more than one',
  ],
  [
    "a catch-all that is only part of its segment",
    api({ path: '▶"/a/x{rest+}"' }),
    'the path "/a/x{rest+}" has {rest+} in the middle: only the last segment can match more than one',
  ],
  [
    "a misspelt x-tollgate-any",
    api({ item: '▶"x-tolgate-any": {},' }),
    'unknown member "x-tolgate-any"; did you mean "x-tollgate-any"?',
  ],
  [
    "x-tollgate-any in an operation",
    api({ operation: '▶"x-tollgate-any": {},' }),
    'unknown member "x-tollgate-any"; did you mean "x-tollgate"?',
  ],
  [
    "YAML: bad indentation",
    yaml(`${yamlHead}paths:\n  /a:\n    get: {}\n▶   /b: {}\n`),
    "not YAML: All mapping items must start at the same column",
  ],
  [
    "YAML: the same key twice",
    yaml(`${yamlHead}paths: {}\n▶paths: {}\n`),
    'not YAML: the member "paths" is defined twice',
  ],
  ["YAML: a tag of its own", yaml(`${yamlHead}paths: ▶!!js/function "x"\n`), "not YAML: Unresolved tag"],
  [
    "YAML: an error deep inside",
    yaml(`${yamlHead}paths:\n  /a:\n    get:\n      x-tollgate:\n        policies:\n          - ▶key\n`),
    'unknown policy "key": tollgate.json does not name it',
  ],
  [
    "YAML: an unknown member",
    yaml(`${yamlHead}paths:\n  /a:\n    ▶gte: {}\n`),
    'unknown member "gte"; did you mean "get"?',
  ],
  [
    "YAML: behind an alias",
    yaml(`${yamlHead}x-a: &a\n  upstream: ▶ftp://x\npaths:\n  /a:\n    get:\n      x-tollgate: *a\n`),
    '"upstream" must be an http or https origin',
  ],
  [
    "two OpenAPI documents",
    { ...api({}), "openapi.yaml": "▶openapi: 3.1.0" },
    "there is also openapi.json: a project has only one of them",
  ],
  [
    "another version",
    api({ document: '"openapi": ▶"2.0"' }),
    "must be a version of OpenAPI 3.0, 3.1 or 3.2, in quotes",
  ],
  [
    "a version that is a number",
    api({ document: '"openapi": ▶3.1' }),
    "must be a version of OpenAPI 3.0, 3.1 or 3.2, in quotes",
  ],
  ["no version", { "openapi.json": `▶${openapi({ root: up, document: '"tags": []' })}` }, '"openapi" is missing'],
  ["a list for a document", { "openapi.json": "▶[]" }, "an OpenAPI document must be an object"],
  [
    "an unknown member of the document",
    api({ root: `${up} ▶"path": {},` }),
    'unknown member "path"; did you mean "paths"?',
  ],
  [
    "a misspelt extension",
    api({ operation: '▶"x-tolgate": {},' }),
    'unknown member "x-tolgate"; did you mean "x-tollgate"?',
  ],
  [
    "no title",
    { "openapi.json": openapi({ root: up }).replace('{ "title": "T", "version"', '▶{ "version"') },
    '"title" is missing',
  ],
  ["a path without a slash", api({ path: '▶"a"' }), 'the path "a" must begin with a slash'],
  ["a path with a query", api({ path: '▶"/a?b"' }), "must have no query"],
  ["a path with half a parameter", api({ path: '▶"/{a"' }), "an unmatched brace"],
  ["a path with a parameter twice", api({ path: '▶"/{a}/{a}"' }), 'has the parameter "a" twice'],
  ["a path parameter called __proto__", api({ path: '▶"/{__proto__}"' }), 'a parameter called "__proto__"'],
  ["an unknown method", api({ item: '▶"gett": {},' }), 'unknown member "gett"; did you mean "get"?'],
  [
    "an unknown member of an operation",
    api({ operation: '▶"paramters": [],' }),
    'unknown member "paramters"; did you mean "parameters"?',
  ],
  [
    "two templates of one shape",
    api({
      path: '"/b/{x}": { "parameters": [{ "name": "x", "in": "path", "required": true, "schema": {} }] }, ▶"/b/{y}"',
      item: '"parameters": [{ "name": "y", "in": "path", "required": true, "schema": {} }],',
    }),
    'the path "/b/{y}" matches the same requests as "/b/{x}"',
  ],
  [
    "a path parameter that is not declared",
    { "openapi.json": openapi({ root: up, path: '"/b/{x}"' }).replace('"get"', '▶"get"') },
    'the path\'s parameter "x" is not among the parameters',
  ],
  [
    "a path parameter that is not in the path",
    api({ operation: '"parameters": [▶{ "name": "x", "in": "path", "required": true, "schema": {} }],' }),
    'the path has no parameter "x"',
  ],
  [
    "a path parameter that is optional",
    api({ path: '"/{x}"', item: '"parameters": [{ "name": "x", "in": "path", "required": ▶false, "schema": {} }],' }),
    'the path parameter "x" must have "required": true',
  ],
  [
    "a parameter without a name",
    api({ item: '"parameters": [▶{ "in": "query", "schema": {} }],' }),
    'a parameter must have a "name"',
  ],
  [
    "a parameter from nowhere",
    api({ item: '"parameters": [{ "name": "x", "in": ▶"body", "schema": {} }],' }),
    '"in" must be "path", "query", "header" or "cookie"',
  ],
  [
    "a parameter without a schema",
    api({ item: '"parameters": [▶{ "name": "x", "in": "query" }],' }),
    'must have a "schema" or a "content"',
  ],
  [
    "a parameter twice",
    api({
      item: '"parameters": [{ "name": "X", "in": "header", "schema": {} }, ▶{ "name": "x", "in": "header", "schema": {} }],',
    }),
    'the header parameter "x" is defined twice',
  ],
  ["parameters that are no list", api({ item: '"parameters": ▶{},' }), '"parameters" must be a list'],
  ["a body without content", api({ operation: '"requestBody": ▶{},' }), 'a request body must have a "content"'],
  [
    "a body of no media type",
    api({ operation: '"requestBody": { "content": { ▶"json": {} } },' }),
    '"json" is not a media type',
  ],
  [
    "an operationId twice",
    api({ operation: '"operationId": "o",', item: '"post": { "operationId": ▶"o" },' }),
    '"o" is the id of another operation too',
  ],
  [
    "a reference to nothing",
    api({ item: '"parameters": [{ "$ref": ▶"#/components/parameters/x" }],' }),
    'there is no "#/components/parameters/x" in this document',
  ],
  [
    "a reference to a file",
    api({ item: '"parameters": [{ "$ref": ▶"other.json#/x" }],' }),
    'there is no file "other.json" in the project',
  ],
  [
    "a reference out of the project",
    api({ item: '"parameters": [{ "$ref": ▶"schemas/%2e%2e/../other.json" }],' }),
    '"schemas/%2e%2e/../other.json" is outside of the project',
  ],
  [
    "a reference to an absolute path",
    api({ item: '"parameters": [{ "$ref": ▶"/etc/other.json" }],' }),
    '"/etc/other.json" must be a path relative to this file',
  ],
  [
    "a reference to another kind of file",
    { ...api({ item: '"parameters": [{ "$ref": ▶"modules/a.js" }],' }), "modules/a.js": "" },
    '"modules/a.js" cannot be referred to: it must be a .json, .yaml or .yml file',
  ],
  [
    "a reference to nothing in a file",
    { ...api({ item: '"parameters": [{ "$ref": ▶"a/b.yaml#/x" }],' }), "a/b.yaml": "y: 1" },
    'there is no "#/x" in a/b.yaml',
  ],
  [
    "a reference of a file",
    {
      ...api({ item: '"parameters": [{ "$ref": "a/b.yaml" }],' }),
      "a/b.yaml": "name: x\nin: query\nschema:\n  $ref: ▶c.yaml",
    },
    'there is no file "a/c.yaml" in the project',
  ],
  [
    "a misspelt reference to a file",
    { ...api({ item: '"parameters": [{ "$ref": ▶"schema/order.yaml" }],' }), "schemas/order.yaml": "{}" },
    'there is no file "schema/order.yaml" in the project; did you mean "schemas/order.yaml"?',
  ],
  [
    "a file that cannot be parsed",
    { ...api({ item: '"parameters": [{ "$ref": "a.json" }],' }), "a.json": '{ "a" ▶1 }' },
    "not JSON: a colon is expected here",
  ],
  [
    "a parameter in a file",
    { ...api({ item: '"parameters": [{ "$ref": "a.yaml#/p" }],' }), "a.yaml": "p:\n  name: x\n  in: ▶nowhere\n" },
    '"in" must be "path", "query", "header" or "cookie"',
  ],
  [
    "references in a circle through files",
    {
      ...api({ item: '"parameters": [▶{ "$ref": "a.json" }],' }),
      "a.json": '{ "$ref": "b.json" }',
      "b.json": '{ "$ref": "a.json" }',
    },
    "this reference refers to itself",
  ],
  [
    "what OpenAPI 3.2 has added in an older document",
    api({ item: '▶"additionalOperations": {},' }),
    'unknown member "additionalOperations"',
  ],
  [
    "a method of OpenAPI 3.2 in the wrong place",
    api({ document: '"openapi": "3.2.0"', item: '"additionalOperations": { ▶"Query": {} },' }),
    'the operation of QUERY is the member "query" of the path',
  ],
  [
    "a method that is none",
    api({ document: '"openapi": "3.2.0"', item: '"additionalOperations": { ▶"A B": {} },' }),
    '"A B" is not a method',
  ],
  [
    "an address of the document with a fragment",
    api({ document: '"openapi": "3.2.0", "$self": ▶"https://api.test/openapi.json#a"' }),
    '"$self" must be the address of the document, without a fragment',
  ],
  [
    "a reference to the network",
    api({ root: `${up} "components": { "schemas": { "A": { "$ref": ▶"https://evil.test/a.json" } } },` }),
    '"https://evil.test/a.json" is a remote address: nothing is fetched',
  ],
  [
    "references in a circle",
    api({
      item: '"parameters": [▶{ "$ref": "#/components/parameters/a" }],',
      root: `${up} "components": { "parameters": { "a": { "$ref": "#/components/parameters/b" }, "b": { "$ref": "#/components/parameters/a" } } },`,
    }),
    "this reference refers to itself",
  ],
])("%s", async (_, files, message) => {
  const { atMark, elsewhere, report } = await buildMarked(files);
  expect({ atMark, elsewhere }).toEqual({ atMark: [expect.stringContaining(message)], elsewhere: [] });
  expect(report.artifact).toBeUndefined();
});

test("all errors are reported at once, in order, with the first step that failed", async () => {
  const report = await buildProject({
    "openapi.json": openapi({
      document: '"openapi": "4"',
      operation: '"x-tollgate": { "handler": "modules/a.ts", "policies": ["nope"] },',
    }),
    "tollgate.json": '{ "timeoutSeconds": 0, "policies": { "k": { "type": "api-key", "options": {} } } }',
    "modules/a.ts": 'import x from "left-pad";\nconst n: number = "text";\nexport default () => new Response(x + n);',
  });
  expect(report.failedStep).toBe("validate");
  expect(report.errors.map(({ file, line }) => `${file}:${line}`)).toEqual([
    "modules/a.ts:1",
    "modules/a.ts:2",
    "openapi.json:2",
    "openapi.json:8",
    "tollgate.json:1",
    "tollgate.json:1",
  ]);
});

/** Irregular enough not to compress like a bomb. */
function digits(count: number): number[] {
  return Array.from({ length: count }, (_, index) => Math.imul(index, 2_654_435_761) & 7);
}

test("a project without an OpenAPI document is an error", async () => {
  expect((await buildProject({ "tollgate.json": "{}" })).errors).toEqual([
    { file: "openapi.json", line: 1, column: 1, message: "is missing: a project has an openapi.json or openapi.yaml" },
  ]);
});

test("a document that is too large or too deep is an error, and is not parsed", async () => {
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  for (const [text, message] of [
    [deep, "is nested more than 100 levels deep"],
    [`[${"[".repeat(150)}${"]".repeat(150)}]`, "is nested more than 100 levels deep"],
    [JSON.stringify(digits(600_000)), "contains more than 500000 names and values"],
    [JSON.stringify(digits(3_000_000)), "is larger than 5 MiB"],
  ] as const) {
    const report = await buildProject({ "openapi.json": text });
    expect(report.errors.map((error) => error.message)).toEqual([message]);
  }
});

test("a document that is not UTF-8 is an error", async () => {
  const archive = await archiveOf({ "openapi.json": Buffer.from([0x7b, 0xff, 0x7d]) });
  expect((await runBuilder(inChunks(archive), { egress: "any" })).errors).toEqual([
    { file: "openapi.json", line: 1, column: 1, message: "is not UTF-8" },
  ]);
});

test("YAML that would unfold to billions of values is rejected at once", async () => {
  const levels = Array.from({ length: 12 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(10).fill(`*a${n}`).join(", ")}]`);
  const bombs = [
    ["a0: &a0 [x, x, x, x]", ...levels].join("\n"),
    `a: &a [${"x, ".repeat(5000)}x]\nb: [${"*a, ".repeat(5000)}*a]`,
    "a: &a [*a]",
  ];
  for (const bomb of bombs) {
    const report = await buildProject({ "openapi.yaml": `${yamlHead}${bomb}\n` });
    expect(report.failedStep).toBe("validate");
    expect(report.errors[0]?.message).toMatch(/alias|values|levels/i);
  }
});

test("no more than a hundred errors are reported", async () => {
  const members = Array.from({ length: 5000 }, (_, index) => `"m${index}": 1`);
  const report = await buildProject(settings(`{ ${members.join(", ")} }`));
  expect(report.errors).toHaveLength(100);
});
