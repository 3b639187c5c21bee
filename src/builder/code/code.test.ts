import { expect, test } from "bun:test";
import { build } from "esbuild";
import { buildMarked, buildProject, type Files, plainProject } from "../../../test/support/gateway-project.ts";
import { checkTypes } from "./type-check.ts";

/** A project whose only route is handled by this module. */
function handler(code: string, more: Files = {}): Files {
  return {
    "openapi.json": plainProject["openapi.json"]!.replace(
      '"upstream":"http://upstream.test"',
      '"handler":"modules/a.ts"',
    ),
    "modules/a.ts": code,
    ...more,
  };
}

const response = "\nexport default () => new Response();";
const computed = "an import must have a string literal as its path";
const installed = 'it is not in the archive; "tollgate deploy" and "tollgate pack" bundle packages from node_modules';

test.each<[string, Files, string]>([
  ["a syntax error", handler(`const x = ▶;${response}`), 'Unexpected ";"'],
  [
    "a syntax error after other letters than ASCII",
    handler(`const ä = "漢字😀" ▶1;${response}`),
    'Expected ";" but found "1"',
  ],
  [
    "a syntax error in JSON",
    handler(`import x from "./x.json";${response.replace("()", "(x)")}; x`, { "modules/x.json": '{ "a": ▶}' }),
    "Unexpected",
  ],
  ["a package", handler(`import x from ▶"left-pad"; x;${response}`), `cannot import "left-pad": ${installed}`],
  ["a module of Node", handler(`import x from ▶"node:fs"; x;${response}`), installed],
  [
    "a value of tollgate's types",
    handler(`import { Handler } from ▶"tollgate/gateway"; new Handler();${response}`),
    installed,
  ],
  [
    "an absolute path",
    handler(`import x from ▶"/etc/passwd"; x;${response}`),
    `cannot import "/etc/passwd": ${installed}`,
  ],
  ["a file address", handler(`import x from ▶"file:///etc/passwd"; x;${response}`), installed],
  ["an address of the network", handler(`import x from ▶"https://evil.test/x.js"; x;${response}`), installed],
  ["a data address", handler(`import x from ▶"data:text/javascript,export default 1"; x;${response}`), installed],
  [
    "a path out of the project",
    handler(`import x from ▶"../../../../../../etc/passwd"; x;${response}`),
    'there is no "../../../../../../etc/passwd" below modules/',
  ],
  [
    "a document of the project",
    handler(`import x from ▶"../openapi.json"; x;${response}`),
    'there is no "../openapi.json" below modules/',
  ],
  [
    "a file that is not there",
    handler(`import x from ▶"./b.ts"; x;${response}`),
    'there is no "./b.ts" below modules/',
  ],
  ["a require", handler(`const x = require(▶"/etc/passwd"); x;${response}`), installed],
  ["an import at run time", handler(`const x = import(▶"/etc/passwd"); x;${response}`), installed],
  ["a pattern of imports", handler(`const x = (n: string) => ▶import(\`./\${n}.ts\`); x("");${response}`), computed],
  [
    "a sum of texts",
    handler(`const x = (n: string) => /* ä */ ▶import("../../../../etc/" + n); x("");${response}`),
    computed,
  ],
  ["a required pattern", handler(`const x = (n) => ▶require(\`./\${n}.ts\`); x("");${response}`), computed],
  [
    "a required pattern in disguise",
    handler(`const x = (n) => (▶r\\u0065quire)("./" + n); x("");${response}`),
    computed,
  ],
  [
    "another kind of import",
    handler(`import x from ▶"./b.ts" with { type: "text" }; x;${response}`, { "modules/b.ts": "" }),
    "without attributes",
  ],
  [
    "an import that the other does not export",
    handler(`import { ▶x } from "./b.ts"; x;${response}`, { "modules/b.ts": "export const y = 1;" }),
    'No matching export in "modules/b.ts" for import "x"',
  ],
  [
    "a type that does not fit",
    handler(`const ▶x: number = "text"; x;${response}`),
    "Type 'string' is not assignable to type 'number'. (TS2322)",
  ],
  [
    "a type that does not fit what handlers receive",
    handler(
      'import type { Handler } from "tollgate/gateway";\nconst h: Handler = (_, context) => new Response(context.▶usr);\nexport default h;',
    ),
    "Property 'usr' does not exist on type 'Context'",
  ],
  [
    "a type of another file",
    handler(`import type { T } from "./types.ts";\nconst x: T = { ▶b: 1 }; x;${response}`, {
      "modules/types.ts": "export interface T { a?: string }",
    }),
    "'b' does not exist in type 'T'",
  ],
  [
    "a type from outside",
    handler(`import type { T } from ▶"/etc/passwd"; const x: T = 1; x;${response}`),
    "Cannot find module '/etc/passwd'",
  ],
])("%s", async (_, files, message) => {
  const { atMark, elsewhere, report } = await buildMarked(files);
  expect({ atMark, elsewhere }).toEqual({ atMark: [expect.stringContaining(message)], elsewhere: [] });
  expect(report).toMatchObject({ failedStep: "build" });
});

test("modules may use the platform's and Tollgate's types, and need not be strict", async () => {
  const code = `
    import type { Handler, Policy, Context } from "tollgate/gateway";
    import type { Log } from "tollgate";
    import other from "./plain.js";
    const greet = (context: Context, log: Log, anything) => { log.info(context.user?.sub, context.environment.A, anything, other); };
    export const policy: Policy = (request) => { if (request.headers.has("x")) return new Response(null, { status: 403 }); };
    const handler: Handler = async (request, context) => {
      greet(context, context.log, null);
      context.waitUntil(fetch("https://example.com"));
      const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(new URL(request.url).pathname));
      console.log(digest.byteLength, structuredClone([1].toSorted()));
      return Response.json(context.params);
    };
    export default handler;`;
  const report = await buildProject(
    handler(code, { "modules/plain.js": "export default function f(a) { return a.b; }" }),
  );
  expect(report.errors).toEqual([]);
});

