import { expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { archiveOf, inChunks } from "../../../test/support/archives.ts";
import { runBuilder } from "../../builder/builder.ts";
import type { Artifact } from "../../core/artifact/artifact.ts";
import { UsageError } from "../process/usage-error.ts";
import { readExistingApi } from "./existing-api.ts";
import { toolsFor, toolsProject } from "./templates.ts";

const project = { name: "my-tools", productionBranch: undefined };
const upstream = "https://api.example.com";

async function built(files: Record<string, string>): Promise<Artifact> {
  const report = await runBuilder(inChunks(await archiveOf(files)), { egress: "any" });
  expect(report.errors).toEqual([]);
  return JSON.parse(report.artifact!) as Artifact;
}

function offered({ routes }: Artifact) {
  const { target, policies } = routes.find(({ path }) => path === "/mcp")!;
  if (!("mcp" in target)) throw new Error("no handler mcp");
  const { mode, tools } = target.mcp;
  return { mode, policies, names: tools.map(({ tool }) => tool.name) };
}

test("the example builds, and offers its operations", async () => {
  expect(offered(await built(toolsProject(project)))).toEqual({
    mode: "tools",
    policies: ["key"],
    names: ["hello", "status"],
  });
});

test("an existing document keeps its text", async () => {
  const yaml =
    "openapi: 3.1.0 # mine\ninfo: {title: pets, version: '1'}\npaths:\n  /pets:\n    get: {operationId: listPets, responses: {}}\n";
  const files = toolsFor({ files: { "openapi.yaml": yaml }, upstream }, project);
  expect(files["openapi.yaml"]).toStartWith("openapi: 3.1.0 # mine\n");
  expect(offered(await built(files)).names).toEqual(["listPets"]);

  const json =
    '{\n  "openapi": "3.1.0",\n  "info": { "title": "pets", "version": "1" },\n  "paths": { "/pets": { "get": { "operationId": "listPets", "responses": {} } } }\n}\n';
  const fromJson = toolsFor({ files: { "openapi.json": json }, upstream }, project);
  expect(fromJson["openapi.json"]).toStartWith(
    '{\n  "openapi": "3.1.0",\n  "info": { "title": "pets", "version": "1" },\n',
  );
  expect(offered(await built(fromJson)).names).toEqual(["listPets"]);
});

test("many operations are searched", async () => {
  const paths = Object.fromEntries(
    Array.from({ length: 41 }, (_, at) => [`/things/${at}`, { get: { operationId: `get${at}`, responses: {} } }]),
  );
  const text = JSON.stringify({ openapi: "3.1.0", info: { title: "many", version: "1" }, paths });
  const { mode, names } = offered(await built(toolsFor({ files: { "openapi.json": text }, upstream }, project)));
  expect({ mode, count: names.length }).toEqual({ mode: "search", count: 41 });
});

test("operations that cannot be tools are left out, with the reason", async () => {
  const upload = (content: object) => ({
    post: {
      operationId: `upload${Object.keys(content).length}`,
      requestBody: { required: true, content },
      responses: {},
    },
  });
  const paths = {
    "/pets": { get: { operationId: "listPets", responses: {} } },
    "/forms": upload({ "multipart/form-data": { schema: { type: "object" } } }),
    "/files": upload({ "application/octet-stream": { schema: { type: "string", format: "binary" } }, "image/png": {} }),
    "/named": { get: { operationId: "get pets", responses: {} } },
    "/unnamed": { get: { responses: {} } },
  };
  const text = JSON.stringify({ openapi: "3.1.0", info: { title: "files", version: "1" }, paths });
  const files = toolsFor({ files: { "openapi.json": text }, upstream }, project);
  expect(offered(await built(files)).names).toEqual(["listPets"]);
  for (const path of ["POST /forms", "POST /files", "GET /named", "GET /unnamed"])
    expect(files["README.md"]).toContain(`- ${path}: `);
});

test.each([
  ["/pets?kind=cat", 'must have no query: end it before "?", and declare the query in "parameters"'],
  ["/pets#cats", 'must have no fragment, which clients do not send: end it before "#"'],
])("the build says what to do about the path %s", async (path, advice) => {
  const paths = { "/pets": { get: { operationId: "listPets", responses: {} } }, [path]: { post: { responses: {} } } };
  const text = JSON.stringify({ openapi: "3.1.0", info: { title: "pets", version: "1" }, paths });
  const files = toolsFor({ files: { "openapi.json": text }, upstream }, project);
  const { errors } = await runBuilder(inChunks(await archiveOf(files)), { egress: "any" });
  expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining(advice)]);
});

test("a document in several files is to be bundled, with the command", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-openapi-"));
  const path = join(folder, "api.yaml");
  const read = async (reference: string) => {
    await writeFile(
      path,
      `openapi: 3.1.0\npaths:\n  /pets:\n    get:\n      responses: {"200": {$ref: "${reference}"}}\n      example: {$ref: "x.yaml"}\n`,
    );
    return readExistingApi(path, upstream).then(
      () => "read",
      (error: UsageError) => [error.message, error.hint],
    );
  };
  expect(await read("#/components/responses/pets")).toBe("read");
  for (const reference of ["./pets.yaml#/pets", "https://example.com/pets.yaml"])
    expect(await read(reference)).toEqual([
      `api.yaml refers to another document, "${reference}": bundle it into one file first.`,
      `npx @redocly/cli bundle ${path} -o bundled.yaml`,
    ]);
  await rm(folder, { recursive: true });
});

test.each([
  ["without an operation that can be a tool", { "/pets": { get: { operationId: "list pets" } } }],
  ["with the path already", { "/pets": { get: { operationId: "listPets" } }, "/mcp": { get: {} } }],
])("a document %s is a usage error", (_, paths) => {
  const text = JSON.stringify({ openapi: "3.1.0", paths });
  expect(() => toolsFor({ files: { "openapi.json": text }, upstream }, project)).toThrow(UsageError);
});
