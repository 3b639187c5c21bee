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

/** The entries that contain the most words of the text, those with the words in their label first, and earlier pages before later ones. */
export function search<Api extends SearchIndex>(apis: readonly Api[], text: string): Found<Api>[] {
  const typed = text
    .toLowerCase()
    .replaceAll(/['’]s\b|[?!,]/g, " ")
    .split(/\s+/)
    .filter(Boolean);
  const special = typed.filter((word) => !common.has(word));
  const words = special.length > 0 ? special : typed;
  const groups = apis.flatMap((api) => [...api.guides, ...api.reference].map((group) => ({ api, ...group })));
  const found = groups.flatMap(({ api, label: group, entries }, position) =>
    entries.flatMap((entry) => {
      const scores = words.map(scoreIn(entry));
      const matched = scores.filter((score) => score > 0).length;
      const score = scores.reduce((sum, each) => sum + each, 0) - (8 * position) / groups.length;
      return matched > 0 ? [{ api, group, entry, matched, score }] : [];
    }),
  );
  // With several words, one may be another than that of the page.
  const least = Math.max(1, Math.max(0, ...found.map(({ matched }) => matched)) - 1);
  return found
    .filter(({ matched }) => matched >= least)
    .sort((one, other) => other.matched - one.matched || other.score - one.score)
    .slice(0, maxFound);
}

/** Labels count more than addresses, and those more than text; a page more than a section, and a short label more than a long one. */
function scoreIn({ label, method = "", path = "", page, text = "" }: Entry): (word: string) => number {
  const [name, address, about] = [label, `${method} ${path} ${page}`, text].map((part) => ` ${part.toLowerCase()} `);
  return (word) => {
    const whole = page.includes("#") ? 0 : 6;
    if (name!.trim() === word) return 35 + whole;
    const parts = name!.split(/[^\p{L}\p{N}]+/u);
    const start = parts.findIndex((each) => each.startsWith(word));
    // A part of a word says less, as "downtime" for "down"; a plural as much.
    const isWord = start !== -1 && parts[start]!.length <= word.length + 2;
    if (start !== -1) return (isWord ? 20 : 12) + whole - Math.min(10, start) + 40 / name!.length;
    if (name!.includes(word)) return 10;
    if (address!.includes(word)) return 5;
    return about!.includes(` ${word}`) ? 2 : about!.includes(word) ? 1 : 0;
  };
}
