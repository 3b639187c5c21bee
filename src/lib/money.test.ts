import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { minorDigits } from "./currencies.ts";
import { fraction, isLess, parsePrice, priceDecimals, rest, roundedQuotient, shareOfPrice } from "./money.ts";
import { formatMinor, parseMinor } from "./text/minor-units.ts";

test.each<[currency: string, digits: number | undefined]>([
  ["EUR", 2],
  ["USD", 2],
  ["JPY", 0],
  ["KRW", 0],
  ["KWD", 3],
  ["BHD", 3],
  ["CLF", 4],
  ["XXX", undefined],
  ["eur", undefined],
  ["", undefined],
])("%s has %p decimals", (currency, digits) => {
  expect(minorDigits(currency)).toBe(digits);
});

describe("a price", () => {
  test.each(["0", "1", "0.1", "0.000000000001", "999999999999.999999999999", "10.05"])("%s is exact", (text) => {
    expect(formatMinor(parsePrice(text)!, priceDecimals).replace(/\.?0+$/, "")).toBe(text);
  });

  test.each([
    "",
    "-1",
    "+1",
    "1.",
    ".5",
    "01",
    "1e3",
    "1,5",
    " 1",
    "0.0000000000001",
    "1000000000000",
    "NaN",
    "Infinity",
  ])("%p is rejected", (text) => {
    expect(parsePrice(text)).toBeUndefined();
  });
});

test.each<[minor: bigint, digits: number, text: string]>([
  [1250n, 2, "12.50"],
  [-5n, 2, "-0.05"],
  [0n, 2, "0.00"],
  [1250n, 0, "1250"],
  [1n, 3, "0.001"],
])("%p with %p decimals is %s", (minor, digits, text) => {
  expect(formatMinor(minor, digits)).toBe(text);
  expect(parseMinor(text, digits)).toBe(minor);
});

test("an amount with more decimals than the currency is rejected", () => {
  expect(parseMinor("1.5", 0)).toBeUndefined();
  expect(parseMinor("1.005", 2)).toBeUndefined();
  expect(parseMinor("1.005", 3)).toBe(1005n);
  expect(parseMinor("1.500", 2)).toBe(150n);
});

test.each<[numerator: bigint, denominator: bigint, rounded: bigint]>([
  [1n, 2n, 1n],
  [-1n, 2n, -1n],
  [3n, 2n, 2n],
  [5n, 2n, 3n],
  [-5n, 2n, -3n],
  [1n, 3n, 0n],
  [2n, 3n, 1n],
  [0n, 7n, 0n],
])("%p / %p is rounded half away from zero to %p", (numerator, denominator, rounded) => {
  expect(roundedQuotient(numerator, denominator)).toBe(rounded);
});

describe("for all values", () => {
  const whole = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
  const positive = fc.bigInt({ min: 1n, max: 10n ** 20n });

  test("rounding differs from the exact quotient by at most a half, and is symmetric", () => {
    fc.assert(
      fc.property(whole, positive, (numerator, denominator) => {
        const rounded = roundedQuotient(numerator, denominator);
        const difference = 2n * (rounded * denominator - numerator);
        expect(difference <= denominator && difference >= -denominator).toBe(true);
        expect(roundedQuotient(-numerator, denominator)).toBe(-rounded);
        // A tie is rounded away from zero.
        if (difference === denominator) expect(numerator > 0n).toBe(true);
        if (difference === -denominator) expect(numerator < 0n).toBe(true);
      }),
    );
  });

  test("texts and amounts are converted without loss", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 24n - 1n }), (price) => {
        expect(parsePrice(formatMinor(price, priceDecimals))).toBe(price);
      }),
    );
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 14n), max: 10n ** 14n }), fc.constantFrom(0, 2, 3), (minor, digits) => {
        expect(parseMinor(formatMinor(minor, digits), digits)).toBe(minor);
      }),
    );
  });

  test("a share and the rest of it add up to the price, but for the rounding of each", () => {
    const parts = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 13n }), positive).filter(([part, all]) => part <= all);
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 20n }),
        parts,
        fc.constantFrom(0, 2, 3),
        (price, [part, all], digits) => {
          const share = fraction(part, all);
          const sum = shareOfPrice(price, share, digits) + shareOfPrice(price, rest(share), digits);
          const difference = sum - shareOfPrice(price, fraction(1, 1), digits);
          expect(difference >= -1n && difference <= 1n).toBe(true);
          expect(isLess(share, fraction(0, 1))).toBe(false);
        },
      ),
    );
  });
});
