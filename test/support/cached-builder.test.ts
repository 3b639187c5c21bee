import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import type { BuildReport } from "../../src/core/artifact/build-report.ts";
import { cachedBuilder } from "./cached-builder.ts";
import { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder("cached-builder");
});
afterAll(() => folder.remove());

const runs: string[] = [];

const reportOf = (artifact: string): BuildReport => ({ durations: {}, warnings: [], errors: [], artifact });

/** Records each run, and fails for the input `broken`. */
async function recordingBuild(input: AsyncIterable<Uint8Array>, { egress }: { egress: string }): Promise<BuildReport> {
  const text = Buffer.concat(await Array.fromAsync(input)).toString();
  runs.push(text);
  if (text === "broken") throw new Error("no report");
  return reportOf(`${egress} ${text}`);
}

function build(input: string, egress: "any" | "public" = "any", branch = "main") {
  const run = cachedBuilder({ egress, folder: folder.path, build: recordingBuild });
  const { signal } = new AbortController();
  return run(new Blob([input]).stream() as unknown as AsyncIterable<Uint8Array>, { branch, variables: [] }, signal);
}

test("builds the same input once, and another input, mode or branch again", async () => {
  const first = await build("one");
  expect(first).toEqual(reportOf("any one"));
  expect(await build("one")).toEqual(first);
  expect(runs).toEqual(["one"]);
  expect(await build("two")).toEqual(reportOf("any two"));
  expect(await build("one", "public")).toEqual(reportOf("public one"));
  expect(await build("one", "any", "other")).toEqual(first);
  expect(runs).toEqual(["one", "two", "one", "one"]);
});

test("a builder that fails is run again, and its error is thrown", async () => {
  const before = runs.length;
  for (let attempt = 0; attempt < 2; attempt++) await expect(build("broken")).rejects.toThrow("no report");
  expect(runs).toHaveLength(before + 2);
});

test("builds of the same input at the same time get the same report", async () => {
  const before = (await readdir(folder.path)).length;
  const built = await Promise.all(Array.from({ length: 4 }, () => build("many")));
  expect(built).toEqual(Array(4).fill(reportOf("any many")));
  expect(await readdir(folder.path)).toHaveLength(before + 1);
});
