import { afterAll, beforeAll, expect, test } from "bun:test";
import { postgres } from "../../../../test/support/engines.ts";
import { unique } from "../../../../test/support/metering.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import type { WindowKind } from "../../../counting/limits/window.ts";
import { RateLimitWindows } from "../../../counting/limits/windows.ts";
import { openStorage } from "../../../platform/storage/engines/open.ts";
import type { Storage } from "../../../platform/storage/storage.ts";

let second: Storage;

// Registered before the storage's own hook, so that the database is closed last.
afterAll(() => second.close());

const storage = useStorage(postgres);
const now = Date.parse("2026-01-15T10:00:00.000Z");

beforeAll(async () => {
  second = await openStorage(storage.options);
});

interface Turn {
  kind: WindowKind;
  at: number;
}

function scene(requests: number) {
  const nodes = [new RateLimitWindows(storage.open), new RateLimitWindows(second)];
  const scope = unique("scope");
  /** The number of requests that a node accepts. */
  const spend = (node: RateLimitWindows, count: number, { kind, at }: Turn = { kind: "fixed", at: now }) => {
    const window = node.open(scope, 60, at, kind);
    const take = () => window.take("csmr_1", window.allowance("csmr_1", requests, at));
    return Array.from({ length: count }, take).filter((left) => left >= 0).length;
  };
  return { nodes, spend, scope };
}

test("two nodes exceed the limit by at most what one accepts in two flush intervals", async () => {
  const { nodes, spend } = scene(100);
  const admitted = [];
  for (let interval = 0; interval < 4; interval++) {
    admitted.push(nodes.map((node) => spend(node, 60)));
    for (const node of nodes) await node.flush(now);
  }
  expect(admitted).toEqual([
    [60, 60],
    [40, 0],
    [0, 0],
    [0, 0],
  ]);
});

test("a sliding limit counts the other node's requests of the previous window, also if they were written late", async () => {
  const { nodes, spend } = scene(100);
  const [one, other] = [nodes[0]!, nodes[1]!];
  const sliding = (seconds: number): Turn => ({ kind: "sliding", at: now + seconds * 1000 });
  expect(spend(one, 60, sliding(0))).toBe(60);
  await one.flush(now);
  expect(spend(one, 60, sliding(59))).toBe(40);

  // The other node has not counted it yet, and reads it with its first flush.
  expect(spend(other, 10, sliding(60))).toBe(10);
  await other.flush(now + 60_000);
  // 10 and half of 60.
  expect(spend(other, 100, sliding(90))).toBe(60);
  await one.flush(now + 90_000);
  await other.flush(now + 90_000);
  // 70 and a quarter of 100.
  expect(spend(other, 100, sliding(105))).toBe(5);
  expect(spend(other, 100, sliding(105))).toBe(0);
});

test("concurrent flushes of both lose no counts", async () => {
  const { nodes, spend, scope } = scene(1_000_000);
  for (let turn = 0; turn < 20; turn++) {
    for (const node of nodes) expect(spend(node, 5)).toBe(5);
    await Promise.all(nodes.flatMap((node) => [node.flush(now), node.flush(now)]));
  }
  const row = await storage.open.reads.query
    .selectFrom("rate_limits")
    .select("used")
    .where("scope", "=", `${scope} 60`)
    .executeTakeFirstOrThrow();
  expect(row.used).toBe(200);
});

test("ended windows are not written", async () => {
  const { nodes, spend, scope } = scene(10);
  spend(nodes[0]!, 1);
  await nodes[0]!.flush(now + 60_000);
  const rows = await storage.open.reads.query
    .selectFrom("rate_limits")
    .selectAll()
    .where("scope", "=", `${scope} 60`)
    .execute();
  expect(rows).toEqual([]);
});
