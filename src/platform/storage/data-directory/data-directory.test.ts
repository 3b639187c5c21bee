import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { lockDirectory, makeDirectory, writeSecretFile, writeServerUrl } from "./data-directory.ts";

let folder: TemporaryFolder;

beforeAll(async () => {
  folder = await temporaryFolder("data");
});

afterAll(() => folder.remove());

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test("a missing directory is created, and only its owner has access", () => {
  const path = join(folder.path, "one/two");
  makeDirectory(path);
  expect(modeOf(path)).toBe("700");
  makeDirectory(path);
});

test("a path that cannot be a directory is named in the error", () => {
  const path = join(folder.path, "file");
  writeFileSync(path, "");
  expect(() => makeDirectory(join(path, "below"))).toThrow(
    `The data directory ${join(path, "below")} cannot be created`,
  );
});

test("the address of a server is written for programs on this machine", () => {
  const file = join(folder.path, "server.url");
  const written = (url: string) => {
    const { remove } = writeServerUrl(folder.path, url);
    const text = readFileSync(file, "utf8");
    remove();
    return text;
  };
  expect(written("http://10.1.2.3:8787")).toBe("http://10.1.2.3:8787\n");
  expect(written("http://0.0.0.0:8787")).toBe("http://127.0.0.1:8787\n");
  expect(written("http://[::]:8787")).toBe("http://127.0.0.1:8787\n");
  expect(existsSync(file)).toBe(false);
  writeServerUrl(join(folder.path, "nowhere"), "http://127.0.0.1:1").remove();
});

test("a locked directory is rejected with the process that holds it, and can be opened after its release", () => {
  const lock = lockDirectory(folder.path);
  expect(() => lockDirectory(folder.path)).toThrow(
    `The data directory ${folder.path} is in use by another Tollgate server (process ${process.pid}). ` +
      "Stop that server, or set TOLLGATE_DATA_DIR to another directory",
  );
  lock.release();
  lockDirectory(folder.path).release();
});

test("an invalid lock file is named in the error", () => {
  const path = join(folder.path, "damaged");
  makeDirectory(path);
  writeFileSync(join(path, "server.lock"), "x".repeat(8192));
  expect(() => lockDirectory(path)).toThrow(
    `${join(path, "server.lock")} is not a SQLite database, or it is damaged. It contains no data: delete it and start again.`,
  );
});

test("a secret file that cannot be written leaves the former one, and no partial file", () => {
  const path = join(folder.path, "kept");
  writeSecretFile(path, "old\n");
  // A folder at the path of the temporary file makes the write fail, as a full disk does.
  mkdirSync(`${path}.new`);
  writeFileSync(join(`${path}.new`, "file"), "");
  expect(() => writeSecretFile(path, "new\n")).toThrow(path);
  expect(readFileSync(path, "utf8")).toBe("old\n");
});

test("only its owner can read a secret file, even if all users could before", () => {
  const path = join(folder.path, "secret");
  writeFileSync(path, "old");
  chmodSync(path, 0o644);
  writeSecretFile(path, "new\n");
  expect(modeOf(path)).toBe("600");
  expect(readFileSync(path, "utf8")).toBe("new\n");
});
