import { expect, test } from "bun:test";
import { join } from "node:path";
import { filtersOf, selectedTests, withImports } from "./selected-tests.ts";

const project = join(import.meta.dir, "..");
const chromium = "test/support/find-chromium.ts";
const terminal = "test/support/find-program.ts";

test.each([
  [[], []],
  [["lib"], ["lib"]],
  [["./src/lib/http/etag.test.ts", "--bail"], ["src/lib/http/etag.test.ts"]],
  [["-t", "lib", "keys", "--timeout=5", "--timeout", "9"], ["keys"]],
])("of %j the filters are %j", (parameters, filters) => {
  expect(filtersOf(parameters as string[])).toEqual(filters as string[]);
});

test.each([
  ["lib", { chromium: false, terminal: false }],
  ["storage", { chromium: false, terminal: false }],
  ["docs-page", { chromium: true, terminal: false }],
  ["cli/completion", { chromium: false, terminal: true }],
  ["terminal.test", { chromium: false, terminal: true }],
])("`npm test -- %s` needs %j", async (filter, needed) => {
  const files = selectedTests(project, [filter]);
  expect(files).not.toBeEmpty();
  const found = await withImports(project, files);
  expect({ chromium: found.has(chromium), terminal: found.has(terminal) }).toEqual(needed);
});

test("all tests need both", async () => {
  const files = selectedTests(project, []);
  expect(files.length).toBeGreaterThan(100);
  const found = await withImports(project, files);
  expect([found.has(chromium), found.has(terminal)]).toEqual([true, true]);
});
