import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Client } from "../../../../../test/support/client.ts";
import { eachEngine, postgres } from "../../../../../test/support/engines.ts";
import { FakeClock } from "../../../../../test/support/fake-clock.ts";
import { metersOf, record, subscribe, subscribed, usageEvent, usedOf } from "../../../../../test/support/metering.ts";
import { startServer, type TestServer, useServer } from "../../../../../test/support/server.ts";

/** The number of allowed requests. */
async function allowed(clients: Client[], path: string, requests: Record<string, number>[]): Promise<number> {
  const responses = await Promise.all(
    requests.map((meters, index) => clients[index % clients.length]!.post(`${path}/quotas/consume`, { meters })),
  );
  for (const { status, text } of responses) expect({ status, text }).toEqual({ status: 200, text });
  return responses.filter(({ body }) => body.allowed).length;
}

/** Every race, on one node or several. */
function races(clients: () => Client[]): void {
  test("of 50 at once against 20 left, exactly 20 are allowed", async () => {
    const [client] = clients() as [Client];
    const { path, bucket } = await subscribed(client, { meters: { requests: { max: 100 } } });
    await record(client, bucket, [usageEvent({ requests: 80 })]);
    expect(await allowed(clients(), path, Array(50).fill({ requests: 1 }))).toBe(20);
    expect((await metersOf(client, path)).requests).toEqual({ used: 100, max: 100, available: 0 });
  });

  test("none takes of one meter what another meter rejected", async () => {
    const [client] = clients() as [Client];
    const { path } = await subscribed(client, {
      meters: { requests: { max: 20 }, bytes: { max: 7 }, seconds: { max: 1 } },
    });
    const wishes = Array.from(
      { length: 50 },
      (_, index): Record<string, number> =>
        index % 3 === 0 ? { requests: 1, bytes: 1 } : index % 3 === 1 ? { bytes: 1, seconds: 1 } : { requests: 1 },
    );
    const count = await allowed(clients(), path, wishes);
    const used = await usedOf(client, path);
    expect(used.bytes).toBe(7);
    expect(used.seconds).toBe(1);
    // 6 requests of both meters, the one of seconds, and the rest.
    expect(used.requests).toBeLessThanOrEqual(20);
    expect(count).toBe(used.requests! + 1);
  });

  test("fractions are shared out exactly", async () => {
    const [client] = clients() as [Client];
    const { path } = await subscribed(client, { meters: { requests: { max: 2 } } });
    expect(await allowed(clients(), path, Array(40).fill({ requests: 0.1 }))).toBe(20);
    expect(await usedOf(client, path)).toEqual({ requests: 2 });
  });

  test("among many subscriptions, with events between them, each keeps to its own", async () => {
    const [client] = clients() as [Client];
    const { bucket, plan, path } = await subscribed(client, { meters: { requests: { max: 5 } } });
    const paths = [path];
    for (let index = 1; index < 6; index++)
      paths.push(
        `${bucket}/subscriptions/${(await subscribe(client, bucket, [plan], { customerKey: `c-${index}` })).id}`,
      );
    const subjects = ["acme", "c-1", "c-2", "c-3", "c-4", "c-5"];
    const work: Promise<unknown>[] = [];
    for (let round = 0; round < 10; round++) {
      const node = clients()[round % clients().length]!;
      for (const each of round % 2 ? paths : paths.toReversed()) work.push(allowed([node], each, [{ requests: 1 }]));
      const events = subjects.map((subject) => usageEvent({ requests: 1 }, { subject }));
      work.push(record(node, bucket, round % 2 ? events : events.toReversed()));
    }
    const counts = (await Promise.all(work)).filter((count) => typeof count === "number");
    let total = 0;
    for (const each of paths) {
      const { used } = (await metersOf(client, each)).requests;
      expect(used).toBeGreaterThanOrEqual(10);
      expect(used).toBeLessThanOrEqual(15);
      total += used - 10;
    }
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(total);
    expect((await client.get(`${bucket}/reconciliation`)).body.agrees).toBe(true);
  });

  test("a subscription that is canceled in the meantime stops immediately", async () => {
    const [client] = clients() as [Client];
    const { path } = await subscribed(client, { meters: { requests: { max: 1000 } } });
    const consuming = allowed(clients(), path, Array(30).fill({ requests: 1 }));
    const canceled = await client.patch(path, { status: "canceled" });
    expect(canceled.status).toBe(200);
    expect(await allowed(clients(), path, Array(10).fill({ requests: 1 }))).toBe(0);
    expect(await usedOf(client, path)).toEqual({ requests: await consuming });
  });
}

