import { expect, test } from "bun:test";
import { invoicesOf, monthly, ok } from "../../../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../../../test/support/engines.ts";
import { createPlan } from "../../../../../../../test/support/metering.ts";
import { methods } from "../../../../../../../test/support/stripe/book.ts";
import { useStripeScene } from "../../../../../../../test/support/stripe/stripe-scene.ts";

eachEngine((engine) => {
  const scene = useStripeScene(engine);
  const { stripe, remoteOf, chargesOf, later, subscribed } = scene;
  const refund = (subscription: string) =>
    ok(scene.client.post(`${subscription}/$cancel`, { timing: "now", refund: true }));
  const balancesOf = async (bucket: string) => (await ok(scene.client.get(`${bucket}/customers/acme`))).balances;
  const notesAt = (id: string) => stripe.book.creditNotes.filter(({ invoice }) => invoice === remoteOf(id).id);

  test("a fee that Stripe collected is returned as a grant, and credited outside of Stripe", async () => {
    const { bucket, id, path, subscription } = await subscribed();
    await scene.server.catchUp();
    expect(chargesOf(id)).toEqual([3000]);
    await refund(subscription);
    await later();
    expect(await balancesOf(bucket)).toEqual([{ currency: "EUR", amount: "30.00" }]);
    expect(notesAt(id)).toMatchObject([{ out_of_band_amount: 3000 }]);
    expect(await ok(scene.client.get(path))).toMatchObject({ status: "paid", collection: { state: "paid" } });
  });

  test("a fee whose charge was declined is not returned: less is due at Stripe", async () => {
    stripe.book.defaultMethod = methods.fails;
    const { bucket, id, path, subscription } = await subscribed();
    await scene.server.catchUp();
    expect((await ok(scene.client.get(path))).status).toBe("open");
    const { planExternalId } = await createPlan(scene.client, bucket);
    await ok(scene.client.post(`${subscription}/$change`, { planExternalIds: [planExternalId], timing: "now" }));
    expect(await balancesOf(bucket)).toBeUndefined();
    expect(await ok(scene.client.get(path))).toMatchObject({ status: "paid", credited: "30.00", amountDue: "0.00" });
    await later();
    expect(remoteOf(id)).toMatchObject({ status: "paid", pre_payment_credit_notes_amount: 3000 });
    expect(chargesOf(id)).toEqual([]);
    expect(await balancesOf(bucket)).toBeUndefined();
  });

  test("a change before Stripe has charged the fee reduces what it charges, and the next invoice has the new fee", async () => {
    const { bucket, id, subscription } = await subscribed();
    const { planExternalId } = await createPlan(scene.client, bucket, monthly("90.00"));
    await ok(scene.client.post(`${subscription}/$change`, { planExternalIds: [planExternalId], timing: "now" }));
    await later();
    const [first, note, second] = await invoicesOf(scene.client, bucket);
    expect(first).toMatchObject({ id, status: "paid", credited: "30.00" });
    expect(note).toMatchObject({ type: "credit-note", correctsId: id });
    expect([chargesOf(id), chargesOf(second.id)]).toEqual([[], [9000]]);
    expect(await balancesOf(bucket)).toBeUndefined();
  });

  test("a fee that Stripe collected is credited on the next invoice at Stripe", async () => {
    const { bucket, id, path, subscription } = await subscribed();
    await scene.server.catchUp();
    const { planExternalId } = await createPlan(scene.client, bucket, monthly("90.00"));
    await ok(scene.client.post(`${subscription}/$change`, { planExternalIds: [planExternalId], timing: "now" }));
    await later();
    const [, second, ...others] = await invoicesOf(scene.client, bucket);
    expect(others).toEqual([]);
    expect([chargesOf(id), chargesOf(second.id), notesAt(id)]).toEqual([[3000], [6000], []]);
    expect(await ok(scene.client.get(path))).toMatchObject({ netted: "30.00", collection: { state: "paid" } });
  });
});
