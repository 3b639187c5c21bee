import { expect, test } from "bun:test";
import { RetryBudget } from "./retry-budget.ts";

/** How many of a number of retries are within the budget. */
const taken = (budget: RetryBudget, now: number, wanted = 100) =>
  Array.from({ length: wanted }, () => budget.take(now)).filter(Boolean).length;

function request(budget: RetryBudget, now: number, count: number): void {
  for (let at = 0; at < count; at++) budget.request(now);
}

test.each([
  [0, 10],
  [40, 10],
  [50, 10],
  [55, 11],
  [100, 20],
  [300, 60],
])("for %d requests in 10 s there are %d retries", (requests, retries) => {
  const budget = new RetryBudget();
  request(budget, 5_000, requests);
  expect(taken(budget, 5_000)).toBe(retries);
  expect([budget.retried, budget.denied]).toEqual([retries, 100 - retries]);
});

test("requests and retries of more than 10 s ago do not count", () => {
  const budget = new RetryBudget();
  request(budget, 1_000, 200);
  expect(taken(budget, 5_000)).toBe(40);
  expect(taken(budget, 10_999)).toBe(0);
  // The requests are over, the retries are not.
  expect(taken(budget, 11_000)).toBe(0);
  expect(taken(budget, 15_000)).toBe(10);
  expect(taken(budget, 1_000_000)).toBe(10);
});
