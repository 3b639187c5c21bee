import { expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { archiveOf } from "../../test/support/archives.ts";
import { plainProject } from "../../test/support/gateway-project.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { outputReadLate, pipeBytes } from "../../test/support/waiting-reader.ts";
import type { BuildReport } from "../core/artifact/build-report.ts";

const root = join(import.meta.dir, "../..");

/** Runs the builder like the server: with an empty environment. */
async function run(input: Uint8Array, env: Record<string, string> = {}) {
  const command = [process.execPath, join(import.meta.dir, "main.ts")];
  const builder = Bun.spawn(command, { cwd: "/", env, stdin: input, stderr: "pipe" });
  const [output, errors, code] = await Promise.all([
    new Response(builder.stdout).text(),
    new Response(builder.stderr).text(),
    builder.exited,
  ]);
  const report: BuildReport = JSON.parse(output);
  return { code, report, errors };
}

test("a project in, a report out", async () => {
  const { code, report, errors } = await run(await archiveOf(plainProject));
  expect({ code, errors }).toEqual({ code: 0, errors: "" });
  expect(report.errors).toEqual([]);
  expect(JSON.parse(report.artifact!).routes).toHaveLength(1);
});

test("errors, and input that is not an archive, produce reports too", async () => {
  for (const [input, step] of [
    [await archiveOf({ "openapi.json": "{" }), "validate"],
    [Buffer.from("x"), "unpack"],
    [Buffer.alloc(0), "unpack"],
  ] as const) {
    const { code, report, errors } = await run(input);
    expect({ code, errors, step: report.failedStep }).toEqual({ code: 0, errors: "", step });
    expect(report.errors).not.toEqual([]);
  }
});

test("leaves no files on the disk", async () => {
  const folder = await temporaryFolder("builder");
  const settings = { TMPDIR: folder.path };
  const project = await archiveOf({ ...plainProject, "modules/a.ts": "const x: number = '';" });
  expect((await run(project, settings)).report.errors).toMatchObject([{ file: "modules/a.ts", line: 1, column: 7 }]);
  expect(await readdir(folder.path)).toEqual([]);
  await folder.remove();
});

test("the example builds once its metering bucket is set, and names the place to set it before", async () => {
  const folder = join(root, "examples/orders");
  const read = (path: string) => Bun.file(join(folder, path)).text();
  const paths = ["openapi.json", "tollgate.json", "modules/hello.ts", "modules/greeting.ts"];
  const files = Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await read(path)] as const)));
  expect((await run(await archiveOf(files))).report.errors).toEqual([
    {
      file: "tollgate.json",
      line: 8,
      column: 21,
      message: expect.stringContaining('"bucketId" must be the id of a metering bucket'),
    },
  ]);
  const settings = files["tollgate.json"]!.replace("METERING_BUCKET_ID", "mtr_0QGzNqW81Kx8VhTb3mPcRdZu");
  const { report } = await run(await archiveOf({ ...files, "tollgate.json": settings }));
  expect(report).toMatchObject({ errors: [], warnings: [] });
});

test("a report of any size arrives whole, also when its reader waits", async () => {
  for (const size of [30_000, pipeBytes, 100_000, 219_264, 240_000, 262_144, 400_000]) {
    const document = JSON.parse(plainProject["openapi.json"]!);
    document.info.description = "d".repeat(size);
    const stdin = await archiveOf({ "openapi.json": JSON.stringify(document) });
    const text = await outputReadLate([process.execPath, join(import.meta.dir, "main.ts")], {
      stdin,
      output: "stdout",
      writtenFirst: Math.min(size, pipeBytes),
    });
    const report: BuildReport = JSON.parse(text);
    expect({ errors: report.errors, isWhole: text.includes(document.info.description) }).toEqual({
      errors: [],
      isWhole: true,
    });
  }
});
