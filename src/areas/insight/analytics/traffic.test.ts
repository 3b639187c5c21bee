import { expect, test } from "bun:test";
import fc from "fast-check";
import { eachEngine } from "../../../../test/support/engines.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import { addDeployment, type CountedDeployment, makeDeployment } from "../../../../test/support/traffic.ts";
import { deleteDeployment } from "../../gateways/deployments/deployments.ts";
import { timeSteps } from "./range.ts";
import { removeOldCounts } from "./retention.ts";
import { type SeriesStep, seriesSteps } from "./steps.ts";
import { TrafficCounter } from "./traffic-counter.ts";
import { readTraffic, type TrafficQuery, type TrafficSeries } from "./traffic-series.ts";
import { TrafficWriter } from "./traffic-writer.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

eachEngine((engine) => {
  const storage = useStorage(engine);
  let accounts = 0;
  const fresh = () => makeDeployment(storage.open, `traffic-${accounts++}`, storage.clock.now());

  const node = (bounds?: ConstructorParameters<typeof TrafficWriter>[3]) => {
    const counter = new TrafficCounter();
    return { counter, writer: new TrafficWriter(storage.open, storage.clock, counter, bounds) };
  };

  const read = (
    deployment: CountedDeployment,
    more: Partial<TrafficQuery> & { from?: number; step?: SeriesStep } = {},
  ) => {
    const { from, step, ...query } = more;
    const range = timeSteps({ from, step }, storage.clock.now());
    const { seq, name, account } = deployment;
    const all = { by: undefined, limit: 10, route: undefined, consumer: undefined, status: undefined };
    return readTraffic(storage.open.reads, {
      accountSeq: account.seq,
      deployment: { seq, name },
      range,
      ...all,
      ...query,
    });
  };

  const requestsOf = (series: TrafficSeries[]) =>
    Object.fromEntries(series.map(({ key, isOther, totals }) => [isOther ? "other" : String(key), totals.requests]));

  interface Sent {
    node: 0 | 1;
    route: number;
    consumer: string | undefined;
    keyId: string | undefined;
    status: number;
    milliseconds: number;
    pause: number;
    flushes: boolean;
  }

  const clientOf = (keyId: string | undefined) =>
    keyId === "key_3" ? "Agent" : keyId === "key_4" ? "Weather CLI" : undefined;

  const sent: fc.Arbitrary<Sent> = fc.record({
    node: fc.constantFrom(0 as const, 1 as const),
    route: fc.integer({ min: 0, max: 3 }),
    consumer: fc.constantFrom(undefined, "ann", "bob", "cyd"),
    keyId: fc.constantFrom(undefined, "key_1", "key_2", "key_3", "key_4"),
    status: fc.constantFrom(200, 201, 404, 429, 500, 503),
    milliseconds: fc.double({ min: 0.1, max: 5_000, noNaN: true }),
    pause: fc.constantFrom(0, 0, 1_000, minute, 25 * minute),
    flushes: fc.boolean(),
  });

  test("for every query, the series of two nodes add up to the counts at every step", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(sent, { minLength: 1, maxLength: 25 }), async (requests) => {
        const deployment = await fresh();
        const from = storage.clock.now();
        storage.clock.advance(1);
        const nodes = [node(), node()];
        const routes = ["/a", "/b/{id}", "/c", undefined].map((path) => path && { route: { path } });
        for (const { node, route, consumer, keyId, status, milliseconds, pause, flushes } of requests) {
          const { counter, writer } = nodes[node]!;
          const found = routes[route] || undefined;
          const isRejected = status === 429;
          counter.count(
            deployment.version,
            found,
            consumer,
            keyId,
            clientOf(keyId),
            status,
            isRejected,
            3,
            5,
            milliseconds,
            storage.clock.now(),
          );
          if (flushes) await writer.flush();
          storage.clock.advance(pause);
        }
        for (const { writer } of nodes) await writer.flush();

        const expected = {
          requests: requests.length,
          rejected: requests.filter(({ status }) => status === 429).length,
          errors: requests.filter(({ status }) => status >= 500).length,
          bytesIn: 3 * requests.length,
          bytesOut: 5 * requests.length,
        };
        for (const step of seriesSteps)
          for (const by of [
            undefined,
            "route",
            "status",
            "consumer",
            "key",
            "client",
            "version",
            "deployment",
          ] as const) {
            const series = await read(deployment, { from, step, by, limit: 2 });
            const sums = { requests: 0, rejected: 0, errors: 0, bytesIn: 0, bytesOut: 0 };
            for (const { points, totals } of series) {
              const ofPoints = points.reduce((sum, point) => sum + point.requests, 0);
              expect(ofPoints).toBe(totals.requests);
              for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += totals[name];
            }
            expect({ step, by, ...sums }).toEqual({ step, by, ...expected });
          }
        const wanted = requests.filter(({ consumer, status }) => consumer === "ann" && status < 300);
        const filtered = await read(deployment, { from, consumer: "ann", status: [200, 300], by: "route" });
        expect(filtered.reduce((sum, { totals }) => sum + totals.requests, 0)).toBe(wanted.length);

        const ofAnn = requests.filter(({ consumer }) => consumer === "ann").map(({ keyId }) => keyId);
        for (const [by, names] of [
          ["key", ofAnn],
          ["client", ofAnn.map(clientOf)],
        ] as const) {
          const counts: Record<string, number> = {};
          for (const name of names) counts[name ?? "null"] = (counts[name ?? "null"] ?? 0) + 1;
          expect(requestsOf(await read(deployment, { from, consumer: "ann", by }))).toEqual(counts);
        }
      }),
      { numRuns: 8 },
    );
  });

  test("counts are written every second even if storage is slow; the writer pauses only after many rows", async () => {
    const deployment = await fresh();
    const { counter, writer } = node();
    const count = (consumer: string) =>
      counter.count(
        deployment.version,
        undefined,
        consumer,
        undefined,
        undefined,
        200,
        false,
        0,
        0,
        1,
        storage.clock.now(),
      );
    const counted = async () => (await read(deployment))[0]!.totals.requests;
    for (let second = 1; second <= 3; second += 1) {
      count("acme");
      await writer.flushPaced();
      expect(await counted()).toBe(second);
    }
    const many = 1_000;
    for (let each = 0; each < many; each += 1) count(`consumer ${each}`);
    await writer.flushPaced();
    expect(await counted()).toBe(3 + many);
    count("acme");
    await writer.flushPaced();
    expect(await counted()).toBe(3 + many);
    // Three steps with rows by consumer and by key, and rows of routes and totals: three seconds.
    for (let second = 2; second <= 3; second += 1) await writer.flushPaced();
    expect(await counted()).toBe(3 + many);
    await writer.flushPaced();
    expect(await counted()).toBe(4 + many);
  });

  test("the largest series come first and the rest is one, with its own percentiles", async () => {
    const deployment = await fresh();
    const { counter, writer } = node();
    const count = (consumer: string, times: number, milliseconds: number) => {
      for (let each = 0; each < times; each += 1)
        counter.count(
          deployment.version,
          undefined,
          consumer,
          undefined,
          undefined,
          200,
          false,
          0,
          0,
          milliseconds,
          storage.clock.now(),
        );
    };
    count("small", 2, 900);
    count("large", 9, 10);
    count("middle", 5, 10);
    count("tiny", 1, 900);
    await writer.flush();
    const series = await read(deployment, { by: "consumer", limit: 2 });
    expect(series.map(({ key, isOther }) => [key, isOther])).toEqual([
      ["large", false],
      ["middle", false],
      [null, true],
    ]);
    expect(series[2]!.totals.requests).toBe(3);
    expect(series[2]!.totals.p50Ms! / 900).toBeCloseTo(1, 1);
    expect(series[0]!.totals.p50Ms! / 10).toBeCloseTo(1, 1);
  });

  test("rows beyond the limit are counted as others, and nothing is lost", async () => {
    const deployment = await fresh();
    const two = { minute: { whole: 2, rows: 3 }, longer: { whole: 2, rows: 3 } };
    const { counter, writer } = node({ routes: two, consumers: two });
    for (let each = 0; each < 8; each += 1) {
      const route = { route: { path: `/${each}` } };
      counter.count(
        deployment.version,
        route,
        `consumer-${each}`,
        undefined,
        undefined,
        200,
        false,
        0,
        0,
        1,
        storage.clock.now(),
      );
    }
    await writer.flush();
    const byConsumer = await read(deployment, { by: "consumer" });
    expect(requestsOf(byConsumer)).toEqual({ "consumer-0": 1, "consumer-1": 1, "consumer-2": 1, other: 5 });
    const byRoute = await read(deployment, { by: "route" });
    expect(requestsOf(byRoute)).toEqual({ "/0": 1, "/1": 1, other: 6 });
    for (let each = 0; each < 8; each += 1)
      counter.count(
        deployment.version,
        undefined,
        "acme",
        `key_${each}`,
        undefined,
        200,
        false,
        0,
        0,
        1,
        storage.clock.now(),
      );
    await writer.flush();
    // The first two consumers, without keys, have used up the limit.
    expect(requestsOf(await read(deployment, { by: "key" }))).toEqual({ null: 2, other: 14 });
    expect(requestsOf(await read(deployment))).toEqual({ null: 16 });
  });

  test("memory is bounded: over it consumers are others", async () => {
    const deployment = await fresh();
    const counter = new TrafficCounter({ cellsOfDeployment: 3, cells: 100, minutes: 2 });
    const writer = new TrafficWriter(storage.open, storage.clock, counter);
    for (let each = 0; each < 10; each += 1) {
      storage.clock.advance(each < 5 ? 0 : minute);
      counter.count(
        deployment.version,
        undefined,
        `c${each}`,
        undefined,
        undefined,
        200,
        false,
        0,
        0,
        1,
        storage.clock.now(),
      );
    }
    const minutes = counter.minutes.take();
    expect(minutes).toHaveLength(2);
    expect(minutes[0]!.size).toBe(4);
    counter.minutes.written(minutes);
    await writer.flush();
  });

  test("clients are counted beside keys, and requests without one are the rest", async () => {
    const deployment = await fresh();
    const counter = new TrafficCounter({ cellsOfDeployment: 16, cells: 100, minutes: 2 });
    const writer = new TrafficWriter(storage.open, storage.clock, counter);
    const count = (consumer: string, keyId: string, client?: string, status = 200) =>
      counter.count(
        deployment.version,
        undefined,
        consumer,
        keyId,
        client,
        status,
        false,
        0,
        0,
        1,
        storage.clock.now(),
      );
    for (const status of [200, 200, 500]) count("acme", "auth_1", "Weather CLI", status);
    count("beta", "auth_2", "Weather CLI");
    count("beta", "auth_3", "Agent");
    count("acme", "key_1");
    count("beta", "key_2");
    await writer.flush();
    const rows = "SELECT COUNT(*) AS rows FROM traffic WHERE detail = 4 AND deployment_seq = ?";
    const stored = await storage.open.reads.one<{ rows: number }>(rows, [deployment.version.deploymentSeq]);
    // Those without a client have no rows.
    expect(stored!.rows).toBe(4 * 3);
    const by = async (more: object) => requestsOf(await read(deployment, { by: "client", ...more }));
    expect(await by({})).toEqual({ "Weather CLI": 4, null: 2, Agent: 1 });
    expect(await by({ consumer: "beta" })).toEqual({ Agent: 1, "Weather CLI": 1, null: 1 });
    expect(await by({ status: [500, 501] })).toEqual({ "Weather CLI": 1 });
    expect(await by({ limit: 1 })).toEqual({ "Weather CLI": 4, other: 3 });
    expect(await by({ limit: 2 })).toEqual({ "Weather CLI": 4, null: 2, other: 1 });
    // More keys than fit: keys are others, and clients stay.
    for (let each = 0; each < 12; each += 1) count("acme", `auth_${each}0`, `Agent ${each % 2}`);
    await writer.flush();
    expect(await by({})).toEqual({ "Agent 0": 6, "Agent 1": 6, "Weather CLI": 4, null: 2, Agent: 1 });
    // A client may have the name that stands for all others.
    count("acme", "auth_x", "*");
    await writer.flush();
    expect(await by({ consumer: "acme" })).toEqual({ "Agent 0": 6, "Agent 1": 6, "Weather CLI": 3, null: 1, other: 1 });
  });

  test("memory is bounded: from half of it keys are others, and their consumers are not", async () => {
    const deployment = await fresh();
    const counter = new TrafficCounter({ cellsOfDeployment: 8, cells: 100, minutes: 2 });
    const writer = new TrafficWriter(storage.open, storage.clock, counter);
    const count = (consumer: string, keyId: string) =>
      counter.count(
        deployment.version,
        undefined,
        consumer,
        keyId,
        undefined,
        200,
        false,
        0,
        0,
        1,
        storage.clock.now(),
      );
    for (let each = 0; each < 10; each += 1) count("acme", `key_${each}`);
    count("beta", "key_of_beta");
    count("acme", "key_3");
    await writer.flush();
    expect(requestsOf(await read(deployment, { by: "key" }))).toEqual({
      key_0: 1,
      key_1: 1,
      key_2: 1,
      key_3: 2,
      other: 7,
    });
    expect(requestsOf(await read(deployment, { by: "key", consumer: "beta" }))).toEqual({ other: 1 });
    expect(requestsOf(await read(deployment, { by: "consumer" }))).toEqual({ acme: 11, beta: 1 });
  });

  test("rows are removed when they expire, finer ones first, and with their deployment", async () => {
    const deployment = await fresh();
    const { account } = deployment;
    const second = await addDeployment(storage.open, account, "second", storage.clock.now());
    const { counter, writer } = node();
    for (const { version } of [deployment, second])
      counter.count(version, undefined, "ann", undefined, undefined, 200, false, 0, 0, 1, storage.clock.now());
    await writer.flush();
    const rows = async () => {
      const sql = "SELECT step, COUNT(*) AS rows FROM traffic WHERE account_seq = ? GROUP BY step ORDER BY step";
      const found = await storage.open.reads.all<{ step: number; rows: number }>(sql, [account.seq]);
      return found.map(({ step, rows }) => [step, rows]);
    };
    await removeOldCounts(storage.open, storage.clock.now());
    expect(await rows()).toEqual([
      [minute, 8],
      [hour, 8],
      [day, 8],
    ]);
    const act = { account, actor: "test", now: storage.clock.now() };
    await storage.open.write((transaction) => deleteDeployment(transaction, act, second.name, () => {}));
    const inAccount = await read(deployment, { deployment: undefined });
    expect(requestsOf(inAccount)).toEqual({ null: 1 });
    await removeOldCounts(storage.open, storage.clock.now());
    expect(await rows()).toEqual([
      [minute, 4],
      [hour, 4],
      [day, 4],
    ]);
    storage.clock.advance(3 * day);
    await removeOldCounts(storage.open, storage.clock.now());
    expect(await rows()).toEqual([
      [hour, 4],
      [day, 4],
    ]);
    storage.clock.advance(90 * day);
    await removeOldCounts(storage.open, storage.clock.now());
    expect(await rows()).toEqual([[day, 4]]);
    storage.clock.advance(650 * day);
    await removeOldCounts(storage.open, storage.clock.now());
    expect(await rows()).toEqual([]);
  });

  test("counts for a deployment that was deleted in the meantime are dropped", async () => {
    const deployment = await fresh();
    const { counter, writer } = node();
    counter.count(deployment.version, undefined, "ann", undefined, undefined, 200, false, 0, 0, 1, storage.clock.now());
    const act = { account: deployment.account, actor: "test", now: storage.clock.now() };
    await storage.open.write((transaction) => deleteDeployment(transaction, act, deployment.name, () => {}));
    await writer.flush();
    const sql = "SELECT COUNT(*) AS rows FROM traffic WHERE account_seq = ?";
    expect(await storage.open.reads.one<{ rows: number }>(sql, [deployment.account.seq])).toEqual({ rows: 0 });
  });
});
