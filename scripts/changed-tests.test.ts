import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "../test/support/temporary-folder.ts";
import { changedFiles, isTestOfPage, testsAffectedBy } from "./changed-tests.ts";

const project = join(import.meta.dir, "..");
const rules = ["test/awaited-expectations.test.ts", "test/import-rules.test.ts", "test/words.test.ts"];

test.each([
  ["docs/keys.md", ["test/docs.test.ts"]],
  ["deploy/Dockerfile", ["test/deploy-samples.test.ts"]],
  ["scripts/summary.ts", ["scripts/changed-tests.test.ts", "scripts/summary.test.ts"]],
  [
    "src/areas/api-keys/keys/keys.ts",
    ["src/areas/api-keys/keys/roll-key.test.ts", "src/areas/api-keys/keys/verification/verify-key.test.ts"],
  ],
  ["src/web/console/pages/keys/roll-keys.tsx", ["test/console/keys.test.ts"]],
  ["test/lists.test.ts", ["test/lists.test.ts"]],
])("a change of %s affects %j and the rules of the tree", async (path, tests) => {
  const affected = await testsAffectedBy(project, [path]);
  expect(affected).toEqual(expect.arrayContaining([...tests, ...rules]));
});

test("a change of a page affects its tests and those of all pages, but not those of other pages", async () => {
  const affected = await testsAffectedBy(project, ["src/web/console/pages/webhooks/secret.tsx"]);
  const ofPages = affected.filter((path) => path.startsWith("test/console/"));
  expect(ofPages).toEqual(["test/console/habits.test.ts", "test/console/webhooks.test.ts"]);
});

test("every page of the console has tests", async () => {
  const entries = await readdir(join(project, "src/web/console/pages"));
  // The others decide which pages are loaded together.
  const pages = entries.filter((name) => !name.endsWith(".ts"));
  const tests = (await readdir(join(project, "test/console"))).filter((name) => name !== "habits.test.ts");
  const hasTests = (page: string) => {
    const file = `src/web/console/pages/${page.replace(/^[a-z-]+$/, "$&/a.tsx")}`;
    return tests.some((name) => isTestOfPage(`test/console/${name}`, file));
  };
  expect(pages.filter((page) => !hasTests(page))).toEqual([]);
});

test("a change of an area does not affect the tests of others or of pages", async () => {
  const affected = await testsAffectedBy(project, ["src/areas/api-keys/keys/keys.ts"]);
  expect(affected.filter((path) => /^test\/console|^src\/areas\/(?!api-keys\/keys)/.test(path))).toEqual([]);
  expect(affected.length).toBeLessThan(40);
});

let repository: TemporaryFolder;

const write = async (path: string, text: string) => {
  await mkdir(dirname(join(repository.path, path)), { recursive: true });
  await writeFile(join(repository.path, path), text);
};

async function git(...words: string[]): Promise<void> {
  const who = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
  const child = Bun.spawn(["git", ...who, ...words], { cwd: repository.path, stdout: "ignore", stderr: "ignore" });
  expect(await child.exited).toBe(0);
}

beforeAll(async () => {
  repository = await temporaryFolder("changed-tests");
  await git("init", "--quiet", "--initial-branch=main");
  for (const name of ["a", "b", "c"]) {
    await write(`src/${name}.ts`, "");
    await git("add", "--all");
    await git("commit", "--quiet", "--message", name);
  }
});

afterAll(() => repository.remove());

test("a clean tree differs by its last commit, or from the revision that is given", async () => {
  expect(await changedFiles(repository.path)).toEqual(["src/c.ts"]);
  expect(await changedFiles(repository.path, "HEAD~2")).toEqual(["src/b.ts", "src/c.ts"]);
});

test("uncommitted and untracked files are changes", async () => {
  await write("src/a.ts", "export {};");
  await write("src/new.ts", "");
  expect(await changedFiles(repository.path)).toEqual(["src/a.ts", "src/new.ts"]);
  expect(await changedFiles(repository.path, "HEAD~1")).toEqual(["src/a.ts", "src/c.ts", "src/new.ts"]);
});

test("an unknown revision is an error that names it", async () => {
  await expect(changedFiles(repository.path, "nope")).rejects.toThrow("nope");
});
