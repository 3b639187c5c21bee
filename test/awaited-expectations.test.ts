import { expect, test } from "bun:test";
import { join } from "node:path";

/** A statement that begins with `expect(…)` and continues with a promise, over several lines, up to its `;`. */
const unawaited = /^[ \t]*expect\([^;]*?\)\s*\.(?:rejects|resolves)\./gm;

test("no expectation about a promise is left unawaited: it would pass whatever happens", async () => {
  const project = join(import.meta.dir, "..");
  const found: string[] = [];
  for (const folder of ["src", "test", "scripts", "torture"]) {
    for (const path of new Bun.Glob("**/*.ts").scanSync(join(project, folder))) {
      const text = await Bun.file(join(project, folder, path)).text();
      for (const { index } of text.matchAll(unawaited))
        found.push(`${folder}/${path}:${text.slice(0, index).split("\n").length}`);
    }
  }
  expect(found).toEqual([]);
});

test.each([
  ["  expect(work()).rejects.toThrow();", 1],
  ["  expect(\n    work(),\n  ).rejects.toThrow();", 1],
  ["  await expect(work()).rejects.toThrow();", 0],
  ["  expect(1).toBe(1);\n  await expect(work()).resolves.toBe(1);", 0],
])("%p is found %i times", (text, times) => {
  expect([...text.matchAll(unawaited)]).toHaveLength(times);
});
