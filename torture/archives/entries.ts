import { gzipSync } from "node:zlib";
import { archiveOf, beside, type HostileArchive, plain } from "./hostile-archive.ts";
import { type RawHeader, rawEntry, tarEnd } from "./tar-bytes.ts";

const withRaw = (header: RawHeader, content?: string | Uint8Array) => () => beside(rawEntry(header, content));

/** What an entry of a tar can be, be called and declare. */
export const entries: HostileArchive[] = [
  ["a symbolic link", "rejected", withRaw({ name: "link", type: "2", linkName: "/etc/passwd" })],
  ["a hard link", "rejected", withRaw({ name: "link", type: "1", linkName: "openapi.json" })],
  [
    "a link in the place of the document",
    "rejected",
    () => gzipSync(Buffer.concat([rawEntry({ name: "openapi.json", type: "2", linkName: "/etc/passwd" }), tarEnd])),
  ],
  ["a character device", "rejected", withRaw({ name: "null", type: "3" })],
  ["a block device", "rejected", withRaw({ name: "disk", type: "4" })],
  ["a named pipe", "rejected", withRaw({ name: "pipe", type: "6" })],
  ["a sparse file", "rejected", withRaw({ name: "sparse", type: "S" }, "x")],
  ["a part of a larger volume", "rejected", withRaw({ name: "part", type: "M" }, "x")],
  ["a volume label", "rejected", withRaw({ name: "label", type: "V" })],
  ["a type that nobody knows", "rejected", withRaw({ name: "odd", type: "Z" }, "x")],
  ["a folder with content", "rejected", withRaw({ name: "folder/", type: "5" }, "content of a folder")],
  ["a file of an old type", "built", withRaw({ name: "old", type: "7" }, "x")],
  ["a file without a type", "built", withRaw({ name: "old", type: "\u0000" }, "x")],
  ["a set-user-id file", "built", withRaw({ name: "root", mode: "0006755" }, "x")],
  ["an absolute path", "rejected", withRaw({ name: "/etc/cron.d/x" }, "x")],
  ["a path that leads out", "rejected", withRaw({ name: "../../x" }, "x")],
  ["a path that leads out by its prefix", "rejected", withRaw({ name: "x", prefix: "../.." }, "x")],
  ["a path with a backslash", "rejected", withRaw({ name: "..\\..\\x" }, "x")],
  ["a path with a line break", "rejected", withRaw({ name: "a\nb" }, "x")],
  ["a path that is no UTF-8", "rejected", withRaw({ name: Uint8Array.of(0xff, 0xfe, 0x41) }, "x")],
  ["a name of nothing", "rejected", withRaw({ name: "" }, "x")],
  ["a name that fills its field", "built", withRaw({ name: "n".repeat(100) }, "x")],
  ["a name of 300 letters", "rejected", () => archiveOf({ ...plain, [`${"n".repeat(300)}`]: "x" })],
  ["a path of 2,000 letters", "rejected", () => archiveOf({ ...plain, [`${"folder/".repeat(300)}x`]: "x" })],
  ["folders 40 deep", "rejected", () => archiveOf({ ...plain, [`${"f/".repeat(40)}x`]: "x" })],
  ["the document twice", "rejected", () => beside(rawEntry({ name: "openapi.json" }, "{}"))],
  ["the document twice, once with a dot", "rejected", () => beside(rawEntry({ name: "./openapi.json" }, "{}"))],
  ["a file that is a folder too", "rejected", () => beside(rawEntry({ name: "openapi.json/x" }, "x"))],
  [
    "names that differ in their case",
    "built",
    () => archiveOf({ ...plain, "OpenAPI.json": "{}", "OPENAPI.JSON": "{}" }),
  ],
  [
    "names that differ in their normal form",
    "built",
    () => archiveOf({ ...plain, "caf\u00e9": "x", "cafe\u0301": "y" }),
  ],
  ["names that read backwards", "built", () => archiveOf({ ...plain, "\u202exslx.exe": "x" })],
  [
    "names that Windows keeps for itself",
    "built",
    () => archiveOf({ ...plain, con: "x", "nul.txt": "x", "trailing. ": "x" }),
  ],
  [
    "names of object members",
    "built",
    () => archiveOf({ ...plain, __proto__file: "x", constructor: "x", "a/__proto__": "x" }),
  ],
  ["a wrong checksum", "rejected", withRaw({ name: "x", checksum: "000001\u0000 " }, "x")],
  ["a checksum that is no number", "rejected", withRaw({ name: "x", checksum: "zzzzzz\u0000 " }, "x")],
  ["a size that is no number", "rejected", withRaw({ name: "x", size: "9z9z9z9z9z9" }, "x")],
  ["a size of more than there is", "rejected", withRaw({ name: "x", size: "00000777777" }, "x")],
  ["a size of eight gigabytes", "rejected", withRaw({ name: "x", size: "77777777777" }, "x")],
  ["a size below zero", "rejected", withRaw({ name: "x", size: Uint8Array.of(0xff, ...Array(11).fill(0xff)) }, "x")],
  [
    "a size beyond all numbers",
    "rejected",
    withRaw({ name: "x", size: Uint8Array.of(0x80, ...Array(11).fill(0x7f)) }, "x"),
  ],
];
