import { beforeAll, describe, expect, test } from "bun:test";
import {
  invoicesOf,
  monthly,
  moveTo,
  newTestBucket,
  ok,
  perUnit,
  setProfile,
} from "../../../../../test/support/billing.ts";
import type { ClientResponse } from "../../../../../test/support/client.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { createPlan, newMeteringBucket, type PlanNames, subscribe } from "../../../../../test/support/metering.ts";
import { setPortal } from "../../../../../test/support/portal.ts";
import { startServer, useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";

const start = "2031-01-01T00:00:00.000Z";
const returnUrl = "https://shop.example/billing";

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  beforeAll(async () => {
    await setProfile(client);
  });

  const buy = (bucket: string, plan: PlanNames, more: object = {}) =>
    client.post(`${bucket}/subscriptions/$purchase`, {
      customerKey: "acme",
      planExternalIds: [plan.planExternalId],
      returnUrl,
      ...more,
    });
  const statusOf = async (bucket: string, id: string) => (await ok(client.get(`${bucket}/subscriptions/${id}`))).status;
  const consume = async (bucket: string, id: string) =>
    (await ok(client.post(`${bucket}/subscriptions/${id}/quotas/consume`, { meters: { requests: 1 } }))).allowed;

  /** As a browser does it, without a credential. */
  async function visit(url: string, form?: Record<string, string>, accept = "*/*"): Promise<Response> {
    const { pathname } = new URL(url);
    return fetch(server.url + pathname, {
      method: form ? "POST" : "GET",
      headers: { accept },
      redirect: "manual",
      ...(form ? { body: new URLSearchParams(form) } : {}),
    });
  }

  test("the page of the sandbox has the look of the portal, the lines, and says that it is paid", async () => {
    const bucket = await newTestBucket(client, start);
    const plan = await createPlan(client, bucket, { ...monthly("30.00"), label: "Gold <b>" });
    await client.post("/v1/accounts/default/key-buckets", { name: "main" });
    const meteringBucket = bucket.replace("/v1/metering/", "");
    await setPortal(client, { title: "Acme & Sons", accentColor: "#aa3366", meteringBucket });
    const { url } = await ok(buy(bucket, plan));
    const page = await visit(url, undefined, "text/html");
    const html = await page.text();
    expect(html).toContain("Acme &amp; Sons");
    expect(html).toContain("Gold &lt;b&gt;");
    expect(html).toContain("#aa3366");
    expect(html).toContain("<button>Pay €30.00</button>");
    const declined = await (await visit(url, { method: "fails" }, "text/html")).text();
    expect(declined).toContain("The card was declined");
    const paid = await visit(url, { method: "succeeds" }, "text/html");
    expect(paid.status).toBe(200);
    const done = await paid.text();
    expect(done).toContain("Everything is paid.");
    expect(done).toContain(`content="2;url=${returnUrl.replaceAll("&", "&amp;")}"`);
    // The style is not blocked.
    const style = /<style>([\s\S]*)<\/style>/.exec(done)![1]!;
    const hash = new Bun.CryptoHasher("sha256").update(style).digest("base64");
    expect(paid.headers.get("content-security-policy")).toContain(`'sha256-${hash}'`);
  });

  test("a purchase is incomplete until its page is paid, and active then", async () => {
    const bucket = await newTestBucket(client, start);
    const plan = await createPlan(client, bucket, monthly("30.00"));
    const { subscriptionId, url } = await ok(buy(bucket, plan));
    expect(await statusOf(bucket, subscriptionId)).toBe("incomplete");
    expect((await ok(client.get(`${bucket}/subscriptions?status=incomplete`))).total).toBe(1);
    expect(await consume(bucket, subscriptionId)).toBe(false);
    const page = await visit(url);
    expect(page.status).toBe(200);
    expect(page.headers.get("content-security-policy")).toContain("form-action 'self' https://shop.example;");
    const html = await page.text();
    expect(html).toContain("€30.00");
    expect(html).not.toContain("<script");
    const paid = await visit(url, { method: "succeeds" });
    expect([paid.status, paid.headers.get("location")]).toEqual([303, returnUrl]);
    expect(await ok(client.get(`${bucket}/subscriptions/${subscriptionId}`))).toMatchObject({
      status: "active",
      payment: { state: "paid", since: start },
    });
    expect(await consume(bucket, subscriptionId)).toBe(true);
    expect(await invoicesOf(client, bucket)).toMatchObject([{ status: "paid", total: "30.00", subscriptionId }]);
    // The payment method pays the renewal.
    await moveTo(client, bucket, "2031-02-01T00:00:00.000Z");
    expect((await invoicesOf(client, bucket)).map(({ status }) => status)).toEqual(["paid", "paid"]);
  });

  test("a declined card is reported on the page, and another one pays", async () => {
    const bucket = await newTestBucket(client, start);
    const { subscriptionId, url } = await ok(buy(bucket, await createPlan(client, bucket, monthly("30.00"))));
    const declined = await visit(url, { method: "fails" });
    expect(declined.status).toBe(200);
    expect(await declined.text()).toContain("The card was declined.");
    expect(await (await visit(url)).text()).toContain("The card was declined.");
    expect(await ok(client.get(`${bucket}/subscriptions/${subscriptionId}`))).toMatchObject({
      status: "incomplete",
      payment: { state: "failed" },
    });
    expect((await visit(url, { method: "succeeds" })).status).toBe(303);
    expect(await statusOf(bucket, subscriptionId)).toBe("active");
  });

  test("a second step is confirmed on the page", async () => {
    const bucket = await newTestBucket(client, start);
    const { subscriptionId, url } = await ok(buy(bucket, await createPlan(client, bucket, monthly("30.00"))));
    const step = await visit(url, { method: "needs-action" }, "application/json");
    expect(await step.json()).toMatchObject({ step: "confirmation", due: [{ currency: "EUR", amountDue: "30.00" }] });
    const rejected = await visit(url, { confirm: "no" }, "application/json");
    expect(await rejected.json()).toMatchObject({ step: "method", failure: "not-confirmed" });
    expect(await statusOf(bucket, subscriptionId)).toBe("incomplete");
    expect((await visit(url, { confirm: "yes" })).status).toBe(303);
    expect(await statusOf(bucket, subscriptionId)).toBe("active");
  });

  test("a purchase that is not paid within a day expires, and its invoice is void", async () => {
    const bucket = await newTestBucket(client, start);
    const { subscriptionId, url } = await ok(buy(bucket, await createPlan(client, bucket, monthly("30.00"))));
    await moveTo(client, bucket, "2031-01-01T23:59:59.999Z");
    expect(await statusOf(bucket, subscriptionId)).toBe("incomplete");
    await moveTo(client, bucket, "2031-01-02T00:00:00.000Z");
    expect(await statusOf(bucket, subscriptionId)).toBe("incomplete-expired");
    expect((await ok(client.get(`${bucket}/subscriptions?status=incomplete-expired`))).total).toBe(1);
    expect(await invoicesOf(client, bucket)).toMatchObject([{ status: "void", amountDue: "0.00" }]);
    expect((await visit(url, { method: "succeeds" })).status).toBe(303);
    expect(await statusOf(bucket, subscriptionId)).toBe("incomplete-expired");
    await moveTo(client, bucket, "2031-05-01T00:00:00.000Z");
    expect(await invoicesOf(client, bucket)).toHaveLength(1);
  });

  test("a status that a client sets ends the purchase, and is not overwritten", async () => {
    const bucket = await newTestBucket(client, start);
    const plan = await createPlan(client, bucket, monthly("30.00"));
    const first = await ok(buy(bucket, plan));
    await ok(client.patch(`${bucket}/subscriptions/${first.subscriptionId}`, { status: "canceled" }));
    expect(await invoicesOf(client, bucket)).toMatchObject([{ status: "void" }]);
    const second = await ok(buy(bucket, plan));
    await ok(client.patch(`${bucket}/subscriptions/${second.subscriptionId}`, { status: "incomplete" }));
    await moveTo(client, bucket, "2031-01-05T00:00:00.000Z");
    expect(await statusOf(bucket, second.subscriptionId)).toBe("incomplete");
    const third = await ok(buy(bucket, plan));
    expect((await client.delete(`${bucket}/subscriptions/${third.subscriptionId}`)).status).toBe(204);
    expect((await invoicesOf(client, bucket)).map(({ status }) => status)).toEqual(["void", "void", "void"]);
  });

  test("a free plan needs no url and is active at once, and a purchase replaces free subscriptions", async () => {
    const bucket = await newTestBucket(client, start);
    const free = await ok(buy(bucket, await createPlan(client, bucket)));
    expect(Object.keys(free)).toEqual(["subscriptionId"]);
    expect(await statusOf(bucket, free.subscriptionId)).toBe("active");
    const gold = await createPlan(client, bucket, monthly("30.00"));
    const abandoned = await ok(buy(bucket, gold));
    const { subscriptionId, url } = await ok(buy(bucket, gold));
    expect(await statusOf(bucket, abandoned.subscriptionId)).toBe("incomplete-expired");
    expect(await statusOf(bucket, free.subscriptionId)).toBe("active");
    await visit(url, { method: "succeeds" });
    expect(await statusOf(bucket, free.subscriptionId)).toBe("canceled");
    expect(await statusOf(bucket, subscriptionId)).toBe("active");
    expectProblem(await buy(bucket, gold), 409, "customer_has_subscription");
    expect((await invoicesOf(client, bucket)).map(({ status }) => status)).toEqual(["void", "paid"]);
  });

  test("a payment method that is known pays at once, and billed usage needs one too", async () => {
    const bucket = await newTestBucket(client, start);
    const payAsYouGo = await createPlan(client, bucket, { ...monthly("0"), rates: { requests: perUnit("0.10") } });
    const { subscriptionId, url } = await ok(buy(bucket, payAsYouGo));
    expect(await statusOf(bucket, subscriptionId)).toBe("incomplete");
    expect(await (await visit(url)).text()).toContain("Nothing is due now.");
    expect((await visit(url, { method: "succeeds" })).status).toBe(303);
    expect(await statusOf(bucket, subscriptionId)).toBe("active");
    await ok(client.post(`${bucket}/subscriptions/${subscriptionId}/$cancel`, { timing: "now" }));
    const known = await ok(buy(bucket, await createPlan(client, bucket, monthly("30.00"))));
    expect(known.url).toBeUndefined();
    expect(await statusOf(bucket, known.subscriptionId)).toBe("active");
  });

  test("a trial begins at once, or once a payment method is known, and once for each customer", async () => {
    const bucket = await newTestBucket(client, start);
    const open = await createPlan(client, bucket, { ...monthly("30.00"), trialDays: 14 });
    const first = await ok(buy(bucket, open));
    expect(first.url).toBeUndefined();
    expect(await ok(client.get(`${bucket}/subscriptions/${first.subscriptionId}`))).toMatchObject({
      status: "trialing",
      trialEndDate: "2031-01-15T00:00:00.000Z",
    });
    await ok(client.post(`${bucket}/subscriptions/${first.subscriptionId}/$cancel`, { timing: "now" }));
    const again = await ok(buy(bucket, open));
    expect(await statusOf(bucket, again.subscriptionId)).toBe("incomplete");
    const collecting = await createPlan(client, bucket, {
      ...monthly("30.00"),
      trialDays: 14,
      isTrialCollectPayment: true,
    });
    const { subscriptionId, url } = await ok(buy(bucket, collecting, { customerKey: "globex" }));
    expect(await statusOf(bucket, subscriptionId)).toBe("incomplete");
    expect((await visit(url, { method: "succeeds" })).status).toBe(303);
    expect(await statusOf(bucket, subscriptionId)).toBe("trialing");
    await moveTo(client, bucket, "2031-01-15T00:00:00.000Z");
    expect(await invoicesOf(client, bucket, "?customerKey=globex")).toMatchObject([{ status: "paid" }]);
  });

  test("with manual payments there is no url, and the paid invoice activates the subscription, also after a day", async () => {
    const path = `/v1/accounts/${account}/payment-provider/test`;
    await ok(client.raw("PUT", path, JSON.stringify({ type: "manual" })));
    const bucket = await newTestBucket(client, start);
    const bought = await ok(buy(bucket, await createPlan(client, bucket, monthly("30.00"))));
    expect(bought.url).toBeUndefined();
    await moveTo(client, bucket, "2031-01-03T00:00:00.000Z");
    expect(await statusOf(bucket, bought.subscriptionId)).toBe("incomplete-expired");
    const [invoice] = await invoicesOf(client, bucket);
    await ok(client.post(`${bucket}/invoices/${invoice.id}/$mark-paid`));
    expect(await statusOf(bucket, bought.subscriptionId)).toBe("active");
    await moveTo(client, bucket, "2031-02-01T00:00:00.000Z");
    expect((await invoicesOf(client, bucket)).map(({ total }) => total)).toEqual(["30.00", "30.00"]);
    await ok(client.raw("PUT", path, JSON.stringify({ type: "sandbox" })));
  });

  test("changes of a purchase that is not paid are rejected", async () => {
    const bucket = await newTestBucket(client, start);
    const plan = await createPlan(client, bucket, monthly("30.00"));
    const { subscriptionId } = await ok(buy(bucket, plan));
    const path = `${bucket}/subscriptions/${subscriptionId}`;
    const change = { planExternalIds: [plan.planExternalId] };
    expectProblem(await client.post(`${path}/$change`, change), 409, "subscription_not_in_force");
    expectProblem(await client.post(`${path}/$cancel`), 409, "subscription_not_in_force");
  });

  test("a purchase beside a subscription with a price is rejected, and changes nothing", async () => {
    const bucket = await newTestBucket(client, start);
    const plan = await createPlan(client, bucket, monthly("30.00"));
    await subscribe(client, bucket, [plan]);
    expectProblem(await buy(bucket, plan), 409, "customer_has_subscription");
    expect((await ok(client.get(`${bucket}/subscriptions`))).total).toBe(1);
  });

  describe("a purchase is rejected:", () => {
    test.each<[what: string, body: object, pointer: string]>([
      ["without a customer", { customerKey: undefined }, "/customerKey"],
      ["without plans", { planExternalIds: [] }, "/planExternalIds"],
      ["with an unknown plan", { planExternalIds: ["none"] }, "/planExternalIds/0"],
      ["with a script as return address", { returnUrl: "javascript:alert(1)" }, "/returnUrl"],
      ["without a return address", { returnUrl: undefined }, "/returnUrl"],
      ["with an unknown field", { coupon: "x" }, "/coupon"],
    ])("%s", async (_, body, pointer) => {
      const bucket = await newMeteringBucket(client);
      const plan = await createPlan(client, bucket);
      const response: ClientResponse = await buy(bucket, plan, body);
      expectProblem(response, 400, "validation_failed");
      expect(response.body.errors[0].pointer).toBe(pointer);
      expect((await ok(client.get(`${bucket}/subscriptions`))).total).toBe(0);
    });

    test("without a credential, and in another account's bucket", async () => {
      const bucket = await newMeteringBucket(client);
      const plan = await createPlan(client, bucket);
      const body = { customerKey: "acme", planExternalIds: [plan.planExternalId], returnUrl };
      const path = `${bucket}/subscriptions/$purchase`;
      expectProblem(await client.anonymous().post(path, body), 401, "unauthenticated");
      expectProblem(await client.post("/v1/metering/mtr_none/subscriptions/$purchase", body), 404, "not_found");
    });

    test("without a billing profile", async () => {
      const other = await startServer(engine);
      try {
        const bucket = await newTestBucket(other.client, start);
        const plan = await createPlan(other.client, bucket, monthly("30.00"));
        const body = { customerKey: "acme", planExternalIds: [plan.planExternalId], returnUrl };
        const path = `${bucket}/subscriptions/$purchase`;
        expectProblem(await other.client.post(path, body), 409, "billing_profile_missing");
        expect((await ok(other.client.get(`${bucket}/subscriptions`))).total).toBe(0);
      } finally {
        await other.stop();
      }
    });
  });

  test("a payment page is 404 with an unknown or expired token, and 400 with an unknown choice", async () => {
    const bucket = await newTestBucket(client, start);
    const { url } = await ok(buy(bucket, await createPlan(client, bucket, monthly("30.00"))));
    expect((await visit(`${url}x`)).status).toBe(404);
    expect((await visit(`${url}x`, { method: "succeeds" })).status).toBe(404);
    expect((await visit(url, { method: "gold" })).status).toBe(400);
    expect(await invoicesOf(client, bucket)).toMatchObject([{ status: "open" }]);
    server.clock.advance(24 * 60 * 60 * 1000);
    expect((await visit(url)).status).toBe(404);
  });
});
