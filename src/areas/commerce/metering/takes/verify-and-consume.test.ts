import { beforeAll, describe, expect, test } from "bun:test";
import { monthly, moveTo, newTestBucket, rated, setProfile } from "../../../../../test/support/billing.ts";
import { callerWithRole, strangerOf } from "../../../../../test/support/callers.ts";
import { casesFor, eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { type KeyCustomer, keyCustomer } from "../../../../../test/support/key-customer.ts";
import { newMeteringBucket, unique, usedOf } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";

const minute = 60_000;

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;
  beforeAll(async () => {
    await client.post("/v1/accounts/default/key-buckets", { name: "main" });
  });
  /** What is stored, after all counts are written. */
  const stored = async ({ subscription }: KeyCustomer) => {
    await server.catchUp();
    return usedOf(client, subscription);
  };

  test("one call verifies the key, takes the amounts and returns what is left", async () => {
    const customer = await keyCustomer(client, {
      meters: { requests: { label: "Anfragen · é", max: 10 }, bytes: { max: 5 } },
    });
    const plain = await customer.verify({});
    const first = await customer.consume({ requests: 4 });
    const { periodEnd } = (await client.get(`${customer.subscription}/usage`)).body;
    const meters = {
      requests: { label: "Anfragen · é", used: 4, max: 10, available: 6 },
      bytes: { used: 0, max: 5, available: 5 },
    };
    expect(first.body).toEqual({ ...plain.body, meters, periodEnd });
    const second = await customer.consume({ requests: 6, bytes: 0.5 });
    expect(second.body.meters).toEqual({
      requests: { label: "Anfragen · é", used: 10, max: 10, available: 0 },
      bytes: { used: 0.5, max: 5, available: 4.5 },
    });
    expect(await stored(customer)).toEqual({ requests: 10, bytes: 0.5 });
    expect((await client.get(`${customer.subscription}/usage`)).body.meters).toEqual(second.body.meters);
    // Without `consume` nothing changes.
    expect((await customer.verify({})).text).toBe(plain.text);
  });

  test("a used up quota rejects, all or nothing, until the next period", async () => {
    const customer = await keyCustomer(client, { meters: { requests: { max: 3 }, bytes: { max: 5 } } });
    const { body } = await customer.consume({ requests: 2, bytes: 1 });
    const seconds = Math.ceil((Date.parse(body.periodEnd) - clock.now()) / 1000);
    const rejected = await customer.consume({ requests: 2, bytes: 1 });
    expect(rejected.body).toEqual({
      valid: false,
      code: "quota_exceeded",
      keyId: customer.keyId,
      consumer: { id: customer.consumerId, name: customer.name },
      retryAfterSeconds: seconds,
      meters: { requests: { used: 2, max: 3, available: 1 }, bytes: { used: 1, max: 5, available: 4 } },
      periodEnd: body.periodEnd,
    });
    expect(await stored(customer)).toEqual({ requests: 2, bytes: 1 });
    // More than the plan allows in any period: waiting does not help.
    const never = await customer.consume({ requests: 4 });
    expect(never.body).toMatchObject({ valid: false, code: "quota_exceeded" });
    expect(never.body).not.toHaveProperty("retryAfterSeconds");
  });

  test("a customer without a subscription, and a meter that the plan lacks", async () => {
    const customer = await keyCustomer(client);
    const { keyId, consumerId, name } = customer;
    const consumer = { id: consumerId, name };
    const unknown = await customer.consume({ requests: 1, tokens: 1 });
    expect(unknown.body).toEqual({ valid: false, code: "meter_not_in_plan", keyId, consumer });
    const elsewhere = await newMeteringBucket(client);
    const bucketId = elsewhere.split("/").at(-1)!;
    const none = await customer.verify({ consume: { bucketId, meters: { requests: 1 } } });
    expect(none.body).toEqual({ valid: false, code: "no_subscription", keyId, consumer });
    expect(await stored(customer)).toEqual({ requests: 0 });
  });

  test("the rate limit is counted before the quota, and reported", async () => {
    const customer = await keyCustomer(client, {
      meters: { requests: { max: 1 } },
      rules: { rateLimit: { requests: 3, windowSeconds: 60 } },
    });
    const resetSeconds = Math.ceil((minute - (clock.now() % minute)) / 1000);
    const limit = (remaining: number) => ({ limit: 3, remaining, resetSeconds });
    expect((await customer.consume({ requests: 1 })).body).toMatchObject({ valid: true, rateLimit: limit(2) });
    expect((await customer.consume({ requests: 1 })).body).toMatchObject({
      code: "quota_exceeded",
      rateLimit: limit(1),
    });
    expect((await customer.verify({})).body).not.toHaveProperty("rateLimit");
    const limited = await customer.consume({ requests: 1 });
    expect(limited.body).toEqual({
      valid: false,
      code: "rate_limited",
      retryAfterSeconds: resetSeconds,
      rateLimit: limit(0),
    });
    expect(await stored(customer)).toEqual({ requests: 1 });
  });

  test("what is rejected before the quota takes nothing", async () => {
    const customer = await keyCustomer(client, {
      rules: { allowedIps: ["192.0.2.1"], permissions: ["orders:read"], rateLimit: { requests: 1, windowSeconds: 60 } },
      tags: { region: "eu" },
    });
    const consume = { bucketId: customer.bucketId, meters: { requests: 1 } };
    const ip = "192.0.2.1";
    const code = async (body: object) => (await customer.verify({ consume, ...body })).body.code;
    expect(await code({ key: "tg_unknown" })).toBe("malformed");
    expect(await code({})).toBe("ip_required");
    expect(await code({ ip: "192.0.2.2" })).toBe("ip_not_allowed");
    expect(await code({ ip, permission: "orders:write" })).toBe("permission_missing");
    // A tag mismatch is a 404, also if the address is wrong, and nothing is counted.
    for (const body of [{ ip }, { ip: "192.0.2.2" }])
      expectProblem(await customer.verify({ consume, ...body }, {}, "?tag.region=us"), 404, "not_found");
    expect(await stored(customer)).toEqual({ requests: 0 });
    const taken = await customer.verify({ consume, ip }, {}, "?tag.region=eu");
    expect(taken.body).toMatchObject({ valid: true, rateLimit: { remaining: 0 }, meters: { requests: { used: 1 } } });
    await client.patch(`/v1/accounts/default/key-buckets/main/consumers/${customer.name}/keys/${customer.keyId}`, {
      isEnabled: false,
    });
    expect((await customer.verify({ consume, ip }, {}, "?tag.region=us")).body.code).toBe("disabled");
    expect(await stored(customer)).toEqual({ requests: 1 });
  });

  test("a bucket that does not exist, or is another account's, is a 404 that counts nothing", async () => {
    const customer = await keyCustomer(client, { rules: { rateLimit: { requests: 1, windowSeconds: 60 } } });
    const stranger = await strangerOf(client, unique("stranger"));
    const theirs = (await newMeteringBucket(stranger)).split("/").at(-1)!;
    for (const bucketId of [theirs, "mtr_0QGzNqW81Kx8VhTb3mPcRdZu", "nothing-here", "No bucket?"]) {
      for (const how of ["consume", "hold"])
        expectProblem(await customer.verify({ [how]: { bucketId, meters: { requests: 1 } } }), 404, "not_found");
    }
    // By name too, and a former name is forgotten.
    const name = unique("metering");
    await client.patch(customer.bucket, { name });
    const byName = { consume: { bucketId: name, meters: { requests: 1 } } };
    expect((await customer.verify(byName)).body).toMatchObject({ valid: true, rateLimit: { remaining: 0 } });
    await client.patch(customer.bucket, { name: unique("metering") });
    expectProblem(await customer.verify(byName), 404, "not_found");
    expect(await stored(customer)).toEqual({ requests: 1 });
  });

  describe("a body that is wrong is a 400 and takes nothing:", () => {
    const cases: [object, string][] = [
      [{ consume: { meters: { requests: 1 } } }, "/consume/bucketId"],
      [{ consume: { bucketId: "x" } }, "/consume/meters"],
      [{ consume: { bucketId: "x", meters: {} } }, "/consume/meters"],
      [{ consume: { bucketId: "x", meters: { requests: 0 } } }, "/consume/meters/requests"],
      [{ consume: { bucketId: "x", meters: { requests: -1 } } }, "/consume/meters/requests"],
      [{ consume: { bucketId: "x", meters: { requests: 1 }, more: 1 } }, "/consume"],
      [{ hold: { bucketId: "x", meters: { requests: 1 }, expiresInSeconds: 0 } }, "/hold/expiresInSeconds"],
      [{ hold: { bucketId: "x", meters: { requests: 1 }, expiresInSeconds: 86_401 } }, "/hold/expiresInSeconds"],
      [{ hold: { bucketId: "x", meters: { requests: 1 }, onExpiry: "keep" } }, "/hold/onExpiry"],
      [
        { consume: { bucketId: "x", meters: { requests: 1 } }, hold: { bucketId: "x", meters: { requests: 1 } } },
        "/hold",
      ],
    ];
    test.each(casesFor(engine, cases))("%j", async (body, pointer) => {
      const customer = await keyCustomer(client);
      const text = JSON.stringify(body).replaceAll('"x"', JSON.stringify(customer.bucketId));
      const response = await customer.verify(JSON.parse(text));
      expect({ status: response.status, text: response.text }).toMatchObject({ status: 400 });
      expect(response.text).toContain(`"${pointer}`);
      expect(await stored(customer)).toEqual({ requests: 0 });
    });
  });

  test("the role verifier is enough", async () => {
    const customer = await keyCustomer(client);
    const verifier = await callerWithRole(client, "verifier");
    const body = { key: customer.key, consume: { bucketId: customer.bucketId, meters: { requests: 1 } } };
    const path = "/v1/accounts/default/key-buckets/main/verify-key";
    expect((await verifier.post(path, body)).body).toMatchObject({ valid: true, meters: { requests: { used: 1 } } });
  });

  test("64 concurrent callers never exceed a quota, together with quotas/consume", async () => {
    const customer = await keyCustomer(client, { meters: { requests: { max: 100 } } });
    const used = new Set<number>();
    const results = await Promise.all(
      Array.from({ length: 192 }, async (_, index) => {
        const amounts = { requests: 1 };
        const { body } = await (index % 3 !== 0
          ? customer.consume(amounts)
          : client.post(`${customer.subscription}/quotas/consume`, { meters: amounts }));
        if (body.valid ?? body.allowed) used.add(body.meters.requests.used);
        return body.valid ?? body.allowed;
      }),
    );
    expect(results.filter(Boolean)).toHaveLength(100);
    // Each has its own place.
    expect(used.size).toBe(100);
    expect(await stored(customer)).toEqual({ requests: 100 });
  });

  test("a test bucket takes at its own time", async () => {
    const { body } = await client.post("/v1/metering", { isTest: true });
    const bucket = `/v1/metering/${body.id}`;
    const customer = await keyCustomer(client, { bucket, meters: { requests: { max: 1 } } });
    const first = await customer.consume({ requests: 1 });
    expect(first.body.valid).toBe(true);
    const { clock: time } = (await client.get(bucket)).body;
    const rejected = await customer.consume({ requests: 1 });
    const seconds = Math.ceil((Date.parse(first.body.periodEnd) - Date.parse(time)) / 1000);
    expect(rejected.body).toMatchObject({ code: "quota_exceeded", retryAfterSeconds: seconds });
    await server.catchUp();
    expect((await client.post(`${bucket}/clock`, { now: first.body.periodEnd })).status).toBe(200);
    const next = await customer.consume({ requests: 1 });
    expect(next.body).toMatchObject({ valid: true, meters: { requests: { used: 1 } } });
    expect(Date.parse(next.body.periodEnd)).toBeGreaterThan(Date.parse(first.body.periodEnd));
  });

  test("overdue invoices, used up credits and a reached cap have their own codes", async () => {
    await setProfile(client);
    const bucket = await newTestBucket(client, "2031-01-01T00:00:00.000Z");
    const unpaid = await keyCustomer(client, { bucket, plan: monthly("30.00") });
    expect((await unpaid.consume({ requests: 1 })).body.valid).toBe(true);
    await moveTo(client, bucket, "2031-01-18T00:00:00.000Z");
    const { keyId, consumerId, name } = unpaid;
    const blocked = { valid: false, code: "payment_required", keyId, consumer: { id: consumerId, name } };
    expect((await unpaid.consume({ requests: 1 })).body).toEqual(blocked);
    expect((await unpaid.consume({ requests: 1 }, { "idempotency-key": unique("once") })).body).toEqual(blocked);
    expect(await stored(unpaid)).toEqual({ requests: 1 });

    const capped = await keyCustomer(client, { plan: rated("1.00", { max: 1 }) });
    const cap = await client.patch(`${capped.bucket}/customers/${capped.name}`, {
      spendCap: { amount: "2.00", action: "block" },
    });
    expect({ status: cap.status, text: cap.text }).toMatchObject({ status: 200 });
    expect((await capped.consume({ requests: 3 })).body.valid).toBe(true);
    const over = await capped.consume({ requests: 1 });
    expect(over.body).toMatchObject({ valid: false, code: "spend_cap_reached", keyId: capped.keyId });
    expect(over.body).not.toHaveProperty("retryAfterSeconds");
    expect(await stored(capped)).toEqual({ requests: 3 });

    const granted = await keyCustomer(client, { meters: { requests: { max: 1 } } });
    const grant = await client.post(`${granted.bucket}/customers/${granted.name}/grants`, {
      meter: "requests",
      amount: 1,
      funding: "promotional",
    });
    expect({ status: grant.status, text: grant.text }).toMatchObject({ status: 200 });
    expect((await granted.consume({ requests: 2 })).body).toMatchObject({
      valid: true,
      meters: { requests: { used: 2, max: 1, available: 0, credits: 0 } },
    });
    expect((await granted.consume({ requests: 1 })).body).toMatchObject({ code: "credit_exhausted" });
  });

  describe("with an Idempotency-Key", () => {
    const once = (key: string) => ({ "idempotency-key": key });

    test("the amounts are taken once and at once, and the key is checked again", async () => {
      const customer = await keyCustomer(client, { rules: { rateLimit: { requests: 3, windowSeconds: 3600 } } });
      const key = unique("once");
      const first = await customer.consume({ requests: 4 }, once(key));
      expect(first.body).toMatchObject({ valid: true, meters: { requests: { used: 4 } }, rateLimit: { remaining: 2 } });
      // Durable: it is stored before the response.
      expect(await usedOf(client, customer.subscription)).toEqual({ requests: 4 });
      const second = await customer.consume({ requests: 4 }, once(key));
      expect(second.body).toEqual({ ...first.body, rateLimit: { ...first.body.rateLimit, remaining: 1 } });
      expect(await stored(customer)).toEqual({ requests: 4 });
      await client.patch(`/v1/accounts/default/key-buckets/main/consumers/${customer.name}/keys/${customer.keyId}`, {
        isEnabled: false,
      });
      expect((await customer.consume({ requests: 4 }, once(key))).body).toEqual({ valid: false, code: "disabled" });
    });

    test("a rejection is not remembered, and another body is a conflict", async () => {
      const customer = await keyCustomer(client, { meters: { requests: { max: 1 } } });
      const key = unique("once");
      expect((await customer.consume({ requests: 2 }, once(key))).body.code).toBe("quota_exceeded");
      expect((await customer.consume({ tokens: 1 }, once(key))).body.code).toBe("meter_not_in_plan");
      expect((await customer.consume({ requests: 1 }, once(key))).body.valid).toBe(true);
      const reused = await customer.consume({ requests: 0.5 }, once(key));
      expectProblem(reused, 422, "idempotency_key_reused");
      expect(await stored(customer)).toEqual({ requests: 1 });
    });

    test("64 concurrent requests with one key take once, and a restart does not forget it", async () => {
      const customer = await keyCustomer(client);
      const key = unique("once");
      const all = await Promise.all(Array.from({ length: 64 }, () => customer.consume({ requests: 1 }, once(key))));
      expect(all.every(({ status, body }) => body.valid === true || status === 409)).toBe(true);
      expect(all.some(({ body }) => body.valid)).toBe(true);
      await server.restart();
      expect((await customer.consume({ requests: 1 }, once(key))).body.meters.requests.used).toBe(1);
      expect(await stored(customer)).toEqual({ requests: 1 });
    });

    test("a key that is not one is a 400 and counts nothing", async () => {
      const customer = await keyCustomer(client, { rules: { rateLimit: { requests: 1, windowSeconds: 3600 } } });
      expectProblem(await customer.consume({ requests: 1 }, once("k".repeat(256))), 400, "validation_failed");
      expect((await customer.consume({ requests: 1 })).body.valid).toBe(true);
    });
  });
});
