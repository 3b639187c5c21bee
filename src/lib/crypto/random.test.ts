import { expect, test } from "bun:test";
import fc from "fast-check";
import { randomBytes } from "./random.ts";

test("returns the requested number of bytes, and never the same bytes twice", () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 12, max: 5000 }), { maxLength: 20 }), (counts) => {
      for (const count of counts) {
        const bytes = randomBytes(count);
        expect(bytes.length).toBe(count);
        const start = bytes.toString("hex", 0, 12);
        expect(seen.has(start)).toBe(false);
        seen.add(start);
      }
    }),
  );
});

test("returned bytes are not overwritten later", () => {
  const bytes = randomBytes(32);
  const before = bytes.toString("hex");
  for (let index = 0; index < 1000; index++) randomBytes(100).fill(0);
  expect(bytes.toString("hex")).toBe(before);
});

test("every value of a byte is about as likely as any other", () => {
  const counts = new Array<number>(256).fill(0);
  for (let index = 0; index < 1000; index++) for (const byte of randomBytes(256)) counts[byte]! += 1;
  // The expected count of each value is 1,000 with a standard deviation of 32. Ten deviations never happen by chance.
  for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(320);
});
