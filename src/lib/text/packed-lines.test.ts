import { expect, test } from "bun:test";
import fc from "fast-check";
import { packLines, unpackLines } from "./packed-lines.ts";

/** Lines as `JSON.stringify` writes objects, which never contain a line break. */
const line = fc
  .dictionary(fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" }))
  .map((value) => JSON.stringify(value));

test("lines are unchanged after packing and unpacking, compressed or not", () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 50 }), (lines) => {
      expect(unpackLines(packLines(lines))).toEqual(lines);
      expect(unpackLines(Buffer.from(lines.join("\n")))).toEqual(lines);
    }),
  );
});

test("a line longer than the buffer is packed completely", () => {
  const lines = [`{"a":"${"€".repeat(300_000)}"}`, "{}"];
  expect(unpackLines(packLines(lines))).toEqual(lines);
  expect(unpackLines(packLines(["{}"]))).toEqual(["{}"]);
});

test("unpacking invalid bytes throws", () => {
  expect(() => unpackLines(packLines(["{}"]).slice(0, -1))).toThrow();
});

test("lines are unpacked if they contain all of the texts, in any of them", () => {
  const lines = ['{"a":"é"}', '{"b":"2"}'];
  for (const bytes of [packLines(lines), Buffer.from(lines.join("\n"))]) {
    expect(unpackLines(bytes, ['"é"', '"b":'])).toEqual(lines);
    expect(unpackLines(bytes, ['"a":', '"c":'])).toEqual([]);
  }
});
