import { expect, test } from "bun:test";
import fc from "fast-check";
import { eachEngine } from "../../../../test/support/engines.ts";
import { unique } from "../../../../test/support/metering.ts";
import { contextOf, placeOf } from "../../../../test/support/request-context.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import { RateLimitWindows } from "../../../counting/limits/windows.ts";
import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import { RateLimitPolicy } from "./rate-limit.ts";
import { rateLimitOptions } from "./schema.ts";

const start = Date.parse("2026-01-15T10:00:00.000Z");

/** The definition, in whole numbers: current + previous × remaining share of the window. */
class Model {
  readonly #admitted = new Map<number, number>();

  constructor(
    private readonly requests: number,
    private readonly length: number,
  ) {}

  left(now: number): number {
    const { requests, length } = this;
    const index = Math.floor(now / length);
    const remaining = (index + 1) * length - now;
    const current = this.#admitted.get(index) ?? 0;
    const previous = this.#admitted.get(index - 1) ?? 0;
    return Math.floor(((requests - current) * length - previous * remaining) / length);
  }

  admit(now: number): void {
    const index = Math.floor(now / this.length);
    this.#admitted.set(index, (this.#admitted.get(index) ?? 0) + 1);
  }
}

eachEngine((engine) => {
  const storage = useStorage(engine);

  function scene(options: object, name = unique("limit")) {
    const windows = new RateLimitWindows(storage.open);
    const parsed = rateLimitOptions.parse({ window: "sliding", ...options });
    const policy = new RateLimitPolicy(windows, parsed, placeOf(1, name));
    const send = (now: number, consumerId = "csmr_1") => {
      const context = contextOf(new Request("http://shop.localhost/things"), { now, consumerId });
      const entered = policy.enter(context) as HttpResponse | undefined;
      const status = entered?.status ?? 200;
      const headers = context.responseHeaders!;
      return { status, detail: context.decisionDetail, fields: headers.get("ratelimit"), headers };
    };
    return { windows, send, name };
  }

  test("the previous window counts by the share of the current one that is still to come", () => {
    const { send, name } = scene({ requests: 4, windowSeconds: 60 });
    for (const left of [3, 2, 1]) expect(send(start + 50_000).fields).toBe(`"${name}";r=${left};t=10`);
    // Nothing is left: the next request is possible after a quarter of the next window.
    expect(send(start + 50_000).fields).toBe(`"${name}";r=0;t=25`);

    const rejected = send(start + 60_000);
    expect([rejected.status, rejected.fields]).toEqual([429, `"${name}";r=0;t=15`]);
    expect(rejected.detail).toMatchObject({ window: "sliding", used: 4, limit: 4, resetsOn: start + 75_000 });
    expect(send(start + 74_999).status).toBe(429);
    expect(send(start + 75_000).fields).toBe(`"${name}";r=0;t=15`);
    expect(send(start + 89_999).status).toBe(429);
    expect(send(start + 90_000).status).toBe(200);
    // A window without requests in between: nothing counts any more.
    expect(send(start + 180_000).fields).toBe(`"${name}";r=3;t=60`);
  });

  test("a limit of one request allows the next a whole window after the end of its window", () => {
    const { send } = scene({ requests: 1, windowSeconds: 60 });
    expect(send(start + 1000).status).toBe(200);
    expect(send(start + 1000).fields).toEndWith(";r=0;t=119");
    expect(send(start + 119_999).status).toBe(429);
    expect(send(start + 120_000).status).toBe(200);
  });

  test("a fixed and a sliding limit of the same name count by themselves", () => {
    const windows = new RateLimitWindows(storage.open);
    const take = (kind: "fixed" | "sliding") => windows.open("scope", 60, start, kind).take("csmr_1", 1);
    expect([take("fixed"), take("sliding"), take("fixed"), take("sliding")]).toEqual([0, 0, -1, -1]);
  });

  test("at most two windows of a limit are in memory, and those that are over are removed from storage", async () => {
    const { windows, send, name } = scene({ requests: 5, windowSeconds: 60 });
    for (let index = 0; index < 20; index++) {
      for (const consumer of ["a", "b", "c"]) send(start + index * 60_000, consumer);
      await windows.flush(start + index * 60_000);
      expect([windows.size, windows.subjects]).toEqual([2, index === 0 ? 3 : 6]);
    }
    const rows = async () => {
      const kept = storage.open.reads.query.selectFrom("rate_limits").select("window_start");
      return (await kept.where("scope", "like", `%${name} 60 sliding`).execute()).map((row) => row.window_start);
    };
    const last = start + 19 * 60_000;
    await windows.forgetEnded(last + 59_999);
    expect(new Set(await rows())).toEqual(new Set([last - 60_000, last]));
    await windows.forgetEnded(last + 119_999);
    expect(new Set(await rows())).toEqual(new Set([last]));
    await windows.forgetEnded(last + 120_000);
    expect([windows.size, windows.subjects, await rows()]).toEqual([0, 0, []]);
  });

  test("requests at the end of a window are written after it", async () => {
    const { windows, send, name } = scene({ requests: 4, windowSeconds: 60 });
    for (let count = 0; count < 4; count++) expect(send(start + 59_999).status).toBe(200);
    await windows.flush(start + 60_000);
    const restarted = scene({ requests: 4, windowSeconds: 60 }, name);
    await restarted.windows.load(start + 60_001);
    expect(restarted.send(start + 60_001).status).toBe(429);
    expect(restarted.send(start + 75_000).status).toBe(200);
  });

  test("admits requests as defined, and the next one at the reported time, across flushes and restarts", async () => {
    const arrival = fc.record({
      subject: fc.constantFrom("a", "b"),
      after: fc.integer({ min: 0, max: 45_000 }),
      event: fc.constantFrom("nothing", "nothing", "flush", "forget", "restart"),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 60, max: 61 }),
        fc.array(arrival, { maxLength: 60 }),
        async (requests, windowSeconds, arrivals) => {
          const options = { requests, windowSeconds };
          let { windows, send, name } = scene(options);
          const models = new Map(["a", "b"].map((subject) => [subject, new Model(requests, windowSeconds * 1000)]));
          let now = start + 123;
          for (const { subject, after, event } of arrivals) {
            now += after;
            const model = models.get(subject)!;
            const before = model.left(now);
            const { status, detail, headers } = send(now, subject);
            expect(status).toBe(before > 0 ? 200 : 429);
            if (before > 0) model.admit(now);
            const left = Math.max(0, model.left(now));
            const seconds = Number(headers.get("ratelimit-reset"));
            expect(headers.get("ratelimit")).toBe(`"${name}";r=${left};t=${seconds}`);
            if (left === 0) {
              expect(model.left(now + seconds * 1000)).toBeGreaterThan(0);
              expect(model.left(now + (seconds - 1) * 1000)).toBeLessThanOrEqual(0);
            }
            if (before <= 0) {
              expect(model.left(detail!.resetsOn!)).toBeGreaterThan(0);
              expect(model.left(detail!.resetsOn! - 1)).toBeLessThanOrEqual(0);
            }
            if (event === "flush" || event === "restart") await windows.flush(now);
            if (event === "forget") await windows.forgetEnded(now);
            if (event === "restart") {
              ({ windows, send } = scene(options, name));
              await windows.load(now);
            }
          }
        },
      ),
      { numRuns: engine.name === "sqlite" ? 200 : 20 },
    );
  });
});
