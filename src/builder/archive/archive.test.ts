import { expect, test } from "bun:test";
import { createGzip, gzipSync } from "node:zlib";
import fc from "fast-check";
import { archiveOf, type EntryHeader, inChunks, tarOf, tarOfEntries } from "../../../test/support/archives.ts";
import { type ArchiveChunks, ArchiveRejected, inspectArchive, walkArchive } from "./archive.ts";

const small = { "openapi.json": "{}", "modules/hello.ts": "export default 1;".repeat(100), "empty.txt": "" };

test("a valid archive passes, in chunks of any size", async () => {
  const archive = await archiveOf(small);
  for (const size of [1, 7, 512, 65_536]) expect(await rejection(archive, size)).toBeUndefined();
});

test("files are read as they were packed, whatever their names and contents", async () => {
  const segment = fc.stringMatching(/^[A-Za-z0-9_ äöü漢-]{1,40}$/).filter((text) => text.trim() === text);
  const path = fc.array(segment, { minLength: 1, maxLength: 6 }).map((segments) => `${segments.join("/")}.file`);
  const files = fc.uniqueArray(fc.tuple(path, fc.uint8Array({ maxLength: 3000 })), {
    selector: ([name]) => name,
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(files, fc.integer({ min: 1, max: 2000 }), async (entries, chunkSize) => {
      const archive = gzipSync(await tarOfEntries(entries.map(([name, content]) => [{ name }, content])));
      expect(await contents(inChunks(archive, chunkSize))).toEqual(
        new Map(entries.map(([name, content]) => [name, Buffer.from(content).toString("hex")])),
      );
    }),
    { numRuns: 50 },
  );
});

test("random bytes, compressed or not, are rejected without another error", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), fc.boolean(), async (bytes, isPacked) => {
      expect(await rejection(isPacked ? gzipSync(bytes) : bytes)).toMatch(/^The archive .*\.$/);
    }),
    { numRuns: 200 },
  );
});

test("an archive with any one byte changed is rejected or reads the same", async () => {
  const tar = await tarOf({ "a.txt": "hello" });
  for (let at = 0; at < tar.length; at += 1) {
    const damaged = Buffer.from(tar);
    damaged[at] = damaged[at]! ^ 0x41;
    // File content has no checksum in tar, and gzip's is computed after the change here.
    const isContentOrPadding = at >= 512 && at < 1024;
    if (!isContentOrPadding) expect(await rejection(gzipSync(damaged))).toBeString();
  }
});

test("an archive truncated anywhere is rejected, before or after compression", async () => {
  const tar = await tarOf({ "a.txt": "hello", "zeros.bin": new Uint8Array(3000) });
  const archive = gzipSync(tar);
  for (let length = 0; length < archive.length; length += 1) {
    expect(await rejection(archive.subarray(0, length))).toBe("The archive is truncated.");
  }
  for (let length = 0; length < tar.length; length += 64) {
    expect(await rejection(gzipSync(tar.subarray(0, length)))).toBe("The archive is truncated.");
  }
});

test("padding after the end is accepted; anything else there is rejected", async () => {
  const tar = await tarOf(small);
  expect(await rejection(gzipSync(Buffer.concat([tar, Buffer.alloc(8192)])))).toBeUndefined();
  expect(await rejection(Buffer.concat([gzipSync(tar), Buffer.alloc(512)]))).toBeUndefined();
  expect(await rejection(gzipSync(Buffer.concat([tar, Buffer.from("garbage".repeat(100))])))).toBe(
    "The archive has data after its end.",
  );
  expect(await rejection(Buffer.concat([gzipSync(tar), Buffer.from("garbage")]))).toBe(
    "The archive is not gzip, or it is damaged.",
  );
});

test.each<[EntryHeader, string]>([
  [{ name: "link", type: "symlink", linkname: "/etc/passwd" }, '"link" is a symbolic link'],
  [{ name: "link", type: "link", linkname: "a.txt" }, '"link" is a hard link'],
  [{ name: "tty", type: "character-device", devmajor: 5 }, '"tty" is a device'],
  [{ name: "sda", type: "block-device", devmajor: 8 }, '"sda" is a device'],
  [{ name: "pipe", type: "fifo" }, '"pipe" is a named pipe'],
  [{ name: "/etc/passwd" }, '"/etc/passwd" is an absolute path'],
  [{ name: "../a" }, '"../a" is outside of the archive'],
  [{ name: "modules/../../a" }, '"modules/../../a" is outside of the archive'],
  [{ name: "..", type: "directory" }, '".." is outside of the archive'],
  [{ name: "modules\\a.ts" }, "has a backslash or a control character"],
  [{ name: "a\nb" }, "has a backslash or a control character"],
  [{ name: "a", pax: { path: "x\0y" } }, "has a backslash or a control character"],
  [{ name: "a", pax: { path: "/etc/passwd" } }, '"/etc/passwd" is an absolute path'],
  [{ name: `${"d/".repeat(32)}f` }, "folders more than 32 deep"],
  [{ name: `${"long/".repeat(20)}${"x".repeat(500)}` }, "a path of more than 512 bytes"],
  [{ name: "./a.txt" }, '"a.txt" twice'],
  [{ name: "a.txt/b.txt" }, '"a.txt" as a file and as a folder'],
  [{ name: `a/${"x".repeat(256)}` }, "a name of more than 255 bytes"],
])("rejected: %j", async (header, reason) => {
  const archive = gzipSync(await tarOfEntries([[{ name: "a.txt" }, "a"], [header]]));
  expect(await rejection(archive)).toContain(reason);
});

