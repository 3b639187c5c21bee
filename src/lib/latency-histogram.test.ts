import { expect, test } from "bun:test";
import fc from "fast-check";
import { LatencyHistogram } from "./latency-histogram.ts";

const latencies = fc.array(fc.double({ min: 0.01, max: 3_600_000, noNaN: true }), { minLength: 1, maxLength: 300 });

function histogramOf(values: number[]): LatencyHistogram {
  const histogram = new LatencyHistogram();
  for (const value of values) histogram.add(value);
  return histogram;
}

function exactQuantile(values: number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1]!;
}

const shares = [0.5, 0.95, 0.99];

test("quantiles are within 5 % of the exact ones", () => {
  fc.assert(
    fc.property(latencies, (values) => {
      const histogram = histogramOf(values);
      for (const share of shares) {
        const exact = exactQuantile(values, share);
        expect(Math.abs(histogram.quantile(share)! / exact - 1)).toBeLessThanOrEqual(0.05);
      }
    }),
  );
});

test("histograms add up in any order, encoded or not, and can be subtracted again", () => {
  fc.assert(
    fc.property(latencies, latencies, (some, others) => {
      const together = histogramOf([...some, ...others]).encode();
      const merged = histogramOf(others);
      merged.merge(histogramOf(some));
      expect(merged.encode()).toEqual(together);
      const decoded = histogramOf([]);
      decoded.mergeEncoded(histogramOf(some).encode());
      decoded.mergeEncoded(histogramOf(others).encode());
      expect(decoded.encode()).toEqual(together);
      decoded.merge(histogramOf(others), -1);
      expect(decoded.encode()).toEqual(histogramOf(some).encode());
    }),
  );
});

test("an empty histogram has no quantiles", () => {
  expect(new LatencyHistogram().quantile(0.5)).toBeUndefined();
  expect(new LatencyHistogram().encode()).toHaveLength(0);
});

test("counts beyond 32 bits survive encoding", () => {
  const histogram = histogramOf([5]);
  for (let doubled = 0; doubled < 40; doubled += 1) histogram.merge(histogram);
  const decoded = new LatencyHistogram();
  decoded.mergeEncoded(histogram.encode());
  expect(decoded.encode()).toEqual(histogram.encode());
});

test("values outside the range count in its first or last bucket", () => {
  expect(histogramOf([0, -1, Number.NaN]).quantile(0.5)).toBeLessThan(0.011);
  expect(histogramOf([1e12]).quantile(0.5)).toBeGreaterThan(3_600_000);
});
