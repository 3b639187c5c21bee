import { expect, test } from "bun:test";
import { keyBucketArea } from "../areas/api-keys/key-buckets/routes.ts";
import { Problem } from "../core/problems/problem.ts";
import type { AreaContext } from "./area.ts";
import { Router } from "./router.ts";

test("long targets, which any client can send, are not cached", () => {
  const router = new Router(keyBucketArea({} as AreaContext).endpoints, []);
  const address = `/v1/accounts/default/key-buckets?q=${"x".repeat(30_000)}`;
  const first = router.find("GET", address);
  expect(first.match).not.toBeInstanceOf(Problem);
  expect(router.find("GET", address)).not.toBe(first);
});

test("cached targets do not retain their request heads", () => {
  const router = new Router(keyBucketArea({} as AreaContext).endpoints, []);
  const before = rss();
  for (const method of ["GET", "POST"])
    for (let index = 0; index < 2_000; index++) {
      router.find(method, headWith(`/v1/accounts/default/key-buckets?q=${index}`));
      if (index % 500 === 0) Bun.gc(true);
    }
  expect(rss() - before).toBeLessThan(50_000_000);
});

/** A slice of a text of 30 kB, as a parser creates it. */
function headWith(address: string): string {
  return Buffer.from(address.padEnd(30_000, "x"), "latin1").toString("latin1").slice(0, address.length);
}

function rss(): number {
  Bun.gc(true);
  return process.memoryUsage().rss;
}

test("a cached target resolves to the same endpoint", () => {
  const router = new Router(keyBucketArea({} as AreaContext).endpoints, []);
  const first = router.find("GET", "/v1/accounts/default/key-buckets/main?x=1");
  expect(first).toMatchObject({ path: "/v1/accounts/default/key-buckets/main", search: "x=1" });
  expect(router.find("GET", "/v1/accounts/default/key-buckets/main?x=1")).toBe(first);
});
