import { expect, test } from "bun:test";
import { type TarEntry, TarReader } from "../../lib/text/tar-reader.ts";
import { tarEnd, tarHeader, tarPadding } from "./tar.ts";

test.each([0, 1, 512, 513])("our reader and the system's tar read a file of %i bytes", async (size) => {
  const content = new Uint8Array(size).fill(7);
  const archive = Buffer.concat([tarHeader("admin-token", size, 0o600), content, tarPadding(size), tarEnd()]);
  const entries: TarEntry[] = [];
  let read = 0;
  const reader = new TarReader((entry) => {
    entries.push(entry);
    return (piece) => {
      read += piece.length;
    };
  });
  reader.write(archive);
  reader.end();
  expect(entries).toEqual([{ path: "admin-token", kind: "file", size }]);
  expect(read).toBe(size);
  const tar = Bun.spawn(["tar", "-xOf", "-"], { stdin: archive, stdout: "pipe" });
  expect(await tar.stdout.bytes()).toEqual(content);
  expect(await tar.exited).toBe(0);
  const list = Bun.spawn(["tar", "-tvf", "-"], { stdin: archive, stdout: "pipe" });
  expect(await list.stdout.text()).toStartWith("-rw------- ");
});

test("a file of more than 8 GiB has its size in base 256", () => {
  const size = 8 ** 11 + 5;
  const entries: TarEntry[] = [];
  new TarReader((entry) => void entries.push(entry)).write(tarHeader("tollgate.db", size));
  expect(entries).toEqual([{ path: "tollgate.db", kind: "file", size }]);
});
