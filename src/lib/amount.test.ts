import { expect, test } from "bun:test";
import fc from "fast-check";
import { amountFromParts, amountOf, numberOf, partsOf, shareOf } from "./amount.ts";

/** Decimal numbers of typical input, with up to nine decimals. */
const written = fc
  .tuple(fc.integer({ min: 0, max: 99_999_999 }), fc.integer({ min: 0, max: 9 }))
  .map(([digits, places]) => Number(`${digits}e-${places}`));

test("an amount converts back to the number that was given", () => {
  fc.assert(fc.property(written, (value) => expect(numberOf(amountOf(value)!)).toBe(value)));
  fc.assert(fc.property(fc.maxSafeInteger(), (value) => expect(numberOf(amountOf(value)!)).toBe(value)));
});

test("sums do not depend on their order", () => {
  fc.assert(
    fc.property(fc.array(written), (values) => {
      const sum = (values: number[]) => values.reduce((total, value) => total + amountOf(value)!, 0n);
      expect(sum([...values].sort())).toBe(sum([...values].reverse()));
    }),
  );
});

test("wholes and billionths that are summed separately give the same sum", () => {
  fc.assert(
    fc.property(fc.array(written), (values) => {
      const amounts = values.map((value) => amountOf(value)!);
      const whole = amounts.reduce((sum, amount) => sum + partsOf(amount).whole, 0n);
      const billionths = amounts.reduce((sum, amount) => sum + partsOf(amount).billionths, 0n);
      expect(amountFromParts(whole, billionths)).toBe(amounts.reduce((sum, amount) => sum + amount, 0n));
    }),
  );
});

test("sums are exact where floating point is not", () => {
  const tenths = Array.from({ length: 10 }, () => amountOf(0.1)!).reduce((sum, amount) => sum + amount, 0n);
  expect(numberOf(tenths)).toBe(1);
  expect(numberOf(amountOf(1e15)! + amountOf(1)!)).toBe(1_000_000_000_000_001);
  expect(numberOf(amountOf(0.1)! + amountOf(0.2)!)).toBe(0.3);
  expect(numberOf(amountOf(1e-9)!)).toBe(1e-9);
  expect(numberOf(amountOf(0.3)! - amountOf(0.5)!)).toBe(-0.2);
});

test("a number that cannot be represented exactly is rejected", () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 1e300, 1e-10, 0.1234567891])
    expect(amountOf(value)).toBeUndefined();
});

test("a share is rounded to the nearest billionth", () => {
  expect(numberOf(shareOf(amountOf(100)!, 0.25))).toBe(25);
  expect(numberOf(shareOf(amountOf(100)!, 1))).toBe(100);
  expect(numberOf(shareOf(amountOf(1)!, 1 / 3))).toBe(0.333333333);
  expect(numberOf(shareOf(amountOf(7)!, 0))).toBe(0);
});
