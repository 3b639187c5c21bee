import { expect, test } from "bun:test";
import { archiveOf, inChunks } from "../../test/support/archives.ts";
import { buildMarked, buildProject, type Files } from "../../test/support/gateway-project.ts";
import { runBuilder } from "./builder.ts";

/** An OpenAPI document with one operation, whose parts can be replaced. */
function openapi({
  root = "",
  path = '"/a"',
  item = "",
  operation = "",
  document = '"openapi": "3.1.0"',
} = {}): string {
  return `{
  ${document},
  "info": { "title": "T", "version": "1" },
  ${root}
  "paths": {
    ${path}: {
      ${item}
      "get": { ${operation} "responses": {} }
    }
  }
}`;
}

const up = '"x-tollgate": { "upstream": "http://up.test" },';
const settings = (text: string): Files => ({ "openapi.json": openapi({ root: up }), "tollgate.json": text });
const policies = (text: string): Files => ({
  "openapi.json": openapi({ root: '"x-tollgate": { "upstream": "http://up.test", "policies": ["p"] },' }),
  "tollgate.json": `{ "policies": { ${text} } }`,
});
const api = (parts: Parameters<typeof openapi>[0]): Files => ({ "openapi.json": openapi({ root: up, ...parts }) });
const yaml = (text: string): Files => ({
  "openapi.yaml": text,
  "tollgate.json": '{ "upstream": "http://up.test" }',
});
const yamlHead = 'openapi: "3.1.0"\ninfo: { title: T, version: "1" }\n';

