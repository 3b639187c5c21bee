import { expect, test } from "bun:test";
import { buildProject, type Files } from "../../../test/support/gateway-project.ts";

function projectTo(upstream: string): Files {
  return {
    "tollgate.json": `{\n  "upstream": "http://10.0.0.7:3000"\n}`,
    "openapi.json": `{
  "openapi": "3.1.0", "info": { "title": "t", "version": "1" },
  "paths": { "/a": { "get": {} }, "/b": { "get": { "x-tollgate": {
    "upstream": "${upstream}" } } } }
}`,
  };
}

test.each([
  "http://localhost:3000",
  "http://127.0.0.1",
  "http://[::1]:3000/base",
  "http://api.localhost",
  "http://0x7f.1",
])("under public egress, an upstream at %s is warned of where it stands", async (upstream) => {
  const { errors, warnings, artifact } = await buildProject(projectTo(upstream), "public");
  expect(errors).toEqual([]);
  expect(artifact).toBeDefined();
  const { host } = new URL(upstream);
  expect(warnings).toEqual([
    { file: "openapi.json", line: 4, column: 5, message: expect.stringContaining(`requests to ${host} will get 502`) },
    { file: "tollgate.json", line: 2, column: 3, message: expect.stringContaining("TOLLGATE_EGRESS=public") },
  ]);
});

test("a public address or any other name causes no warning", async () => {
  const { warnings } = await buildProject(projectTo("https://api.example.com"), "public");
  expect(warnings.map(({ file }) => file)).toEqual(["tollgate.json"]);
});

test("with unrestricted egress, only metadata addresses cause a warning", async () => {
  expect((await buildProject(projectTo("http://localhost:3000"))).warnings).toEqual([]);
  const { warnings } = await buildProject(projectTo("http://169.254.169.254"));
  expect(warnings).toMatchObject([{ file: "openapi.json", line: 4, message: expect.stringContaining("metadata") }]);
});
