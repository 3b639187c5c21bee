import { beforeAll, expect, test } from "bun:test";
import { invoicesOf, monthly, moveTo, ok } from "../../../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../../../test/support/engines.ts";
import { createPlan, subscribe } from "../../../../../../../test/support/metering.ts";
import { methods } from "../../../../../../../test/support/stripe/book.ts";
import {
  hour,
  liveProvider,
  useStripeScene,
  webhookSecret,
} from "../../../../../../../test/support/stripe/stripe-scene.ts";

const provider = liveProvider.replace("/live", "/test");
const day = 24 * hour;

eachEngine((engine) => {
  const scene = useStripeScene(engine);
  const { stripe, clock, remoteOf } = scene;
  beforeAll(() =>
    ok(scene.client.raw("PUT", provider, JSON.stringify({ type: "stripe", secretKey: "sk_test_1", webhookSecret }))),
  );

  /** An invoice that is open at Stripe, in a test bucket with an age. */
  async function openInvoice(age = 0) {
    stripe.book.defaultMethod = methods.fails;
    const bucket = `/v1/metering/${(await ok(scene.client.post("/v1/metering", { isTest: true }))).id}`;
    clock.advance(age);
    await subscribe(scene.client, bucket, [await createPlan(scene.client, bucket, monthly("30.00"))]);
    await scene.server.catchUp();
    const [{ id }] = await invoicesOf(scene.client, bucket);
    expect(remoteOf(id).status).toBe("open");
    return { bucket, id: id as string, path: `${bucket}/invoices/${id}` };
  }

  test("an invoice that is voided after the clock was moved is voided at Stripe at once", async () => {
    const { bucket, id, path } = await openInvoice();
    await moveTo(scene.client, bucket, clock.iso(10 * day));
    await ok(scene.client.post(`${path}/$void`));
    await scene.server.catchUp();
    expect(remoteOf(id).status).toBe("void");
  });

  test("in an old bucket, a new invoice is compared with Stripe, and soon without an event", async () => {
    const { id, path } = await openInvoice(40 * day);
    expect((await ok(scene.client.get(`${provider}/comparison`))).compared).toBe(1);
    stripe.book.settle(remoteOf(id));
    await scene.later(hour / 30);
    expect((await ok(scene.client.get(path))).status).toBe("paid");
  });
});
