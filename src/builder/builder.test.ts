import { expect, test } from "bun:test";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { stringify } from "yaml";
import { archiveOf, inChunks } from "../../test/support/archives.ts";
import { buildProject, plainProject } from "../../test/support/gateway-project.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import type { Artifact } from "../core/artifact/artifact.ts";
import { runBuilder } from "./builder.ts";
import { Findings } from "./documents/findings.ts";
import { validateProject } from "./project/validate.ts";

const parameter = (name: string) => ({ name, in: "path", required: true, schema: { type: "string" } });

const document = {
  openapi: "3.1.0",
  info: { title: "Everything", version: "1" },
  "x-tollgate": { upstream: "https://API.example.com:443/v1/", policies: ["key"], timeoutSeconds: 5 },
  paths: {
    "/plain": { get: { operationId: "plain" }, trace: {} },
    "/open": { "x-tollgate": { policies: [] }, get: {}, post: { "x-tollgate": { timeoutSeconds: 600 } } },
    "/code/{name}.{ending}": {
      parameters: [parameter("name"), parameter("ending")],
      put: { "x-tollgate": { handler: "modules/code.ts", policies: ["key", "audit"] } },
    },
    "/shared": { $ref: "#/components/pathItems/shared" },
  },
  components: { pathItems: { shared: { delete: { "x-tollgate": { upstream: "http://[::1]:9000" } } } } },
};

const files = {
  "tollgate.json": JSON.stringify({
    upstream: "http://never.test",
    policies: {
      key: { type: "api-key", options: { bucket: "main" } },
      audit: { type: "modules/audit.js", options: { constructor: [1, null] } },
      constructor: { type: "cors", options: { origins: "*" } },
    },
    environment: { GREETING: "Hello" },
  }),
  "modules/code.ts": 'import { word } from "./lib/word";\nexport default () => new Response(word);',
  "modules/lib/word.ts": 'import data from "../data.json";\nexport const word: string = data.word;',
  "modules/data.json": '{ "word": "from JSON" }',
  "modules/audit.js": "export default () => undefined;\nexport const extra = 1;",
  "modules/unused.ts": "export default 1;",
};