test("compiler settings and tests beside the code have no effect", async () => {
  const report = await buildProject(
    handler(`import x from "./x.ts";\nexport default () => new Response(x);`, {
      "modules/x.ts": 'const x: string = "x"; export default x;',
      "modules/x.test.ts": 'import { test } from "bun:test"; test(1);',
      "tsconfig.json": '{ "extends": "/etc/passwd", "compilerOptions": { "paths": { "*": ["/etc/*"] } } }',
      "modules/tsconfig.json": '{ "extends": "/etc/passwd", "compilerOptions": { "baseUrl": "/etc", "strict": true } }',
      "modules/package.json":
        '{ "imports": { "#x": "/etc/passwd" }, "browser": { "./x.ts": "/etc/passwd" }, "sideEffects": false }',
    }),
  );
  expect(report.errors).toEqual([]);
  expect(JSON.parse(report.artifact!).code).not.toContain("root:");
});

test("a source map reference in a module is ignored", async () => {
  const report = await buildProject(handler(`${response}\n//# sourceMappingURL=/etc/passwd`));
  expect(report.errors).toEqual([]);
  expect(report.artifact).not.toContain("passwd");
});

test("references in comments are ignored", async () => {
  const references = ['types="node"', 'path="/etc/passwd"', 'path="../../../../../etc/hosts"'];
  const report = await buildProject(
    handler(references.map((text) => `/// <reference ${text} />\n`).join("") + response),
  );
  expect(report.errors).toEqual([]);
});

test.each([
  [
    "time",
    { cpuSeconds: 1, mebibytes: 1024 },
    `type Grow<T extends unknown[]> = T["length"] extends 900 ? T : Grow<[...T, 1]>;
    type A = Grow<[]>; type Pairs<T extends unknown[]> = { [K in keyof T]: { [L in keyof T]: [T[K], T[L]] } };
    export const x: Pairs<A> = 1 as never;`,
  ],
  [
    "memory",
    { cpuSeconds: 60, mebibytes: 96 },
    `type D = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
    export const x: \`${"x".repeat(20_000)}\${D}\${D}\${D}\${D}\` = "";`,
  ],
])("a type check that takes too much %s is aborted", async (_what, limits, code) => {
  const files = new Map([["modules/a.ts", Buffer.from(code)]]);
  const { cpuSeconds, mebibytes } = limits;
  const message = `The types of the modules could not be checked within ${cpuSeconds} s of CPU time and ${mebibytes} MiB.`;
  expect(
    await checkTypes({ files, documents: new Map(), docs: new Map(), dropped: new Set(), unexpected: [] }, limits),
  ).toEqual([{ file: "", line: 0, column: 0, message }]);
});

test("imports in comments, strings or regular expressions are ignored", async () => {
  const code = [
    "/*! import(name) is kept by the printer */",
    'const text = "import(name)", pattern = /require(name)/, template = `import(name)`;',
    'export const later = () => import(/* why: import(x) */ "./b.ts");',
    "export const shim = { import: (n) => n, require: (n) => n }; shim.require(text + pattern + template);",
  ].join("\n");
  const report = await buildProject(handler(code + response, { "modules/b.ts": "export default 1;" }));
  expect(report.errors).toEqual([]);
});

test("zod, bundled by its user and not minified, is deployed", async () => {
  const { outputFiles } = await build({
    stdin: { contents: 'export * from "zod";', resolveDir: import.meta.dir },
    bundle: true,
    write: false,
    format: "esm",
    legalComments: "inline",
  });
  const zod = outputFiles[0]!.text;
  const code = `import { z } from "./zod.js";\nexport default () => Response.json(z.string().parse("x"));`;
  const report = await buildProject(handler(code, { "modules/zod.js": `${zod}\n/*! import(anything) */` }));
  expect(report.errors).toEqual([]);
});

test("the artifact names policies with onResponse, and the bodies that they read", async () => {
  const report = await buildProject({
    "openapi.json": JSON.stringify({
      openapi: "3.1.0",
      info: { title: "T", version: "1" },
      paths: { "/a": { get: {} } },
      "x-tollgate": { upstream: "http://up.test", policies: ["plain", "reads", "again"] },
    }),
    "tollgate.json": JSON.stringify({
      policies: {
        plain: { type: "modules/plain.ts" },
        reads: { type: "modules/reads.ts", body: { response: "stream" } },
        again: { type: "modules/again.ts", body: { request: "none" } },
      },
    }),
    "modules/plain.ts": "export default () => undefined;\nexport type onResponse = string;",
    "modules/reads.ts": "export default () => undefined;\nexport { changes as onResponse } from './changes.ts';",
    "modules/changes.ts": "export const changes = (response: Response) => response;",
    "modules/again.ts": "export default () => undefined;\nexport function onResponse() {}",
  });
  expect(report.errors).toEqual([]);
  expect(JSON.parse(report.artifact!).policies).toEqual({
    plain: { type: "modules/plain.ts", options: {} },
    reads: {
      type: "modules/reads.ts",
      options: {},
      hasOnResponse: true,
      body: { request: "none", response: "stream", maxBytes: 1048576 },
    },
    again: { type: "modules/again.ts", options: {}, hasOnResponse: true },
  });
});
