import { expect, test } from "bun:test";
import fc from "fast-check";
import { eachEngine } from "../../../../test/support/engines.ts";
import { unique } from "../../../../test/support/metering.ts";
import { contextOf, pass, placeOf } from "../../../../test/support/request-context.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import { RateLimitWindows } from "../../../counting/limits/windows.ts";
import { RateLimitPolicy } from "./rate-limit.ts";
import { rateLimitOptions } from "./schema.ts";

const request = () => new Request("http://shop.localhost/things");
const start = Date.parse("2026-01-15T10:00:00.000Z");

eachEngine((engine) => {
  const storage = useStorage(engine);

  function scene(options: object, name = unique("limit")) {
    const windows = new RateLimitWindows(storage.open);
    const policy = new RateLimitPolicy(windows, rateLimitOptions.parse(options), placeOf(1, name));
    const send = (parts: object = {}) => pass([policy], contextOf(request(), { now: start, ...parts }));
    return { windows, policy, send, name };
  }

  test("accepts requests up to the limit, with the remaining number and the retry time", async () => {
    const { send, name } = scene({ requests: 2, windowSeconds: 60 });
    const now = start + 10_500;
    const first = await send({ now });
    expect(first.status).toBe(200);
    expect(first.headers.get("ratelimit-limit")).toBe("2");
    expect(first.headers.get("ratelimit-remaining")).toBe("1");
    expect(first.headers.get("ratelimit-reset")).toBe("50");
    expect(first.headers.get("ratelimit-policy")).toBe(`"${name}";q=2;w=60`);
    expect(first.headers.get("ratelimit")).toBe(`"${name}";r=1;t=50`);
    expect((await send({ now })).headers.get("ratelimit-remaining")).toBe("0");

    const rejected = await send({ now });
    expect(rejected.status).toBe(429);
    expect(rejected.headers.get("content-type")).toBe("application/problem+json");
    expect(rejected.headers.get("retry-after")).toBe("50");
    expect(rejected.headers.get("ratelimit-limit")).toBe("2");
    expect(rejected.headers.get("ratelimit-remaining")).toBe("0");
    expect(rejected.headers.get("ratelimit-reset")).toBe("50");
    expect(rejected.headers.get("ratelimit")).toBe(`"${name}";r=0;t=50`);
    expect(await rejected.json()).toMatchObject({ status: 429, code: "rate_limited", instance: "/things" });

    expect((await send({ now: start + 59_999 })).status).toBe(429);
    expect((await send({ now: start + 60_000 })).status).toBe(200);
  });

  test("counts each consumer, and requests without a consumer by address", async () => {
    const { send } = scene({ requests: 1, windowSeconds: 60 });
    expect((await send({ consumerId: "csmr_1" })).status).toBe(200);
    expect((await send({ consumerId: "csmr_1", keyId: "key_2" })).status).toBe(429);
    expect((await send({ consumerId: "csmr_2" })).status).toBe(200);
    expect((await send()).status).toBe(200);
    expect((await send()).status).toBe(429);
    expect((await send({ ip: "192.0.2.2" })).status).toBe(200);
  });

  test("counts each key", async () => {
    const { send } = scene({ by: "key", requests: 1, windowSeconds: 60 });
    expect((await send({ consumerId: "csmr_1", keyId: "key_1" })).status).toBe(200);
    expect((await send({ consumerId: "csmr_1", keyId: "key_1" })).status).toBe(429);
    expect((await send({ consumerId: "csmr_1", keyId: "key_2" })).status).toBe(200);
  });

  test("counts addresses, for any caller", async () => {
    const { send } = scene({ by: "ip", requests: 1, windowSeconds: 60 });
    expect((await send({ consumerId: "csmr_1" })).status).toBe(200);
    expect((await send({ consumerId: "csmr_2" })).status).toBe(429);
  });

  test("a new version of the deployment continues the counters of the old one; another policy does not", async () => {
    const { windows, send, name } = scene({ requests: 1, windowSeconds: 60 });
    expect((await send()).status).toBe(200);
    const options = rateLimitOptions.parse({ requests: 1, windowSeconds: 60 });
    const again = new RateLimitPolicy(windows, options, placeOf(1, name));
    const other = new RateLimitPolicy(windows, options, placeOf(1, unique("other")));
    expect((await pass([again], contextOf(request(), { now: start }))).status).toBe(429);
    expect((await pass([other], contextOf(request(), { now: start }))).status).toBe(200);
  });

  test("of two limits the legacy headers show the one with less remaining, the structured fields both", async () => {
    const loose = scene({ requests: 100, windowSeconds: 60 });
    const tight = scene({ requests: 5, windowSeconds: 1 });
    for (const policies of [
      [loose.policy, tight.policy],
      [tight.policy, loose.policy],
    ]) {
      const response = await pass(policies, contextOf(request(), { now: start, consumerId: unique("csmr") }));
      expect(response.headers.get("ratelimit-limit")).toBe("5");
      expect(response.headers.get("ratelimit-remaining")).toBe("4");
      const items = new Map([
        [loose.policy, [`"${loose.name}";q=100;w=60`, `"${loose.name}";r=99;t=60`]],
        [tight.policy, [`"${tight.name}";q=5;w=1`, `"${tight.name}";r=4;t=1`]],
      ]);
      const listed = (place: number) => policies.map((policy) => items.get(policy)![place]).join(", ");
      expect(response.headers.get("ratelimit-policy")).toBe(listed(0));
      expect(response.headers.get("ratelimit")).toBe(listed(1));
    }
  });

  test("ended windows are evicted", async () => {
    const { windows, send } = scene({ requests: 1, windowSeconds: 60 });
    await send();
    await windows.flush(start);
    await windows.forgetEnded(start + 59_999);
    expect(windows.size).toBe(1);
    expect((await send({ now: start + 59_999 })).status).toBe(429);
    await windows.forgetEnded(start + 60_000);
    expect(windows.size).toBe(0);
    const { rows } = await storage.open.reads.query
      .selectFrom("rate_limits")
      .select(({ fn }) => fn.countAll<number>().as("rows"))
      .executeTakeFirstOrThrow();
    expect(Number(rows)).toBe(0);
  });

  test("short windows do not accumulate between sweeps", async () => {
    const { windows, send } = scene({ requests: 1, windowSeconds: 1, by: "ip" });
    for (let second = 0; second < 50; second++) {
      for (let index = 0; index < 3; index++) await send({ now: start + second * 1000, ip: `192.0.2.${index}` });
      expect([windows.size, windows.subjects]).toEqual([1, 3]);
    }
  });

  test("a subject gets exactly the limit in a window if it sends enough", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.record({ subject: fc.constantFrom("a", "b"), after: fc.integer({ min: 0, max: 1500 }) }), {
          maxLength: 60,
        }),
        async (requests, windowSeconds, arrivals) => {
          const { windows, policy } = scene({ requests, windowSeconds });
          const admitted = new Map<string, number>();
          let now = start + 123;
          for (const { subject, after } of arrivals) {
            now += after;
            const window = `${subject} ${Math.floor(now / (windowSeconds * 1000))}`;
            const used = admitted.get(window) ?? 0;
            const context = contextOf(request(), { now, consumerId: subject });
            const response = await policy.enter(context);
            expect(response?.status).toBe(used < requests ? undefined : 429);
            if (!response) admitted.set(window, used + 1);
            expect(context.responseHeaders!.get("ratelimit-remaining")).toBe(
              String(requests - (admitted.get(window) ?? 0)),
            );
            if (after % 7 === 0) await windows.flush(now);
            if (after % 11 === 0) await windows.forgetEnded(now);
          }
        },
      ),
      { numRuns: engine.name === "sqlite" ? 200 : 20 },
    );
  });

  test("written counts survive a restart; unwritten ones are lost only by a kill", async () => {
    const name = unique("limit");
    const restarted = async (now = start) => {
      const restartedScene = scene({ requests: 5, windowSeconds: 3600 }, name);
      await restartedScene.windows.load(now);
      return restartedScene;
    };
    const first = await restarted();
    for (let count = 0; count < 2; count++) await first.send({ consumerId: "csmr_1" });
    await first.send({ consumerId: "csmr_2" });
    await first.windows.flush(start);
    // A kill: this request was not flushed.
    await first.send({ consumerId: "csmr_1" });
    const second = await restarted();
    expect((await second.send({ consumerId: "csmr_1" })).headers.get("ratelimit-remaining")).toBe("2");
    expect((await second.send({ consumerId: "csmr_2" })).headers.get("ratelimit-remaining")).toBe("3");
    await second.windows.flush(start);
    const third = await restarted();
    const statuses = [];
    for (let count = 0; count < 3; count++) statuses.push((await third.send({ consumerId: "csmr_1" })).status);
    expect(statuses).toEqual([200, 200, 429]);
    await third.windows.flush(start);
    // The window has ended: none of it is loaded.
    const next = start + 3_600_000;
    const fourth = await restarted(next);
    expect(fourth.windows.subjects).toBe(0);
    const response = await fourth.send({ now: next, consumerId: "csmr_1" });
    expect(response.headers.get("ratelimit-remaining")).toBe("4");
  });

  test("loads more subjects than fit on one page", async () => {
    const name = unique("limit");
    const { windows, policy } = scene({ requests: 1, windowSeconds: 60, by: "key" }, name);
    const contextFor = (index: number) => contextOf(request(), { now: start, keyId: `key_${index}` });
    const count = 5_001;
    for (let index = 0; index < count; index++) expect(policy.enter(contextFor(index))).toBeUndefined();
    await windows.flush(start);
    const again = scene({ requests: 1, windowSeconds: 60, by: "key" }, name);
    await again.windows.load(start);
    expect(again.windows.subjects).toBeGreaterThanOrEqual(count);
    for (const index of [0, 2_500, count - 1])
      expect(await again.policy.enter(contextFor(index))).toMatchObject({ status: 429 });
    expect(again.policy.enter(contextFor(count))).toBeUndefined();
  });

  test.each([59, 60])(
    "counts in windows of %d seconds are written where another process reads them",
    async (seconds) => {
      const { windows, send, name } = scene({ requests: 10, windowSeconds: seconds });
      for (let count = 0; count < 3; count++) await send({ consumerId: "csmr_1" });
      await windows.flush(start);
      const rows = await storage.open.reads.query
        .selectFrom("rate_limits")
        .selectAll()
        .where("scope", "like", `%${name} ${seconds}`)
        .execute();
      const length = seconds * 1000;
      const windowStart = start - (start % length);
      const row = { scope: `shop-main-1a2b3c4 ${name} ${seconds}`, subject: "csmr_1", used: 3 };
      const times = { window_start: windowStart, ends_on: windowStart + length };
      expect(rows).toEqual(engine.name === "sqlite" && seconds < 60 ? [] : [{ ...row, ...times }]);
    },
  );
});
