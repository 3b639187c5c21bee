import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "..");

/** Words that the field does not use, and what it says instead. */
const words: Record<string, string> = {
  "told|untold": "sent, logged, returned",
  "surroundings|circumstances": "context, options",
  "asked again|asks again": "retried",
  "lets? go|letting go": "release, evict",
  // `"refusal"` is a member of OpenAI's messages.
  'refuses?|refusal(?!")': "reject, deny",
  "shook hands": "handshake",
  "the short way": "fast path",
  "mistakes?": "error, warning",
  "whoever|whomever|whom": "the noun: the client, the caller, the user",
  likewise: "the sentence again",
  "in vain": "without a result",
  "had better": "must, should",
  "worth nothing": "invalid, outdated",
  "misleads?|misleading": "is ambiguous, reports the wrong cause",
  "gives?Back": "release, return",
  otherTurns: "yieldToEventLoop",
  "at the door": "before the request is handled, on upload",
  "by heart": "from memory, cached",
  "(?:goes|go|going) on (?:working|serving|returning|counting)": "keeps working",
  "this once": "only once, only this response",
  "sealed under": "encrypted with",
  "came of it": "result",
  "in force": "active, applied",
  "in place of": "instead of, replaces",
  "(?:at most|beyond|after|for) so many": "at most the given number of, at most `limit`",
  "broke off|breaks off": "was aborted, is incomplete",
  "as far as they are not": "unless",
  "behind (?:its|their|the server's) backs?": "without its knowledge",
  "nothing of (?:it|them)": "none",
};
const pattern = new RegExp(`\\b(?:${Object.keys(words).join("|")})\\b`, "gi");

/** Limits are named `max…` and `min…`. */
const limitNames = /\b(?:most|fewest|furthest)[A-Z]\w*/g;

const globs = ["*.md", "{bench,deploy,docs,examples,scripts,src,test,torture}/**/*.{ts,tsx,md}"];
const files = globs.flatMap((glob) => [...new Bun.Glob(glob).scanSync(root)]);

test("names, comments and texts use the words of the field", () => {
  const found = files
    .filter((file) => file !== "test/words.test.ts" && !file.includes("node_modules/"))
    .flatMap((file) => {
      const text = readFileSync(join(root, file), "utf8");
      const matches = [...(text.match(pattern) ?? []), ...(text.match(limitNames) ?? [])];
      return matches.map((word) => `${file}: ${word}`);
    });
  expect(found).toEqual([]);
});

/** Titles are complete without the title of their group: no single words, no clauses that continue another title. */
const fragments = /\b(?:test|it)(?:\.each[^\n]*?)?\(\s*"((?:that|which|to|and|but|nor) [^"]*|of [^",]*|[\w-]+)"/g;

test("titles of tests are no fragments", () => {
  const found = files.filter((file) => file.endsWith(".test.ts")).flatMap((file) => matchesIn(file, fragments));
  expect(found).toEqual([]);
});

test("no variable is called of", () => {
  const declarations = /\b(?:const|let|readonly) of\b|[(,] ?of(?:\??:| =[^=>])/g;
  const found = files
    .filter((file) => /\.tsx?$/.test(file) && file !== "test/words.test.ts")
    .flatMap((file) => matchesIn(file, declarations));
  expect(found).toEqual([]);
});

function matchesIn(file: string, wrong: RegExp): string[] {
  return [...readFileSync(join(root, file), "utf8").matchAll(wrong)].map(
    ([match, group]) => `${file}: ${group ?? match}`,
  );
}
