import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  type AbortRule,
  exceedsAbortRule,
  firstSecond,
  secondOf,
  windowMilliseconds,
} from "../../areas/gateways/deployments/canary-releases/abort-rule.ts";
import { VersionCounts } from "../../areas/gateways/deployments/canary-releases/version-counts.ts";
import { isAssigned } from "./running-canary.ts";

const start = Date.parse("2026-01-31T10:00:00Z");

const rules: fc.Arbitrary<AbortRule> = fc.record({
  errorShare: fc.constantFrom(0.01, 0.1, 0.5, 1),
  minimumRequests: fc.integer({ min: 1, max: 20 }),
});

/** A request, and how long after the one before it. Null is a flush. */
const steps = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ isError: fc.boolean(), after: fc.integer({ min: 0, max: 9_000 }) }) },
    { weight: 1, arbitrary: fc.constant(null) },
  ),
  { maxLength: 100 },
);

test("counts by second of two nodes decide like the list of all requests of the last minute", () => {
  fc.assert(
    fc.property(rules, steps, fc.array(fc.boolean(), { minLength: 1 }), (rule, all, nodeOf) => {
      const nodes = [new VersionCounts(), new VersionCounts()];
      const stored = new Map<number, { requests: number; errors: number }>();
      const flush = () => {
        for (const node of nodes)
          for (const [second, counts] of node.take().seconds) {
            const sum = stored.get(second) ?? { requests: 0, errors: 0 };
            stored.set(second, { requests: sum.requests + counts.requests, errors: sum.errors + counts.errors });
          }
      };
      const requests: { time: number; isError: boolean }[] = [];
      let now = start;
      for (const [at, step] of all.entries()) {
        if (step === null) {
          flush();
          continue;
        }
        now += step.after;
        requests.push({ time: now, isError: step.isError });
        nodes[Number(nodeOf[at % nodeOf.length])]!.add(step.isError, 1, now);
      }
      flush();
      const inWindow = requests.filter(({ time }) => secondOf(time) > secondOf(now - windowMilliseconds));
      const errors = inWindow.filter(({ isError }) => isError).length;
      const expected =
        inWindow.length >= rule.minimumRequests && errors >= rule.errorShare * inWindow.length && inWindow.length > 0;
      const window = { requests: 0, errors: 0 };
      for (const [second, counts] of stored)
        if (second >= firstSecond(now)) {
          window.requests += counts.requests;
          window.errors += counts.errors;
        }
      expect(window).toEqual({ requests: inWindow.length, errors });
      expect(exceedsAbortRule(rule, window)).toBe(expected);
    }),
  );
});

test("totals include every request, also those whose seconds were dropped while storage was unavailable", () => {
  const counts = new VersionCounts();
  for (let second = 0; second < 200; second++) counts.add(second % 2 === 0, 1, start + second * 1000);
  const { requests, errors, seconds, latency } = counts.take();
  expect({ requests, errors, seconds: seconds.size }).toEqual({ requests: 200, errors: 100, seconds: 60 });
  expect(Math.min(...seconds.keys())).toBe(start + 140_000);
  expect(latency.quantile(0.5)).toBeGreaterThan(0);
  expect(counts.isEmpty).toBe(true);
});

test("a client of the canary stays with it when its share grows, and shares are exact", () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1 }), fc.string(), share, share, (versionSeq, client, one, other) => {
      const [less, more] = [Math.min(one, other), Math.max(one, other)];
      if (isAssigned(versionSeq, client, less)) expect(isAssigned(versionSeq, client, more)).toBe(true);
      expect(isAssigned(versionSeq, client, 0)).toBe(false);
      expect(isAssigned(versionSeq, client, 1)).toBe(true);
    }),
  );
  const assigned = Array.from({ length: 10_000 }, (_, at) => isAssigned(7, `client-${at}`, 0.2)).filter(Boolean);
  expect(assigned.length).toBeWithin(1_800, 2_200);
});
