import { beforeAll, describe, expect, test } from "bun:test";
import {
  billed,
  invoicesOf,
  linesOf,
  monthly,
  moveTo,
  newTestBucket,
  ok,
  setProfile,
} from "../../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../../test/support/expect-problem.ts";
import { createPlan, newMeteringBucket, subscribe } from "../../../../../../test/support/metering.ts";
import { useServer } from "../../../../../../test/support/server.ts";
import { account } from "../../../../../../test/support/server-settings.ts";
import { tableContent } from "../../../../../../test/support/table-content.ts";

const path = (mode: string) => `/v1/accounts/${account}/payment-provider/${mode}`;
const secretKey = "sk_test_51abcDEFghiJKL";
const webhookSecret = "whsec_abcDEF0123456789";

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  const set = (mode: string, body: object) => client.raw("PUT", path(mode), JSON.stringify(body));
  beforeAll(async () => {
    await setProfile(client);
  });

  test("the credentials are stored encrypted and never returned", async () => {
    const saved = await ok(set("test", { type: "stripe", secretKey, webhookSecret }));
    expect(saved).toMatchObject({ mode: "test", type: "stripe", webhookUrl: `${server.url}${path("test")}/events` });
    const read = await client.get(path("test"));
    const log = await client.get(`/v1/accounts/${account}/audit-log`);
    for (const text of [JSON.stringify(saved), read.text, log.text, server.log])
      for (const secret of [secretKey, webhookSecret]) expect(text).not.toContain(secret);
    for (const row of await tableContent(server.database, "payment_providers"))
      for (const value of Object.values(row))
        if (value instanceof Uint8Array) expect(Buffer.from(value).toString()).not.toMatch(/sk_|whsec_/);
  });

  test("one credential can be replaced, and both are forgotten with another type", async () => {
    await ok(set("test", { type: "stripe", secretKey, webhookSecret }));
    await ok(set("test", { type: "stripe", webhookSecret: "whsec_next" }));
    await ok(set("test", { type: "stripe" }));
    await ok(set("test", { type: "manual" }));
    const missing = await set("test", { type: "stripe", webhookSecret });
    expectProblem(missing, 400, "validation_failed", { pointer: "/secretKey" });
    expect((await ok(client.get(path("test")))).type).toBe("manual");
  });

  describe("rejects and changes nothing:", () => {
    test.each<[what: string, mode: string, body: object, pointer: string]>([
      ["a live key for tests", "test", { secretKey: "sk_live_1", webhookSecret }, "/secretKey"],
      ["a test key for live", "live", { secretKey, webhookSecret }, "/secretKey"],
      ["a publishable key", "test", { secretKey: "pk_test_1", webhookSecret }, "/secretKey"],
      ["no signing secret", "live", { secretKey: "rk_live_1" }, "/webhookSecret"],
      ["another signing secret", "test", { secretKey, webhookSecret: "secret" }, "/webhookSecret"],
    ])("%s", async (_what, mode, body, pointer) => {
      const before = await ok(client.get(path(mode)));
      expectProblem(await set(mode, { type: "stripe", ...body }), 400, "validation_failed", { pointer });
      expect(await ok(client.get(path(mode)))).toEqual(before);
    });

    test("credentials for another type", async () => {
      const rejected = await set("test", { type: "manual", secretKey });
      expectProblem(rejected, 400, "validation_failed", { pointer: "/secretKey" });
    });
  });

  describe("with Stripe", () => {
    beforeAll(async () => {
      await ok(set("live", { type: "stripe", secretKey: "sk_live_1", webhookSecret }));
      await ok(set("test", { type: "stripe", secretKey, webhookSecret }));
    });

    async function subscribed(amount: string, more: object = {}) {
      const bucket = await newMeteringBucket(client);
      const plan = await createPlan(client, bucket, { ...monthly(amount), ...more });
      await subscribe(client, bucket, [plan]);
      return bucket;
    }

    test("an invoice has no number of ours, because that of Stripe is the legal one", async () => {
      const [invoice] = await invoicesOf(client, await subscribed("30.00"));
      expect(invoice).toMatchObject({ status: "open", amountDue: "30.00", collection: { state: "pending" } });
      expect(invoice).not.toHaveProperty("number");
    });

    test("amounts below the minimum are carried over to the next invoice", async () => {
      const bucket = await subscribed("0.20");
      const month = 31 * 24 * 60 * 60 * 1000;
      for (let months = 0; months < 3; months += 1) {
        server.clock.advance(month);
        await server.catchUp();
      }
      const invoices = await invoicesOf(client, bucket);
      expect(invoices.map(linesOf)).toEqual([
        [
          ["plan", "0.20"],
          ["credit", "-0.20"],
        ],
        [
          ["plan", "0.20"],
          ["manual", "0.20"],
          ["credit", "-0.40"],
        ],
        [
          ["plan", "0.20"],
          ["manual", "0.40"],
        ],
        [
          ["plan", "0.20"],
          ["credit", "-0.20"],
        ],
      ]);
      expect(invoices.map(({ status, total }) => [status, total])).toEqual([
        ["paid", "0.00"],
        ["paid", "0.00"],
        ["open", "0.60"],
        ["paid", "0.00"],
      ]);
      expect(invoices.map(({ number }) => number !== undefined)).toEqual([true, true, false, true]);
    });

    test("a test bucket uses the sandbox once its clock was moved", async () => {
      const { bucket } = await billed(client, "2031-01-01T00:00:00.000Z", monthly("30.00"));
      expect((await invoicesOf(client, bucket))[0].number).toMatch(/^TEST-/);
      await moveTo(client, await newTestBucket(client, "2031-01-01T00:00:00.000Z"), "2031-01-02T00:00:00.000Z");
      const { id } = await ok(client.post("/v1/metering", { isTest: true }));
      const still = `/v1/metering/${id}`;
      await subscribe(client, still, [await createPlan(client, still, monthly("30.00"))]);
      expect((await invoicesOf(client, still))[0]).toMatchObject({ collection: { state: "pending" } });
    });
  });
});
