import { posix } from "node:path";
import { sourceFile } from "../test/support/source-files.ts";
import { selectedTests } from "./selected-tests.ts";

/**
 * Imports are not followed through these folders: every test over HTTP reaches the whole server through them, so a change anywhere
 * would select everything.
 */
const notFollowed = /^(src\/server|test\/support|src\/cli\/demo-data)\//;

/** Tests that are not found by imports: those of pages and documents, and those that use HTTP. */
const byPath: [changed: RegExp, tests: RegExp][] = [
  [/^src\/gateway\//, /^test\/gateway-/],
  [/^src\/api\//, /^test\/(bodies|etags|http|idempotency|lists|openapi|openapi-lint)\.test\.ts$/],
  [/^src\/platform\/http1\//, /^test\/(http|bodies|gateway-streaming|leaving-clients)\.test\.ts$/],
  [/^src\/platform\/storage\//, /^test\/(cluster|lost-commits|outage|silent-postgres)\.test\.ts$/],
  [/^src\/server\//, /^test\/(process|hosts|telemetry|ways-to-run)\.test\.ts$/],
  [/^src\/web\/(?!portal\/|console\/pages\/)/, /^test\/(console|portal)\//],
  [/^src\/web\/portal\//, /^test\/portal\//],
  [/^docs\/|^[A-Z]+\.md$/, /^test\/(docs|words)\.test\.ts$/],
  [/^(deploy|\.github)\//, /^test\/deploy-samples\.test\.ts$/],
  [/^(bin\/|scripts\/(bundle-program|build-start)\.ts$|src\/lib\/files\/)/, /^test\/(launcher|package)\.test\.ts$/],
  [/^package(-lock)?\.json$/, /^test\/(package|import-rules)\.test\.ts$/],
  [/^src\/areas\/.*(routes|schema)\.ts$/, /^test\/openapi(-lint)?\.test\.ts$/],
];

/** Rules for the whole tree, which take a few seconds. */
const always = /^test\/(import-rules|words|awaited-expectations)\.test\.ts$/;

/**
 * Returns the tests that a change affects: the changed ones, those of the area or folder of a changed file, those that import it
 * other than through the composed server, and those named in the tables above.
 */
export async function testsAffectedBy(project: string, changed: string[]): Promise<string[]> {
  const folders = new Set(changed.filter((path) => /\.tsx?$/.test(path)).map(folderOf));
  const isChanged = new Set(changed);
  const importsOf = importReader(project);
  const affected = async (test: string) =>
    always.test(test) ||
    isChanged.has(test) ||
    folders.has(folderOf(test)) ||
    byPath.some(([from, tests]) => tests.test(test) && changed.some((path) => from.test(path))) ||
    changed.some((path) => isTestOfPage(test, path)) ||
    (await reachesOneOf(isChanged, test, importsOf));
  const tests = selectedTests(project, []);
  const verdicts = await Promise.all(tests.map(affected));
  return tests.filter((_, index) => verdicts[index]);
}

/** The tests of a page have its name or the beginning of it, in the singular or the plural. `habits` opens all pages. */
export function isTestOfPage(test: string, path: string): boolean {
  const [, page] = /^src\/web\/console\/pages\/([a-z-]+?)s?(?:\/|\.tsx$)/.exec(path) ?? [];
  const [, name] = /^test\/console\/([a-z-]+?)s?\.test\.ts$/.exec(test) ?? [];
  if (page === undefined || name === undefined) return false;
  return page.startsWith(name) || name === "habit" || testsOfOtherPages[page] === name;
}

/** The tests of pages whose name says nothing about them. */
const testsOfOtherPages: Record<string, string> = {
  "audit-log": "console",
  customer: "billing",
  invitation: "people",
  search: "palette",
  setting: "console",
  "sign-in": "console",
  subscription: "console",
};

/** The area of a file, otherwise its folder. */
const folderOf = (path: string) => /^src\/areas\/[^/]+\/[^/]+/.exec(path)?.[0] ?? posix.dirname(path);

async function reachesOneOf(targets: Set<string>, test: string, importsOf: (path: string) => Promise<string[]>) {
  const seen = new Set([test]);
  // Iterating a set also visits items that are added meanwhile.
  for (const path of seen) {
    if (targets.has(path)) return true;
    if (path !== test && notFollowed.test(path)) continue;
    for (const imported of await importsOf(path)) seen.add(imported);
  }
  return false;
}

function importReader(project: string): (path: string) => Promise<string[]> {
  const known = new Map<string, Promise<string[]>>();
  const read = async (path: string) => {
    const file = Bun.file(posix.join(project, path));
    return /\.tsx?$/.test(path) && (await file.exists()) ? sourceFile(path, await file.text()).imports : [];
  };
  return (path) => {
    if (!known.has(path)) known.set(path, read(path));
    return known.get(path)!;
  };
}

/**
 * Paths that differ from a revision, untracked files included. Without a revision: what is not committed or, in a clean tree, the
 * last commit.
 */
export async function changedFiles(project: string, revision?: string): Promise<string[]> {
  const uncommitted = async () => [
    ...(await git(project, "diff", "--name-only", "--no-renames", "HEAD")),
    ...(await git(project, "ls-files", "--others", "--exclude-standard")),
  ];
  if (revision !== undefined) {
    const base = (await git(project, "merge-base", revision, "HEAD"))[0]!;
    return [
      ...new Set([...(await git(project, "diff", "--name-only", "--no-renames", base)), ...(await uncommitted())]),
    ];
  }
  const found = await uncommitted();
  return found.length > 0 ? found : git(project, "diff", "--name-only", "--no-renames", "HEAD~1", "HEAD");
}

async function git(project: string, ...words: string[]): Promise<string[]> {
  const child = Bun.spawn(["git", ...words], { cwd: project, stdout: "pipe", stderr: "pipe" });
  const [output, complaint, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (status !== 0) throw new Error(`git ${words[0]} failed: ${complaint.trim()}`);
  return output.split("\n").filter((line) => line !== "");
}
