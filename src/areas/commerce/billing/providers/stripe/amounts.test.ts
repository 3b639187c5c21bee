import { describe, expect, test } from "bun:test";
import { collectable, fromStripe, toStripe } from "./amounts.ts";

describe("amounts in the units of Stripe", () => {
  test.each<[currency: string, amount: bigint, stripe: bigint]>([
    ["EUR", 1250n, 1250n],
    ["JPY", 500n, 500n],
    ["ISK", 500n, 50_000n],
    ["UGX", 500n, 50_000n],
    ["MGA", 50_000n, 500n],
    ["KWD", 1230n, 1230n],
  ])("%s %d", (currency, amount, stripe) => {
    expect(toStripe(amount, currency)).toBe(stripe);
    expect(fromStripe(stripe, currency)).toBe(amount);
  });
});

describe("amounts that Stripe cannot express are truncated", () => {
  test.each<[currency: string, amount: bigint, stripe: bigint]>([
    ["KWD", 1239n, 1230n],
    ["KWD", 9n, 0n],
    ["MGA", 12_399n, 123n],
  ])("%s %d", (currency, amount, stripe) => {
    expect(toStripe(amount, currency)).toBe(stripe);
  });

  test("refunds are truncated too", () => {
    expect(fromStripe(50_099n, "ISK")).toBe(500n);
  });
});

describe("what Stripe can collect", () => {
  test.each<[currency: string, amount: bigint, collected: bigint]>([
    ["EUR", 49n, 0n],
    ["EUR", 50n, 50n],
    ["GBP", 30n, 30n],
    ["HUF", 17_499n, 0n],
    ["JPY", 49n, 0n],
    ["ARS", 1n, 1n],
    ["EUR", 0n, 0n],
    // Thousandths only in steps of ten, whole units only for MGA.
    ["KWD", 1239n, 1230n],
    ["MGA", 12_345n, 12_300n],
  ])("%s %d", (currency, amount, collected) => {
    expect(collectable(amount, currency)).toBe(collected);
  });
});
