import { describe, expect, test } from "bun:test";
import {
  formatClock,
  formatDateTime,
  formatMinute,
  formatMs,
  formatRelative,
  formatShort,
  formatSmallMoney,
} from "../../src/web/lib/format.ts";

const now = Date.parse("2026-11-16T12:00:00Z");
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

describe("relative times", () => {
  test.each([
    [7 * day, "in 7 days"],
    // Some time passes between the choice of "7 days" and the display.
    [7 * day - 5 * minute, "in 7 days"],
    [13 * day, "in 13 days"],
    [14 * day, "in 2 weeks"],
    [30 * day, "in 4 weeks"],
    [day, "in 1 day"],
    [90 * minute, "in 2 h"],
    [5000, "in a moment"],
    [-5000, "just now"],
    [-(3 * minute + 50_000), "3 min ago"],
    [-(7 * day), "7 days ago"],
    [-(20 * day), "2 weeks ago"],
  ])("%d ms from now", (distance, text) => {
    expect(formatRelative(now + distance, now)).toBe(text);
  });

  test("further away are dates", () => {
    expect(formatRelative(now + 60 * day, now)).toBe("Jan 15, 2027");
  });
});

test("averages of counts from 100 on have no fraction", () => {
  expect([0.125, 12.345, 318.85, 9_999.4, 12_345].map(formatShort)).toEqual(["0.13", "12.35", "319", "9,999", "12.3K"]);
});

test("durations that would round to nothing are not shown as 0", () => {
  expect([0, 0.004, 0.049, 0.05, 0.44, 12.3, 1500].map(formatMs)).toEqual([
    ...["0 ms", "<0.1 ms", "<0.1 ms", "0.1 ms", "0.4 ms", "12 ms", "1.5 s"],
  ]);
});

test("times have 24 hours in tables, tooltips and axes alike", () => {
  const evening = new Date(2026, 10, 16, 21, 5, 9).getTime();
  expect(formatClock(evening)).toBe("21:05");
  expect(formatMinute(evening)).toBe("Nov 16, 2026, 21:05");
  expect(formatDateTime(evening)).toBe("Nov 16, 2026, 21:05:09");
});

test.each([
  ["0", "$0.00"],
  ["0.0000666", "$0.0000666"],
  ["0.70412", "$0.704"],
  ["0.5", "$0.50"],
  ["-0.00012345", "-$0.000123"],
  ["1234.5678", "$1,234.57"],
])("%s USD is %s: small amounts keep their digits", (amount, text) => {
  expect(formatSmallMoney(amount, "USD")).toBe(text);
});
