import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sqlite } from "../../../../test/support/engines.ts";
import { startServer, type TestServer } from "../../../../test/support/server.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import * as tar from "../../../client/deploy/tar.ts";
import { backUp } from "./backup.ts";

const modesIn = (directory: string) =>
  Object.fromEntries(
    readdirSync(directory).map((name) => [name, (statSync(join(directory, name)).mode & 0o777).toString(8)]),
  );

/** Without a configured key and token, so that the server generates both. */
const environment = { TOLLGATE_ENCRYPTION_KEY: "", TOLLGATE_ADMIN_TOKEN: "" };

async function inDirectory(mode: number, work: (directory: string, start: () => Promise<TestServer>) => Promise<void>) {
  const folder = await temporaryFolder("modes");
  const directory = join(folder.path, "data");
  mkdirSync(directory);
  chmodSync(directory, mode);
  const database = { environment: { TOLLGATE_DATA_DIR: directory }, drop: async () => {} };
  const umask = process.umask(0o022);
  try {
    await work(directory, () => startServer(sqlite, { database, environment }));
  } finally {
    process.umask(umask);
    await folder.remove();
  }
}

test("in a directory that all users can read, only the owner can read the files", () =>
  inDirectory(0o755, async (directory, start) => {
    const first = await start();
    const modes = modesIn(directory);
    expect(Object.keys(modes)).toEqual(
      expect.arrayContaining(["tollgate.db", "tollgate.db-wal", "tollgate.db-shm", "encryption-key", "admin-token"]),
    );
    expect(Object.entries(modes).filter(([, mode]) => mode !== "600")).toEqual([]);
    const target = join(directory, "backup.tar.gz");
    await backUp(directory, target, tar);
    expect(modesIn(directory)["backup.tar.gz"]).toBe("600");
    expect(first.log).toContain(`chmod 700 ${JSON.stringify(JSON.stringify(directory)).slice(1, -1)}`);
    await first.stop();

    for (const name of readdirSync(directory)) chmodSync(join(directory, name), 0o644);
    await writeFile(join(directory, "of-somebody-else"), "", { mode: 0o644 });
    const second = await start();
    const { "of-somebody-else": theirs, "backup.tar.gz": _, ...ours } = modesIn(directory);
    expect(new Set(Object.values(ours))).toEqual(new Set(["600"]));
    expect(theirs).toBe("644");
    await second.stop();
  }));

test("a directory that only its owner can access causes no warning", () =>
  inDirectory(0o700, async (_, start) => {
    const server = await start();
    expect(server.log).not.toContain("chmod");
    await server.stop();
  }));
