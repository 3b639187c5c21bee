import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "../test/support/temporary-folder.ts";

let folder: TemporaryFolder;

async function run(command: string[]): Promise<{ status: number; output: string }> {
  const env = {
    PATH: process.env.PATH!,
    HOME: folder.path,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@example.com",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@example.com",
  };
  const child = Bun.spawn(command, { cwd: folder.path, env, stdout: "pipe", stderr: "pipe" });
  const [output, complaint, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { status, output: output + complaint };
}

const git = (...words: string[]) => run(["git", ...words]);
const release = (...words: string[]) => run([process.execPath, join(import.meta.dir, "release-tag.ts"), ...words]);
const write = (file: string, content: string) => writeFile(join(folder.path, file), content);

async function commit(version: string, changelog: string): Promise<void> {
  await write("package.json", JSON.stringify({ version }));
  await write("package-lock.json", JSON.stringify({ version }));
  await mkdir(join(folder.path, "clients/python"), { recursive: true });
  await write("clients/python/pyproject.toml", `[project]\nname = "tollgate"\nversion = "${version}"\n`);
  await write("CHANGELOG.md", `# Changelog\n\n${changelog}`);
  await git("add", "--all");
  await git("commit", "--quiet", "--message", version);
}

beforeAll(async () => {
  folder = await temporaryFolder("release");
  await git("init", "--quiet");
  await commit("1.2.0", "## Unreleased\n\n## 1.2.0 (2030-01-31)\n\n- New.\n# not a comment\n\n## 1.1.0\n\n- Old.\n");
});

afterAll(() => folder.remove());

test("a dry run shows the tag and its notes, and creates nothing", async () => {
  const { status, output } = await release("1.2.0");
  expect({ status, output }).toEqual({
    status: 0,
    output: "v1.2.0\n\n- New.\n# not a comment\n\nDry run: --tag makes the tag.\n",
  });
  expect((await git("tag")).output).toBe("");
});

test("all problems are reported together", async () => {
  await write("left-over", "");
  const { status, output } = await release("1.3.0");
  expect(status).toBe(1);
  const files = ["package.json", "package-lock.json", "clients/python/pyproject.toml"];
  for (const part of ["not clean", "left-over", ...files.map((file) => `${file} has version 1.2.0`), '"## 1.3.0"'])
    expect(output).toContain(part);
  expect((await release("next")).output).toContain("no version");
  await Bun.file(join(folder.path, "left-over")).delete();
});

test("the tag is annotated with the notes and created once, with that of Go; an older version is rejected", async () => {
  expect((await release("1.2.0", "--tag")).output).toContain("git push origin v1.2.0 clients/go/v1.2.0");
  expect((await git("tag", "--list", "v*", "--format=%(contents)")).output).toStartWith(
    "v1.2.0\n\n- New.\n# not a comment\n",
  );
  const { output: commits } = await git("rev-parse", "v1.2.0^{commit}", "clients/go/v1.2.0^{commit}");
  expect(new Set(commits.trim().split("\n")).size).toBe(1);
  const { output } = await release("1.2.0");
  for (const tag of ["v1.2.0", "clients/go/v1.2.0"]) expect(output).toContain(`There is a tag ${tag} already.`);
  await commit("1.1.9", "## 1.1.9\n\n- Fixed.\n");
  expect((await release("1.1.9")).output).toContain("v1.2.0 is newer.");
});
