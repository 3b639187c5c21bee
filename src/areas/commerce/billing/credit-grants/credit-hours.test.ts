import { beforeEach, expect, test } from "bun:test";
import { ok, rated, use } from "../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { subscribed } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;
  let day = 10;
  const at = (time: string) => `2032-01-${day}T${time}Z`;

  /** A bucket with the server's time. Each test has a day of its own, so that nothing of another test is renewed. */
  beforeEach(() => {
    day += 1;
    clock.set(at("09:10:00.000"));
  });

  const plan = rated("0.10", { max: 0 });
  const runAt = async (time: string) => {
    clock.set(at(time));
    await server.catchUp();
  };
  const grant = (bucket: string, more: object) =>
    ok(client.post(`${bucket}/customers/acme/grants`, { meter: "requests", funding: "paid", ...more }));
  const entries = async (bucket: string, id: string) => {
    const { data } = await ok(client.get(`${bucket}/customers/acme/grants/${id}/entries`));
    return data.map(({ kind, amount, hour }: Record<string, unknown>) => [kind, amount, ...(hour ? [hour] : [])]);
  };
  const balance = async (bucket: string, id: string) =>
    (await ok(client.get(`${bucket}/customers/acme/grants/${id}`))).balance;

  test("the ledger has one entry for each hour of usage, however often the job runs", async () => {
    const { bucket } = await subscribed(client, plan);
    const { id } = await grant(bucket, { amount: 100 });
    await use(client, bucket, 10);
    await runAt("09:59:59.000");
    expect(await entries(bucket, id)).toEqual([["granted", 100]]);
    for (const time of ["10:00:01.000", "10:00:03.000", "10:30:00.000", "10:59:59.000"]) {
      await runAt(time);
      await use(client, bucket, 1);
    }
    expect(await entries(bucket, id)).toEqual([
      ["granted", 100],
      ["consumed", -10, at("09:00:00.000")],
    ]);
    expect(await balance(bucket, id)).toBe(86);
    await runAt("11:00:01.000");
    await runAt("11:00:03.000");
    expect(await entries(bucket, id)).toEqual([
      ["granted", 100],
      ["consumed", -10, at("09:00:00.000")],
      ["consumed", -4, at("10:00:00.000")],
    ]);
  });

  test("a grant that becomes effective within an hour pays for usage from then on, billed or not", async () => {
    for (const each of [plan, { meters: { requests: { max: 0 } } }]) {
      clock.set(at("09:10:00.000"));
      const { bucket, path } = await subscribed(client, each);
      const { id } = await grant(bucket, { amount: 10, effectiveOn: at("10:15:00.000") });
      await runAt("10:00:01.000");
      await runAt("10:15:00.000");
      await use(client, bucket, 4);
      await runAt("10:15:02.000");
      await use(client, bucket, 4);
      await runAt("10:15:04.000");
      expect(await balance(bucket, id)).toBe(2);
      expect((await ok(client.get(`${path}/usage`))).meters.requests).toMatchObject({ used: 8, credits: 2 });
      await runAt("11:00:01.000");
      expect(await entries(bucket, id)).toEqual([
        ["granted", 10],
        ["consumed", -8, at("10:00:00.000")],
      ]);
    }
  });

  test("usage before the job runs is paid by the grant that follows one that expired", async () => {
    const { bucket } = await subscribed(client, plan);
    const first = await grant(bucket, { amount: 5, expiresOn: at("10:00:00.000") });
    const second = await grant(bucket, { amount: 10, effectiveOn: at("10:00:00.000") });
    await use(client, bucket, 5);
    await server.catchUp();
    clock.set(at("10:00:01.000"));
    await use(client, bucket, 4);
    await server.catchUp();
    await runAt("11:00:01.000");
    expect([await balance(bucket, first.id), await balance(bucket, second.id)]).toEqual([0, 6]);
  });
});
