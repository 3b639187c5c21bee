import type { ListedEntry } from "./audit-log.ts";

const columns: Record<string, (entry: ListedEntry) => unknown> = {
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
  const lines = entries.map((entry) => Object.values(columns).map((value) => cell(value(entry))));
  return [Object.keys(columns), ...lines].map((cells) => `${cells.join(",")}\r\n`).join("");
}

/** A spreadsheet runs a cell that begins with a formula's sign: names are chosen by strangers. */
function cell(value: unknown): string {
  const text = value === undefined ? "" : String(value);
  const safe = /^[\s]*[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function asJsonLines(entries: ListedEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

const types = { "application/json": 1, "text/csv": 1, "application/jsonl": 1 };
export type EntryType = keyof typeof types;

/** The type that an Accept header likes best among ours; JSON where it likes none or says nothing. */
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