test("a project becomes an artifact, which is the same from JSON and YAML and for every build", async () => {
  const report = await buildProject({ ...files, "openapi.json": JSON.stringify(document) });
  expect(report).toMatchObject({
    errors: [],
    durations: { unpack: expect.any(Number), validate: expect.any(Number), build: expect.any(Number) },
  });
  expect(report.failedStep).toBeUndefined();
  const artifact: Artifact = JSON.parse(report.artifact!);
  expect(artifact).toEqual({
    format: 1,
    environment: { GREETING: "Hello" },
    policies: {
      key: {
        type: "api-key",
        options: { bucket: "main", header: "authorization", scheme: "Bearer", allowAnonymous: false, oauth: false },
      },
      audit: { type: "modules/audit.js", options: { constructor: [1, null] } },
      constructor: { type: "cors", options: expect.objectContaining({ origins: "*", credentials: false }) },
    },
    routes: [
      { path: "/plain", method: "GET", operationId: "plain", target: upstream, policies: ["key"], timeoutSeconds: 5 },
      { path: "/open", method: "GET", target: upstream, policies: [], timeoutSeconds: 5 },
      { path: "/open", method: "POST", target: upstream, policies: [], timeoutSeconds: 600 },
      {
        path: "/code/{name}.{ending}",
        method: "PUT",
        target: { handler: "modules/code.ts" },
        policies: ["key", "audit"],
        timeoutSeconds: 5,
      },
      {
        path: "/shared",
        method: "DELETE",
        target: { upstream: "http://[::1]:9000" },
        policies: ["key"],
        timeoutSeconds: 5,
      },
    ],
    code: expect.any(String),
    document: { file: "openapi.json", text: JSON.stringify(document) },
    site: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(report.warnings.map(({ file, message }) => `${file}: ${message}`)).toEqual([
    "openapi.json: TRACE requests are not supported: this operation is ignored",
    'tollgate.json: no route uses the policy "constructor"',
  ]);
  const reversed = Object.fromEntries(Object.entries(files).reverse());
  const again = await buildProject({ "openapi.json": JSON.stringify(document), ...reversed });
  expect(again.artifact).toBe(report.artifact!);
  const yaml = await buildProject({ "openapi.yaml": stringify(document), ...reversed });
  const text = stringify(document);
  expect(JSON.parse(yaml.artifact!)).toEqual({
    ...artifact,
    document: { file: "openapi.yaml", text, json: JSON.stringify(document) },
  });
});

const upstream = { upstream: "https://api.example.com/v1" };

test("the code's default export contains the named modules by their paths", async () => {
  const { artifact } = await buildProject({ ...files, "openapi.json": JSON.stringify(document) });
  const { code } = JSON.parse(artifact!) as Artifact;
  const folder = await temporaryFolder("code");
  await Bun.write(join(folder.path, "code.js"), code!);
  const { default: modules } = await import(join(folder.path, "code.js"));
  await folder.remove();
  expect(Object.keys(modules)).toEqual(["modules/audit.js", "modules/code.ts"]);
  expect(modules["modules/audit.js"].extra).toBe(1);
  expect(await modules["modules/code.ts"].default().text()).toBe("from JSON");
  expect(code).not.toContain("unused");
});

test("a project without code has none, and tollgate.json alone can set the target of all routes", async () => {
  const text = JSON.stringify({ openapi: "3.0.3", info: document.info, paths: { "/": { get: {} } } });
  const report = await buildProject({
    "openapi.json": text,
    "tollgate.json": '{ "upstream": "http://up.test", "timeoutSeconds": 7 }',
  });
  expect(JSON.parse(report.artifact!)).toEqual({
    format: 1,
    environment: {},
    policies: {},
    routes: [{ path: "/", method: "GET", target: { upstream: "http://up.test" }, policies: [], timeoutSeconds: 7 }],
    code: null,
    document: { file: "openapi.json", text },
    site: expect.any(String),
  });
});

test("unrelated files are omitted with a warning", async () => {
  const report = await buildProject({ ...plainProject, "picture.png": "x" });
  expect(report.errors).toEqual([]);
  expect(report.warnings).toEqual([
    { file: "picture.png", line: 1, column: 1, message: "is not part of a project and is ignored" },
  ]);
});

test("a rejected archive produces a report with only the reason", async () => {
  expect(await runBuilder(inChunks(Buffer.from("no archive at all")), { egress: "any" })).toEqual({
    failedStep: "unpack",
    durations: { unpack: expect.any(Number) },
    warnings: [],
    errors: [{ file: "", line: 0, column: 0, message: "The archive is not gzip, or it is damaged." }],
  });
});

test("any file content produces a report", async () => {
  const name = fc.constantFrom("openapi.json", "openapi.yaml", "tollgate.json");
  const json = fc.json({ depthSize: "medium" });
  const scraps = fc
    .array(
      fc.constantFrom(
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        '"a"',
        "- ",
        "&a ",
        "*a",
        "\n",
        "  ",
        "!!x ",
        "? ",
        "|",
        "#",
        "\u0000",
        "é",
      ),
    )
    .map((parts) => parts.join(""));
  const content = fc.oneof(json, scraps, fc.string({ unit: "binary" }));
  await fc.assert(
    fc.asyncProperty(fc.dictionary(name, content), async (project) => {
      const report = await runBuilder(inChunks(await archiveOf(project)), { egress: "any" });
      expect(report.errors.length).toBeGreaterThan(0);
      expect(report.artifact).toBeUndefined();
    }),
    { numRuns: 150 },
  );
});

test("documents with wrong values anywhere never crash the builder", async () => {
  const value = fc.oneof(
    fc.constant(null),
    fc.integer(),
    fc.string(),
    fc.constant([]),
    fc.constant({}),
    fc.constant({ $ref: "#/" }),
    fc.constant({ $ref: "#/paths" }),
    fc.boolean(),
  );
  const whole = { ...document, "x-tollgate": { upstream: "http://u", policies: ["v"] } };
  const places = pathsOf(whole);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...places), value, async (place, replacement) => {
      const changed = structuredClone(whole);
      put(changed, place, replacement);
      const project = {
        "openapi.json": JSON.stringify(changed),
        "tollgate.json":
          '{ "policies": { "v": { "type": "validate" }, "key": { "type": "validate" }, "audit": { "type": "validate" } } }',
        "modules/code.ts": "export default 1;",
      };
      const bytes = new Map(Object.entries(project).map(([path, text]) => [path, Buffer.from(text)]));
      const findings = new Findings();
      const { parts } = await validateProject(
        { files: bytes, documents: new Map(), docs: new Map(), dropped: new Set(), unexpected: [] },
        findings,
        { egress: "any" },
      );
      expect(findings.hasErrors || parts.routes.length > 0).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test("a valid tar of random content produces a report", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 4096 }), async (bytes) => {
      expect((await runBuilder(inChunks(gzipSync(bytes)), { egress: "any" })).failedStep).toBe("unpack");
    }),
    { numRuns: 50 },
  );
});

