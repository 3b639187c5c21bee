import { expect, test } from "bun:test";
import { nextRanges, partitionName, unitOf } from "./bounds.ts";

const at = (text: string) => Date.parse(`${text}Z`);
const named = (lastEnd: string, now: string, days: number) =>
  nextRanges(at(lastEnd), at(now), unitOf(days)).map(({ from, to }) =>
    [from, to].map((time) => new Date(time).toISOString().slice(0, 10)),
  );

test("partitions are days up to 60 days of retention, then weeks from Monday on", () => {
  expect(named("2026-01-15T00:00", "2026-01-15T10:00", 60)).toEqual([
    ["2026-01-15", "2026-01-16"],
    ["2026-01-16", "2026-01-17"],
    ["2026-01-17", "2026-01-18"],
    ["2026-01-18", "2026-01-19"],
  ]);
  expect(named("2026-01-12T00:00", "2026-01-15T10:00", 61)).toEqual([
    ["2026-01-12", "2026-01-19"],
    ["2026-01-19", "2026-01-26"],
    ["2026-01-26", "2026-02-02"],
  ]);
});

test("partitions are contiguous, also if the unit has changed", () => {
  expect(named("2026-01-15T00:00", "2026-01-14T10:00", 400)[0]).toEqual(["2026-01-15", "2026-01-19"]);
  expect(named("2026-01-19T00:00", "2026-01-17T10:00", 7)).toEqual([
    ["2026-01-19", "2026-01-20"],
    ["2026-01-20", "2026-01-21"],
  ]);
  expect(named("2026-01-26T00:00", "2026-01-17T10:00", 7)).toEqual([]);
});

test("if none was created for long, one covers the time that has passed", () => {
  expect(named("2025-01-15T00:00", "2026-01-15T10:00", 7).slice(0, 2)).toEqual([
    ["2025-01-15", "2026-01-15"],
    ["2026-01-15", "2026-01-16"],
  ]);
});

test("partitions are named by the day on which they begin", () => {
  expect(partitionName({ from: at("2026-01-09T00:00"), to: 0 })).toBe("usage_events_20260109");
});
