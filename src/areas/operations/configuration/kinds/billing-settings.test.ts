import { expect, test } from "bun:test";
import { useConfiguredAccount } from "../../../../../test/support/configured-account.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../../test/support/server.ts";

eachEngine((engine) => {
  const configured = useConfiguredAccount(useServer(engine));
  const billingProfile = {
    legalName: "Weather Inc.",
    address: { line1: "1 Main St", city: "Springfield", country: "US" },
    numberPrefix: "W-",
    taxBehavior: "inclusive",
  };
  const paymentProviders = { live: { type: "sandbox" } };
  const get = async (path: string) => (await configured.client.get(`/v1/accounts/${configured.name}/${path}`)).body;

  test("sets the billing profile and the payment providers, and repeats nothing", async () => {
    const both = { billingProfile, paymentProviders };
    expect(await configured.steps(both)).toEqual(["create billingProfile seller", "create paymentProviders live"]);
    await configured.apply(both);
    expect(await get("billing-profile")).toMatchObject({ ...billingProfile, termsDays: 14, graceDays: 3 });
    expect(await get("payment-provider/live")).toMatchObject({ type: "sandbox" });
    expect(await configured.steps(both)).toEqual([]);
    expect(await configured.dump()).toMatchObject(both);
    expect((await configured.dump()).billingProfile).toEqual(billingProfile);

    const changed = {
      billingProfile: { ...billingProfile, termsDays: 30, taxBehavior: "exclusive" },
      paymentProviders: { live: { type: "manual" }, test: { type: "sandbox" } },
    };
    expect(await configured.steps(changed)).toEqual([
      "update billingProfile seller",
      "update paymentProviders live",
      "create paymentProviders test",
    ]);
    await configured.apply(changed);
    expect(await get("billing-profile")).toMatchObject({ termsDays: 30, taxBehavior: "exclusive" });
    expect(await get("payment-provider/live")).toMatchObject({ type: "manual" });
  });

  test("settings are never pruned", async () => {
    await configured.apply({ billingProfile, paymentProviders, keyBuckets: { main: {} } }, { as: "shop" });
    const pruned = { keyBuckets: {}, paymentProviders: {} };
    expect(await configured.steps(pruned, { as: "shop", prune: true })).toEqual(["delete keyBuckets main"]);
  });

  test("a price in the same file needs no second apply, and has no note about missing settings", async () => {
    const plan = (price: object) => ({ label: "Pro", meters: { requests: { max: 100 } }, price, isPublic: true });
    const files = {
      meteringBuckets: { shop: {}, trial: { isTest: true } },
      plans: {
        shop: { pro: plan({ currency: "USD", amount: "10.00", interval: "month" }) },
        trial: { pro: plan({ currency: "USD", amount: "10.00", interval: "month" }) },
      },
      keyBuckets: { main: {} },
      portals: { main: { title: "Weather", meteringBucket: "shop" } },
    };
    const notes = async (configuration: object) => {
      const { body } = await configured.plan(configuration);
      return body.steps.flatMap((step: { notes?: string[] }) => step.notes ?? []);
    };
    // The sandbox pays the invoices of test buckets by default.
    expect(await notes(files)).toHaveLength(3);
    expect(await notes({ ...files, billingProfile })).toHaveLength(1);
    expect(await notes({ ...files, billingProfile, paymentProviders })).toEqual([]);
    await configured.apply({ ...files, billingProfile, paymentProviders });
    expect((await get("key-buckets/main/portal")).warnings).toBeUndefined();
    expect((await configured.dump()).meteringBuckets).toEqual({ shop: {}, trial: { isTest: true } });
    expect(await configured.steps(files)).toEqual([]);
    expectProblem(await configured.plan({ meteringBuckets: { trial: {} } }), 400, "validation_failed", {
      pointer: "/configuration/meteringBuckets/trial/isTest",
    });
  });

  test("a file keeps Stripe, and cannot choose it without its keys", async () => {
    const stripe = { live: { type: "stripe" } };
    const pointer = "/configuration/paymentProviders/live/type";
    expectProblem(await configured.plan({ paymentProviders: stripe }), 400, "validation_failed", { pointer });
    const keys = { type: "stripe", secretKey: "sk_live_51abcDEFghiJKL", webhookSecret: "whsec_abc" };
    const path = `/v1/accounts/${configured.name}/payment-provider/live`;
    expect((await configured.client.raw("PUT", path, JSON.stringify(keys))).status).toBe(200);
    expect(await configured.steps({ paymentProviders: stripe })).toEqual([]);
    expect((await configured.dump()).paymentProviders).toEqual(stripe);
    await configured.apply({ paymentProviders });
    expect(await get("payment-provider/live")).toMatchObject({ type: "sandbox" });
  });

  test("invalid settings have pointers, roles apply, and a setting that was changed meanwhile is not overwritten", async () => {
    const invalidProfile = { ...billingProfile, numberPrefix: "no spaces" };
    expectProblem(await configured.plan({ billingProfile: invalidProfile }), 400, "validation_failed", {
      pointer: "/configuration/billingProfile/numberPrefix",
    });
    expectProblem(
      await configured.plan({ paymentProviders: { prod: { type: "sandbox" } } }),
      400,
      "validation_failed",
      {
        pointer: "/configuration/paymentProviders/prod",
      },
    );
    const price = { currency: "USD", amount: 10, interval: "month" };
    const plans = { shop: { pro: { label: "Pro", meters: { requests: { max: 1 } }, price } } };
    expect((await configured.plan({ meteringBuckets: { shop: {} }, plans })).body.errors).toEqual([
      {
        pointer: "/configuration/plans/shop/pro/price/amount",
        detail: 'must be a decimal as text, such as "10.00"',
      },
    ]);
    const editor = await configured.withRole("editor");
    const configuration = { version: 1, paymentProviders };
    expectProblem(await editor.post(`${configured.path}/$plan`, { configuration }), 403, "forbidden");
    const { body } = await configured.plan({ billingProfile, paymentProviders });
    await configured.apply({ billingProfile: { ...billingProfile, legalName: "Other Inc." } });
    expectProblem(await configured.applyPlan(body.planId), 409, "configuration_changed");
    expect(await get("billing-profile")).toMatchObject({ legalName: "Other Inc." });
    expect(await get("payment-provider/live")).toMatchObject({ type: "manual" });
  });
});
