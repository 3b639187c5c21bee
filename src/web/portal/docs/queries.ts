import { useQuery } from "@tanstack/react-query";
import type { DocumentationPage, PublishedApi } from "../../../client/portal/schema.gen.ts";
import { call } from "../queries/api.ts";

export const docsPath = "/docs";

/** The APIs with the pages of their guides and references. */
export function useDocumentation(isEnabled: boolean) {
  return useQuery({
    queryKey: ["docs"],
    queryFn: ({ signal }): Promise<{ data: PublishedApi[] }> => call("getPortalDocumentation", { signal }),
    staleTime: 60_000,
    enabled: isEnabled,
  });
}

export function usePage(path: string) {
  return useQuery({
    queryKey: ["docs", "page", path],
    queryFn: ({ signal }): Promise<DocumentationPage> => call("getPortalPage", { query: { path }, signal }),
    staleTime: 60_000,
  });
}

type Entry = PublishedApi["reference"][number]["entries"][number];

export interface Found {
  api: PublishedApi;
  group: string;
  entry: Entry;
}

const maxFound = 50;

/** Entries that contain every word, those whose label begins with the text first. */
export function search(apis: PublishedApi[], text: string): Found[] {
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
