import type { ReferenceApi } from "./reference-api.ts";

type Entry = ReferenceApi["reference"][number]["entries"][number];

interface Found {
  api: ReferenceApi;
  group: string;
  entry: Entry;
}

const maxFound = 50;

/** Entries that contain every word, those whose label begins with the text first. */
export function search(apis: ReferenceApi[], text: string): Found[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const found: (Found & { rank: number })[] = [];
  for (const api of apis)
    for (const { label: group, entries } of [...api.guides, ...api.reference])
      for (const entry of entries) {
        const label = entry.label.toLowerCase();
        const all =
          `${label} ${entry.method ?? ""} ${entry.path ?? ""} ${entry.page} ${entry.text ?? ""}`.toLowerCase();
        if (!words.every((word) => all.includes(word))) continue;
        found.push({ api, group, entry, rank: label.startsWith(words[0]!) ? 0 : label.includes(words[0]!) ? 1 : 2 });
      }
  return found.sort((one, other) => one.rank - other.rank).slice(0, maxFound);
}
