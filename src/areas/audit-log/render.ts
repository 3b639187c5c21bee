import type { CsvCell } from "../../lib/text/csv.ts";
import type { ListedEntry } from "./audit-log.ts";

const columns: Record<string, (entry: ListedEntry) => CsvCell> = {
  id: ({ id }) => id,
  time: ({ time }) => time,
  action: ({ action }) => action,
  actorType: ({ actor }) => actor.type,
  actorId: ({ actor }) => actor.id,
  actorName: ({ actor }) => actor.name,
  resourceType: ({ resource }) => resource.type,
  resourceId: ({ resource }) => resource.id,
  resourceName: ({ resource }) => resource.name,
  requestId: ({ requestId }) => requestId,
  ip: ({ ip }) => ip,
  changes: ({ changes }) => JSON.stringify(changes),
  counts: ({ counts }) => (counts ? JSON.stringify(counts) : undefined),
  isSealed: ({ isSealed }) => isSealed,
  bucketTime: ({ bucketTime }) => bucketTime,
  assistant: ({ assistant }) => assistant,
};

export const csvColumns = Object.keys(columns);

export function* csvRows(entries: ListedEntry[]): Generator<CsvCell[]> {
  for (const entry of entries) yield Object.values(columns).map((value) => value(entry));
}

/** Yields after each entry, so that the caller can serve other requests in between. */
export function* asJsonLines(entries: ListedEntry[]): Generator<void, string> {
  const lines: string[] = [];
  for (const entry of entries) {
    lines.push(`${JSON.stringify(entry)}\n`);
    yield;
  }
  return lines.join("");
}

/** The default is first. */
export const entryTypes = ["application/json", "text/csv", "application/jsonl"] as const;
