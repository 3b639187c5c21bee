import { beforeEach, describe, expect, test } from "bun:test";
import { invoicesOf, monthly, ok } from "../../../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../../../test/support/expect-problem.ts";
import { createPlan, newMeteringBucket } from "../../../../../../../test/support/metering.ts";
import { methods } from "../../../../../../../test/support/stripe/book.ts";
import { announce, hour, useStripeScene } from "../../../../../../../test/support/stripe/stripe-scene.ts";

eachEngine((engine) => {
  const scene = useStripeScene(engine);
  const { stripe, chargesOf, remoteOf, later } = scene;

  /** A purchase of a plan, with the link to its checkout. */
  async function bought(bucket: string, planExternalId: string) {
    const body = { customerKey: "acme", planExternalIds: [planExternalId], returnUrl: "https://shop.example/" };
    const response = await scene.client.post(`${bucket}/subscriptions/$purchase`, body);
    if (response.status !== 200) return { response, subscription: "", url: "" };
    const { subscriptionId, url } = response.body;
    await scene.server.catchUp();
    return { response, subscription: `${bucket}/subscriptions/${subscriptionId}`, url: url as string };
  }

  async function shop() {
    const bucket = await newMeteringBucket(scene.client);
    await createPlan(scene.client, bucket, { planExternalId: "gold", ...monthly("30.00") });
    await createPlan(scene.client, bucket, { planExternalId: "basic", ...monthly("20.00") });
    return bucket;
  }

  /** The customer enters a payment method at the checkout, and it is charged. */
  async function checkOut(url: string, method: string) {
    await fetch(scene.server.url + new URL(url).pathname, { redirect: "manual" });
    stripe.book.completeSession([...stripe.book.sessions.values()].at(-1)!, method);
    await announce(scene);
  }

  const grantsOf = async (bucket: string) =>
    (await ok(scene.client.get(`${bucket}/customers/acme/grants`))).data.map(
      ({ amount, balance, funding }: Record<string, unknown>) => [amount, balance, funding],
    );
  const statusOf = async (path: string) => (await ok(scene.client.get(path))).status;
  const amounts = async (bucket: string) => {
    const invoices = await invoicesOf(scene.client, bucket);
    return invoices.flatMap(({ id }: { id: string }) => chargesOf(id));
  };

  /** The connection is lost once the card is charged. */
  function loseOutcome(): void {
    let isCharged = false;
    stripe.fault = ({ path }) => {
      if (!path.endsWith("/finalize")) return isCharged ? "lost-request" : "none";
      isCharged = true;
      return "lost-response";
    };
  }

  describe("a purchase", () => {
    beforeEach(() => {
      stripe.book.defaultMethod = null;
    });

    test("is not replaced while the outcome of its charge is unknown", async () => {
      const bucket = await shop();
      const { subscription, url } = await bought(bucket, "gold");
      loseOutcome();
      await checkOut(url, methods.succeeds);
      expect(await statusOf(subscription)).toBe("incomplete");
      expectProblem((await bought(bucket, "gold")).response, 409, "payment_in_progress");
      expect(await invoicesOf(scene.client, bucket)).toHaveLength(1);
      stripe.fault = () => "none";
      await later(5 * 60_000);
      expect(await statusOf(subscription)).toBe("active");
      expect(await amounts(bucket)).toEqual([3000]);
      expectProblem((await bought(bucket, "gold")).response, 409, "customer_has_subscription");
    });

    for (const action of ["canceled", "deleted"])
      test(`that is ${action} although it was charged is granted`, async () => {
        const bucket = await shop();
        const { subscription, url } = await bought(bucket, "gold");
        loseOutcome();
        await checkOut(url, methods.succeeds);
        const { client } = scene;
        if (action === "canceled") await ok(client.patch(subscription, { status: "canceled" }));
        else expect((await client.delete(subscription)).status).toBe(204);
        stripe.fault = () => "none";
        await later(5 * 60_000);
        const [invoice] = await invoicesOf(client, bucket);
        expect(invoice).toMatchObject({ status: "void", collection: { state: "paid" } });
        expect(await grantsOf(bucket)).toEqual([["30.00", "30.00", "paid"]]);
        await later();
        expect(await grantsOf(bucket)).toEqual([["30.00", "30.00", "paid"]]);
        expect(await amounts(bucket)).toEqual([3000]);
      });

    test("a purchase that replaces a declined one waits until that cannot be paid any more", async () => {
      const bucket = await shop();
      const first = await bought(bucket, "gold");
      await checkOut(first.url, methods.fails);
      stripe.fault = ({ path }) => (path.endsWith("/void") ? "lost-request" : "none");
      const second = await bought(bucket, "basic");
      await checkOut(second.url, methods.succeeds);
      expect(await amounts(bucket)).toEqual([]);
      stripe.fault = () => "none";
      await later(5 * 60_000);
      await later(5 * 60_000);
      const [replaced] = await invoicesOf(scene.client, bucket);
      expect(remoteOf(replaced.id).status).toBe("void");
      expect(await amounts(bucket)).toEqual([2000]);
      expect(await statusOf(second.subscription)).toBe("active");
    });

    test("is paid with the money of the one that it replaces, if that was paid after all", async () => {
      const bucket = await shop();
      const first = await bought(bucket, "gold");
      await checkOut(first.url, methods.fails);
      stripe.fault = ({ path }) => (path.endsWith("/void") ? "lost-request" : "none");
      const second = await bought(bucket, "basic");
      await checkOut(second.url, methods.succeeds);
      const [replaced] = await invoicesOf(scene.client, bucket);
      stripe.book.settle(remoteOf(replaced.id));
      stripe.fault = () => "none";
      await later(5 * 60_000);
      await later(5 * 60_000);
      expect(await amounts(bucket)).toEqual([3000]);
      expect(await statusOf(second.subscription)).toBe("active");
      expect(await grantsOf(bucket)).toEqual([["30.00", "10.00", "paid"]]);
      // Stripe has no invoice for it whose number could be shown.
      const paid = (await invoicesOf(scene.client, bucket)).at(-1);
      expect(paid).toMatchObject({ status: "paid", number: expect.stringMatching(/\d{6}$/) });
      expect(paid).not.toHaveProperty("collection");
    });

    test("does not expire while a bank debit is processed, and is active when the money arrives", async () => {
      const bucket = await shop();
      const { subscription, url } = await bought(bucket, "gold");
      await checkOut(url, methods.takesDays);
      expectProblem((await bought(bucket, "basic")).response, 409, "payment_in_progress");
      for (let day = 0; day < 3; day += 1) await later(25 * hour);
      expect(await statusOf(subscription)).toBe("incomplete");
      const [invoice] = await invoicesOf(scene.client, bucket);
      expect(invoice).toMatchObject({ status: "open", collection: { state: "pending" } });
      stripe.book.settle(remoteOf(invoice.id));
      await later();
      expect(await statusOf(subscription)).toBe("active");
      expect(await statusOf(`${bucket}/invoices/${invoice.id}`)).toBe("paid");
      expect(await amounts(bucket)).toEqual([3000]);
    });

    test("expires when a bank debit fails after its time, or its card was declined", async () => {
      for (const method of [methods.takesDays, methods.fails]) {
        const bucket = await shop();
        const { subscription, url } = await bought(bucket, "gold");
        await checkOut(url, method);
        await later(25 * hour);
        const [{ id }] = await invoicesOf(scene.client, bucket);
        if (method === methods.takesDays) stripe.book.bounce(remoteOf(id));
        await later();
        expect(remoteOf(id).status).toBe("void");
        expect(await statusOf(`${bucket}/invoices/${id}`)).toBe("void");
        expect(await statusOf(subscription)).toBe("incomplete-expired");
        expect(await amounts(bucket)).toEqual([]);
      }
    });
  });

  describe("a payment at Stripe is recorded, and what is too much is granted:", () => {
    beforeEach(() => {
      stripe.book.defaultMethod = methods.fails;
    });

    /** An invoice that the customer has paid at Stripe, which we do not know yet. */
    async function paidThere() {
      const { bucket, id, path } = await scene.subscribed();
      await scene.server.catchUp();
      stripe.book.settle(remoteOf(id));
      return { bucket, id, path };
    }

    test("the invoice was credited in the meantime", async () => {
      const { bucket, path } = await paidThere();
      await ok(scene.client.post(`${path}/$credit`, { lines: [{ description: "Outage", amount: "10.00" }] }));
      await later();
      await later();
      expect(await ok(scene.client.get(path))).toMatchObject({ status: "paid", collection: { state: "paid" } });
      expect(await grantsOf(bucket)).toEqual([["10.00", "10.00", "paid"]]);
    });

    test("it was marked as paid in the meantime", async () => {
      const { bucket, path } = await paidThere();
      await ok(scene.client.post(`${path}/$mark-paid`, { reference: "transfer" }));
      await later();
      await later();
      expect(await ok(scene.client.get(path))).toMatchObject({ reference: "transfer", collection: { state: "paid" } });
      expect(await grantsOf(bucket)).toEqual([["30.00", "30.00", "paid"]]);
    });

    for (const given of ["12.00", "40.00"])
      test(`a grant of ${given} has paid it in the meantime`, async () => {
        const { bucket, path } = await paidThere();
        const grant = { currency: "EUR", amount: given, funding: "paid" };
        await ok(scene.client.post(`${bucket}/customers/acme/grants`, grant));
        await ok(scene.client.post(`${path}/$collect`));
        await later();
        await later();
        expect(await ok(scene.client.get(path))).toMatchObject({ status: "paid", collection: { state: "paid" } });
        const grants = await grantsOf(bucket);
        expect(grants.reduce((sum: number, [, balance]: string[]) => sum + Number(balance), 0)).toBe(Number(given));
      });

    test("it was given up in the meantime", async () => {
      const { bucket, path } = await paidThere();
      await ok(scene.client.post(`${path}/$mark-uncollectible`));
      await later();
      expect(await statusOf(path)).toBe("paid");
      expect(await grantsOf(bucket)).toEqual([]);
    });
  });
});
