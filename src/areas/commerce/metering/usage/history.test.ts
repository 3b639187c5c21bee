import { beforeAll, describe, expect, test } from "bun:test";
import { casesFor, eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { createPlan, record, subscribed, usageEvent } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";

interface Entry {
  periodStart: string;
  periodEnd: string;
  meters: Record<string, { used: number; max: number }>;
}

eachEngine((engine) => {
  const { client, clock } = useServer(engine);

  async function history(path: string, query: Record<string, string> = {}): Promise<Entry[]> {
    const { status, body } = await client.get(`${path}/usage/history?${new URLSearchParams(query)}`);
    expect(status).toBe(200);
    return body.data;
  }

  const summary = (entries: Entry[]) =>
    entries.map(({ periodStart, meters }) => [periodStart.slice(0, 10), meters.requests?.used]);

  describe("the history of a monthly subscription", () => {
    let path: string;

    beforeAll(async () => {
      clock.set("2026-05-15T10:00:00.000Z");
      const made = await subscribed(client, {}, { quotaResetAnchor: "2026-01-31T00:00:00.000Z" });
      path = made.path;
      await record(client, made.bucket, [
        usageEvent({ requests: 1 }, { time: "2026-02-01T00:00:00Z" }),
        usageEvent({ requests: 2.5 }, { time: "2026-03-31T00:00:00Z" }),
        usageEvent({ requests: 3 }),
      ]);
      await client.post(`${path}/quotas/consume`, { meters: { requests: 4 } });
    });

    test("begins with the first period that was used, oldest first, also where nothing was used", async () => {
      const entries = await history(path);
      expect(summary(entries)).toEqual([
        ["2026-01-31", 1],
        ["2026-02-28", 0],
        ["2026-03-31", 2.5],
        ["2026-04-30", 7],
      ]);
      for (const [index, { periodEnd }] of entries.entries())
        if (index + 1 < entries.length) expect(periodEnd).toBe(entries[index + 1]!.periodStart);
      expect(entries.at(-1)).toEqual((await client.get(`${path}/usage`)).body);
    });

    test.each<[from: string, to: string, expected: [string, number][]]>([
      ["2026-03-31T00:00:00Z", "2026-03-31T00:00:00.001Z", [["2026-03-31", 2.5]]],
      ["2026-03-30T23:59:59.999Z", "2026-03-31T00:00:00Z", [["2026-02-28", 0]]],
      [
        "2026-03-30T23:59:59.999Z",
        "2026-03-31T00:00:00.001Z",
        [
          ["2026-02-28", 0],
          ["2026-03-31", 2.5],
        ],
      ],
      ["2026-02-10T00:00:00+02:00", "2026-02-11T00:00:00Z", [["2026-01-31", 1]]],
      ["2030-01-01T00:00:00Z", "2030-01-02T00:00:00Z", [["2029-12-31", 0]]],
    ])("the history from %s to %s has the periods in that range", async (from, to, expected) => {
      expect(summary(await history(path, { from, to }))).toEqual(expected);
    });

    test("stops after 120 periods", async () => {
      const entries = await history(path, { from: "2000-01-31T00:00:00Z", to: "2100-01-01T00:00:00Z" });
      expect(entries).toHaveLength(120);
      expect(entries[0]!.periodStart).toBe("2026-01-31T00:00:00.000Z");
      expect(entries.at(-1)!.periodStart).toBe("2035-12-31T00:00:00.000Z");
    });

    test.each(
      casesFor<[query: Record<string, string>, pointer: string]>(engine, [
        [{ from: "2026-01-01" }, "?from"],
        [{ to: "tomorrow" }, "?to"],
        [{ from: "" }, "?from"],
        [{ from: "2026-02-01T00:00:00Z", to: "2026-02-01T00:00:00Z" }, "?from"],
        [{ from: "2026-02-02T00:00:00Z", to: "2026-02-01T00:00:00Z" }, "?from"],
        [{ from: "2030-01-01T00:00:00Z" }, "?from"],
        [{ from: "9999-12-01T00:00:00Z", to: "9999-12-31T23:59:59Z" }, "?to"],
        [{ from: "0000-01-01T00:00:00Z", to: "0001-01-01T00:00:00Z" }, "?from"],
        // The range begins a year before: the parameter that was sent is named.
        [{ to: "0000-06-01T00:00:00Z" }, "?to"],
      ]),
    )("is rejected for %j", async (query, pointer) => {
      const rejected = await client.get(`${path}/usage/history?${new URLSearchParams(query)}`);
      expectProblem(rejected, 400, "validation_failed", { pointer });
    });
  });

  test("the history of a yearly subscription has a year in each entry", async () => {
    clock.set("2026-05-15T10:00:00.000Z");
    const anchor = { renewalStrategy: "yearly", quotaResetAnchor: "2024-02-29T00:00:00.000Z" };
    const { bucket, path } = await subscribed(client, {}, anchor);
    await record(client, bucket, [usageEvent({ requests: 9 }, { time: "2025-02-28T00:00:00Z" })]);
    expect(summary(await history(path, { from: "2024-03-01T00:00:00Z" }))).toEqual([
      ["2025-02-28", 9],
      ["2026-02-28", 0],
    ]);
  });

  test("begins with the period in which the subscription was made, if it was not used before", async () => {
    clock.set("2026-05-15T10:00:00.000Z");
    const { path } = await subscribed(client, {}, { quotaResetAnchor: "2020-01-31T00:00:00.000Z" });
    expect(summary(await history(path))).toEqual([["2026-04-30", 0]]);
    clock.set("2026-06-15T10:00:00.000Z");
    expect(summary(await history(path, { from: "2026-01-01T00:00:00Z" }))).toEqual([
      ["2026-04-30", 0],
      ["2026-05-31", 0],
    ]);
    expect(await history(path, { from: "2026-01-01T00:00:00Z", to: "2026-04-30T00:00:00Z" })).toEqual([]);
  });

  describe("a past period keeps the maximum that applied when it ended:", () => {
    const maxima = (entries: Entry[]) =>
      entries.map(({ periodStart, meters }) => [
        periodStart.slice(0, 7),
        Object.fromEntries(Object.entries(meters).map(([meter, { max }]) => [meter, max])),
      ]);

    test("whatever a plan's meters, the subscription's plans and prorations become, and when a plan is deleted", async () => {
      clock.set("2026-01-01T00:00:00.000Z");
      const { bucket, plan, path } = await subscribed(client);
      const setMeters = (meters: object) => client.patch(`${bucket}/plans/${plan.id}`, { meters });
      clock.set("2026-01-20T00:00:00.000Z");
      await setMeters({ requests: { max: 150 } });
      await setMeters({ requests: { max: 200 } });
      // Exactly at the end of the period: the old maximum applied until then.
      clock.set("2026-02-01T00:00:00.000Z");
      await setMeters({ requests: { max: 300 }, bytes: { max: 3 } });
      clock.set("2026-03-10T00:00:00.000Z");
      const other = await createPlan(client, bucket, { meters: { requests: { max: 1000 } } });
      await record(client, bucket, usageEvent({ requests: 7 }));
      const prorated = { planExternalIds: [other.planExternalId], prorate: 0.5 };
      expect((await client.patch(path, prorated)).status).toBe(200);
      clock.set("2026-04-10T00:00:00.000Z");
      await setMeters({ requests: { max: 1 } });
      expect((await client.delete(`${bucket}/plans/${plan.id}`)).status).toBe(204);
      clock.set("2026-05-10T00:00:00.000Z");
      const last = await createPlan(client, bucket, { meters: { requests: { max: 5 } } });
      await client.patch(path, { planExternalIds: [last.planExternalId], prorate: 1 });

      const expected = [
        ["2026-01", { requests: 200 }],
        ["2026-02", { requests: 300, bytes: 3 }],
        ["2026-03", { requests: 507 }],
        ["2026-04", { requests: 1000 }],
        ["2026-05", { requests: 5 }],
      ];
      const entries = await history(path);
      expect(maxima(entries)).toEqual(expected as [string, Record<string, number>][]);
      for (const entry of entries)
        expect((await client.get(`${path}/usage?at=${entry.periodStart}`)).body).toEqual(entry);
      await client.patch(path, { status: "canceled" });
      expect(await history(path)).toEqual(entries);
    });
  });
});
