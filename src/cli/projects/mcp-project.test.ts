import { expect, test } from "bun:test";
import { archiveOf, inChunks } from "../../../test/support/archives.ts";
import { runBuilder } from "../../builder/builder.ts";
import type { Artifact } from "../../core/artifact/artifact.ts";
import { UsageError } from "../process/usage-error.ts";
import { toolsFor, toolsProject } from "./mcp-project.ts";

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

test.each([
  ["without an operation that can be a tool", { "/pets": { get: { operationId: "list pets" } } }],
  ["with the path already", { "/pets": { get: { operationId: "listPets" } }, "/mcp": { get: {} } }],
])("a document %s is a usage error", (_, paths) => {
  const text = JSON.stringify({ openapi: "3.1.0", paths });
  expect(() => toolsFor({ files: { "openapi.json": text }, upstream }, project)).toThrow(UsageError);
});
