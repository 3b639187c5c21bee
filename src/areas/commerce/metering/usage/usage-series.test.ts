import { describe, expect, test } from "bun:test";
import { callerWithRole, strangerOf } from "../../../../../test/support/callers.ts";
import { casesFor, eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import {
  createPlan,
  newMeteringBucket,
  record,
  subscribe,
  subscribed,
  usageEvent,
} from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";

const hour = 3_600_000;
const day = 24 * hour;

interface Points {
  points: { time: string; used: number }[];
}

const used = ({ points }: Points) => points.filter((point) => point.used > 0).map(({ time, used }) => [time, used]);

eachEngine((engine) => {
  const { client, clock } = useServer(engine);

  const series = async (path: string, query = "") => {
    const { status, body, text } = await client.get(`${path}/usage-series${query}`);
    expect({ status, text }).toEqual({ status: 200, text });
    return body;
  };
  const consume = (path: string, meters: object) => client.post(`${path}/quotas/consume`, { meters });

  test("shows when events and consumed quotas were used, by hour and by day", async () => {
    clock.set("2026-03-10T08:20:00.000Z");
    const { path, bucket } = await subscribed(client, { meters: { requests: { label: "Requests", max: 1000 } } });
    await consume(path, { requests: 3 });
    clock.advance(5 * hour);
    await consume(path, { requests: 0.25 });
    await record(client, bucket, [
      usageEvent({ requests: 10 }, { time: "2026-03-10T09:59:59.999Z" }),
      usageEvent({ requests: 20 }, { time: "2026-03-10T10:00:00.000Z" }),
      usageEvent({ requests: 40 }),
    ]);
    clock.advance(day);
    await consume(path, { requests: 7 });

    const byHour = await series(path);
    expect(byHour).toMatchObject({ step: "1h", from: "2026-03-10T08:20:00.000Z", to: "2026-03-11T14:00:00.000Z" });
    expect(used(byHour.meters.requests)).toEqual([
      ["2026-03-10T08:20:00.000Z", 3],
      ["2026-03-10T09:00:00.000Z", 10],
      ["2026-03-10T10:00:00.000Z", 20],
      ["2026-03-10T13:00:00.000Z", 40.25],
      ["2026-03-11T13:00:00.000Z", 7],
    ]);
    expect(byHour.meters.requests).toMatchObject({ label: "Requests", used: 80.25, max: 1000 });
    const byDay = await series(path, "?step=1d");
    expect(byDay.meters.requests.points).toEqual([
      { time: "2026-03-10T08:20:00.000Z", used: 73.25 },
      { time: "2026-03-11T00:00:00.000Z", used: 7 },
    ]);
    expect((await client.get(`${path}/usage`)).body.meters.requests.used).toBe(80.25);
  });

  test("splits the step in which a period turns, so that each period adds up", async () => {
    clock.set("2026-05-20T12:30:00.000Z");
    const { path, bucket } = await subscribed(client);
    await record(client, bucket, [
      usageEvent({ requests: 1 }, { time: "2026-06-20T12:10:00.000Z" }),
      usageEvent({ requests: 2 }, { time: "2026-06-20T12:29:59.999Z" }),
      usageEvent({ requests: 4 }, { time: "2026-06-20T12:30:00.000Z" }),
      usageEvent({ requests: 8 }, { time: "2026-06-20T13:10:00.000Z" }),
    ]);
    clock.set("2026-06-21T00:00:00.000Z");
    const across = await series(path, "?from=2026-06-20T12:00:00Z&to=2026-06-20T14:00:00Z&step=1h");
    expect(across.meters.requests.points).toEqual([
      { time: "2026-06-20T12:00:00.000Z", used: 3 },
      { time: "2026-06-20T12:30:00.000Z", used: 4 },
      { time: "2026-06-20T13:00:00.000Z", used: 8 },
    ]);
    const before = await series(path, "?to=2026-06-20T12:30:00Z&step=1d");
    expect(before).toMatchObject({ from: "2026-05-20T12:30:00.000Z", to: "2026-06-20T12:30:00.000Z" });
    expect(before.meters.requests.used).toBe(3);
    expect(before.meters.requests.forecast).toBeUndefined();
    expect((await series(path, "?step=1d")).meters.requests.used).toBe(12);
  });

  test("forecasts the usage at the end of the period from its last seventh", async () => {
    clock.set("2026-04-01T00:00:00.000Z");
    const { path, bucket } = await subscribed(client, { meters: { requests: { max: 1000 }, exports: { max: 5 } } });
    const use = (requests: number, time: string) => record(client, bucket, usageEvent({ requests }, { time }));
    await use(500, "2026-04-02T00:00:00Z");
    for (const date of [11, 12, 13, 14, 15]) await use(10, `2026-04-${date}T12:00:00Z`);
    clock.set("2026-04-16T00:00:00.000Z");
    // A seventh of 30 days begins on the 11th at 17:08, in the hour from 17:00 on: 40 in 103 hours, and 360 are left.
    const { requests, exports } = (await series(path)).meters;
    expect(requests.forecast).toBeCloseTo(550 + (40 / 103) * 360, 2);
    expect(exports.forecast).toBeUndefined();
  });

  test("hours are kept for 90 days, days for ever", async () => {
    clock.set("2026-01-01T00:00:00.000Z");
    const { path, bucket } = await subscribed(client);
    await record(client, bucket, usageEvent({ requests: 5 }));
    clock.set("2026-06-01T00:00:00.000Z");
    expectProblem(
      await client.get(`${path}/usage-series?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&step=1h`),
      400,
      "validation_failed",
      { pointer: "?step" },
    );
    const kept = await series(path, "?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z");
    expect([kept.step, kept.meters.requests.used]).toEqual(["1d", 5]);
  });

  test.each(
    casesFor(engine, [
      ["from=now", "?from"],
      ["from=2026-06-01T00:00:00Z&to=2026-05-01T00:00:00Z", "?from"],
      ["step=1m", "?step"],
      ["from=0000-01-01T00:00:00Z", "?from"],
      ["from=9999-12-31T00:00:00Z&to=9999-12-31T23:59:59Z", "?to"],
      ["from=2000-01-01T00:00:00Z&step=1d", "?from"],
    ]),
  )("rejects %s", async (query, pointer) => {
    clock.set("2026-06-01T00:00:00.000Z");
    const { path } = await subscribed(client);
    expectProblem(await client.get(`${path}/usage-series?${query}`), 400, "validation_failed", { pointer });
  });

  test("usage is returned as CSV if the client accepts it", async () => {
    clock.set("2026-06-01T00:00:00.000Z");
    const { path } = await subscribed(client);
    await consume(path, { requests: 2 });
    const { text } = await client.get(`${path}/usage-series`, { accept: "text/csv" });
    expect(text).toBe("time,meter,used\r\n2026-06-01T00:00:00.000Z,requests,2\r\n");
  });

  describe("the list of usage", () => {
    async function scene() {
      clock.set("2026-06-01T00:00:00.000Z");
      const bucket = await newMeteringBucket(client);
      const plan = await createPlan(client, bucket, { meters: { requests: { max: 100 }, exports: { max: 10 } } });
      const customer = async (customerKey: string, meters: Record<string, number>, more: object = {}) => {
        const { id } = await subscribe(client, bucket, [plan], { customerKey, ...more });
        if (Object.keys(meters).length > 0) await record(client, bucket, usageEvent(meters, { subject: customerKey }));
        return id as string;
      };
      const low = await customer("low", { requests: 10 });
      const over = await customer("=over", { requests: 150, exports: 2 });
      const near = await customer("near", { requests: 5, exports: 8 });
      await customer("gone", { requests: 99 });
      const idle = await customer("idle", {});
      const gone = (await client.get(`${bucket}/subscriptions?customerKey=gone`)).body.data[0].id;
      await client.patch(`${bucket}/subscriptions/${gone}`, { status: "canceled" });
      return { bucket, low, over, near, idle };
    }

    test("has those that may use anything, the largest share first", async () => {
      const { bucket, low, over, near, idle } = await scene();
      const { body } = await client.get(`${bucket}/usage`);
      expect(body.total).toBe(4);
      const shares = body.data.map((each: { subscriptionId: string; share: number }) => [
        each.subscriptionId,
        each.share,
      ]);
      expect(shares).toEqual([
        [over, 1.5],
        [near, 0.8],
        [low, 0.1],
        [idle, 0],
      ]);
      const { planIds } = (await client.get(`${bucket}/subscriptions/${near}`)).body;
      expect(body.data[1].planIds).toEqual(planIds);
      expect(body.data[1].meters).toEqual({
        requests: { used: 5, max: 100, available: 95, share: 0.05 },
        exports: { used: 8, max: 10, available: 2, share: 0.8 },
      });
    });

    test("filters by share and meter, and pages", async () => {
      const { bucket, over, near } = await scene();
      const ids = async (query: string) => {
        const { body } = await client.get(`${bucket}/usage?${query}`);
        return [body.total, ...body.data.map((each: { subscriptionId: string }) => each.subscriptionId)];
      };
      expect(await ids("near=0.8")).toEqual([2, over, near]);
      expect(await ids("near=0.8&meter=exports")).toEqual([1, near]);
      expect(await ids("near=0.8&limit=1&offset=1")).toEqual([2, near]);
      expect(await ids("meter=unknown")).toEqual([0]);
      expect(await ids("customerKeys=near,gone,%3Dover")).toEqual([2, over, near]);
      expect(await ids("customerKeys=nobody")).toEqual([0]);
      for (const [query, pointer] of [
        ["near=most", "?near"],
        ["near=-1", "?near"],
        ["meter=a b", "?meter"],
        ["limit=0", "?limit"],
        [`customerKeys=${"a,".repeat(100)}`, "?customerKeys"],
      ])
        expectProblem(await client.get(`${bucket}/usage?${query}`), 400, "validation_failed", { pointer: pointer! });
    });

    test("links to the next page, also as CSV", async () => {
      const { bucket } = await scene();
      const first = await client.get(`${bucket}/usage?near=0.8&limit=1`);
      expect(first.headers.get("link")).toBe(`<${bucket}/usage?near=0.8&limit=1&offset=1>; rel="next"`);
      const csv = await client.get(`${bucket}/usage?near=0.8&limit=1`, { accept: "text/csv" });
      expect(csv.headers.get("link")).toBe(first.headers.get("link"));
      for (const accept of ["application/json", "text/csv"])
        expect((await client.get(`${bucket}/usage?near=0.8&limit=1&offset=1`, { accept })).headers.get("link")).toBe(
          null,
        );
    });

    test("is CSV where the client accepts it, without formulas", async () => {
      const { bucket, over } = await scene();
      const { text } = await client.get(`${bucket}/usage?near=1`, { accept: "text/csv" });
      const period = "2026-06-01T00:00:00.000Z,2026-07-01T00:00:00.000Z";
      expect(text.split("\r\n")).toEqual([
        "subscriptionId,customerKey,status,periodStart,periodEnd,meter,used,max,available,share",
        `${over},'=over,active,${period},requests,150,100,0,1.5`,
        `${over},'=over,active,${period},exports,2,10,8,0.2`,
        "",
      ]);
    });
  });

  test("only callers of the account can read the usage series", async () => {
    const { path, bucket } = await subscribed(client);
    const reader = await callerWithRole(client, "reader");
    const verifier = await callerWithRole(client, "verifier");
    const stranger = await strangerOf(client, `usage-${engine.name}`);
    expect((await verifier.get(`${path}/usage-series`)).status).toBe(200);
    expect((await reader.get(`${path}/usage-series`)).status).toBe(200);
    expect((await reader.get(`${bucket}/usage`)).status).toBe(200);
    expectProblem(await verifier.get(`${bucket}/usage`), 403, "forbidden");
    for (const at of [`${path}/usage-series`, `${bucket}/usage`]) {
      expectProblem(await client.anonymous().get(at), 401, "unauthenticated");
      expectProblem(await stranger.get(at), 404, "not_found");
    }
    expectProblem(await client.get(`${bucket}/subscriptions/sbsc_missing/usage-series`), 404, "not_found");
  });
});
