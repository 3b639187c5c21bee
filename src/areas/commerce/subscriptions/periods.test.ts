import { describe, expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { metersOf, record, subscribed, usageEvent, usedOf } from "../../../../test/support/metering.ts";
import { useServer } from "../../../../test/support/server.ts";

const at = (moment: string) => encodeURIComponent(moment);

/** Consecutive boundaries of periods; each is the end of one and the start of the next. */
const calendars: [what: string, renewalStrategy: string, anchor: string, turns: string[]][] = [
  [
    "the last day of January, in a year that has 28 days in February",
    "monthly",
    "2026-01-31T10:00:00.000Z",
    ["2025-11-30", "2025-12-31", "2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31", "2026-06-30"],
  ],
  [
    "the last day of January, in a leap year",
    "monthly",
    "2028-01-31T23:59:59.999Z",
    ["2027-12-31", "2028-01-31", "2028-02-29", "2028-03-31", "2028-04-30"],
  ],
  ["the 30th", "monthly", "2027-11-30T00:00:00.000Z", ["2027-12-30", "2028-01-30", "2028-02-29", "2028-03-30"]],
  [
    "the 29th of February",
    "yearly",
    "2024-02-29T12:00:00.000Z",
    ["2023-02-28", "2024-02-29", "2025-02-28", "2028-02-29"],
  ],
  [
    "the turn of the year",
    "yearly",
    "2020-12-31T00:00:00.000Z",
    ["2018-12-31", "2019-12-31", "2020-12-31", "2021-12-31"],
  ],
  ["a century that is no leap year", "yearly", "2096-02-29T00:00:00.000Z", ["2099-02-28", "2100-02-28", "2101-02-28"]],
];

eachEngine((engine) => {
  const { client, clock } = useServer(engine);

  describe("periods turn on", () => {
    test.each(calendars)("%s (%s from %s)", async (_what, renewalStrategy, quotaResetAnchor, days) => {
      const { path } = await subscribed(client, {}, { renewalStrategy, quotaResetAnchor });
      const turns = days.map((day) => quotaResetAnchor.replace(/^.{10}/, day));
      for (const [index, start] of turns.entries()) {
        const next = turns[index + 1];
        if (
          next === undefined ||
          (renewalStrategy === "yearly" && Number(next.slice(0, 4)) - Number(start.slice(0, 4)) > 1)
        )
          continue;
        const last = new Date(Date.parse(next) - 1).toISOString();
        for (const moment of [start, last]) {
          const { body } = await client.get(`${path}/usage?at=${at(moment)}`);
          expect(body).toMatchObject({ periodStart: start, periodEnd: next });
          clock.set(moment);
          expect((await client.get(`${path}/usage`)).body).toMatchObject({ periodStart: start, periodEnd: next });
          expect((await client.get(path)).body.nextBillingCycle).toBe(next);
        }
      }
    });
  });

  test("the quota is restored in the next period, and the previous period is unchanged", async () => {
    clock.set("2026-01-31T10:00:00.000Z");
    const { bucket, path } = await subscribed(client);
    await record(client, bucket, [usageEvent({ requests: 60 })]);
    clock.set("2026-02-28T09:59:59.999Z");
    const consume = () => client.post(`${path}/quotas/consume`, { meters: { requests: 50 } });
    expect((await consume()).body).toMatchObject({ allowed: false, meters: { requests: { used: 60, available: 40 } } });
    clock.advance(1);
    expect((await consume()).body).toMatchObject({ allowed: true, meters: { requests: { used: 50, available: 50 } } });
    expect(await usedOf(client, path)).toEqual({ requests: 50 });
    expect(await usedOf(client, path, "2026-02-28T09:59:59.999Z")).toEqual({ requests: 60 });
  });

  test("a moment may be written in any time zone", async () => {
    const { path } = await subscribed(client, {}, { quotaResetAnchor: "2026-01-01T00:00:00Z" });
    const { body } = await client.get(`${path}/usage?at=${at("2026-03-31T23:30:00-02:00")}`);
    expect(body.periodStart).toBe("2026-04-01T00:00:00.000Z");
  });

  test("a late event lands in the period of its time, one without a time in the one that is now", async () => {
    clock.set("2026-05-10T00:00:00.000Z");
    const { bucket, path } = await subscribed(client, {}, { quotaResetAnchor: "2026-03-31T12:00:00.000Z" });
    const { accepted } = await record(client, bucket, [
      usageEvent({ requests: 1 }),
      usageEvent({ requests: 2 }, { time: "2026-04-30T12:00:00.000Z" }),
      usageEvent({ requests: 4 }, { time: "2026-04-30T11:59:59.999Z" }),
      usageEvent({ requests: 8 }, { time: "2026-03-31T14:00:00+02:00" }),
      usageEvent({ requests: 16 }, { time: "2026-03-31T11:59:59.999Z" }),
      usageEvent({ requests: 32 }, { time: "2026-02-01T00:00:00Z" }),
      usageEvent({ requests: 64 }, { time: "2026-05-31T12:00:00Z" }),
    ]);
    expect(accepted).toBe(7);
    for (const [moment, used] of [
      [undefined, 3],
      ["2026-04-10T00:00:00Z", 12],
      ["2026-03-10T00:00:00Z", 16],
      ["2026-02-10T00:00:00Z", 32],
      ["2026-01-10T00:00:00Z", 0],
      ["2026-06-10T00:00:00Z", 64],
    ] as const)
      expect(await usedOf(client, path, moment)).toEqual({ requests: used });
    const { meters } = (await client.get(`${path}/usage?at=${at("2026-04-10T00:00:00Z")}`)).body;
    expect(meters).toEqual({ requests: { label: "Requests", used: 12, max: 100, available: 88 } });
  });

  test("late events do not touch what may be consumed now", async () => {
    clock.set("2026-05-10T00:00:00.000Z");
    const { bucket, path } = await subscribed(client, {}, { quotaResetAnchor: "2026-05-01T00:00:00.000Z" });
    await record(client, bucket, [usageEvent({ requests: 1000 }, { time: "2026-04-20T00:00:00Z" })]);
    expect((await metersOf(client, path)).requests.available).toBe(100);
    const { body } = await client.post(`${path}/quotas/consume`, { meters: { requests: 100 } });
    expect(body.allowed).toBe(true);
    expect((await metersOf(client, path, "2026-04-20T00:00:00Z")).requests).toMatchObject({ used: 1000, available: 0 });
  });

  test.each(["", "2026-01-31", "now", "1767225600000", "2026-02-30T00:00:00Z"])("no moment: ?at=%s", async (moment) => {
    const { path } = await subscribed(client);
    const rejected = await client.get(`${path}/usage?at=${at(moment)}`);
    expectProblem(rejected, 400, "validation_failed", { pointer: "?at" });
  });

  test.each(["0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])(
    "a period that reaches beyond the range of a date-time is rejected: %s",
    async (moment) => {
      const { path } = await subscribed(client);
      expectProblem(await client.get(`${path}/usage?at=${moment}`), 400, "validation_failed", { pointer: "?at" });
    },
  );
});
