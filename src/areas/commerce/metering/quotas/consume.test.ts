import { describe, expect, test } from "bun:test";
import { casesFor, eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { metersOf, record, subscribed, usageEvent, usedOf } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { statuses } from "../../subscriptions/schema.ts";

const meters = { requests: { label: "Requests", max: 10 }, bytes: { max: 5 } };

eachEngine((engine) => {
  const { client } = useServer(engine);
  const scene = () => subscribed(client, { meters });
  const consume = (path: string, amounts: unknown, headers?: Record<string, string>) =>
    client.post(`${path}/quotas/consume`, { meters: amounts }, headers);

  test("available amounts are consumed and reported", async () => {
    const { path, bucket } = await scene();
    const first = await consume(path, { requests: 4 });
    expect(first.body).toEqual({
      allowed: true,
      meters: {
        requests: { label: "Requests", used: 4, max: 10, available: 6 },
        bytes: { used: 0, max: 5, available: 5 },
      },
    });
    await record(client, bucket, [usageEvent({ requests: 2 })]);
    const second = await consume(path, { requests: 4, bytes: 0.5 });
    expect(second.body).toEqual({
      allowed: true,
      meters: {
        requests: { label: "Requests", used: 10, max: 10, available: 0 },
        bytes: { used: 0.5, max: 5, available: 4.5 },
      },
    });
    expect(await metersOf(client, path)).toEqual(second.body.meters);
  });

  test("all is taken or nothing, and a rejection changes nothing", async () => {
    const { path, bucket } = await scene();
    await consume(path, { requests: 8 });
    for (const amounts of [
      { requests: 3 },
      { requests: 2, bytes: 6 },
      { bytes: 5, requests: 3 },
      { requests: 2.000000001 },
    ]) {
      const rejected = await consume(path, amounts);
      expect(rejected.status).toBe(200);
      expect(rejected.body.allowed).toBe(false);
      expect(rejected.body.meters).toEqual(await metersOf(client, path));
      expect(await usedOf(client, path)).toEqual({ requests: 8, bytes: 0 });
    }
    expect((await consume(path, { requests: 2, bytes: 5 })).body.allowed).toBe(true);
    // Events may exceed the maximum; then nothing is available.
    await record(client, bucket, [usageEvent({ bytes: 100 })]);
    expect((await consume(path, { bytes: 0.000000001 })).body.allowed).toBe(false);
    expect(await usedOf(client, path)).toEqual({ requests: 10, bytes: 105 });
  });

  test("the ETag of usage and of its history moves when something is used", async () => {
    const { path } = await scene();
    for (const usage of [`${path}/usage`, `${path}/usage/history`]) {
      const etag = (await client.get(usage)).headers.get("etag")!;
      expect((await client.get(usage, { "if-none-match": etag })).status).toBe(304);
      await consume(path, { requests: 20 });
      expect((await client.get(usage, { "if-none-match": etag })).status).toBe(304);
      await consume(path, { requests: 1 });
      expect((await client.get(usage, { "if-none-match": etag })).status).toBe(200);
    }
  });

  test("a meter that allows nothing gives nothing", async () => {
    const { path } = await subscribed(client, { meters: { requests: { max: 0 } } });
    expect((await consume(path, { requests: 1 })).body).toEqual({
      allowed: false,
      meters: { requests: { used: 0, max: 0, available: 0 } },
    });
  });

  describe("only an active or trialing subscription allows anything:", () => {
    test.each(statuses)("%s", async (status) => {
      const { path } = await subscribed(client, { meters }, { status });
      const allowed = status === "active" || status === "trialing";
      expect((await consume(path, { requests: 1 })).body).toEqual({ allowed, meters: await metersOf(client, path) });
      expect(await usedOf(client, path)).toEqual({ requests: allowed ? 1 : 0, bytes: 0 });
      const unknown = await consume(path, { unknown: 1 });
      expectProblem(unknown, 400, "validation_failed", { pointer: "/meters/unknown" });
    });
  });

  test("meters named like members of objects are counted and consumed like any other", async () => {
    const names = ["constructor", "prototype", "toString"];
    const meters = Object.fromEntries(names.map((name) => [name, { max: 3 }]));
    const { bucket, path } = await subscribed(client, { meters });
    const amounts = Object.fromEntries(names.map((name) => [name, 1]));
    expect(await record(client, bucket, [usageEvent(amounts)])).toMatchObject({ accepted: 1 });
    for (const value of [1, 0.5]) {
      const wanted = Object.fromEntries(names.map((name) => [name, value]));
      const { status, body } = await client.post(`${path}/quotas/consume`, { meters: wanted });
      expect([status, body.allowed]).toEqual([200, true]);
    }
    expect(await usedOf(client, path)).toEqual(Object.fromEntries(names.map((name) => [name, 2.5])));
  });

  describe("rejected with 400, and nothing taken:", () => {
    test.each(
      casesFor<[body: string, pointer: string]>(engine, [
        ['{"meters":{"requests":1,"unknown":1}}', "/meters/unknown"],
        ['{"meters":{"Requests":1}}', "/meters/Requests"],
        ['{"meters":{"requests":1,"toString":1}}', "/meters/toString"],
        ['{"meters":{"requests":1,"__proto__":1}}', "/meters/__proto__"],
        ['{"meters":{"requests":1,"constructor":1}}', "/meters/constructor"],
        ['{"meters":{"a/b":1}}', "/meters/a~1b"],
        ['{"meters":{"requests":0}}', "/meters/requests"],
        ['{"meters":{"requests":-1}}', "/meters/requests"],
        ['{"meters":{"requests":"1"}}', "/meters/requests"],
        ['{"meters":{"requests":null}}', "/meters/requests"],
        ['{"meters":{"requests":1e999}}', "/meters/requests"],
        ['{"meters":{"requests":9007199254740992}}', "/meters/requests"],
        ['{"meters":{"requests":0.0000000001}}', "/meters/requests"],
        ['{"meters":{"requests":1,"bytes":true}}', "/meters/bytes"],
        ['{"meters":{}}', "/meters"],
        ['{"meters":[]}', "/meters"],
        ['{"meters":[1]}', "/meters"],
        ['{"meters":null}', "/meters"],
        ["{}", "/meters"],
        ['{"meters":{"requests":1},"amount":1}', "/amount"],
        ["[]", ""],
        ["", ""],
      ]),
    )("%s", async (body, pointer) => {
      const { path } = await scene();
      const rejected = await client.raw("POST", `${path}/quotas/consume`, body);
      expectProblem(rejected, 400, "validation_failed", { pointer });
      expect(await usedOf(client, path)).toEqual({ requests: 0, bytes: 0 });
    });
  });

  test("one Idempotency-Key takes once, and returns the same", async () => {
    const { path } = await scene();
    const headers = { "idempotency-key": path };
    const first = await consume(path, { requests: 7 }, headers);
    const again = await consume(path, { requests: 7 }, headers);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.body.allowed).toBe(true);
    expectProblem(await consume(path, { requests: 1 }, headers), 422, "idempotency_key_reused");
    expect((await usedOf(client, path)).requests).toBe(7);

    const rejection = { "idempotency-key": `${path} rejected` };
    expect((await consume(path, { requests: 4 }, rejection)).body.allowed).toBe(false);
    expect((await consume(path, { requests: 4 }, rejection)).body.allowed).toBe(false);
    expectProblem(await consume(path, { unknown: 4 }, { "idempotency-key": "x" }), 400, "validation_failed");
    expect((await usedOf(client, path)).requests).toBe(7);
  });

  test("an invalid request does not affect others in the same group", async () => {
    const { path, bucket } = await scene();
    const other = await scene();
    const missing = `${bucket}/subscriptions/sbsc_000000000000000000000000`;
    const responses = await Promise.all([
      consume(path, { requests: 1 }),
      consume(path, { unknown: 1 }),
      consume(missing, { requests: 1 }),
      consume(path, { requests: 20 }),
      consume(other.path, { requests: 3 }),
      consume(path, { requests: 1, bytes: 1 }),
    ]);
    expect(responses.map(({ status, body }) => [status, body.allowed])).toEqual([
      [200, true],
      [400, undefined],
      [404, undefined],
      [200, false],
      [200, true],
      [200, true],
    ]);
    expect(await usedOf(client, path)).toEqual({ requests: 2, bytes: 1 });
    expect(await usedOf(client, other.path)).toEqual({ requests: 3, bytes: 0 });
  });
});
