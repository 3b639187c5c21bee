import { expect, test } from "bun:test";
import { join } from "node:path";

/** A statement that begins with `expect(…)` and continues with a promise, over several lines, up to its `;`. */
const unawaited = /^[ \t]*expect\([^;]*?\)\s*\.(?:rejects|resolves)\./gm;

/** An expectation about what a page shows at this moment: it may still be loading. */
const readOnce =
  /^[ \t]*expect\([^;]*?\bawait\b[^;]*?\.(?:count|innerText|allInnerTexts|textContent|allTextContents|inputValue|getAttribute|isVisible|isDisabled|isEnabled|isChecked)\(/gm;

/** The timeout of a test, of at most five digits: it would replace the longer one of the run. */
const hasty = /^[ \t]*\}, (?:\d{4,5}|\d{1,2}_\d{3})\);$|^[ \t]+(?:\d{4,5}|\d{1,2}_\d{3}),\n[ \t]*\);$/gm;

test("no test has a timeout that a busy machine exceeds", async () => {
  expect(await placesOf(hasty, "{src,test,scripts}/**/*.test.ts")).toEqual([]);
});

test("no expectation about a promise is left unawaited: it would pass whatever happens", async () => {
  expect(await placesOf(unawaited, "{src,test,scripts,torture}/**/*.ts")).toEqual([]);
});

test("no expectation reads a page only once: `eventually` waits for what it shows", async () => {
  expect(await placesOf(readOnce, "test/console/**/*.ts")).toEqual([]);
});

async function placesOf(pattern: RegExp, files: string): Promise<string[]> {
  const project = join(import.meta.dir, "..");
  const paths = [...new Bun.Glob(files).scanSync(project)];
  expect(paths).not.toBeEmpty();
  const found: string[] = [];
  for (const path of paths) {
    const text = await Bun.file(join(project, path)).text();
    for (const { index } of text.matchAll(pattern)) found.push(`${path}:${text.slice(0, index).split("\n").length}`);
  }
  return found;
}

test.each([
  ["  expect(work()).rejects.toThrow();", 1],
  ["  expect(\n    work(),\n  ).rejects.toThrow();", 1],
  ["  await expect(work()).rejects.toThrow();", 0],
  ["  expect(1).toBe(1);\n  await expect(work()).resolves.toBe(1);", 0],
])("%p is found %i times", (text, times) => {
  expect([...text.matchAll(unawaited)]).toHaveLength(times);
});

test.each([
  ["  expect(await rows().count()).toBe(4);", 1],
  ["  expect((await list.allInnerTexts()).map(trim)).toEqual([]);", 1],
  ["  await eventually(() => rows().count()).toBe(4);", 0],
  ["  expect(await client.get(path)).toBe(4);\n  await rows().count();", 0],
])("of a page, %p is found %i times", (text, times) => {
  expect([...text.matchAll(readOnce)]).toHaveLength(times);
});

test.each([
  ["test(name, async () => {\n}, 60_000);", 1],
  ["  test.each(cases)(\n    name,\n    async () => {},\n    9000,\n  );", 1],
  ["test(name, async () => {\n}, 120_000);", 0],
  ["  setTimeout(() => {\n  }, 50);", 0],
])("of timeouts, %p is found %i times", (text, times) => {
  expect([...text.matchAll(hasty)]).toHaveLength(times);
});
