import type { Caller } from "../../core/access.ts";
import { beginWords, wordsOf } from "../../lib/text/words.ts";
import type { Reads } from "../../platform/storage/storage.ts";

/** In the order in which results are returned. */
export const foundTypes = [
  "consumer",
  "deployment",
  "route",
  "plan",
  "subscription",
  "invoice",
  "key",
  "domain",
  "webhook",
  "member",
  "request",
] as const;

export interface SearchMatch {
  type: (typeof foundTypes)[number];
  id: string;
  name: string;
  /** The path of the resource in the API. */
  path: string;
  /** What tells it from others. */
  detail?: string | undefined;
}

export interface SearchScope {
  account: { seq: number; name: string };
  caller: Pick<Caller, "role">;
  /** The host of a deployment. */
  hostOf(deployment: string): string;
}

/** What was searched. */
export interface Searched {
  text: string;
  /** Its words; see `wordsOf`. */
  words: string[];
}

/** Finds resources of one type, the best first. */
export type Finder = (reads: Reads, scope: SearchScope, searched: Searched) => Promise<SearchMatch[]>;

export const maxResults = 20;
const maxDetailLength = 120;

export function searchedFor(text: string): Searched {
  return { text, words: wordsOf(text) };
}

/** Whether a resource with these texts is found by words, or by the beginning of one of the texts. */
export function isFound({ text, words }: Searched, texts: (string | null)[]): boolean {
  const lower = text.toLowerCase();
  if (texts.some((each) => each?.toLowerCase().startsWith(lower))) return true;
  return words.length > 0 && beginWords(words, wordsOf(texts.join(" ")));
}

/** How well a name fits: 0 is exact, 1 begins with the text, 2 has the words, 3 was found by something else. */
export function rank({ text, words }: Searched, { name, id }: Pick<SearchMatch, "name" | "id">): number {
  const [searched, lower] = [text.toLowerCase(), name.toLowerCase()];
  if (lower === searched || id === text) return 0;
  if (lower.startsWith(searched)) return 1;
  return words.length > 0 && beginWords(words, wordsOf(name)) ? 2 : 3;
}

/** Sorts by rank, then by name, and keeps each resource once. */
export function bestFirst(searched: Searched, matches: SearchMatch[]): SearchMatch[] {
  const unique = [...new Map(matches.toReversed().map((match) => [match.id, match])).values()];
  const ranked = unique.map((match) => ({ match, rank: rank(searched, match) }));
  return ranked
    .sort((one, other) => one.rank - other.rank || compare(one.match.name, other.match.name))
    .map(({ match }) => match)
    .slice(0, maxResults);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

export function detailOf(text: string | null | undefined): { detail?: string } {
  if (!text) return {};
  return { detail: text.length > maxDetailLength ? `${text.slice(0, maxDetailLength - 1)}…` : text };
}
