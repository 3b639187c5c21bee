import { expect, test } from "bun:test";
import fc from "fast-check";
import { boundaryAt, periodAt, type Renewal } from "./calendar.ts";
import { formatDateTime } from "./time.ts";

const moments = fc.integer({ min: Date.parse("1900-01-01T00:00:00Z"), max: Date.parse("2400-01-01T00:00:00Z") });
const renewals = fc.constantFrom<Renewal>("monthly", "yearly");

test("a period contains the moment that it is computed for", () => {
  fc.assert(
    fc.property(moments, renewals, moments, (anchor, renewal, at) => {
      const { start, end } = periodAt(anchor, renewal, at);
      expect(start <= at && at < end).toBe(true);
    }),
  );
});

test("periods tile time: each ends where the next begins", () => {
  fc.assert(
    fc.property(moments, renewals, moments, (anchor, renewal, at) => {
      const { start, end } = periodAt(anchor, renewal, at);
      expect(periodAt(anchor, renewal, end).start).toBe(end);
      expect(periodAt(anchor, renewal, start - 1).end).toBe(start);
      expect(periodAt(anchor, renewal, end - 1)).toEqual({ start, end });
    }),
  );
});

test("every boundary is on the anchor's day, or on the last day of a shorter month", () => {
  fc.assert(
    fc.property(moments, renewals, fc.integer({ min: -600, max: 600 }), (anchor, renewal, n) => {
      const day = new Date(anchor).getUTCDate();
      const turned = new Date(boundaryAt(anchor, renewal, n));
      const isLast = new Date(turned.getTime() + 86_400_000).getUTCDate() === 1;
      expect(turned.getUTCDate() === day || (turned.getUTCDate() < day && isLast)).toBe(true);
      expect(formatDateTime(turned.getTime()).slice(-13)).toBe(formatDateTime(anchor).slice(-13));
    }),
  );
});

test("the anchor is a boundary", () => {
  fc.assert(
    fc.property(moments, renewals, (anchor, renewal) => {
      expect(periodAt(anchor, renewal, anchor).start).toBe(anchor);
      expect(boundaryAt(anchor, renewal, 0)).toBe(anchor);
    }),
  );
});

test("31 January and leap years", () => {
  const anchor = Date.parse("2027-01-31T10:30:00.123Z");
  const turns = (renewal: Renewal, count: number) =>
    Array.from({ length: count }, (_, n) => formatDateTime(boundaryAt(anchor, renewal, n)).slice(0, 10));
  expect(turns("monthly", 15)).toEqual([
    ..."2027-01-31 2027-02-28 2027-03-31 2027-04-30 2027-05-31 2027-06-30 2027-07-31 2027-08-31".split(" "),
    ..."2027-09-30 2027-10-31 2027-11-30 2027-12-31 2028-01-31 2028-02-29 2028-03-31".split(" "),
  ]);
  const leapDay = Date.parse("2028-02-29T00:00:00Z");
  expect([0, 1, 2, 3, 4].map((n) => formatDateTime(boundaryAt(leapDay, "yearly", n)).slice(0, 10))).toEqual(
    "2028-02-29 2029-02-28 2030-02-28 2031-02-28 2032-02-29".split(" "),
  );
});
