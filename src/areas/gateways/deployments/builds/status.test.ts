import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { strangerOf } from "../../../../../test/support/callers.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { here } from "../../../../../test/support/gateway-project.ts";
import {
  build,
  openApi,
  type ProjectFiles,
  projectArchive,
  readStatus,
  requestUpload,
  settledStatus,
  stepsOf,
} from "../../../../../test/support/project.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";
import { tableContent } from "../../../../../test/support/table-content.ts";

const upstream = { "x-tollgate": { upstream: "http://127.0.0.1:1" } };
const files: ProjectFiles = { "openapi.json": openApi({ "/one": upstream, "/two": upstream }) };
const waiting = { upload: "PENDING", unpack: "PENDING", validate: "PENDING", build: "PENDING", start: "PENDING" };

let count = 0;

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;
  const newPlace = () => ({ project: `status-${++count}`, branch: "main" });

  test("before the upload all is pending", async () => {
    const place = newPlace();
    const { statusId } = await requestUpload(client, place);
    const { body } = await readStatus(client, place, statusId);
    expect(body).toEqual({
      status: "IN_PROGRESS",
      url: expect.stringContaining(`://${place.project}-main-`),
      steps: Object.fromEntries(Object.keys(waiting).map((step) => [step, { status: "PENDING" }])),
      buildResult: {},
    });
  });

  test("after success every step has its times, and the result names the artifact that is stored", async () => {
    const place = newPlace();
    const { path, statusId } = await requestUpload(client, place);
    clock.advance(60_000);
    expect((await client.raw("PUT", path, await projectArchive(files))).status).toBe(200);
    const { status, steps, buildResult } = await settledStatus(client, place, statusId);
    expect(status).toBe("SUCCESS");
    for (const name of Object.keys(waiting)) {
      const { status, startedOn, finishedOn } = steps[name];
      expect([name, status]).toEqual([name, "SUCCESS"]);
      expect(Date.parse(startedOn)).toBeGreaterThanOrEqual(clock.now());
      expect(Date.parse(finishedOn)).toBeGreaterThanOrEqual(Date.parse(startedOn));
    }

    const { sha256, bytes } = buildResult.artifact;
    expect(buildResult).toEqual({
      success: true,
      durationMs: expect.any(Number),
      artifact: { sha256: expect.any(String), bytes: expect.any(Number) },
      routes: 2,
      warnings: [],
      errors: [],
    });
    expect(buildResult.durationMs).toBeGreaterThan(0);
    const artifacts = await tableContent(server.database, "deployment_artifacts");
    const text = artifacts.find(({ hash }) => hash === sha256)?.data as string;
    expect(createHash("sha256").update(text).digest("hex")).toBe(sha256);
    expect(Buffer.byteLength(text)).toBe(bytes);
    expect(JSON.parse(text)).toMatchObject({ format: 1, code: null });
  });

  test("warnings do not keep a project from being built", async () => {
    const { status } = await build(client, newPlace(), { ...files, "tolgate.json": "{}" });
    expect(status.status).toBe("SUCCESS");
    expect(status.buildResult.warnings).toMatchObject([{ file: "tolgate.json", line: 1, column: 1 }]);
  });

  test("every error is reported, not only the first", async () => {
    const paths = { "/one": { "x-tollgate": { handler: "modules/no.ts" } }, "/two": {} };
    const { status } = await build(client, newPlace(), { "openapi.json": openApi(paths) });
    expect(status.buildResult.errors).toHaveLength(2);
    expect(status.steps.validate.message).toEndWith("(and 1 more)");
  });

  describe("an error is reported with its file, line and column:", () => {
    const guarded = openApi({ "/": { "x-tollgate": { upstream: "http://127.0.0.1:1", policies: ["key"] } } });
    const withOpenApi = (text: string) => ({ "openapi.json": text });
    const handler = openApi({ "/": { "x-tollgate": { handler: "modules/hello.ts" } } });
    const errors: [what: string, files: Record<string, unknown>, step: string, message: RegExp][] = [
      ["JSON syntax", withOpenApi(`{\n  "openapi": "3.1.0"\n  ${here}"info": {}\n}`), "validate", /comma/],
      [
        "YAML syntax",
        {
          "openapi.yaml": `openapi: "3.1.0"\ninfo: { title: T, version: "1" }\npaths:\n  /a:\n    get: {}\n${here}   /b: {}\n`,
        },
        "validate",
        /same column/,
      ],
      [
        "an unknown policy",
        withOpenApi(JSON.stringify(guarded, null, 2).replace('"key"', `${here}"key"`)),
        "validate",
        /unknown policy "key"/,
      ],
      [
        "an unknown type of policy",
        { "openapi.json": guarded, "tollgate.json": `{"policies": {\n  "key": { "type": ${here}"api-kee" } } }` },
        "validate",
        /api-kee/,
      ],
      [
        "an unknown option",
        {
          "openapi.json": guarded,
          "tollgate.json": `{"policies": {"key": { "type": "api-key", "options": { "bucket": "b",\n${here}"buckett": 1 }}}}`,
        },
        "validate",
        /buckett/,
      ],
      [
        "a handler that is not there",
        withOpenApi(JSON.stringify(handler, null, 2).replace('"modules/', `${here}"modules/`)),
        "validate",
        /modules\/hello\.ts/,
      ],
      [
        "a TypeScript error",
        {
          "openapi.json": handler,
          "modules/hello.ts": `export default (request: Request): Response => {\n  const ${here}size: number = request.url;\n  return new Response(String(size));\n};\n`,
        },
        "build",
        /not assignable/,
      ],
      [
        "TypeScript syntax",
        { "openapi.json": handler, "modules/hello.ts": `export default () => new Response("hello"${here};\n` },
        "build",
        /\S/,
      ],
    ];
    test.each(errors)("%s", async (_what, marked, step, message) => {
      const [file, text] = Object.entries(marked).find(([, text]) => typeof text === "string" && text.includes(here))!;
      const before = String(text).split(here)[0]!.split("\n");
      const place = { line: before.length, column: before.at(-1)!.length + 1 };
      const { status } = await build(client, newPlace(), { ...marked, [file]: String(text).replace(here, "") });

      expect(status.status).toBe("ERROR");
      expect(status.buildResult).toMatchObject({ success: false, routes: 0 });
      expect(status.buildResult.artifact).toBeUndefined();
      const [error] = status.buildResult.errors;
      expect(error).toMatchObject({ file, ...place });
      expect(error.message).toMatch(message);
      expect(status.steps[step]).toMatchObject({ status: "ERROR" });
      expect(status.steps[step].message).toStartWith(`${file}:${place.line}:${place.column}: `);
      const expected = { ...waiting, upload: "SUCCESS", unpack: "SUCCESS", [step]: "ERROR" };
      expect(stepsOf(status)).toEqual(step === "build" ? { ...expected, validate: "SUCCESS" } : expected);
    });

    test("an archive without a document", async () => {
      const { status } = await build(client, newPlace(), { "tollgate.json": "{}" });
      expect(status).toMatchObject({ status: "ERROR", buildResult: { success: false } });
      expect(status.buildResult.errors[0].message).toMatch(/openapi/);
    });
  });

  describe("is not found", () => {
    test("below another project or account, or by another id", async () => {
      const place = newPlace();
      const { statusId } = await requestUpload(client, place);
      const other = newPlace();
      await requestUpload(client, other);
      const stranger = await strangerOf(client, `${place.project}-stranger`);
      expectProblem(await readStatus(client, other, statusId), 404, "not_found");
      expectProblem(await readStatus(client, { project: "nothing" }, statusId), 404, "not_found");
      expectProblem(await readStatus(client, place, crypto.randomUUID()), 404, "not_found");
      expectProblem(await readStatus(client, place, "not-an-id"), 404, "not_found");
      expectProblem(await readStatus(stranger, place, statusId), 404, "not_found");
      const own = { accountName: `${place.project}-stranger`, project: place.project };
      expectProblem(await readStatus(stranger, own, statusId), 404, "not_found");
      expect((await readStatus(client, place, statusId)).status).toBe(200);
    });
  });

  test("has an ETag that changes with it", async () => {
    const place = newPlace();
    const { path, statusId } = await requestUpload(client, place);
    const first = await readStatus(client, place, statusId);
    const address = `/v1/accounts/${account}/projects/${place.project}/deployment-status/${statusId}`;
    const header = { "if-none-match": first.headers.get("etag")! };
    expect(header["if-none-match"]).toMatch(/^"\S+"$/);
    expect((await client.get(address, header)).status).toBe(304);
    await client.raw("PUT", path, await projectArchive(files));
    const ended = await settledStatus(client, place, statusId);
    const now = await client.get(address, header);
    expect([now.status, now.body]).toEqual([200, ended]);
    const newHeader = { "if-none-match": now.headers.get("etag")! };
    expect((await client.get(address, newHeader)).status).toBe(304);
  });
});
