import { posix } from "node:path";
import { sourceFile } from "../test/support/source-files.ts";

/** Options of `bun test` whose value is the next argument, which is not a filter. */
const optionsWithValue = new Set(
  "-t --test-name-pattern --timeout --rerun-each --retry --seed --preload -r --max-concurrency --reporter --reporter-outfile --coverage-reporter --coverage-dir --path-ignore-patterns".split(
    " ",
  ),
);

/** The filters in the arguments of `bun test`: parts of file paths. */
export function filtersOf(parameters: string[]): string[] {
  return parameters
    .filter((text, index) => !text.startsWith("-") && !optionsWithValue.has(parameters[index - 1] ?? ""))
    .map((text) => text.replace(/^\.\//, ""));
}

/** The test files that run with these arguments, relative to the project. */
export function selectedTests(project: string, parameters: string[]): string[] {
  const filters = filtersOf(parameters);
  return [...new Bun.Glob("{src,test,scripts,torture,bench,examples}/**/*.test.{ts,tsx}").scanSync(project)]
    .filter((path) => !path.includes("node_modules/"))
    .filter((path) => filters.length === 0 || filters.some((filter) => path.includes(filter)))
    .sort();
}

/** The files, and those that they import, directly or through others. */
export async function withImports(project: string, files: string[]): Promise<ReadonlySet<string>> {
  const seen = new Set(files);
  // Iterating a set also visits items that are added meanwhile.
  for (const path of seen) {
    const file = Bun.file(posix.join(project, path));
    if (!/\.tsx?$/.test(path) || !(await file.exists())) continue;
    for (const imported of sourceFile(path, await file.text()).imports) seen.add(imported);
  }
  return seen;
}
