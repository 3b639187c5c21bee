import { expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { archiveOf, inChunks } from "../../../test/support/archives.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { readArchive } from "./project-files.ts";

const project = { "openapi.json": "{}", "tollgate.json": "{}", "modules/lib/a.ts": "1", "modules/data.json": "2" };

async function read(files: Record<string, string>) {
  const { files: found, unexpected } = await readArchive(inChunks(await archiveOf(files)));
  return {
    files: Object.fromEntries([...found].map(([path, bytes]) => [path, Buffer.from(bytes).toString()])),
    unexpected,
  };
}

function below(folder: string, files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]));
}

test("a project is read as it was packed, also if all files are in one folder", async () => {
  for (const files of [project, below("my-project", project), below(".", project), below("./my-project", project)]) {
    expect(await read(files)).toEqual({ files: project, unexpected: [] });
  }
});

test("only one top folder is removed, and only if it contains all files", async () => {
  expect((await read(below("a/b", project))).files).toEqual({});
  expect(await read({ ...below("a", project), "b/other.bin": "" })).toEqual({
    files: {},
    unexpected: ["a/openapi.json", "a/tollgate.json", "a/modules/lib/a.ts", "a/modules/data.json", "b/other.bin"],
  });
  expect((await read({ "modules/openapi.json": "1", "modules/a.ts": "2" })).files).toEqual({
    "modules/openapi.json": "1",
    "modules/a.ts": "2",
  });
});

test("unrelated files are omitted, and only unexpected ones are reported", async () => {
  const beside = {
    "._openapi.json": "x",
    ".DS_Store": "x",
    "__MACOSX/modules/._a.ts": "x",
    "modules/.DS_Store": "x",
    "PaxHeaders.0/openapi.json": "x",
    ".git/HEAD": "x",
    ".gitignore": "x",
    "README.md": "x",
    "package.json": "{}",
    "node_modules/left/index.js": "x",
  };
  expect(await read({ ...project, ...beside, "modules/picture.png": "x", "openapi.xml": "x" })).toEqual({
    files: project,
    unexpected: ["modules/picture.png", "openapi.xml"],
  });
});

test("archives of the system's tar are read in each of its formats", async () => {
  const folder = await temporaryFolder("tar");
  const long = `modules/${"long-name/".repeat(12)}${"x".repeat(90)}.ts`;
  const files = { ...project, [long]: "long", "modules/ümläut.ts": "umlaut" };
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder.path, "project", path)), { recursive: true });
    await writeFile(join(folder.path, "project", path), content);
  }
  for (const format of ["gnu", "pax", "oldgnu"]) {
    for (const what of [["-C", "project", "."], ["project"]]) {
      const packed = Bun.spawnSync(["tar", "czf", "-", `--format=${format}`, ...what], { cwd: folder.path });
      const read = await readArchive(inChunks(packed.stdout));
      expect(Object.fromEntries([...read.files].map(([path, bytes]) => [path, Buffer.from(bytes).toString()]))).toEqual(
        files,
      );
    }
  }
  await folder.remove();
});

test("more than 20 MiB of documents and modules are rejected", async () => {
  const archive = await archiveOf({
    "modules/a.js": crypto.getRandomValues(new Uint8Array(20 * 1024 ** 2)),
    "openapi.json": "{}",
  });
  await expect(readArchive(inChunks(archive))).rejects.toThrow(
    'The project\'s documents and modules are larger than 20 MiB, with "openapi.json".',
  );
});
