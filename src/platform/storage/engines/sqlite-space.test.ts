import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import * as tar from "../../../client/deploy/tar.ts";
import { migrations } from "../../../core/database/migrations/index.ts";
import { backUp, restore } from "../data-directory/backup.ts";
import type { Storage } from "../storage.ts";
import { openSqlite } from "./sqlite.ts";

const mebibyte = 1024 * 1024;

let folder: TemporaryFolder;
let groups: number;
const notAborted = new AbortController().signal;

beforeEach(async () => {
  folder = await temporaryFolder("sqlite-space");
  groups = 0;
});

afterEach(() => folder.remove());

const fileIn = (directory: string) => join(directory, "tollgate.db");
const sizeIn = (directory: string) => statSync(fileIn(directory)).size;

function open(directory: string): Storage {
  const observer = { operation: () => {}, group: () => (groups += 1), revocationLag: () => {} };
  return openSqlite({ directory, migrations, now: () => 1, observer, warn: () => {} });
}

/** What stays was written last, at the end of the file: it has to move. */
async function leaveFreePages(storage: Storage): Promise<void> {
  await storage.write(({ run }) => run("DROP TABLE IF EXISTS chunks", []));
  await storage.write(({ run }) => run("CREATE TABLE chunks (seq integer PRIMARY KEY, data blob NOT NULL)", []));
  for (let count = 0; count < 40; count++) await insertChunk(storage, mebibyte);
  for (let count = 0; count < 20; count++) await insertChunk(storage, 50_000 + count);
  await storage.write(({ run }) => run("DELETE FROM chunks WHERE seq <= 40", []));
}

const insertChunk = (storage: Storage, size: number) =>
  storage.write(({ run }) => run("INSERT INTO chunks (data) VALUES (?)", [Buffer.alloc(size, 7)]));

const chunkSizes = async (storage: Storage) =>
  (await storage.reads.all<{ size: number }>("SELECT length(data) AS size FROM chunks ORDER BY seq", [])).map(
    ({ size }) => size,
  );

test("the file shrinks in small pieces after much was deleted, and keeps a little for the next writes", async () => {
  const storage = open(folder.path);
  await leaveFreePages(storage);
  expect(sizeIn(folder.path)).toBeGreaterThan(30 * mebibyte);
  groups = 0;
  await storage.releaseSpace(notAborted);
  expect(groups).toBeGreaterThan(5);
  expect(sizeIn(folder.path)).toBeLessThan(7 * mebibyte);
  expect(sizeIn(folder.path)).toBeGreaterThan(4 * mebibyte);
  expect(await chunkSizes(storage)).toEqual(Array.from({ length: 20 }, (_, index) => 50_000 + index));
  expect(await storage.reads.all("PRAGMA integrity_check", [])).toEqual([{ integrity_check: "ok" }]);
  const size = sizeIn(folder.path);
  await storage.releaseSpace(notAborted);
  expect(sizeIn(folder.path)).toBe(size);
  await storage.close();
});

test("releasing space ends between two pieces when it is aborted", async () => {
  const storage = open(folder.path);
  await leaveFreePages(storage);
  const before = sizeIn(folder.path);
  await storage.releaseSpace(AbortSignal.abort());
  expect(sizeIn(folder.path)).toBe(before);
  await storage.close();
});

test("a database from before keeps its size, until its backup is restored", async () => {
  using earlier = new Database(fileIn(folder.path), { create: true });
  earlier.run("CREATE TABLE other (seq integer)");
  const storage = open(folder.path);
  await leaveFreePages(storage);
  await storage.releaseSpace(notAborted);
  expect(await storage.reads.all("PRAGMA auto_vacuum", [])).toEqual([{ auto_vacuum: 0 }]);
  const archive = join(folder.path, "backup.tar.gz");
  await backUp(folder.path, archive, tar);
  await storage.close();
  expect(sizeIn(folder.path)).toBeGreaterThan(30 * mebibyte);

  const copy = join(folder.path, "copy");
  await restore(archive, copy);
  expect(sizeIn(copy)).toBeLessThan(3 * mebibyte);
  const restored = open(copy);
  await leaveFreePages(restored);
  await restored.releaseSpace(notAborted);
  await restored.close();
  expect(sizeIn(copy)).toBeLessThan(8 * mebibyte);
});
