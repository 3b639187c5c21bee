import { expect, test } from "bun:test";
import { beginWords, wordsOf } from "./words.ts";

test.each([
  ["Northwind Traders", ["northwind", "traders"]],
  ["acme_gmbh-2 (EU)", ["acme", "gmbh", "2", "eu"]],
  ["Müller & Çelik, müller", ["muller", "celik"]],
  ["ΑΘΉΝΑ Київ 北京", ["αθηνα", "киів", "北京"]],
  ["kim@acme.example", ["kim", "acme", "example"]],
  ["ﬁsh x".concat("y".repeat(100)), ["fish", `x${"y".repeat(63)}`]],
  ["—%_*", []],
])("the words of %j are %j", (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

test("a text is found by the beginnings of its words, in any order", () => {
  const words = wordsOf("Northwind Traders of Seattle");
  for (const found of ["north", "TRAD", "sea north", "traders of seattle"])
    expect(beginWords(wordsOf(found), words)).toBe(true);
  for (const missed of ["wind", "northwinds", "north x"]) expect(beginWords(wordsOf(missed), words)).toBe(false);
});
