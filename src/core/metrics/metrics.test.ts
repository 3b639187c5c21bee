import { expect, test } from "bun:test";
import { Metrics } from "./metrics.ts";

function samples(metrics: Metrics): Map<string, number> {
  const lines = metrics
    .text({ withNames: true })
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(" ");
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

test("requests are counted by operation and status, and timed by operation", () => {
  const metrics = new Metrics();
  metrics.request("getKey", 200, 0.0004);
  metrics.request("getKey", 200, 0.2);
  metrics.request("getKey", 404, 0.0004);
  metrics.request("createKey", 200, 3);
  const found = samples(metrics);
  expect(found.get('tollgate_requests_total{operation="getKey",status="200"}')).toBe(2);
  expect(found.get('tollgate_requests_total{operation="getKey",status="404"}')).toBe(1);
  expect(found.get('tollgate_requests_total{operation="createKey",status="200"}')).toBe(1);
  expect(found.get('tollgate_request_duration_seconds_bucket{le="0.0005",operation="getKey"}')).toBe(2);
  expect(found.get('tollgate_request_duration_seconds_bucket{le="+Inf",operation="getKey"}')).toBe(3);
  expect(found.get('tollgate_request_duration_seconds_sum{operation="createKey"}')).toBe(3);
});

test("reading metrics twice does not count twice", () => {
  const metrics = new Metrics();
  const statistics = { hits: 5, misses: 2, size: 3 };
  metrics.cache("keys", () => statistics);
  metrics.request("getKey", 200, 0.1);
  samples(metrics);
  statistics.hits = 6;
  const found = samples(metrics);
  expect(found.get('tollgate_requests_total{operation="getKey",status="200"}')).toBe(1);
  expect(found.get('tollgate_cache_hits_total{cache="keys"}')).toBe(6);
  expect(found.get('tollgate_cache_misses_total{cache="keys"}')).toBe(2);
  expect(found.get('tollgate_cache_entries{cache="keys"}')).toBe(3);
});

test("storage reports how long it took, how many shared a commit, and how late changes came", () => {
  const metrics = new Metrics();
  metrics.storage.operation("query", 0.001);
  metrics.storage.operation("commit", 0.02);
  metrics.storage.group(12);
  metrics.storage.revocationLag(0.3);
  const found = samples(metrics);
  expect(found.get('tollgate_storage_duration_seconds_sum{operation="query"}')).toBe(0.001);
  expect(found.get('tollgate_storage_duration_seconds_count{operation="commit"}')).toBe(1);
  expect(found.get("tollgate_storage_group_size_sum")).toBe(12);
  expect(found.get('tollgate_revocation_lag_seconds_bucket{le="0.25"}')).toBe(0);
  expect(found.get('tollgate_revocation_lag_seconds_bucket{le="0.5"}')).toBe(1);
});

test("two services in one process do not mix", () => {
  const one = new Metrics();
  const other = new Metrics();
  one.request("getKey", 200, 0.1);
  expect(samples(other).get('tollgate_requests_total{operation="getKey",status="200"}')).toBeUndefined();
});

test("every series has a help text", () => {
  const metrics = new Metrics();
  metrics.request("getKey", 200, 0.1);
  const text = metrics.text({ withNames: true });
  const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  expect(names).not.toBeEmpty();
  for (const name of names) expect(text).toMatch(new RegExp(`^# HELP ${name} \\S`, "m"));
  expect(samples(metrics).get("process_resident_memory_bytes")).toBeGreaterThan(1_000_000);
});

test("the series of gateways are bounded, and nothing is lost beyond them", () => {
  const metrics = new Metrics();
  const routes = Array.from({ length: 20 }, (_, index) => metrics.gateway.of("shop", `/${index}`));
  for (const route of routes) for (let status = 100; status < 1000; status++) route.add(status, 0.1);
  for (let count = 0; count < 600; count++) metrics.gateway.of(`deployment-${count}`, "/a").add(200, 0.1);
  const found = [...samples(metrics)].filter(([name]) => name.startsWith("tollgate_gateway_requests_total"));
  expect(found.length).toBeLessThan(11_000);
  expect(found.reduce((sum, [, value]) => sum + value, 0)).toBe(20 * 900 + 600);
  const deployments = new Set(found.map(([name]) => /deployment="([^"]+)"/.exec(name)![1]));
  expect(deployments.size).toBe(501);
  for (let count = 0; count < 600; count++) metrics.gateway.forget(`deployment-${count}`);
  metrics.gateway.forget("shop");
  metrics.gateway.of("new", "/a").add(200, 0.1);
  const text = metrics.text({ withNames: true });
  expect(text).toContain('tollgate_gateway_requests_total{deployment="new",route="/a",status="200"} 1');
  const total = metrics.text({ withNames: false });
  expect(total).not.toContain("deployment=");
  expect(total).not.toContain("route=");
});
