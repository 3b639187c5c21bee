import { expect, test } from "bun:test";
import fc from "fast-check";
import { packLines, unpackLines } from "./packed-lines.ts";

/** As `JSON.stringify` writes objects: without a line break, whatever is in them. */
const line = fc
  .dictionary(fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" }))
  .map((value) => JSON.stringify(value));

test("lines come back as they were, packed or not", () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 50 }), (lines) => {
      expect(unpackLines(packLines(lines))).toEqual(lines);
      expect(unpackLines(Buffer.from(lines.join("\n")))).toEqual(lines);
    }),
  );
});

test("a long line does not end where the buffer did", () => {
  const lines = [`{"a":"${"€".repeat(300_000)}"}`, "{}"];
  expect(unpackLines(packLines(lines))).toEqual(lines);
  expect(unpackLines(packLines(["{}"]))).toEqual(["{}"]);
});

test("what cannot be unpacked throws", () => {
  expect(() => unpackLines(packLines(["{}"]).slice(0, -1))).toThrow();
});
