import { rejectLargeSize } from "../../../platform/storage/query.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { type AuditEntry, auditEntriesOf, auditSealOf, idAndTimeOf, type Seal } from "./segment.ts";
import { newestSegments, segmentsAround } from "./store.ts";

export interface EntryFilter {
  action?: string | undefined;
  actor?: string | undefined;
  actorType?: AuditEntry["actor"]["type"] | undefined;
  resource?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
  /** Types of resources whose entries are left out. */
  hiddenTypes?: readonly string[] | undefined;
}

interface SealedEntry extends AuditEntry {
  isSealed: true;
  seal: Seal;
}

/** Types of resources. A chosen id may equal a type, but no generated id does. */
const likeType = /^[a-z-]+$/;

/** Returns the matching sealed entries below a number of the chain, the last of the chain first. */
export async function findSealed(
  reads: Reads,
  accountSeq: number,
  filter: EntryFilter,
  limit: number,
  below = Number.MAX_SAFE_INTEGER,
): Promise<SealedEntry[]> {
  const { resource, from, to } = filter;
  const topic = resource === undefined || likeType.test(resource) ? undefined : resource;
  const found: SealedEntry[] = [];
  let size = 0;
  const parts = partsOf(filter);
  for await (const segment of newestSegments(reads, accountSeq, { topic, from, to, below })) {
    const texts = auditEntriesOf(segment, parts).slice(0, below - segment.number);
    for (const { entry, index, length } of [...matchingTexts(texts, filter)].reverse()) {
      if (found.length >= limit) break;
      found.push({ ...entry, isSealed: true, seal: auditSealOf(segment, index) });
      size += length;
    }
    rejectLargeSize(size);
    if (found.length >= limit) break;
  }
  return found;
}

/** An entry as a place in the log, for the entries before it. */
interface Place {
  id: string;
  /** Entries before the place have a lower number. */
  below: number;
}

/**
 * Returns the place of an id among the sealed entries: that of its entry, or after the entry with the next lower id. Ids
 * are not always in the order of the chain, since several nodes record entries. Undefined if all sealed entries have higher ids.
 */
export async function sealedPlace(reads: Reads, accountSeq: number, id: string): Promise<Place | undefined> {
  let place: Place | undefined;
  for await (const segment of segmentsAround(reads, accountSeq, id))
    for (const [index, text] of auditEntriesOf(segment).entries()) {
      const other = idAndTimeOf(text).id;
      const number = segment.number + index;
      if (other === id) return { id, below: number };
      if (other < id && (place === undefined || other > place.id)) place = { id: other, below: number + 1 };
    }
  return place;
}

export interface Match {
  entry: AuditEntry;
  index: number;
  /** The length of its text. */
  length: number;
}

/** Returns the matching entries among their JSON texts. */
export function* matchingTexts(texts: string[], filter: EntryFilter): Generator<Match> {
  const parts = partsOf(filter);
  for (const [index, text] of texts.entries()) {
    // A text search is ten times as fast as parsing, and most entries do not match a rare action.
    if (!parts.every((part) => text.includes(part))) continue;
    const entry = JSON.parse(text) as AuditEntry;
    if (matches(entry, filter)) yield { entry, index, length: text.length };
  }
}

/** Returns texts that the JSON of a matching entry contains. */
function partsOf({ action, actor, actorType, resource }: EntryFilter): string[] {
  const parts: string[] = [];
  if (action !== undefined)
    parts.push(`"action":${JSON.stringify(action).slice(0, action.endsWith(".*") ? -2 : undefined)}`);
  if (actor !== undefined) parts.push(JSON.stringify(actor));
  if (actorType !== undefined) parts.push(JSON.stringify(actorType));
  if (resource !== undefined) parts.push(JSON.stringify(resource));
  return parts;
}

function matches(entry: AuditEntry, filter: EntryFilter): boolean {
  const { action, actor, actorType, resource, from, to, hiddenTypes } = filter;
  const time = Date.parse(entry.time);
  const ofResource = [entry.resource.id, entry.resource.type, entry.resource.parent?.id];
  return (
    (action === undefined ||
      (action.endsWith(".*") ? entry.action.startsWith(action.slice(0, -1)) : entry.action === action)) &&
    (actor === undefined || entry.actor.id === actor) &&
    (actorType === undefined || entry.actor.type === actorType) &&
    (resource === undefined || ofResource.includes(resource)) &&
    (from === undefined || time >= from) &&
    (to === undefined || time < to) &&
    !hiddenTypes?.includes(entry.resource.type)
  );
}
