import { beforeAll, describe, expect, test } from "bun:test";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { type KeyCustomer, keyCustomer } from "../../../../../test/support/key-customer.ts";
import { newMeteringBucket, usedOf } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { until } from "../../../../../test/support/until.ts";

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;
  beforeAll(async () => {
    await client.post("/v1/accounts/default/key-buckets", { name: "main" });
  });
  const stored = async ({ subscription }: KeyCustomer) => {
    await server.catchUp();
    return usedOf(client, subscription);
  };
  const taking = (customer: KeyCustomer, meters: object) => ({ bucketId: customer.bucket.split("/").at(-1), meters });

  describe.each(["consume", "consume once", "hold"] as const)("with %s", (how) => {
    let calls = 0;
    const take = async (customer: KeyCustomer, observe: boolean, amount = 1) => {
      const taken = taking(customer, { requests: amount });
      const body = { ...(how === "hold" ? { hold: taken } : { consume: taken }), observe };
      const once: Record<string, string> =
        how === "consume once" ? { "idempotency-key": `call-${engine.name}-${++calls}` } : {};
      return (await customer.verify(body, once)).body;
    };

    test("what is observed is what is rejected otherwise, and it is counted", async () => {
      const [enforced, observed] = [
        await keyCustomer(client, { meters: { requests: { max: 3 } } }),
        await keyCustomer(client, { meters: { requests: { max: 3 } } }),
      ];
      for (let call = 0; call < 6; call++) {
        const { valid, code, retryAfterSeconds } = await take(enforced, false);
        const result = await take(observed, true);
        expect(result.valid).toBe(true);
        expect(result.observed).toEqual(valid ? undefined : { code, retryAfterSeconds });
        expect(result.meters.requests.used).toBe(call + 1);
        expect(result.holdId !== undefined).toBe(how === "hold");
      }
      expect(await stored(enforced)).toEqual({ requests: 3 });
      expect(await stored(observed)).toEqual({ requests: 6 });
    });

    test("without a subscription or a meter nothing is taken", async () => {
      const customer = await keyCustomer(client);
      const call = async (consumed: object) => {
        const body = how === "hold" ? { hold: consumed } : { consume: consumed };
        return (await customer.verify({ ...body, observe: true })).body;
      };
      const unknown = await call(taking(customer, { requests: 1, tokens: 1 }));
      expect(unknown).toMatchObject({ valid: true, observed: { code: "meter_not_in_plan" } });
      const elsewhere = (await newMeteringBucket(client)).split("/").at(-1)!;
      const none = await call({ bucketId: elsewhere, meters: { requests: 1 } });
      expect(none).toMatchObject({ valid: true, observed: { code: "no_subscription" } });
      for (const { holdId, meters } of [unknown, none]) expect([holdId, meters]).toEqual([undefined, undefined]);
      expect(await stored(customer)).toEqual({ requests: 0 });
    });
  });

  test("the first rejection is observed, and later checks still count", async () => {
    const customer = await keyCustomer(client, {
      meters: { requests: { max: 1 } },
      rules: { rateLimit: { requests: 2, windowSeconds: 60 }, permissions: ["orders:read"] },
    });
    const resetSeconds = Math.ceil((60_000 - (clock.now() % 60_000)) / 1000);
    const codes: unknown[] = [];
    for (const permission of ["orders:write", "orders:read", "orders:read", "orders:write"]) {
      const consume = taking(customer, { requests: 1 });
      const { body } = await customer.verify({ permission, consume, observe: true });
      codes.push([body.observed, body.rateLimit.remaining, body.meters.requests.used]);
    }
    const permissionMissing = { code: "permission_missing" };
    expect(codes).toEqual([
      [permissionMissing, 1, 1],
      [{ code: "quota_exceeded", retryAfterSeconds: expect.any(Number) }, 0, 2],
      [{ code: "rate_limited", retryAfterSeconds: resetSeconds }, 0, 3],
      [permissionMissing, 0, 4],
    ]);
    // Without amounts to take.
    const plain = await customer.verify({ observe: true });
    expect(plain.body).toMatchObject({
      valid: true,
      observed: { code: "rate_limited", retryAfterSeconds: resetSeconds },
    });
    const allowed = await keyCustomer(client);
    expect((await allowed.verify({ observe: true })).text).toBe((await allowed.verify({})).text);
  });

  test("keys that are not valid and wrong addresses stay invalid", async () => {
    const customer = await keyCustomer(client, { rules: { allowedIps: ["192.0.2.1"] } });
    const consume = taking(customer, { requests: 1 });
    const codes: string[] = [];
    for (const body of [{ ip: "192.0.2.2" }, {}, { ip: "192.0.2.1", key: "unknown-key-of-nobody" }])
      codes.push((await customer.verify({ ...body, consume, observe: true })).body.code);
    const path = `/v1/accounts/default/key-buckets/main/consumers/${customer.name}/keys/${customer.keyId}`;
    for (const change of [{ isEnabled: false }, { isEnabled: true, expiresOn: clock.iso(-1) }]) {
      expect((await client.patch(path, change)).status).toBe(200);
      codes.push((await customer.verify({ ip: "192.0.2.1", consume, observe: true })).body.code);
    }
    expect(codes).toEqual(["ip_not_allowed", "ip_required", "not_found", "disabled", "expired"]);
    expect(await stored(customer)).toEqual({ requests: 0 });
  });

  test("a repeated call is taken once, and analytics count observed ones as valid", async () => {
    const customer = await keyCustomer(client, { meters: { requests: { max: 1 } } });
    const consume = taking(customer, { requests: 2 });
    const once = { "idempotency-key": `again-${customer.name}` };
    const results = [];
    for (let call = 0; call < 3; call++) results.push((await customer.verify({ consume, observe: true }, once)).body);
    for (const result of results) expect(result).toEqual(results[0]!);
    expect(results[0]).toMatchObject({ valid: true, observed: { code: "quota_exceeded" } });
    expect(await stored(customer)).toEqual({ requests: 2 });
    // Without `observe` it is another request.
    expect((await customer.verify({ consume }, once)).status).toBe(422);
    const path = `/v1/accounts/default/analytics/verifications?consumer=${customer.name}`;
    await until(async () => (await client.get(path)).body.series[0].totals.observed === 3 || undefined);
    expect((await client.get(path)).body.series[0].totals).toMatchObject({
      verifications: 3,
      rejected: 0,
      observed: 3,
    });
  });

  test("500 concurrent calls at a quota are all valid, and those beyond it are observed", async () => {
    const customer = await keyCustomer(client, { meters: { requests: { max: 100 } } });
    const consume = taking(customer, { requests: 1 });
    const results = await Promise.all(
      Array.from({ length: 500 }, async () => (await customer.verify({ consume, observe: true })).body),
    );
    expect(results.filter(({ valid }) => !valid)).toEqual([]);
    expect(results.filter(({ observed }) => observed)).toHaveLength(400);
    expect(await stored(customer)).toEqual({ requests: 500 });
  });
});
