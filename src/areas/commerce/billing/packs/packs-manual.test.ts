import { expect, test } from "bun:test";
import { invoicesOf, ok, profile, rated, use } from "../../../../../test/support/billing.ts";
import { useConfiguredAccount } from "../../../../../test/support/configured-account.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { createPlan, subscribe } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";

const units = {
  label: "1,000 requests",
  price: { currency: "EUR", amount: "10.00" },
  grant: { meter: "requests", amount: 1000, expiresInDays: 30 },
};
const money = { ...units, label: "50 EUR", grant: { currency: "EUR", amount: "50.00" } };
const purchase = { packExternalId: "units", returnUrl: "https://shop.example/billing" };

eachEngine((engine) => {
  const server = useServer(engine);
  const configured = useConfiguredAccount(server);
  const settings = {
    billingProfile: { ...profile, taxRates: [{ name: "VAT", percentage: "20" }] },
    paymentProviders: { live: { type: "manual" } },
    meteringBuckets: { shop: {} },
  };

  /** A seller who marks invoices as paid, with a customer whose usage is paid from credit. */
  async function shop() {
    const { client } = configured;
    await configured.apply({ ...settings, creditPacks: { shop: { units, money } } });
    const bucket = "/v1/metering/shop";
    await subscribe(client, bucket, [await createPlan(client, bucket, rated("0.10", { max: 0 }))]);
    const customer = `${bucket}/customers/acme`;
    const buy = () => ok(client.post(`${customer}/packs/$purchase`, purchase));
    const read = (id: string) => ok(client.get(`${customer}/packs/${id}`));
    const grants = async () => (await ok(client.get(`${customer}/grants`))).data;
    return { bucket, customer, buy, read, grants };
  }

  test("with manual payments, a pack is delivered once when its invoice is marked as paid, and refunded outside", async () => {
    const { client } = configured;
    const { bucket, customer, buy, read, grants } = await shop();
    const { purchaseId, ...rest } = await buy();
    expect(rest).toEqual({});
    const { invoiceId, ...open } = await read(purchaseId);
    expect(open).toMatchObject({ state: "open", total: { currency: "EUR", amount: "12.00" } });
    expect(open).not.toHaveProperty("expiresOn");
    // Without online payments, a second purchase does not replace the first one.
    const other = (await buy()).purchaseId;
    await server.catchUp();
    expect(await grants()).toEqual([]);
    const invoice = `${bucket}/invoices/${invoiceId}`;
    const markPaid = () => client.post(`${invoice}/$mark-paid`, {});
    const both = await Promise.all([markPaid(), markPaid()]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expectProblem(await markPaid(), 409, "invoice_not_open");
    expect(await read(purchaseId)).toMatchObject({ state: "paid" });
    expect((await read(other)).state).toBe("open");
    expect(await grants()).toMatchObject([{ purchaseId, amount: 1000, balance: 1000, funding: "prepaid" }]);
    await use(client, bucket, 250);
    expect(await ok(client.post(`${customer}/packs/${purchaseId}/$refund`))).toEqual({
      amount: "9.00",
      state: "succeeded",
    });
    expect(await grants()).toMatchObject([{ balance: 0 }]);
    expect(await ok(client.get(invoice))).toMatchObject({ status: "paid", credited: "9.00", refunded: "9.00" });
  });

  test("with manual payments, voiding the invoice cancels the pack, and a top-up is rejected", async () => {
    const { client } = configured;
    const { bucket, customer, buy, read, grants } = await shop();
    const { purchaseId } = await buy();
    const { invoiceId } = await read(purchaseId);
    await ok(client.post(`${bucket}/invoices/${invoiceId}/$void`, {}));
    expect((await read(purchaseId)).state).toBe("canceled");
    expectProblem(await client.post(`${bucket}/invoices/${invoiceId}/$mark-paid`, {}), 409, "invoice_not_open");
    const topUp = { packExternalId: "units", below: 100, maximumPerMonth: "24.00", isEnabled: true };
    expectProblem(await client.patch(customer, { topUp }), 409, "top_up_unavailable");
    expect(await ok(client.get(customer))).not.toHaveProperty("topUp");
    await server.catchUp();
    expect(await grants()).toEqual([]);
    expect(await invoicesOf(client, bucket)).toHaveLength(1);
  });

  test("packs are created, changed, dumped and pruned as configuration", async () => {
    const { client } = configured;
    const files = { ...settings, creditPacks: { shop: { units, money } } };
    const steps = await configured.steps(files);
    expect(steps.filter((step) => step.includes("creditPacks"))).toEqual([
      "create creditPacks shop units",
      "create creditPacks shop money",
    ]);
    await configured.apply(files, { as: "shop" });
    expect(await configured.steps(files)).toEqual([]);
    expect((await configured.dump()).creditPacks).toEqual({ shop: { units, money } });
    const packs = "/v1/metering/shop/credit-packs";
    expect((await ok(client.get(packs))).data).toMatchObject([
      { packExternalId: "units", ...units, isPublic: false, position: 0 },
      { packExternalId: "money", ...money, isPublic: false, position: 0 },
    ]);

    const changed = { shop: { units: { ...units, label: "More", isPublic: true, position: 2 }, money } };
    expect(await configured.steps({ creditPacks: changed })).toEqual(["update creditPacks shop units"]);
    await configured.apply({ creditPacks: changed });
    expect((await configured.dump()).creditPacks).toEqual(changed);

    const pruned = { meteringBuckets: { shop: {} }, creditPacks: { shop: { units: changed.shop.units } } };
    const options = { as: "shop", prune: true };
    expect(await configured.steps(pruned, options)).toEqual(["delete creditPacks shop money"]);
    await configured.apply(pruned, options);
    expect((await configured.dump()).creditPacks).toEqual(pruned.creditPacks);
  });

  test("price and grant of a pack cannot be changed by configuration, and nothing else of the file is applied", async () => {
    await configured.apply({ ...settings, creditPacks: { shop: { units } } });
    const price = { currency: "EUR", amount: "11.00" };
    for (const [field, value] of Object.entries({ price, grant: money.grant })) {
      const creditPacks = { shop: { units: { ...units, [field]: value }, money } };
      expectProblem(await configured.plan({ creditPacks }), 400, "validation_failed", {
        pointer: `/configuration/creditPacks/shop/units/${field}`,
      });
    }
    const invalid = { shop: { units: { ...units, price: { currency: "EUR", amount: 10 } } } };
    expectProblem(await configured.plan({ creditPacks: invalid }), 400, "validation_failed", {
      pointer: "/configuration/creditPacks/shop/units/price/amount",
    });
    const elsewhere = { other: { units } };
    expectProblem(await configured.plan({ creditPacks: elsewhere }), 409, "configuration_conflict", {
      pointer: "/configuration/creditPacks/other/units",
    });
    expect((await configured.dump()).creditPacks).toEqual({ shop: { units } });
  });
});
