import { entryText } from "../../core/changes/recorded-change.ts";
import { linkHash } from "../../lib/hash-chain.ts";
import type { ChangeDetails } from "../../platform/storage/change.ts";
import type { ChangeRow } from "../../platform/storage/feed-cursor.ts";
import type { ChainRow, SegmentRow } from "./store.ts";

/** An entry without what sealing adds: what its hash is over. */
export type Entry = ChangeDetails;

/** The place of an entry in its account's chain. */
export interface Seal {
  number: number;
  previousHash: string;
  hash: string;
}

const hashBytes = 32;

/** What is shorter is not worth compressing. */
const shortBytes = 1024;
/** Any text of ours begins with a brace. */
const zstdMagic = 0x28;

/** An entry that is not sealed yet, with what it will be found by. */
export interface Recorded {
  text: string;
  id: string;
  time: string;
  topics: string[];
}

export function recordedEntry(row: ChangeRow): Recorded {
  const text = entryText(row);
  const { id, time } = idAndTimeOf(text);
  // Earlier versions recorded no topics.
  const topics = text === row.details ? storedTopics(row) : topicsOf(JSON.parse(text));
  return { text, id, time, topics };
}

function storedTopics({ subject, topics }: ChangeRow): string[] {
  if (topics === null) return [subject];
  return topics.includes("\n") ? [subject, ...topics.split("\n")] : [subject, topics];
}

/**
 * The next entries of a chain, whose head moves to the last. Entries are not parsed, and many become one row: this is most of
 * what an entry costs.
 */
export function appendSegment(chain: ChainRow, recorded: Recorded[]): SegmentRow {
  const number = chain.count + 1;
  const bounds = boundsOf(recorded);
  let hashes = chain.hash;
  for (const { text } of recorded) {
    chain.count += 1;
    chain.hash = linkHash(chain.hash, chain.count, text);
    hashes += chain.hash;
  }
  return {
    account_seq: chain.account_seq,
    number,
    count: recorded.length,
    ...bounds,
    hashes: Buffer.from(hashes, "hex"),
    entries: packed(recorded.map(({ text }) => text)),
  };
}

/** Texts of a thousand entries become a tenth as long, which costs less than writing them does. */
export function packed(texts: string[]): Uint8Array {
  const bytes = Buffer.from(texts.join("\n"));
  return bytes.length < shortBytes ? bytes : Bun.zstdCompressSync(bytes, { level: 1 });
}

/** Throws if somebody has changed it so that it cannot be unpacked. */
export function entriesOf({ entries }: Pick<SegmentRow, "entries">): string[] {
  const bytes = entries[0] === zstdMagic ? Bun.zstdDecompressSync(entries) : entries;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString().split("\n");
}

export function sealOf({ number, hashes }: SegmentRow, index: number): Seal {
  const hashAt = (place: number) =>
    Buffer.from(hashes.subarray(place * hashBytes, (place + 1) * hashBytes)).toString("hex");
  return { number: number + index, previousHash: hashAt(index), hash: hashAt(index + 1) };
}

/** Ids that an entry is found by. */
export function topicsOf({ resource }: Entry): string[] {
  return resource.parent ? [resource.id, resource.parent.id] : [resource.id];
}

/** Every entry begins with its id, whose length is fixed, and its time. */
const idAt = '{"id":"'.length;
const idEnd = idAt + "audt_".length + 24;
const between = '","time":"';
const timeAt = idEnd + between.length;
const timeEnd = timeAt + "2026-01-31T10:00:00.000Z".length;

/** Without parsing the text, unless it comes from an earlier version, which sorted the members of entries. */
export function idAndTimeOf(text: string): { id: string; time: string } {
  if (!text.startsWith('{"id":"') || !text.startsWith(between, idEnd)) return JSON.parse(text) as Entry;
  return { id: text.slice(idAt, idEnd), time: text.slice(timeAt, timeEnd) };
}

/** What segments are searched by; verification compares it with the entries. */
export function boundsOf(entries: { id: string; time: string }[]) {
  const [first] = entries;
  let { id: lowest_id, id: highest_id, time: earliest, time: latest } = first!;
  for (const { id, time } of entries) {
    if (id < lowest_id) lowest_id = id;
    if (id > highest_id) highest_id = id;
    if (time < earliest) earliest = time;
    if (time > latest) latest = time;
  }
  return { lowest_id, highest_id, earliest: Date.parse(earliest), latest: Date.parse(latest) };
}
