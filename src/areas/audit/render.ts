import { type CsvCell, csvText } from "../../lib/text/csv.ts";
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
};

export function asCsv(entries: ListedEntry[]): string {
  const lines = entries.map((entry) => Object.values(columns).map((value) => value(entry)));
  return csvText(Object.keys(columns), lines);
}

export function asJsonLines(entries: ListedEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

const types = { "application/json": 1, "text/csv": 1, "application/jsonl": 1 };
export type EntryType = keyof typeof types;

/** The type among ours that an Accept header prefers; JSON where it accepts none or is empty. */
export function preferredType(accept: string | null): EntryType {
  let best: EntryType = "application/json";
  let bestQuality = 0;
  for (const part of (accept ?? "").split(",")) {
    const [name, ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const quality = Number(parameters.find((text) => text.startsWith("q="))?.slice(2) ?? 1);
    const type =
      name === "*/*" || name === "application/*" ? "application/json" : name === "text/*" ? "text/csv" : name;
    if (type !== undefined && Object.hasOwn(types, type) && quality > bestQuality) {
      best = type as EntryType;
      bestQuality = quality;
    }
  }
  return best;
}
