import { expect, test } from "bun:test";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../test/support/temporary-folder.ts";
import { stampOf } from "./stamp.ts";

test("a stamp changes with the content and the names of the files that are used", async () => {
  const folder = await temporaryFolder("stamp");
  const file = (name: string) => join(folder.path, name);
  const stamp = () => stampOf([], [folder.path], (path) => !path.endsWith(".test.ts"));
  await writeFile(file("a.ts"), "1");
  const first = await stamp();
  await writeFile(file("a.test.ts"), "1");
  expect(await stamp()).toBe(first);
  await writeFile(file("a.ts"), "2");
  const second = await stamp();
  expect(second).not.toBe(first);
  await rename(file("a.ts"), file("b.ts"));
  expect(await stamp()).not.toBe(second);
  await folder.remove();
});
