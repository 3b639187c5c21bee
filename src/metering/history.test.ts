import { beforeAll, describe, expect, test } from "bun:test";
import { eachEngine } from "../../test/support/engines.ts";
import { expectProblem } from "../../test/support/expect-problem.ts";
import { record, subscribed, usageEvent } from "../../test/support/metering.ts";
import { useServer } from "../../test/support/server.ts";

interface Entry {
  periodStart: string;
  periodEnd: string;
  meters: Record<string, { used: number }>;
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

    test("is that of the last year, oldest first, also where nothing was used", async () => {
      const entries = await history(path);
      expect(summary(entries)).toEqual([
        ["2025-04-30", 0],
        ["2025-05-31", 0],
        ["2025-06-30", 0],
        ["2025-07-31", 0],
        ["2025-08-31", 0],
        ["2025-09-30", 0],
        ["2025-10-31", 0],
        ["2025-11-30", 0],
        ["2025-12-31", 0],
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
    ])("from %s to %s", async (from, to, expected) => {
      expect(summary(await history(path, { from, to }))).toEqual(expected);
    });

    test("stops after 120 periods", async () => {
      const entries = await history(path, { from: "2000-01-31T00:00:00Z", to: "2100-01-01T00:00:00Z" });
      expect(entries).toHaveLength(120);
      expect(entries[0]!.periodStart).toBe("2000-01-31T00:00:00.000Z");
      expect(entries.at(-1)!.periodStart).toBe("2009-12-31T00:00:00.000Z");
    });

    test.each<[query: Record<string, string>, pointer: string]>([
      [{ from: "2026-01-01" }, "?from"],
      [{ to: "tomorrow" }, "?to"],
      [{ from: "" }, "?from"],
      [{ from: "2026-02-01T00:00:00Z", to: "2026-02-01T00:00:00Z" }, "?from"],
      [{ from: "2026-02-02T00:00:00Z", to: "2026-02-01T00:00:00Z" }, "?from"],
      [{ from: "2030-01-01T00:00:00Z" }, "?from"],
      [{ from: "9999-12-01T00:00:00Z", to: "9999-12-31T23:59:59Z" }, "?to"],
      [{ from: "0000-01-01T00:00:00Z", to: "0001-01-01T00:00:00Z" }, "?from"],
      [{ to: "0000-06-01T00:00:00Z" }, "?from"],
    ])("is refused for %j", async (query, pointer) => {
      const refused = await client.get(`${path}/usage/history?${new URLSearchParams(query)}`);
      expectProblem(refused, 400, "validation_failed", { pointer });
    });
  });

  test("the history of a yearly subscription has a year in each entry", async () => {
    clock.set("2026-05-15T10:00:00.000Z");
    const anchor = { renewalStrategy: "yearly", quotaResetAnchor: "2024-02-29T00:00:00.000Z" };
    const { bucket, path } = await subscribed(client, {}, anchor);
    await record(client, bucket, [usageEvent({ requests: 9 }, { time: "2025-02-28T00:00:00Z" })]);
    expect(summary(await history(path, { from: "2024-03-01T00:00:00Z" }))).toEqual([
      ["2024-02-29", 0],
      ["2025-02-28", 9],
      ["2026-02-28", 0],
    ]);
  });
});
