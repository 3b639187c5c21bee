import { expect, test } from "bun:test";
import { exactPricing, productScale } from "../../src/areas/commerce/billing/overage/overage-price.ts";
import { amountOf } from "../../src/lib/amount.ts";
import { exampleCost, rateForm } from "../../src/web/console/pages/plans/price-form.ts";

test("the example of a plan's costs is what is billed", () => {
  const tiers = [
    { upTo: 100, unitAmount: "0.50" },
    { upTo: 2500, unitAmount: "0.20", flatAmount: "3" },
    { upTo: null, unitAmount: "0.05" },
  ];
  for (const rate of [
    { overage: "bill" as const, tierMode: "graduated" as const, tiers },
    { overage: "bill" as const, tierMode: "volume" as const, tiers },
    { overage: "prepaid" as const, tierMode: "package" as const, packageSize: 30, tiers },
  ])
    for (const units of [0, 1, 30, 100, 101, 2500, 2501, 10_000]) {
      const billed = Number(exactPricing(rate)(amountOf(units)!)) / Number(productScale);
      expect(exampleCost(1000 + units, 1000, rateForm(rate))).toBeCloseTo(billed, 6);
    }
  expect(exampleCost(1001, 1000, rateForm(undefined))).toBeUndefined();
  expect(exampleCost(1000, 1000, rateForm(undefined))).toBe(0);
});
