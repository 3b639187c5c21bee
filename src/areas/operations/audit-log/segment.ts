import { linkHash } from "../../../lib/crypto/hash-chain.ts";
import { packLines, unpackLines } from "../../../lib/text/packed-lines.ts";
import type { ChangeDetails } from "../../../platform/storage/change.ts";
import type { PackSummary } from "../../../platform/storage/change-feed/change-pack.ts";
import type { ChangeRow } from "../../../platform/storage/change-feed/feed-cursor.ts";
import type { AuditSegmentRow, ChainRow } from "./store.ts";

/** An entry without the fields that sealing adds. */
export type AuditEntry = ChangeDetails;

/**
 * The position of an entry in its account's chain. Entries that were committed together have one hash: `first` to
 * `last`.
 */
export interface Seal {
  number: number;
  first: number;
  last: number;
  previousHash: string;
  hash: string;
  /** The pack that the hash of several entries covers, in base64, with the first of them. */
  pack?: string;
}

const hashBytes = 32;

/** Shorter texts are not compressed. */
const shortLength = 1024;

/** Entries that were recorded together and become one link of the chain, with their topics. */
export interface Recorded {
  /** The hashed content: the JSON text of an entry, or a pack of several. */
  content: string | Uint8Array;
  count: number;
  range: Range;
  topics: string[];
}

export function recordedEntries(change: ChangeRow): Recorded {
  const { count, details, pack } = change;
  if (pack !== null) {
    const { lowestId, highestId, earliest, latest } = JSON.parse(details) as PackSummary;
    const range = { lowest_id: lowestId, highest_id: highestId, earliest, latest };
    return { content: pack, count, range, topics: change.topics ? change.topics.split("\n") : [] };
  }
  return { content: details, count, range: auditRangeOf(idAndTimeOf(details)), topics: storedTopics(change) };
}

function storedTopics({ subject, topics }: ChangeRow): string[] {
  if (topics === null) return [subject];
  return topics.includes("\n") ? [subject, ...topics.split("\n")] : [subject, topics];
}

/** The length of the entries of a segment, which are unpacked at once. A single entry may be longer. */
const maxLength = 1024 * 1024;

/**
 * Splits links into segments: a pack is a segment of its own, and single entries share one, which takes fewer bytes.
 */
export function segmentsIn(recorded: Recorded[]): Recorded[][] {
  const segments: Recorded[][] = [];
  let loose: Recorded[] = [];
  let length = 0;
  for (const each of recorded) {
    if (typeof each.content !== "string") {
      loose = [];
      segments.push([each]);
      continue;
    }
    length = loose.length === 0 ? each.content.length : length + each.content.length;
    if (length > maxLength) {
      loose = [];
      length = each.content.length;
    }
    if (loose.length === 0) segments.push(loose);
    loose.push(each);
  }
  return segments;
}

/**
 * Appends entries to a chain and moves its head. They are neither parsed nor unpacked, and many are in one row: this is
 * most of the cost of an entry.
 */
export function appendSegment(chain: ChainRow, recorded: Recorded[]): Omit<AuditSegmentRow, "sealed_on"> {
  const number = chain.count + 1;
  let hashes = chain.hash;
  for (const { content, count } of recorded) {
    chain.hash = linkHash(chain.hash, chain.count + 1, content);
    chain.count += count;
    hashes += chain.hash;
  }
  return {
    account_seq: chain.account_seq,
    number,
    count: chain.count - number + 1,
    ...boundsOf(recorded.map(({ range }) => range)),
    hashes: Buffer.from(hashes, "hex"),
    entries: packAll(recorded.map(({ content }) => content)),
  };
}

function packAll(contents: Recorded["content"][]): Uint8Array {
  const [pack] = contents;
  return typeof pack === "string" ? packEntries(contents as string[]) : pack!;
}

/** Compression shortens a thousand entries to a tenth, which costs less than writing them. */
export function packEntries(texts: string[]): Uint8Array {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  return length < shortLength ? Buffer.from(texts.join("\n")) : packLines(texts);
}

/**
 * Returns no entry if one of the texts is in none. Throws if the segment was changed such that it cannot be unpacked.
 */
export function auditEntriesOf({ entries }: Pick<AuditSegmentRow, "entries">, texts: string[] = []): string[] {
  return unpackLines(entries, texts);
}

/** Whether one hash covers all entries of the segment, packed. */
export function hasSingleHash({ count, hashes }: Pick<AuditSegmentRow, "count" | "hashes">): boolean {
  return count > 1 && hashes.length === 2 * hashBytes;
}

export function auditSealOf(segment: AuditSegmentRow, index: number): Seal {
  const { count, hashes, entries } = segment;
  const hashAt = (place: number) =>
    Buffer.from(hashes.subarray(place * hashBytes, (place + 1) * hashBytes)).toString("hex");
  const number = segment.number + index;
  if (!hasSingleHash(segment))
    return { number, first: number, last: number, previousHash: hashAt(index), hash: hashAt(index + 1) };
  return {
    number,
    first: segment.number,
    last: segment.number + count - 1,
    previousHash: hashAt(0),
    hash: hashAt(1),
    ...(index === 0 ? { pack: Buffer.from(entries).toString("base64") } : {}),
  };
}

/** Returns the ids by which an entry is found. */
export function topicsOf({ resource }: AuditEntry): string[] {
  return resource.parent ? [resource.id, resource.parent.id] : [resource.id];
}

/** Every entry begins with its id, which has a fixed length, and its time. */
const idAt = '{"id":"'.length;
const idEnd = idAt + "audt_".length + 24;
const between = '","time":"';
const timeAt = idEnd + between.length;
const timeEnd = timeAt + "2026-01-31T10:00:00.000Z".length;

/** Does not parse the text. */
export function idAndTimeOf(text: string): { id: string; time: string } {
  return { id: text.slice(idAt, idEnd), time: text.slice(timeAt, timeEnd) };
}

/** Returns the ranges of ids and times of entries. */
interface Range {
  lowest_id: string;
  highest_id: string;
  earliest: string;
  latest: string;
}

export function auditRangeOf({ id, time }: { id: string; time: string }): Range {
  return { lowest_id: id, highest_id: id, earliest: time, latest: time };
}

function rangeOfAll(ranges: Range[]): Range {
  let { lowest_id, highest_id, earliest, latest } = ranges[0]!;
  for (const each of ranges) {
    if (each.lowest_id < lowest_id) lowest_id = each.lowest_id;
    if (each.highest_id > highest_id) highest_id = each.highest_id;
    if (each.earliest < earliest) earliest = each.earliest;
    if (each.latest > latest) latest = each.latest;
  }
  return { lowest_id, highest_id, earliest, latest };
}

/** The columns by which segments are searched. Verification compares them with the entries. */
export function boundsOf(ranges: Range[]) {
  const { earliest, latest, ...ids } = rangeOfAll(ranges);
  return { ...ids, earliest: Date.parse(earliest), latest: Date.parse(latest) };
}
