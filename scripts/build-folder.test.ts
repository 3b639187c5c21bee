import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "../test/support/temporary-folder.ts";
import { buildFolderIfOutdated } from "./build-folder.ts";

let parent: TemporaryFolder;
let folder: string;

beforeAll(async () => {
  parent = await temporaryFolder("build-folder");
  folder = join(parent.path, "built");
});
afterAll(() => parent.remove());

const withFile = (name: string) => async (unfinished: string) => {
  await mkdir(unfinished);
  await writeFile(join(unfinished, name), "");
};
const found = async () => ({
  beside: await readdir(parent.path),
  files: (await readdir(folder)).sort(),
  stamp: await Bun.file(join(folder, "stamp")).text(),
});

test("it builds once per stamp and replaces the files of another stamp", async () => {
  expect(await buildFolderIfOutdated(folder, "1", withFile("a"))).toBe(true);
  expect(await buildFolderIfOutdated(folder, "1", withFile("b"))).toBe(false);
  expect(await found()).toEqual({ beside: ["built"], files: ["a", "stamp"], stamp: "1" });
  expect(await buildFolderIfOutdated(folder, "2", withFile("b"))).toBe(true);
  expect(await found()).toEqual({ beside: ["built"], files: ["b", "stamp"], stamp: "2" });
});

test("a failed build keeps the folder and leaves nothing beside it", async () => {
  const failing = async (unfinished: string) => {
    await withFile("c")(unfinished);
    throw new Error("The disk is full.");
  };
  await expect(buildFolderIfOutdated(folder, "3", failing)).rejects.toThrow("The disk is full.");
  expect(await found()).toEqual({ beside: ["built"], files: ["b", "stamp"], stamp: "2" });
});

test("a folder that was built at the same time is not replaced", async () => {
  const slower = async (unfinished: string) => {
    await withFile("d")(unfinished);
    expect(await buildFolderIfOutdated(folder, "4", withFile("e"))).toBe(true);
  };
  expect(await buildFolderIfOutdated(folder, "4", slower)).toBe(false);
  expect(await found()).toEqual({ beside: ["built"], files: ["e", "stamp"], stamp: "4" });
});

test("two builds that end at the same time leave one complete folder", async () => {
  await Promise.all(["f", "g"].map((name) => buildFolderIfOutdated(folder, "5", withFile(name))));
  const { beside, files, stamp } = await found();
  expect({ beside, stamp, count: files.length }).toEqual({ beside: ["built"], stamp: "5", count: 2 });
});
