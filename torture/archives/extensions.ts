import { beside, type HostileArchive, mebibyte } from "./hostile-archive.ts";
import { paxEntry, rawEntry } from "./tar-bytes.ts";

const withPax = (records: Record<string, string>) => () => beside(paxEntry(records), rawEntry({ name: "file" }, "x"));

/** What pax and GNU headers declare of the entry that follows them. */
export const extensions: HostileArchive[] = [
  ["a pax path that leads out", "rejected", withPax({ path: "../../x" })],
  ["a pax path with a NUL", "rejected", withPax({ path: "a\u0000b" })],
  ["a pax path of 100,000 letters", "rejected", withPax({ path: "p".repeat(100_000) })],
  ["a pax link on a file", "built", withPax({ linkpath: "/etc/passwd" })],
  ["a pax size of zero", "rejected", withPax({ size: "0" })],
  ["a pax size below zero", "rejected", withPax({ size: "-1" })],
  ["a pax size beyond all numbers", "rejected", withPax({ size: "9".repeat(40) })],
  ["a pax size that is no number", "rejected", withPax({ size: "many" })],
  [
    "pax records of a sparse file",
    "rejected",
    withPax({ "GNU.sparse.major": "1", "GNU.sparse.name": "../x", "GNU.sparse.realsize": "1" }),
  ],
  [
    "a global pax path",
    "rejected",
    () => beside(paxEntry({ path: "../../all" }, "g"), rawEntry({ name: "file" }, "x")),
  ],
  [
    "a pax header without records",
    "built",
    () => beside(rawEntry({ name: "pax", type: "x" }), rawEntry({ name: "file" }, "x")),
  ],
  [
    "a pax header of nonsense",
    "rejected",
    () => beside(rawEntry({ name: "pax", type: "x" }, "nonsense\n"), rawEntry({ name: "file" }, "x")),
  ],
  [
    "a pax record longer than its header",
    "rejected",
    () => beside(rawEntry({ name: "pax", type: "x" }, "999999999 path=x\n"), rawEntry({ name: "file" }, "x")),
  ],
  [
    "a pax record of no length",
    "rejected",
    () => beside(rawEntry({ name: "pax", type: "x" }, "0 path=x\n"), rawEntry({ name: "file" }, "x")),
  ],
  ["a pax header of 8 MiB", "rejected", withPax({ comment: "c".repeat(8 * mebibyte) })],
  [
    "a thousand pax headers",
    "built",
    () => beside(...Array.from({ length: 1000 }, () => paxEntry({ comment: "x" })), rawEntry({ name: "file" }, "x")),
  ],
  ["a pax header at the end", "built", () => beside(paxEntry({ path: "x" }))],
  [
    "a GNU name of 1 MiB",
    "rejected",
    () => beside(rawEntry({ name: "././@LongLink", type: "L" }, "n".repeat(mebibyte)), rawEntry({ name: "file" }, "x")),
  ],
  [
    "a GNU name that leads out",
    "rejected",
    () => beside(rawEntry({ name: "././@LongLink", type: "L" }, "../../x\u0000"), rawEntry({ name: "file" }, "x")),
  ],
  ["a GNU name without its file", "built", () => beside(rawEntry({ name: "././@LongLink", type: "L" }, "x\u0000"))],
];
