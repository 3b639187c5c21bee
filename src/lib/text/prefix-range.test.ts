import { expect, test } from "bun:test";
import fc from "fast-check";
import { prefixRange } from "./prefix-range.ts";

const text = fc.string({ unit: "binary", maxLength: 6 });

test("a range contains the texts that begin with its prefix, and no others", () => {
  fc.assert(
    fc.property(text, text, fc.boolean(), (prefix, other, joined) => {
      const candidate = joined ? prefix + other : other;
      const { from, before } = prefixRange(prefix);
      const compare = (one: string, two: string) => Buffer.compare(Buffer.from(one), Buffer.from(two));
      const isIn = compare(candidate, from) >= 0 && (before === undefined || compare(candidate, before) < 0);
      expect(isIn).toBe(candidate.startsWith(prefix));
    }),
  );
});

test.each([
  ["a%", "a&"],
  ["a_", "a`"],
  ["\ud7ff", "\ue000"],
  ["a\u{10ffff}", "b"],
])("%j ends before %j", (prefix, before) => {
  expect(prefixRange(prefix)).toEqual({ from: prefix, before });
});
