import { expect, test } from "bun:test";
import { exposition, type Metric } from "./exposition.ts";
import { mergedExpositions } from "./merged-expositions.ts";

function metric(name: string, type: Metric["type"], values: Record<string, number>): Metric {
  const samples = () => Object.entries(values).map(([kind, value]) => ({ labels: { kind }, value }));
  return { name, help: `Help of ${name}.`, type, samples };
}

test("sums series of several processes, takes the minimum of the named gauges, and keeps series of one process", () => {
  const textOf = (...metrics: Metric[]) => exposition(metrics, { withNames: true });
  const one = textOf(metric("requests_total", "counter", { a: 1, "b c": 2 }), metric("expiry", "gauge", { a: 9 }));
  const other = textOf(metric("requests_total", "counter", { a: 3, d: 4 }), metric("expiry", "gauge", { a: 7 }));
  expect(mergedExpositions([one, other], { minimum: ["expiry"] })).toBe(
    textOf(metric("requests_total", "counter", { a: 4, "b c": 2, d: 4 }), metric("expiry", "gauge", { a: 7 })),
  );
});

test("one process is not changed", () => {
  const text = exposition([metric("size", "gauge", { a: Number.POSITIVE_INFINITY, b: 0.25 })], { withNames: true });
  expect(mergedExpositions([text], { minimum: [] })).toBe(text);
});