eachEngine((engine) => {
  describe("on one node", () => {
    const { client } = useServer(engine);
    races(() => [client]);

    test("those with an Idempotency-Key and those without keep to the same quota", async () => {
      const { path } = await subscribed(client, { meters: { requests: { max: 20 } } });
      const responses = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          client.post(
            `${path}/quotas/consume`,
            { meters: { requests: 1 } },
            index % 2 ? { "idempotency-key": `${path} ${index}` } : {},
          ),
        ),
      );
      expect(responses.filter(({ body }) => body.allowed)).toHaveLength(20);
      expect(await usedOf(client, path)).toEqual({ requests: 20 });
    });
  });

  describe("across the turn of a period", () => {
    const [before, after] = ["2026-02-15T09:59:59.999Z", "2026-02-15T10:00:00.000Z"];

    /** A clock that is before or after the end of the period, as a test decides for each call. */
    class SteppingClock extends FakeClock {
      isBefore: ((look: number) => boolean) | undefined;
      #looks = 0;

      override now(): number {
        if (this.isBefore) this.set(this.isBefore(this.#looks++) ? before : after);
        else this.#looks = 0;
        return super.now();
      }
    }
    const clock = new SteppingClock();
    const { client } = useServer(engine, { clock });

    test.each<[what: string, isBefore: (look: number) => boolean, usedBefore: number[]]>([
      ["once", (look) => look < 30, [5]],
      ["to and fro", (look) => look % 3 === 0, [5]],
      // The flush may be caused by a request or by a timer of the server.
      ["after the first", (look) => look === 0, [0, 1]],
    ])("%s, each period has its own quota", async (_what, isBefore, usedBefore) => {
      clock.isBefore = undefined;
      clock.set("2026-01-15T10:00:00.000Z");
      const { path } = await subscribed(client, { meters: { requests: { max: 5 } } });
      clock.isBefore = isBefore;
      const count = await allowed([client], path, Array(60).fill({ requests: 1 }));
      clock.isBefore = undefined;
      const { requests = 0 } = await usedOf(client, path, before);
      expect(usedBefore).toContain(requests);
      expect(await usedOf(client, path, after)).toEqual({ requests: 5 });
      expect(count).toBe(requests + 5);
    });
  });
});

describe("on two nodes of one database", () => {
  const nodes: TestServer[] = [];

  beforeAll(async () => {
    const first = await startServer(postgres);
    nodes.push(first, await startServer(postgres, { database: first.database, clock: first.clock }));
  });

  afterAll(async () => {
    for (const node of nodes.toReversed()) await node.stop();
  });

  races(() => nodes.map(({ client }) => client));

  test("of 20 copies of one batch at once, each event counts once", async () => {
    const [one, other] = nodes.map(({ client }) => client) as [Client, Client];
    const { bucket, path } = await subscribed(one);
    const batch = Array.from({ length: 50 }, () => usageEvent({ requests: 1 }));
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        record(index % 2 ? one : other, bucket, index % 3 ? batch : batch.toReversed()),
      ),
    );
    expect(responses.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(50);
    expect(await usedOf(other, path)).toEqual({ requests: 50 });
  });
});
