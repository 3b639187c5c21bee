import { expect, test } from "bun:test";
import { canonicalDomain } from "./domain-names.ts";

test.each([
  ["api.acme.example", "api.acme.example"],
  ["API.Acme.Example.", "api.acme.example"],
  ["bücher.example", "xn--bcher-kva.example"],
  ["xn--bcher-kva.example", "xn--bcher-kva.example"],
  ["a-b.co", "a-b.co"],
  [`${"a".repeat(63)}.example`, `${"a".repeat(63)}.example`],
])("%s becomes %s", (text, canonical) => {
  expect(canonicalDomain(text)).toBe(canonical);
});

test.each([
  "",
  ".",
  "localhost",
  "*.acme.example",
  "api..example",
  ".acme.example",
  "-a.example",
  "a-.example",
  "_tollgate.acme.example",
  "api.acme.example:443",
  "https://api.acme.example",
  "api.acme.example/path",
  "user@acme.example",
  "127.0.0.1",
  "10.1",
  "[::1]",
  "a b.example",
  "api.acme.example\0",
  "\ud800.example",
  `${"a".repeat(64)}.example`,
  `${"a.".repeat(130)}example`,
])("%j is no domain", (text) => {
  expect(canonicalDomain(text)).toBeUndefined();
});
