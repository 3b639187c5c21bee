import { beforeEach, describe, expect, test } from "bun:test";
import { ok } from "../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { liveProvider, useStripeScene, webhookSecret } from "../../../../../test/support/stripe/stripe-scene.ts";
import { providerTypes } from "./interface.ts";

type Sold = Awaited<ReturnType<ReturnType<typeof useStripeScene>["subscribed"]>>;

eachEngine((engine) => {
  const scene = useStripeScene(engine);
  const { subscribed } = scene;
  const credentials = { secretKey: "sk_live_1", webhookSecret };

  /** How an open invoice is paid. The rest is the same with every provider. */
  const pay: Record<(typeof providerTypes)[number], (sold: Sold) => Promise<unknown>> = {
    manual: ({ path }) => ok(scene.client.post(`${path}/$mark-paid`, {})),
    sandbox: async ({ bucket, path }) => {
      const method = JSON.stringify({ type: "sandbox", behavior: "succeeds" });
      await ok(scene.client.raw("PUT", `${bucket}/customers/acme/payment-method`, method));
      await ok(scene.client.post(`${path}/$collect`, {}));
    },
    stripe: () => scene.server.catchUp(),
  };

  describe.each([...providerTypes])("with the provider %s", (type) => {
    beforeEach(async () => {
      const settings = { type, ...(type === "stripe" ? credentials : {}) };
      await ok(scene.client.raw("PUT", liveProvider, JSON.stringify(settings)));
    });

    test("an invoice is open until it is paid, and a part of it is refunded", async () => {
      const sold = await subscribed();
      const { bucket, path } = sold;
      expect(await ok(scene.client.get(path))).toMatchObject({ status: "open", amountDue: "30.00" });
      await pay[type](sold);
      expect(await ok(scene.client.get(path))).toMatchObject({ status: "paid", amountDue: "0.00" });
      const lines = [{ description: "Outage", amount: "10.00" }];
      const note = await ok(scene.client.post(`${path}/$credit`, { lines, to: "payment-method" }));
      await scene.server.catchUp();
      const { refund } = await ok(scene.client.get(`${bucket}/invoices/${note.id}`));
      expect(refund).toEqual({ amount: "10.00", state: "succeeded" });
      expect(await ok(scene.client.get(path))).toMatchObject({ status: "paid", credited: "10.00", refunded: "10.00" });
      expect(await ok(scene.client.get(`${bucket}/customers/acme`))).not.toHaveProperty("balances");
    });

    test("an invoice that was voided is not paid any more", async () => {
      const { id, path } = await subscribed();
      await ok(scene.client.post(`${path}/$void`, {}));
      await scene.server.catchUp();
      expectProblem(await scene.client.post(`${path}/$collect`, {}), 409, "invoice_not_open");
      expect(await ok(scene.client.get(path))).toMatchObject({ status: "void", amountDue: "0.00" });
      expect(scene.chargesOf(id)).toEqual([]);
    });
  });
});
