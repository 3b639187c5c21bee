import { expect, test } from "bun:test";
import fc from "fast-check";
import { formatDateTime, parseDateTime } from "./time.ts";

test("a formatted time parses to the same moment", () => {
  const moments = fc.date({ min: new Date("0000-01-01T00:00:00Z"), max: new Date("9999-12-31T23:59:59.999Z") });
  fc.assert(
    fc.property(moments, (date) => {
      fc.pre(!Number.isNaN(date.getTime()));
      expect(parseDateTime(formatDateTime(date.getTime()))).toBe(date.getTime());
    }),
  );
});

test.each([
  ["2026-01-31T10:00:00Z", "2026-01-31T10:00:00.000Z"],
  ["2026-01-31t10:00:00z", "2026-01-31T10:00:00.000Z"],
  ["2026-01-31 10:00:00Z", "2026-01-31T10:00:00.000Z"],
  ["2026-01-31T10:00:00.123456Z", "2026-01-31T10:00:00.123Z"],
  ["2026-01-31T10:00:00.5+05:30", "2026-01-31T04:30:00.500Z"],
  ["2026-01-31T23:30:00-01:00", "2026-02-01T00:30:00.000Z"],
  ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
  ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"],
  ["0050-06-01T00:00:00Z", "0050-06-01T00:00:00.000Z"],
])("%s is %s", (text, utc) => {
  expect(formatDateTime(parseDateTime(text)!)).toBe(utc);
});

test.each([
  "",
  "2026-01-31",
  "10:00:00Z",
  "2026-01-31T10:00Z",
  "2026-01-31T10:00:00",
  "2026-13-01T00:00:00Z",
  "2026-00-01T00:00:00Z",
  "2026-02-29T00:00:00Z",
  "1900-02-29T00:00:00Z",
  "2026-04-31T00:00:00Z",
  "2026-01-31T24:00:00Z",
  "2026-01-31T10:60:00Z",
  "2026-01-31T10:00:61Z",
  "2026-01-31T10:00:00+24:00",
  "9999-12-31T23:59:59-01:00",
  "Fri, 31 Jan 2026 10:00:00 GMT",
  "1769853600000",
])("%p is not a date-time", (text) => {
  expect(parseDateTime(text)).toBeUndefined();
});
