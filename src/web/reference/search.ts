import { beginsAlmost, wordsOf } from "../../lib/text/words.ts";
import { synonymsOf } from "../lib/synonyms.ts";
import type { ReferenceApi } from "./reference-api.ts";

type Entry = ReferenceApi["reference"][number]["entries"][number];
export type SearchIndex = Pick<ReferenceApi, "base" | "guides" | "reference">;

export interface Found<Api extends SearchIndex> {
  api: Api;
  group: string;
  entry: Entry;
}

const maxFound = 50;

/** Words of questions, which are on every page. */
const common = new Set(
  "a an and are can do does for get happens how i in is it much my need of on or the to what when where which why with".split(
    " ",
  ),
);

/** Pages for people who work on the program, which operators rarely look for. */
const isForBuilders = (page: string): boolean =>
  /^(decisions\/|changelog|benchmarks|torture|contributing|architecture)/.test(page);

/**
 * The entries that contain the most words of the text, those with the words in their label first, and earlier pages
 * before later ones. A word that is nowhere is searched with typos.
 */
export function search<Api extends SearchIndex>(apis: readonly Api[], text: string): Found<Api>[] {
  const typed = text
    .toLowerCase()
    .replaceAll(/['’]s\b|[?!,]/g, " ")
    .split(/\s+/)
    .filter(Boolean);
  const special = typed.filter((word) => !common.has(word));
  const searched = special.length > 0 ? special : typed;
  const groups = apis.flatMap((api) => [...api.guides, ...api.reference].map((group) => ({ api, ...group })));
  const all = groups.flatMap(({ api, label: group, entries }, position) =>
    entries.map((entry) => {
      const later = (8 * position) / groups.length + (isForBuilders(entry.page) ? 20 : 0);
      return { api, group, entry, later, scoreOf: scoreIn(entry) };
    }),
  );
  const words = searched.map((word) => {
    const alternatives = [word, ...synonymsOf(word)];
    const isKnown = all.some(({ scoreOf }) => alternatives.some((each) => scoreOf(each) > 0));
    return isKnown ? alternatives : wordsLike(word, all);
  });
  const found = all.flatMap(({ scoreOf, later, ...each }) => {
    const scores = words.map((alternatives) =>
      Math.max(0, ...alternatives.map((word, at) => scoreOf(word) * (at === 0 ? 1 : 0.8))),
    );
    const matched = scores.filter((score) => score > 0).length;
    const score = scores.reduce((sum, each) => sum + each, 0) - later;
    return matched > 0 ? [{ ...each, matched: matched - (later >= 20 ? 1 : 0), score }] : [];
  });
  // With several words, one may be another than that of the page.
  const least = Math.max(0, ...found.map(({ matched }) => matched)) - 1;
  return found
    .filter(({ matched }) => matched >= least)
    .sort((one, other) => other.matched - one.matched || other.score - one.score)
    .slice(0, maxFound);
}

/** The words of labels that are meant by one with typos: those that are as long, then longer ones. */
function wordsLike(word: string, all: readonly { entry: Entry }[]): string[] {
  const labels = new Set(all.flatMap(({ entry }) => wordsOf(entry.label)));
  const like = [...labels].filter((each) => beginsAlmost(each, word));
  return like
    .sort((one, other) => Math.abs(one.length - word.length) - Math.abs(other.length - word.length))
    .slice(0, 5);
}

/** Texts are compared with each word that is typed. */
const compared = new WeakMap<Entry, (word: string) => number>();

/** Labels count more than addresses, and those more than text; a page more than a section, and a short label more than a long one. */
function scoreIn(entry: Entry): (word: string) => number {
  const known = compared.get(entry);
  if (known) return known;
  const { label, method = "", path = "", page, text = "" } = entry;
  const [name, address, about] = [label, `${method} ${path} ${page}`, text].map((part) => ` ${part.toLowerCase()} `);
  const parts = name!.split(/[^\p{L}\p{N}]+/u);
  const whole = page.includes("#") ? 0 : 6;
  const scoreOf = (word: string): number => {
    if (name!.trim() === word || address!.endsWith(`/${word} `)) return 35 + whole;
    const start = parts.findIndex((each) => each.startsWith(word));
    // A part of a word says less, as "downtime" for "down"; a plural as much.
    const isWord = start !== -1 && parts[start]!.length <= word.length + 2;
    if (start !== -1) return (isWord ? 20 : 12) + whole - Math.min(10, start) + 40 / name!.length;
    if (name!.includes(word)) return 10;
    if (address!.includes(word)) return 5;
    return about!.includes(` ${word}`) ? 2 : word.length > 4 && about!.includes(word) ? 1 : 0;
  };
  compared.set(entry, scoreOf);
  return scoreOf;
}

const maxExcerpt = 80;

/** The part of an entry's text that has a searched word, or its beginning. */
export function excerptOf({ label, text: whole = "" }: Entry, searched: string): string {
  const text = whole.startsWith(`${label} `) ? whole.slice(label.length + 1) : whole;
  const lower = text.toLowerCase();
  const places = searched
    .toLowerCase()
    .split(/[\s?!,]+/)
    .flatMap((word) => (word === "" || common.has(word) ? [] : [word, ...synonymsOf(word)]))
    .map((word) => lower.search(new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(word)}`, "u")))
    .filter((at) => at !== -1);
  const at = places.length > 0 ? Math.min(...places) : 0;
  const before = text.slice(Math.max(0, at - 30), at);
  const sentence = before.lastIndexOf(". ");
  const start =
    at > 30 && sentence === -1
      ? `…${before.slice(before.indexOf(" ", 5) + 1)}`
      : before.slice(at > 30 ? sentence + 2 : 0);
  const excerpt = start + text.slice(at);
  return excerpt.length <= maxExcerpt ? excerpt : `${excerpt.slice(0, excerpt.lastIndexOf(" ", maxExcerpt))}…`;
}
