import { describe, expect, test } from "bun:test";
import { isBare, matchesPattern } from "./patterns.ts";

describe("a pattern matches the whole value", () => {
  test.each([
    ["repo:acme/shop:pull_request", "repo:acme/shop:pull_request", true],
    ["repo:acme/shop", "repo:acme/shop-evil", false],
    ["repo:acme/shop", "evil/repo:acme/shop", false],
    ["repo:acme/shop:*", "repo:acme/shop:ref:refs/heads/main", true],
    ["repo:acme/shop:*", "repo:acme/shop:", true],
    ["repo:acme/shop:*", "repo:acme/shop", false],
    ["repo:acme/*:pull_request", "repo:acme/shop:pull_request", true],
    ["repo:acme/*:pull_request", "repo:acme/shop:pull_request:no", false],
    ["*:pull_request", "repo:acme/shop:pull_request", true],
    ["a*b*c", "a-b-b-c", true],
    ["a*b*c", "a-c-b", false],
    ["a*b*c", "acb", false],
    ["ab*ba", "aba", false],
    ["ab*ba", "abba", true],
    ["a**b", "ab", true],
    // Characters with a meaning in regular expressions are only themselves.
    ["repo:acme/s.op", "repo:acme/shop", false],
    ["(a+)+", "aaaa", false],
    ["repo:ACME/shop", "repo:acme/shop", false],
    ["a*", "a\nb", true],
  ])("%s of %s: %p", (pattern, value, matches) => {
    expect(matchesPattern(pattern, value)).toBe(matches);
  });

  test("a pattern matches in linear time", () => {
    expect(matchesPattern(`${"*a".repeat(100)}*b`, "a".repeat(100_000))).toBe(false);
  });

  test.each(["*", "**", ""])("%p is bare", (pattern) => expect(isBare(pattern)).toBe(true));
});
