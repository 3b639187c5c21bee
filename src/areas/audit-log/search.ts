import { rejectLargeSize } from "../../platform/storage/query.ts";
import type { Reads } from "../../platform/storage/storage.ts";
import { type AuditEntry, auditEntriesOf, auditSealOf, type Seal } from "./segment.ts";
import { newestSegments } from "./store.ts";

export interface EntryFilter {
  action?: string | undefined;
  actor?: string | undefined;
  actorType?: AuditEntry["actor"]["type"] | undefined;
  resource?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
  before?: string | undefined;
  /** Types of resources whose entries are left out. */
  hiddenTypes?: readonly string[] | undefined;
}

export interface SealedEntry extends AuditEntry {
  isSealed: true;
  seal: Seal;
}

/** Types of resources. A chosen id may equal a type, but no generated id does. */
const likeType = /^[a-z-]+$/;

/** Returns the matching sealed entries by id, the newest first. */
export async function findSealed(
  reads: Reads,
  accountSeq: number,
  filter: EntryFilter,
  limit: number,
): Promise<SealedEntry[]> {
  const { resource, from, to, before } = filter;
  const topic = resource === undefined || likeType.test(resource) ? undefined : resource;
  const found: SealedEntry[] = [];
  // Segments of several nodes may overlap. Entries above the next segment are complete.
  let pending: SealedEntry[] = [];
  let size = 0;
  const parts = partsOf(filter);
  for await (const segment of newestSegments(reads, accountSeq, { topic, from, to, before })) {
    const complete = pending.filter(({ id }) => id > segment.highest_id);
    found.push(...complete);
    if (found.length >= limit) return found.slice(0, limit);
    if (complete.length > 0) pending = pending.filter(({ id }) => id <= segment.highest_id);
    for (const { entry, index, length } of matchingTexts(auditEntriesOf(segment, parts), filter)) {
      pending.push({ ...entry, isSealed: true, seal: auditSealOf(segment, index) });
      size += length;
    }
    rejectLargeSize(size);
    pending.sort(newestFirst);
  }
  return [...found, ...pending].slice(0, limit);
}

export function newestFirst(one: { id: string }, other: { id: string }): number {
  return one.id < other.id ? 1 : -1;
}

interface Match {
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
  const { action, actor, actorType, resource, from, to, before, hiddenTypes } = filter;
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
    (before === undefined || entry.id < before) &&
    !hiddenTypes?.includes(entry.resource.type)
  );
}
