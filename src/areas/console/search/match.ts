import type { Caller } from "../../../core/access.ts";
import { beginsAlmost, beginWords, wordsOf } from "../../../lib/text/words.ts";
import type { Reads } from "../../../platform/storage/storage.ts";

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
  /** What people call it, if that is not the name. */
  displayName?: string | undefined;
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
  /** Whether words may have typos: if nothing was found without. */
  hasTypos: boolean;
}

/** Finds resources of one type, the best first. */
export type Finder = (reads: Reads, scope: SearchScope, searched: Searched) => Promise<SearchMatch[]>;

export const maxResults = 20;
const maxDetailLength = 120;

export function searchedFor(text: string): Searched {
  return { text, words: wordsOf(text), hasTypos: false };
}

/** Shorter texts are in the middle of too many words. */
export const minMiddle = 3;

/** Whether a resource with these texts is found by words, with typos if they are allowed, or by a part of one of the texts. */
export function isFound({ text, words, hasTypos }: Searched, texts: (string | null)[]): boolean {
  const lower = text.toLowerCase();
  const isMiddle = lower.length >= minMiddle;
  if (texts.some((each) => (isMiddle ? each?.toLowerCase().includes(lower) : each?.toLowerCase().startsWith(lower))))
    return true;
  if (words.length === 0) return false;
  const known = wordsOf(texts.join(" "));
  const joined = words.join("");
  if (beginWords(words, known) || (joined.length >= minMiddle && known.join("").includes(joined))) return true;
  return hasTypos && words.every((word) => known.some((each) => beginsAlmost(each, word)));
}

/** How well a name fits: 0 is exact, 1 begins with the text, 2 has the words, 3 was found by something else. */
export function rank({ text, words }: Searched, { name, displayName = name, id }: SearchMatch): number {
  const searched = text.toLowerCase();
  const names = [name.toLowerCase(), displayName.toLowerCase()];
  if (names.includes(searched) || id === text) return 0;
  if (names.some((each) => each.startsWith(searched))) return 1;
  return words.length > 0 && beginWords(words, wordsOf(`${name} ${displayName}`)) ? 2 : 3;
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
