import { beforeAll, describe, expect, test } from "bun:test";
import { Stripe } from "stripe";
import { ok } from "../../../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../../../test/support/expect-problem.ts";
import { operatorToken } from "../../../../../../../test/support/server-settings.ts";
import { methods } from "../../../../../../../test/support/stripe/book.ts";
import { liveProvider, useStripeScene, webhookSecret } from "../../../../../../../test/support/stripe/stripe-scene.ts";
import { tableContent } from "../../../../../../../test/support/table-content.ts";

const path = `${liveProvider}/events`;

eachEngine((engine) => {
  const scene = useStripeScene(engine);
  const { stripe, clock, remoteOf, chargesOf, subscribed } = scene;

  async function headerOf(payload: string, secret = webhookSecret, ageSeconds = 0) {
    const timestamp = Math.floor(clock.now() / 1000) - ageSeconds;
    return Stripe.webhooks.generateTestHeaderStringAsync({ payload, secret, timestamp });
  }

  async function send(
    event: object,
    { to = path, secret = webhookSecret, ageSeconds = 0, change = (t: string) => t } = {},
  ) {
    const payload = JSON.stringify(event, undefined, 2);
    const signature = await headerOf(payload, secret, ageSeconds);
    const headers = { "content-type": "application/json", "stripe-signature": signature };
    const response = await fetch(scene.server.url + to, { method: "POST", headers, body: change(payload) });
    const text = await response.text();
    return {
      method: "POST",
      path: to,
      status: response.status,
      headers: response.headers,
      text,
      body: JSON.parse(text),
    };
  }

  const eventsOf = (id: string) => stripe.book.events.filter(({ data }) => (data.object as { id: string }).id === id);
  const processed = async () => (await tableContent(scene.server.database, "stripe_events")).length;

  test("an event makes the invoice be compared now, once, in any order", async () => {
    stripe.book.defaultMethod = methods.fails;
    const { id, path: invoice } = await subscribed();
    await scene.server.catchUp();
    const remote = remoteOf(id);
    stripe.book.settle(remote);
    const events = eventsOf(remote.id).reverse();
    expect(events.map(({ type }) => type)).toEqual([
      "invoice.paid",
      "invoice.payment_failed",
      "invoice.finalized",
      "invoice.created",
    ]);
    const before = await processed();
    for (const event of [...events, ...events]) expect((await send(event)).body).toEqual({ received: true });
    expect(await processed()).toBe(before + 4);
    await scene.server.catchUp();
    expect((await ok(scene.client.get(invoice))).status).toBe("paid");
    expect(chargesOf(id)).toEqual([3000]);
    // The same event later does nothing.
    const calls = stripe.received.length;
    await send(events[0]!);
    await scene.server.catchUp();
    expect(stripe.received.length).toBe(calls);
  });

  test("what an event claims is not believed", async () => {
    stripe.book.defaultMethod = methods.fails;
    const { id, path: invoice } = await subscribed();
    await scene.server.catchUp();
    const [event] = eventsOf(remoteOf(id).id);
    const forged = { ...event!, id: "evt_forged", type: "invoice.paid" };
    Object.assign(forged.data.object, { status: "paid", amount_paid: 3000, amount_remaining: 0 });
    expect((await send(forged)).status).toBe(200);
    await scene.server.catchUp();
    expect((await ok(scene.client.get(invoice))).status).toBe("open");
  });

  describe("is not lost if it arrives before the response", () => {
    test("an event is not lost if it arrives before the response to the call that created the invoice", async () => {
      stripe.book.defaultMethod = methods.takesDays;
      let received = 0;
      stripe.beforeResponse = async ({ method, path: called }) => {
        if (method !== "POST" || called !== "/v1/invoices") return;
        const created = [...stripe.book.invoices.keys()].at(-1)!;
        for (const event of eventsOf(created)) {
          expect((await send(event)).status).toBe(200);
          received += 1;
        }
      };
      const { id } = await subscribed();
      await scene.server.catchUp();
      await scene.server.catchUp();
      expect(received).toBe(1);
      const remote = `/v1/invoices/${remoteOf(id).id}`;
      const calls = stripe.received
        .filter(({ path: called }) => called.startsWith(remote))
        .map(({ method, path: called }) => `${method} ${called.split("?")[0]}`);
      // Once by the collection that finalized it, and once because of the event.
      const after = calls.slice(calls.indexOf(`POST ${remote}/finalize`) + 1);
      expect(after).toEqual([`GET ${remote}`, `GET ${remote}`]);
    });

    test("an event is not lost if it arrives before a response that is older", async () => {
      stripe.book.defaultMethod = methods.takesDays;
      const earlier = new Set(stripe.book.invoices.keys());
      stripe.beforeResponse = async ({ method, path: called }) => {
        const remote = [...stripe.book.invoices.values()].find((each) => !earlier.has(each.id));
        if (method !== "GET" || remote?.status !== "open" || !called.startsWith(`/v1/invoices/${remote.id}`)) return;
        // The response that is sent afterwards has the unpaid invoice.
        stripe.book.settle(remote);
        expect((await send(eventsOf(remote.id).at(-1)!)).status).toBe(200);
      };
      const { id, path: invoice } = await subscribed();
      await scene.server.catchUp();
      await scene.server.catchUp();
      expect(chargesOf(id)).toEqual([3000]);
      expect((await ok(scene.client.get(invoice))).status).toBe("paid");
    });
  });

  describe("is accepted and ignored:", () => {
    test.each<[what: string, change: object]>([
      ["an unknown type", { type: "climate.order.created" }],
      ["an unknown object", { data: { object: { id: "in_unknown", object: "invoice" } } }],
      ["an object without an id", { data: { object: { object: "invoice" } } }],
      ["the other mode", { livemode: false }],
      ["a connected account", { account: "acct_other" }],
    ])("%s", async (what, change) => {
      const event = { id: `evt_${what}`, object: "event", type: "invoice.paid", livemode: true, data: { object: {} } };
      const calls = stripe.received.length;
      expect((await send({ ...event, ...change })).status).toBe(200);
      await scene.server.catchUp();
      expect(stripe.received.length).toBe(calls);
    });
  });

  describe("is rejected, and nothing is stored:", () => {
    const event = { id: "evt_1", object: "event", type: "invoice.paid", livemode: true, data: { object: {} } };
    test.each<[what: string, options: Parameters<typeof send>[1]]>([
      ["another secret", { secret: "whsec_other" }],
      ["a signature that is too old", { ageSeconds: 301 }],
      ["other bytes, although the JSON is the same", { change: (text) => text.replaceAll("\n", "") }],
    ])("%s", async (_what, options) => {
      const before = await processed();
      expectProblem(await send(event, options), 400, "signature_invalid");
      expect(await processed()).toBe(before);
    });

    test("no signature", async () => {
      const response = await scene.client.anonymous().post(path, event);
      expectProblem(response, 400, "signature_invalid");
    });

    test("a mode without Stripe, another mode, and an unknown account", async () => {
      for (const to of ["test/events", "other/events"])
        expectProblem(await send(event, { to: liveProvider.replace("live", to) }), 404, "not_found");
      expectProblem(await send(event, { to: "/v1/accounts/nobody/payment-provider/live/events" }), 404, "not_found");
    });
  });

  describe("of another account of this server", () => {
    const other = "other-seller";
    const otherProvider = `/v1/accounts/${other}/payment-provider/live`;
    beforeAll(async () => {
      const operator = scene.client.as(operatorToken);
      await ok(operator.post("/v1/accounts", { name: other }));
      const settings = { type: "stripe", secretKey: "sk_live_2", webhookSecret: "whsec_other" };
      await ok(operator.raw("PUT", otherProvider, JSON.stringify(settings)));
    });

    test("its secret signs only for its own path, and does not reach our invoices", async () => {
      stripe.book.defaultMethod = methods.fails;
      const { id, path: invoice } = await subscribed();
      await scene.server.catchUp();
      const before = await ok(scene.client.get(invoice));
      const [event] = eventsOf(remoteOf(id).id);
      expectProblem(await send(event!, { secret: "whsec_other" }), 400, "signature_invalid");
      const calls = stripe.received.length;
      const accepted = await send(event!, { to: `${otherProvider}/events`, secret: "whsec_other" });
      expect(accepted.status).toBe(200);
      await scene.server.catchUp();
      expect(stripe.received.length).toBe(calls);
      expect(await ok(scene.client.get(invoice))).toEqual(before);
    });
  });

  test("signed events that are not events of Stripe are rejected, each with what is wrong", async () => {
    const event = { id: "evt_1", type: "invoice.paid", livemode: true, data: { object: { id: "in_1" } } };
    const before = await processed();
    for (const [sent, pointer] of [
      [null, ""],
      [[], ""],
      ["text", ""],
      [{}, "/id"],
      [{ ...event, id: undefined }, "/id"],
      [{ ...event, id: "" }, "/id"],
      [{ ...event, type: 1 }, "/type"],
      [{ ...event, livemode: undefined }, "/livemode"],
      [{ ...event, data: undefined }, "/data"],
      [{ ...event, data: null }, "/data"],
      [{ ...event, data: {} }, "/data/object"],
      [{ ...event, data: { object: null } }, "/data/object"],
    ] as const) {
      const { status, body } = await send(sent as object);
      expect([sent, status, body.errors?.[0]?.pointer]).toEqual([sent, 400, pointer]);
    }
    expect((await send(event, { change: (text) => text.slice(1) })).body.code).toBe("signature_invalid");
    expect(await processed()).toBe(before);
    expect((await send(event)).status).toBe(200);
  });
});
