import { expect, test } from "bun:test";
import { priceParts } from "./prices.ts";

test("a plan without a price is free, which its name does not repeat", () => {
  const price = { currency: "EUR", amount: "30.00", interval: "month" };
  expect(priceParts({ label: "Gold", price })).toEqual({ amount: "€30.00", per: "per month" });
  expect(priceParts({ label: "Starter" })).toEqual({ amount: "Free" });
  expect(priceParts({ label: "Starter", price: { ...price, amount: "0.00" } })).toEqual({ amount: "Free" });
  expect(priceParts({ label: " free " })).toEqual({ amount: "No charge" });
  expect(priceParts({ label: "Free", price })).toEqual({ amount: "€30.00", per: "per month" });
});
