import { gzipSync } from "node:zlib";
import { tarOfEntries } from "../../test/support/archives.ts";
import { archiveOf, block, type HostileArchive, mebibyte, plain, tarOf } from "./hostile-archive.ts";
import { tarEnd } from "./tar-bytes.ts";

/** What an archive is as a whole: none at all, one in another, too much of something. */
export const wholes: HostileArchive[] = [
  ["nothing", "rejected", () => new Uint8Array()],
  ["one byte", "rejected", () => Uint8Array.of(0x1f)],
  ["words", "rejected", () => Buffer.from("this is no archive at all")],
  ["a tar without gzip", "rejected", () => tarOf(plain)],
  ["gzip of words", "rejected", () => gzipSync("words ".repeat(1000))],
  ["gzip of nothing", "rejected", () => gzipSync("")],
  ["gzip in gzip", "rejected", async () => gzipSync(await archiveOf(plain))],
  ["an archive in the archive", "built", async () => archiveOf({ ...plain, "inner.tar.gz": await archiveOf(plain) })],
  ["an archive of no files", "wrong", () => gzipSync(tarEnd)],
  [
    "two archives one after the other",
    "rejected",
    async () => Buffer.concat([await archiveOf(plain), await archiveOf({ second: "x" })]),
  ],
  [
    "an archive and words after it",
    "rejected",
    async () => Buffer.concat([await archiveOf(plain), Buffer.from("and words")]),
  ],
  [
    "a tar with words after its end",
    "rejected",
    async () => gzipSync(Buffer.concat([await tarOf(plain), Buffer.from("words")])),
  ],
  ["an archive in two members of gzip", "built", async () => inTwoMembers(await tarOf(plain))],
  ["a bomb of 240 MiB of zeros", "rejected", () => archiveOf({ ...plain, zeros: new Uint8Array(240 * mebibyte) })],
  [
    "a bomb of empty members",
    "built",
    async () => Buffer.concat([...Array<Buffer>(20_000).fill(gzipSync("")), await archiveOf(plain)]),
  ],
  ["5,000 files", "built", () => archiveOf({ ...plain, ...manyFiles(4_998) })],
  ["5,001 files", "rejected", () => archiveOf({ ...plain, ...manyFiles(4_999) })],
  [
    "20,000 folders",
    "rejected",
    async () =>
      gzipSync(await tarOfEntries(Array.from({ length: 20_000 }, (_, at) => [{ name: `f${at}/`, type: "directory" }]))),
  ],
];

function inTwoMembers(tar: Buffer): Buffer {
  return Buffer.concat([gzipSync(tar.subarray(0, block)), gzipSync(tar.subarray(block))]);
}

function manyFiles(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`files/${at}`, ""]));
}
