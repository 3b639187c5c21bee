/**
 * `npm run release:tag -- VERSION`: checks that the tree can be released as that version and prints the tag. `--tag`
 * creates it, and the one that Go finds the module in `clients/go` by. Nothing is pushed.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

export interface Release {
  tag: string;
  /** The version's section of the changelog. */
  notes: string;
}

/** Throws an error that lists all problems. */
async function prepareRelease(folder: string, version: string): Promise<Release> {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`"${version}" is no version such as 1.2.3.`);
  const tag = `v${version}`;
  const obstacles: string[] = [];

  const changed = await git(folder, "status", "--porcelain");
  if (changed !== "") obstacles.push(`The tree is not clean:\n${changed}`);
  for (const file of ["package.json", "package-lock.json"]) {
    const { version: written } = JSON.parse(await readFile(join(folder, file), "utf8"));
    if (written !== version) obstacles.push(`${file} has version ${written}.`);
  }
  const python = await readFile(join(folder, "clients/python/pyproject.toml"), "utf8");
  const written = /^version = "(.*)"$/m.exec(python)?.[1];
  if (written !== version) obstacles.push(`clients/python/pyproject.toml has version ${written}.`);
  const tags = (await git(folder, "tag", "--list", "v*")).split("\n").filter((name) => name !== "");
  for (const name of [tag, goTag(tag)])
    if ((await git(folder, "tag", "--list", name)) !== "") obstacles.push(`There is a tag ${name} already.`);
  const newer = tags.find((name) => compare(name.slice(1), version) > 0);
  if (newer !== undefined) obstacles.push(`${newer} is newer.`);
  const notes = sectionOf(await readFile(join(folder, "CHANGELOG.md"), "utf8"), version);
  if (notes === undefined) obstacles.push(`CHANGELOG.md has no section "## ${version}".`);
  else if (notes === "") obstacles.push(`The section "## ${version}" of CHANGELOG.md is empty.`);

  if (obstacles.length > 0) throw new Error(obstacles.join("\n"));
  return { tag, notes: notes! };
}

async function makeTag(folder: string, { tag, notes }: Release): Promise<void> {
  await git(folder, "tag", "--annotate", "--cleanup=verbatim", "--message", `${tag}\n\n${notes}\n`, tag);
  await git(folder, "tag", "--annotate", "--message", `The Go client of ${tag}`, goTag(tag));
}

/** Go finds a module in a folder by a tag that begins with the folder. */
const goTag = (tag: string) => `clients/go/${tag}`;

function sectionOf(changelog: string, version: string): string | undefined {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.split(/\s/, 1)[0] === version);
  return section?.slice(section.indexOf("\n")).trim();
}

function compare(one: string, other: string): number {
  const [left, right] = [one, other].map((version) => version.split(".").map(Number)) as [number[], number[]];
  const index = left.findIndex((number, place) => number !== right[place]);
  return index === -1 ? 0 : left[index]! - right[index]!;
}

async function git(folder: string, ...words: string[]): Promise<string> {
  const child = Bun.spawn(["git", ...words], { cwd: folder, stdout: "pipe", stderr: "pipe" });
  const [output, complaint, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (status !== 0) throw new Error(`git ${words[0]} failed: ${complaint.trim()}`);
  return output.trimEnd();
}

if (import.meta.main) {
  const [version = "", flag] = process.argv.slice(2);
  try {
    const release = await prepareRelease(process.cwd(), version);
    if (flag === "--tag") await makeTag(process.cwd(), release);
    const next =
      flag === "--tag"
        ? `Made. Publish it: git push origin ${release.tag} ${goTag(release.tag)}`
        : "Dry run: --tag makes the tag.";
    console.log(`${release.tag}\n\n${release.notes}\n\n${next}`);
  } catch (error) {
    console.error((error as Error).message);
    process.exit(1);
  }
}
