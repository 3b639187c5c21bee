import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmod, mkdir, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { extract, type Header } from "tar-stream";
import { type TemporaryFolder, temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { packFolder } from "./folder.ts";

let parent: TemporaryFolder;
beforeAll(async () => {
  parent = await temporaryFolder("pack");
});
afterAll(() => parent.remove());

async function project(name: string, files: Record<string, string>): Promise<string> {
  const folder = join(parent.path, name);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

async function entriesOf(archive: Blob): Promise<{ header: Header; content: string }[]> {
  const entries: { header: Header; content: string }[] = [];
  const reader = Readable.from([Buffer.from(await archive.arrayBuffer())])
    .pipe(createGunzip())
    .pipe(extract());
  for await (const entry of reader) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    entries.push({ header: entry.header, content: Buffer.concat(chunks).toString() });
  }
  return entries;
}

const contentOf = async (archive: Blob) =>
  Object.fromEntries((await entriesOf(archive)).map(({ header, content }) => [header.name, content]));

describe("a packed folder", () => {
  test("contains the files, whatever their size and name", async () => {
    const deep = `${"d".repeat(60)}/${"e".repeat(60)}/file.ts`;
    const files = {
      "openapi.json": "{}",
      "empty.txt": "",
      "modules/hello.ts": "x".repeat(512),
      "modules/größer.ts": "y".repeat(100_001),
      [deep]: "deep",
    };
    expect(await contentOf(await packFolder(await project("all", files)))).toEqual(files);
  });

  test("omits dot files and node_modules", async () => {
    const folder = await project("private", {
      "openapi.json": "{}",
      ".env": "SECRET=1",
      ".git/config": "",
      "node_modules/a/index.js": "",
      "modules/.DS_Store": "",
      "modules/node_modules/b.js": "",
      "modules/a.ts": "",
    });
    expect(Object.keys(await contentOf(await packFolder(folder)))).toEqual(["modules/a.ts", "openapi.json"]);
  });

  test("is the same for the same files, independent of owner, path and time", async () => {
    const files = { "b.json": "2", "a.json": "1", "c/d.json": "3" };
    const one = await project("one", files);
    const other = await project("other", Object.fromEntries(Object.entries(files).reverse()));
    await utimes(join(other, "a.json"), 1, 1);
    await chmod(join(other, "b.json"), 0o600);
    expect(await (await packFolder(other)).bytes()).toEqual(await (await packFolder(one)).bytes());
    expect((await entriesOf(await packFolder(one)))[0]!.header).toMatchObject({
      mode: 0o644,
      uid: 0,
      gid: 0,
      type: "file",
    });
  });

  test("can be read by tar", async () => {
    const archive = await packFolder(await project("tar", { "openapi.json": "{}", "modules/a.ts": "code" }));
    const tar = Bun.spawn(["tar", "-tzf", "-"], { stdin: archive, stdout: "pipe" });
    expect(await tar.stdout.text()).toBe("modules/a.ts\nopenapi.json\n");
  });
});

describe("packing fails for", () => {
  test("a missing folder", async () => {
    await expect(packFolder(join(parent.path, "none"))).rejects.toThrow("ENOENT");
  });

  test("an empty folder", async () => {
    const folder = await project("empty", { ".hidden": "" });
    await expect(packFolder(folder)).rejects.toThrow(`There is nothing to deploy in ${folder}`);
  });

  test("a folder with links", async () => {
    const folder = await project("links", { "openapi.json": "{}" });
    await symlink("/etc/passwd", join(folder, "modules"));
    await expect(packFolder(folder)).rejects.toThrow("modules is neither a file nor a folder");
  });

  test("a path that is too long for an archive", async () => {
    const folder = await project("long", { [`${"x".repeat(120)}.json`]: "{}" });
    await expect(packFolder(folder)).rejects.toThrow("The path is too long");
  });
});