test("names that differ in case only are different files", async () => {
  expect(await rejection(await archiveOf({ "a.txt": "", "A.txt": "" }))).toBeUndefined();
});

test("a gigabyte of zeros is rejected after the first few hundred kilobytes of it", async () => {
  let packedBytes = 0;
  const gzip = createGzip();
  gzip.write(headerOf("zeros.bin", 1024 ** 3));
  const zeros = Buffer.alloc(1024 ** 2);
  const bomb = (async function* (): AsyncGenerator<Uint8Array> {
    for (let mebibyte = 0; mebibyte < 1024; mebibyte += 1) {
      gzip.write(zeros);
      await new Promise<void>((resolve) => gzip.flush(() => resolve()));
      const chunk: Buffer | null = gzip.read();
      if (!chunk) continue;
      packedBytes += chunk.length;
      yield chunk;
    }
  })();
  await expect(inspectArchive(bomb)).rejects.toThrow("The archive unpacks to more than 200 times its size.");
  expect(packedBytes).toBeLessThan(100_000);
});

test("a large archive with a normal ratio is rejected by its size", async () => {
  const noise = crypto.getRandomValues(new Uint8Array(65_536));
  let packedBytes = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    const head = gzipSync(headerOf("noise.bin", 8 * 1024 ** 3));
    yield head;
    // A gzip file may have many members.
    const member = gzipSync(noise);
    for (;;) {
      packedBytes += member.length;
      yield member;
    }
  }
  await expect(inspectArchive(endless())).rejects.toThrow("The archive is larger than 50 MiB.");
  expect(packedBytes).toBeLessThan(51 * 1024 ** 2);
  const text = Buffer.from(
    Array.from({ length: 2000 }, (_, index) => `line ${index} of a file that packs well\n`).join(""),
  );
  async function* texts(): AsyncGenerator<Uint8Array> {
    yield gzipSync(headerOf("text.txt", 8 * 1024 ** 3));
    const member = gzipSync(text);
    for (;;) yield member;
  }
  await expect(inspectArchive(texts())).rejects.toThrow("The archive unpacks to more than 250 MiB.");
});

test("more than 5,000 files, or folders, are rejected", async () => {
  const entries = (count: number, type: "file" | "directory") =>
    Array.from({ length: count }, (_, index): [EntryHeader] => [{ name: `f${index}`, type }]);
  expect(await rejection(gzipSync(await tarOfEntries(entries(5000, "file"))))).toBeUndefined();
  expect(await rejection(gzipSync(await tarOfEntries(entries(5001, "file"))))).toBe(
    "The archive has more than 5000 files.",
  );
  expect(await rejection(gzipSync(await tarOfEntries(entries(5001, "directory"))))).toBe(
    "The archive has more than 5000 folders.",
  );
});

test("long headers are rejected before they are read", async () => {
  const pax = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`comment${index}`, "x"]));
  expect(await rejection(gzipSync(await tarOfEntries([[{ name: "a", pax }]])))).toBe(
    "The archive has a header that is too long.",
  );
});

test("an aborted upload ends with the sender's error", async () => {
  const archive = await archiveOf(small);
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield archive.subarray(0, 50);
    throw new Error("connection lost");
  }
  await expect(inspectArchive(broken())).rejects.toThrow("connection lost");
});

test("other work of the process continues while an archive is read", async () => {
  const archive = gzipSync(
    await tarOf({ "noise.bin": crypto.getRandomValues(new Uint8Array(65_536)), "big.bin": noisy(64) }),
  );
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  await inspectArchive(inChunks(archive));
  clearInterval(timer);
  expect(turns).toBeGreaterThan(10);
});

/** Data that compresses at most a hundred times. */
function noisy(mebibytes: number): Uint8Array {
  const bytes = new Uint8Array(mebibytes * 1024 ** 2);
  for (let at = 0; at < bytes.length; at += 97) bytes[at] = (at * 2_654_435_761) >>> 24;
  return bytes;
}

/** A tar header without the file's content. */
function headerOf(name: string, size: number): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write("0000644\0", 100);
  header.write(size.toString(8).padStart(11, "0"), 124);
  header.write("        0ustar\x0000", 148);
  header.write("ustar\x0000", 257);
  header.fill(0, 157, 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

/** The error for the sender; undefined if the archive passes. */
async function rejection(archive: Uint8Array, chunkSize?: number): Promise<string | undefined> {
  try {
    await inspectArchive(inChunks(archive, chunkSize));
    return undefined;
  } catch (error) {
    if (!(error instanceof ArchiveRejected)) throw error;
    return error.message;
  }
}

async function contents(chunks: ArchiveChunks): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  await walkArchive(chunks, ({ path }) => {
    files.set(path, "");
    return (piece) => files.set(path, files.get(path)! + Buffer.from(piece).toString("hex"));
  });
  return files;
}