test.each<[string, Files, string]>([
  [
    "a body for a built-in policy",
    policies('"p": { "type": "cors", "options": { "origins": "*" }, ▶"body": { "request": "buffer" } }'),
    'is for policies in code: those of type "cors" read the bodies that they need without it',
  ],
  [
    "a body that is too large",
    {
      ...policies('"p": { "type": "modules/p.ts", "body": { "maxBytes": ▶99999999 } }'),
      "modules/p.ts": "export default () => undefined;",
    },
    "must be at most 16777216, which is 16 MiB",
  ],
  [
    "a response that nothing reads",
    {
      ...policies('"p": { "type": "modules/p.ts", "body": { "response": ▶"buffer" } }'),
      "modules/p.ts": "export default () => undefined;",
    },
    'modules/p.ts does not export "onResponse", which would read the response',
  ],
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
    "JSON: a comma missing",
    settings('{\n  "upstream": "http://u"\n  ▶"timeoutSeconds": 3 }'),
    "not JSON: a comma is expected here",
  ],
  [
    "JSON: a trailing comma",
    settings('{ "timeoutSeconds": 3, ▶}'),
    "not JSON: a name in double quotes is expected here",
  ],
  ["JSON: a comment", settings('{ ▶/* no */ "timeoutSeconds": 3 }'), "not JSON: JSON has no comments"],
  ["JSON: cut short", settings('{ "timeoutSeconds": 3▶'), "not JSON: a closing brace is expected here"],
  ["JSON: empty", settings("▶"), "not JSON: a value is expected here"],
  [
    "JSON: twice the same member",
    settings('{ "timeoutSeconds": 3, ▶"timeoutSeconds": 4 }'),
    'the member "timeoutSeconds" is defined twice',
  ],
  [
    "JSON: __proto__",
    settings('{ ▶"__proto__": { "upstream": "http://u" } }'),
    'a member may not be called "__proto__"',
  ],
  ["JSON: a list for settings", settings("▶[]"), "must be of type object"],

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

  [
    "an operation without upstream or handler",
    { "openapi.json": openapi().replace('"get"', '▶"get"') },
    "GET /a has no upstream or handler",
  ],
  [
    "an upstream and a handler",
    {
      "openapi.json": openapi({ operation: '"x-tollgate": { "upstream": "http://u", "handler": ▶"modules/a.ts" },' }),
      "modules/a.ts": "export default 1",
    },
    '"handler" cannot be combined with upstream',
  ],
  [
    "an unknown member of x-tollgate",
    api({ operation: '"x-tollgate": { ▶"polices": [] },' }),
    'unknown member "polices"; did you mean "policies"?',
  ],
  [
    "x-tollgate of a path",
    api({ item: '"x-tollgate": { "timeoutSeconds": ▶0 },' }),
    '"timeoutSeconds" must be at least 1',
  ],
  [
    "a header that is forwarded anyway",
    api({ operation: '"x-tollgate": { "forwardHeaders": ["X-Original-URL", ▶"x-other"] },' }),
    '"forwardHeaders.1" must be one of "fly-client-ip", "remote-user", ',
  ],
  [
    "x-tollgate of the document",
    api({ root: '"x-tollgate": { "upstream": "http://u", ▶"timeout": 3 },' }),
    'unknown member "timeout"',
  ],
  [
    "an unknown policy",
    {
      ...policies('"p": { "type": "validate" }, "qota": { "type": "validate" }'),
      "openapi.json": openapi({ root: '"x-tollgate": { "upstream": "http://u", "policies": ["p", ▶"quota"] },' }),
    },
    'unknown policy "quota"; did you mean "qota"?',
  ],
  [
    "a policy called constructor that is not",
    api({ operation: '"x-tollgate": { "policies": [▶"constructor"] },' }),
    'unknown policy "constructor"',
  ],
  [
    "a policy twice",
    {
      ...policies('"p": { "type": "validate" }'),
      "openapi.json": openapi({ root: '"x-tollgate": { "upstream": "http://u", "policies": ["p", ▶"p"] },' }),
    },
    'the policy "p" is listed twice',
  ],
  [
    "a cache before what authenticates",
    {
      ...policies(
        '"c": { "type": "cache", "options": { "seconds": 1 } }, "k": { "type": "api-key", "options": { "bucket": "b" } }',
      ),
      "openapi.json": openapi({ root: '"x-tollgate": { "upstream": "http://u", "policies": [▶"c", "k"] },' }),
    },
    'the cache "c" is before "k" and would serve its responses to all clients: put it after that policy',
  ],
  [
    "a cache before code",
    {
      ...policies(
        '"c": { "type": "cache", "options": { "seconds": 1 } }, "v": { "type": "validate" }, "m": { "type": "modules/m.ts" }',
      ),
      "openapi.json": openapi({ root: up, operation: '"x-tollgate": { "policies": ["v", ▶"c", "m"] },' }),
      "modules/m.ts": "export default () => undefined",
    },
    'the cache "c" is before "m" and would serve its responses to all clients: put it after that policy',
  ],
  [
    "a handler that does not exist",
    {
      ...api({ operation: '"x-tollgate": { "handler": ▶"modules/helo.ts" },' }),
      "modules/hello.ts": "export default 1",
    },
    'there is no module "modules/helo.ts"; did you mean "modules/hello.ts"?',
  ],
  [
    "a handler outside modules/",
    api({ operation: '"x-tollgate": { "handler": ▶"/etc/passwd" },' }),
    '"handler" must be the path of a module',
  ],
  [
    "a handler without a default export",
    { ...api({ operation: '"x-tollgate": { "handler": "modules/a.ts" },' }), "modules/a.ts": "▶export const a = 1;" },
    "has no default export",
  ],

  [
    "an unknown member of tollgate.json",
    settings('{ ▶"upstreams": "http://u" }'),
    'unknown member "upstreams"; did you mean "upstream"?',
  ],
  [
    "an upstream with a query",
    settings('{ "upstream": ▶"http://u/?a" }'),
    '"upstream" must be an http or https origin',
  ],
  [
    "an upstream with a fragment",
    settings('{ "upstream": ▶"http://u/#a" }'),
    '"upstream" must be an http or https origin',
  ],
  [
    "an upstream with credentials",
    settings('{ "upstream": ▶"http://a:b@u" }'),
    '"upstream" must be an http or https origin',
  ],
  [
    "an upstream of another kind",
    settings('{ "upstream": ▶"file:///etc/passwd" }'),
    '"upstream" must be an http or https origin',
  ],
  [
    "an upstream that is no address",
    settings('{ "upstream": ▶"http://[::1" }'),
    '"upstream" must be an http or https origin',
  ],
  ["a timeout too long", settings('{ "timeoutSeconds": ▶601 }'), '"timeoutSeconds" must be at most 600'],
  [
    "an environment that is no text",
    settings('{ "environment": { "A": ▶1 } }'),
    '"environment.A" must be of type string',
  ],
  ["a bad name in the environment", settings('{ "environment": { ▶"A-B": "1" } }'), '"A-B" must be 1 to 128 letters'],
  [
    "a bad name of a policy",
    settings('{ "policies": { ▶"a b": { "type": "validate" } } }'),
    '"a b" must be 1 to 64 letters',
  ],
  ["a policy without a type", policies('"p": ▶{}'), '"type" is missing'],
  [
    "an unknown type",
    policies('"p": { "type": ▶"api-kye" }'),
    'unknown policy type "api-kye"; did you mean "api-key"?',
  ],
  [
    "a type called toString",
    policies('"p": { "type": ▶"toString" }'),
    'unknown policy type "toString": neither built in nor a module',
  ],
  [
    "a policy module that does not exist",
    policies('"p": { "type": ▶"modules/audit.ts" }'),
    'there is no module "modules/audit.ts"',
  ],
  [
    "an unknown option",
    policies('"p": { "type": "api-key", "options": { "bucket": "main", ▶"heder": "x" } }'),
    'unknown member "heder"; did you mean "header"?',
  ],
  [
    "an option of the wrong type",
    policies('"p": { "type": "rate-limit", "options": { "requests": ▶"many", "windowSeconds": 1 } }'),
    '"requests" must be',
  ],
  [
    "an option that is none of its values",
    policies('"p": { "type": "rate-limit", "options": { "requests": 1, "windowSeconds": 1, "window": ▶"rolling" } }'),
    '"window" must be',
  ],
  [
    "an option that is missing",
    policies('"p": { "type": "rate-limit", "options": ▶{ "requests": 1 } }'),
    '"windowSeconds" is missing',
  ],
  [
    "options that are missing",
    policies('"p": ▶{ "type": "api-key" }'),
    '"options" is missing: a policy of type "api-key" needs "bucket"',
  ],
  [
    "an option of an option",
    policies('"p": { "type": "cors", "options": { "origins": ["http://a", ▶"b"] } }'),
    '"origins.1" must be an origin',
  ],
  [
    "a list of origins without any",
    policies('"p": { "type": "cors", "options": { "origins": ▶[] } }'),
    '"origins" must name at least one origin',
  ],
  ...['"6xx"', "99", "true"].map((status): [string, Record<string, string>, string] => [
    `the status ${status} of a quota`,
    policies(
      `"p": { "type": "quota", "options": { "bucketId": "b", "meters": { "m": 1 }, "statuses": [▶${status}] } }`,
    ),
    '"statuses.0" must be a status such as 200, or a class such as "2xx"',
  ]),
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
