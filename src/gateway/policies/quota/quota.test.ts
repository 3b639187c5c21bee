import { expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { unique } from "../../../../test/support/metering.ts";
import { MeteringAccount } from "../../../../test/support/metering-rules.ts";
import { contextOf, pass, placeOf } from "../../../../test/support/request-context.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import { openQuotaLedger } from "../../../areas/commerce/metering/quotas/quota-source.ts";
import { updateMeteringBucket } from "../../../areas/commerce/metering-buckets/metering-buckets.ts";
import { LedgerQuotas } from "../../../counting/quotas/hold-quota.ts";
import { reject } from "../../exchange/rejection.ts";
import { QuotaPolicy } from "./quota.ts";
import { quotaOptions } from "./schema.ts";

eachEngine((engine) => {
  const storage = useStorage(engine);

  async function scene(max: number, options: object = {}) {
    const ledger = openQuotaLedger(storage.open);
    const account = await MeteringAccount.create(storage.open, storage.clock);
    const plan = await account.plan({ requests: { max } });
    const customer = unique("customer");
    const subscription = await account.subscribe(plan, customer);
    const parsed = quotaOptions.parse({ bucketId: account.bucket.id, meters: { requests: 1 }, ...options });
    const policy = new QuotaPolicy(new LedgerQuotas(ledger), parsed, placeOf(account.account.seq));
    const contextFor = (sub: string | undefined) =>
      contextOf(new Request("http://shop.localhost/things"), {
        now: storage.clock.now(),
        user: sub === undefined ? undefined : { sub, data: {} },
      });
    const send = (status = 200, sub: string | undefined = customer) =>
      pass([policy], contextFor(sub), () => new Response("from the target", { status }));
    const used = async () => {
      await ledger.flush();
      return (await account.used(subscription)).requests;
    };
    return { ledger, account, plan, customer, policy, contextFor, send, used };
  }

  test("accepts requests up to the plan's limit, then 429 until the period ends", async () => {
    const { send, used } = await scene(2);
    expect((await send()).status).toBe(200);
    expect((await send()).status).toBe(200);
    const rejected = await send();
    expect(rejected.status).toBe(429);
    expect(await rejected.json()).toMatchObject({ code: "quota_exceeded", instance: "/things" });
    // The subscription was created now, on the 15th: its period is a month.
    const month = String(31 * 24 * 60 * 60);
    expect(rejected.headers.get("retry-after")).toBe(month);
    expect(rejected.headers.get("x-quota-reset")).toBe(month);
    expect(rejected.headers.get("x-quota-meter")).toBe("requests");
    expect(rejected.headers.get("x-quota-limit")).toBe("2");
    expect(rejected.headers.get("x-quota-remaining")).toBe("0");
    expect(await used()).toBe(2);
  });

  test("accepts exactly the quota with any number of concurrent requests", async () => {
    const { policy, contextFor, customer, used } = await scene(5);
    const gate = Promise.withResolvers<void>();
    const responses = Array.from({ length: 50 }, () =>
      pass([policy], contextFor(customer), async () => {
        await gate.promise;
        return new Response("late");
      }),
    );
    gate.resolve();
    const statuses = (await Promise.all(responses)).map((response) => response.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(45);
    expect(await used()).toBe(5);
  });

  test("a failure of the target does not count, and can be retried", async () => {
    const { send, used } = await scene(1);
    expect((await send(500)).status).toBe(500);
    expect((await send(503)).status).toBe(503);
    expect((await send(404)).status).toBe(404);
    expect((await send()).status).toBe(429);
    expect(await used()).toBe(1);
  });

  test("a rejection by the gateway does not count, whatever its status", async () => {
    const { policy, contextFor, customer, send, used } = await scene(1);
    const rejecting = { enter: (context: Parameters<typeof reject>[0]) => reject(context, "rate_limited") };
    expect((await pass([policy, rejecting], contextFor(customer))).status).toBe(429);
    expect(await used()).toBe(0);
    expect((await send()).status).toBe(200);
  });

  test("with a key bucket, only its consumers have the quota; users that are no consumers are matched by name", async () => {
    const { account, customer, policy, used } = await scene(10);
    const send = async (keyBucket: string | undefined) => {
      const context = contextOf(new Request("http://shop.localhost/things"), {
        user: { sub: customer, data: {} },
        consumerId: keyBucket && `csmr_${keyBucket}`,
        keyBucket,
      });
      const { status } = await pass([policy], context);
      return [status, context.decisionDetail];
    };
    await storage.open.write((transaction) =>
      updateMeteringBucket(transaction, account.act, account.bucket.id, { keyBucket: "production" }, () => {}),
    );
    expect(await send("production")).toEqual([200, undefined]);
    const otherBucket = {
      reason: "no_subscription",
      consumer: customer,
      bucket: account.bucket.id,
      keyBucket: "staging",
      customersKeyBucket: "production",
    };
    expect(await send("staging")).toEqual([403, otherBucket]);
    // The name of a user of `jwt`, without a consumer.
    expect(await send(undefined)).toEqual([200, undefined]);
    expect(await used()).toBe(2);
  });

  test("counts the configured statuses", async () => {
    const { send, used } = await scene(10, { statuses: [201, "5xx"] });
    for (const status of [200, 201, 204, 404, 500, 502]) await send(status);
    expect(await used()).toBe(3);
  });

  test("consumes by weight, all meters or none", async () => {
    const { account, plan, send, used } = await scene(10, { meters: { requests: 2.5, tokens: 40 } });
    await account.changePlan(plan, { requests: { max: 10 }, tokens: { max: 100 } });
    expect((await send()).status).toBe(200);
    expect((await send()).status).toBe(200);
    const rejected = await send();
    expect(rejected.status).toBe(429);
    expect(rejected.headers.get("x-quota-meter")).toBe("tokens");
    expect(rejected.headers.get("x-quota-remaining")).toBe("20");
    expect(await used()).toBe(5);
  });

  test("accepts and counts requests above the quota if configured", async () => {
    const { send, used } = await scene(1, { overQuota: "allow" });
    for (let count = 0; count < 3; count++) expect((await send()).status).toBe(200);
    expect(await used()).toBe(3);
  });

  test("without a subscription, or without a consumer: 403", async () => {
    const { send, contextFor, policy } = await scene(1);
    const rejected = await send(200, "stranger");
    expect(rejected.status).toBe(403);
    expect(await rejected.json()).toMatchObject({ code: "no_subscription" });
    const nobody = await pass([policy], contextFor(undefined));
    expect(await nobody.json()).toMatchObject({
      status: 403,
      code: "no_subscription",
      detail: expect.stringMatching(/key/),
    });
  });

  test("a meter that the plan lacks: 403 that names it", async () => {
    const { send, used } = await scene(1, { meters: { requests: 1, tokens: 1 } });
    const rejected = await send();
    expect(rejected.status).toBe(403);
    expect(await rejected.json()).toMatchObject({
      code: "meter_not_in_plan",
      detail: "No plan of the subscription has the meter tokens.",
    });
    expect(await used()).toBe(0);
  });

  test("two quotas on one route are independent", async () => {
    const outer = await scene(2);
    const inner = await scene(1);
    const policies = [outer.policy, inner.policy];
    const both = async () => {
      const context = outer.contextFor(outer.customer);
      return (await pass(policies, context, () => new Response("ok"))).status;
    };
    await inner.account.subscribe(inner.plan, outer.customer);
    expect(await both()).toBe(200);
    // Rejected by the inner one, so the outer one releases its hold.
    expect(await both()).toBe(429);
    expect(await outer.used()).toBe(1);
  });
});
