import { posix } from "node:path";
import { sourceFile } from "../test/support/source-files.ts";

/** Options of `bun test` whose value is the next argument: not a filter. */
const optionsWithValue = new Set(
  "-t --test-name-pattern --timeout --rerun-each --retry --seed --preload -r --max-concurrency --reporter --reporter-outfile --coverage-reporter --coverage-dir --path-ignore-patterns".split(
    " ",
  ),
);

/** What the arguments of `bun test` select files by: a part of their path. */
export function filtersOf(parameters: string[]): string[] {
  return parameters
    .filter((text, index) => !text.startsWith("-") && !optionsWithValue.has(parameters[index - 1] ?? ""))
    .map((text) => text.replace(/^\.\//, ""));
}

/** The test files that run with these arguments, by their paths below the project. */
export function selectedTests(project: string, parameters: string[]): string[] {
  const filters = filtersOf(parameters);
  return [...new Bun.Glob("{src,test,scripts,torture,bench,examples}/**/*.test.{ts,tsx}").scanSync(project)]
    .filter((path) => !path.includes("node_modules/"))
    .filter((path) => filters.length === 0 || filters.some((filter) => path.includes(filter)))
    .sort();
}

/** Whether one of the files imports `target`, directly or through others. */
export async function reaches(project: string, files: string[], target: string): Promise<boolean> {
  const seen = new Set(files);
  // A set's iteration comes to what is added to it meanwhile.
  for (const path of seen) {
    if (path === target) return true;
    const file = Bun.file(posix.join(project, path));
    if (!/\.tsx?$/.test(path) || !(await file.exists())) continue;
    for (const imported of sourceFile(path, await file.text()).imports) seen.add(imported);
  }
  return false;
}
