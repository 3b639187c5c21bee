import { beforeAll, expect, test } from "bun:test";
import { firstIdOf, timeTextOf } from "../src/lib/ids.ts";
import { furnishWorld, type World } from "../torture/world.ts";
import { ok } from "./support/billing.ts";
import { eachEngine } from "./support/engines.ts";
import { planInput, subscriptionInput } from "./support/metering.ts";
import { useServer } from "./support/server.ts";
import { operatorToken } from "./support/server-settings.ts";
import { bucketTimes, listedColumns, postgresTimes, serverTimes, timeColumns } from "./support/stored-times.ts";
import { tableContent, tableNames } from "./support/table-content.ts";

const year = 365 * 24 * 60 * 60 * 1000;

eachEngine((engine) => {
  const server = useServer(engine);
  const operator = server.client.as(operatorToken);
  let world: World;
  let inAccount: string;
  let future: string;

  /** Everything that a test bucket and a preview of a live one do, years ahead of the server's time. */
  beforeAll(async () => {
    world = await furnishWorld(operator, "world");
    inAccount = `?accountName=${world.account}`;
    future = server.clock.iso(4 * year);
    const { bucketId, customerKey } = world.parameters;
    const bucket = `/v1/metering/${bucketId}`;
    const customer = `${bucket}/customers/${customerKey}`;
    await ok(operator.patch(`${customer}${inAccount}`, { email: "payer@acme.example" }));
    await ok(operator.post(`${bucket}/clock${inAccount}`, { now: future }));
    await ok(operator.post(`${customer}/grants${inAccount}`, { currency: "EUR", amount: "5.00", funding: "paid" }));
    await ok(operator.post(`${bucket}/subscriptions${inAccount}`, subscriptionInput([world.plan])));
    const { id } = await ok(operator.post(`/v1/metering${inAccount}`, {}));
    const plan = await ok(
      operator.post(
        `/v1/metering/${id}/plans${inAccount}`,
        planInput({ price: { currency: "EUR", amount: "30.00", interval: "year" } }),
      ),
    );
    const live = await ok(operator.post(`/v1/metering/${id}/subscriptions${inAccount}`, subscriptionInput([plan])));
    await ok(operator.get(`/v1/metering/${id}/subscriptions/${live.id}/upcoming-invoice${inAccount}`));
    // Its id comes after all of that.
    await ok(operator.post(`/v1/accounts/${world.account}/tokens`, { role: "reader" }));
    await server.catchUp();
  });

  test("every column with a time is that of the server or of a bucket", async () => {
    const ofEngine = engine.name === "postgres" ? listedColumns(postgresTimes) : [];
    const listed = [...listedColumns(serverTimes), ...listedColumns(bucketTimes), ...ofEngine];
    expect(await timeColumns(engine, server.database)).toEqual(listed.sort());
  });

  test("the clock of a test bucket appears only in the times of buckets, and in no id", async () => {
    const ofServer = new Set(listedColumns(serverTimes));
    const wrong = new Set<string>();
    let futureTimes = 0;
    let ids = 0;
    const soon = server.clock.now() + year;
    // A day, because ids do not follow a clock that is set back by minutes, and the servers of both engines share them.
    const tomorrow = timeTextOf(`x_${firstIdOf("x", server.clock.now() + year / 365).slice(2)}${"0".repeat(16)}`)!;
    for (const table of await tableNames(server.database))
      for (const row of await tableContent(server.database, table))
        for (const [column, value] of Object.entries(row)) {
          const isFuture = Number(value) > soon && Number(value) < soon + 20 * year;
          if (isFuture && ofServer.has(`${table}.${column}`)) wrong.add(`${table}.${column}`);
          if (isFuture) futureTimes += 1;
          const made = typeof value === "string" ? timeTextOf(value) : undefined;
          if (made !== undefined) ids += 1;
          if (made !== undefined && made > tomorrow) wrong.add(`${table}.${column}`);
        }
    expect([...wrong]).toEqual([]);
    // The test found what it looks for.
    expect(futureTimes).toBeGreaterThan(50);
    expect(ids).toBeGreaterThan(100);
  });

  const newest = async (limit = 1) =>
    (await ok(operator.get(`/v1/accounts/${world.account}/audit-log?limit=${limit}`))).data;

  test("the audit log has the server's time, the time in the bucket beside it, and the newest entry first", async () => {
    const entries = await newest(1000);
    const ofBucket = entries.filter(({ bucketTime }: { bucketTime?: string }) => bucketTime !== undefined);
    expect(ofBucket.map(({ bucketTime }: { bucketTime: string }) => bucketTime)).toContain(future);
    for (const { time } of entries) expect(Date.parse(time)).toBeLessThanOrEqual(server.clock.now());
    for (const isRestarted of [false, true]) {
      if (isRestarted) await server.restart();
      server.clock.advance(1000);
      const { id } = await ok(operator.post(`/v1/accounts/${world.account}/tokens`, { role: "reader" }));
      const [first] = await newest();
      expect(first).toMatchObject({ action: "token.created", resource: { id }, time: server.clock.iso() });
      expect(first.bucketTime).toBeUndefined();
    }
  });
});
