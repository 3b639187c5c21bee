import { expect, test } from "bun:test";
import { plansAt, priceParts } from "./prices.ts";

test("a plan without a price is free, which its name does not repeat", () => {
  const price = { currency: "EUR", amount: "30.00", interval: "month" };
  expect(priceParts({ label: "Gold", price })).toEqual({ amount: "€30.00", per: "per month" });
  expect(priceParts({ label: "Starter" })).toEqual({ amount: "Free" });
  expect(priceParts({ label: "Starter", price: { ...price, amount: "0.00" } })).toEqual({ amount: "Free" });
  expect(priceParts({ label: " free " })).toEqual({ amount: "No charge" });
  expect(priceParts({ label: "Free", price })).toEqual({ amount: "€30.00", per: "per month" });
});

test("a plan with prices of a month and of a year is one plan", () => {
  const plan = (label: string, interval?: string, currency = "EUR") => ({
    label,
    ...(interval ? { price: { currency, amount: "30.00", interval } } : {}),
  });
  const offered = [
    plan("Free"),
    plan("Gold monthly", "month"),
    plan("Gold (yearly)", "year"),
    plan("Gold yearly", "year", "USD"),
    plan("Team", "month"),
    plan("Enterprise", "year"),
  ];
  const labels = (interval: string) => plansAt(offered, interval).map(({ label }) => label);
  expect(labels("month")).toEqual(["Free", "Gold monthly", "Gold yearly", "Team", "Enterprise"]);
  expect(labels("year")).toEqual(["Free", "Gold (yearly)", "Gold yearly", "Team", "Enterprise"]);
});
