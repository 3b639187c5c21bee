import type { Terminal } from "../terminal/terminal.ts";

type BulkResult<Item> =
  | { jobId: string }
  | { results: (Item & { status: string })[] }
  | { matched: number; sample: Item[] };

/** The ids or names that a bulk change or its preview did not find. */
export function missingIn<Item>(result: BulkResult<Item>, given: string[], nameOf: (item: Item) => string): string[] {
  if ("results" in result) return result.results.filter(({ status }) => status === "not_found").map(nameOf);
  if (!("matched" in result) || given.length === 0) return [];
  const { matched, sample } = result;
  const wanted = [...new Set(given)];
  const found = sample.map(nameOf);
  if (matched === sample.length) return wanted.filter((name) => !found.includes(name));
  // A preview contains only the first few items.
  return matched < wanted.length ? [`${wanted.length - matched} of ${wanted.length}`] : [];
}

/** Returns the exit code. */
export function reportMissing(missing: string[], terminal: Terminal): number | undefined {
  if (missing.length === 0) return undefined;
  terminal.note(`Not found: ${missing.join(", ")}`);
  return 1;
}