function pathsOf(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [path];
  return [
    ...(path.length > 0 ? [path] : []),
    ...Object.entries(value).flatMap(([name, member]) => pathsOf(member, [...path, name])),
  ];
}

function put(target: object, path: string[], value: unknown): void {
  const owner = path
    .slice(0, -1)
    .reduce<Record<string, unknown>>(
      (object, name) => object[name] as Record<string, unknown>,
      target as Record<string, unknown>,
    );
  owner[path.at(-1)!] = value;
}

test("a catch-all and x-tollgate-any become routes; the parameter may be declared or not", async () => {
  const paths = {
    "/files/{path+}": { "x-tollgate-any": {}, get: { operationId: "read", parameters: [parameter("path")] } },
    "/{path+}": { "x-tollgate-any": { "x-tollgate": { policies: [] } } },
  };
  const report = await buildProject({
    "openapi.json": JSON.stringify({ ...JSON.parse(plainProject["openapi.json"]!), paths }),
  });
  expect(report.errors).toEqual([]);
  const { routes } = JSON.parse(report.artifact!) as Artifact;
  expect(routes.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "GET /files/{path+}",
    "ANY /files/{path+}",
    "ANY /{path+}",
  ]);
});

test.each(["validate", "mock"])(
  "nested allOf of a small document is built in less than seconds, with %s",
  async (type) => {
    const levels = 30;
    const schemas: Record<string, object> = {
      [`S${levels}`]: { type: "object", properties: { a: { type: "string" } } },
    };
    for (let level = 0; level < levels; level += 1) {
      const $ref = `#/components/schemas/S${level + 1}`;
      schemas[`S${level}`] = { allOf: [{ $ref }, { $ref }] };
    }
    const schema = { $ref: "#/components/schemas/S0" };
    const content = { "application/json": { schema } };
    const nested = {
      openapi: "3.1.0",
      info: { title: "Nested", version: "1" },
      "x-tollgate": { upstream: "https://api.example.com", policies: ["it"] },
      paths: { "/a": { post: { requestBody: { content }, responses: { 200: { description: "ok", content } } } } },
      components: { schemas },
    };
    const archive = await archiveOf({
      "openapi.json": JSON.stringify(nested),
      "tollgate.json": JSON.stringify({ policies: { it: { type } } }),
    });
    const report = await runBuilder(inChunks(archive), { egress: "public" });
    expect(report.errors).toEqual([]);
    const { validate = 0, build = 0 } = report.durations;
    expect(validate + build).toBeLessThan(20_000);
  },
);
