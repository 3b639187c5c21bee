import { describe, expect, test } from "bun:test";
import { monthly, ok, perUnit } from "../../../../test/support/billing.ts";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { createPlan, newMeteringBucket, planInput, subscriptionInput } from "../../../../test/support/metering.ts";
import { useServer } from "../../../../test/support/server.ts";

const price = { currency: "EUR", amount: "30.00", interval: "month" };
const yearly = { price: { ...price, interval: "year" } };
const carry = (requests: unknown) => ({ requests });
const bill = { overage: "bill", tierMode: "graduated" };

eachEngine((engine) => {
  const { client } = useServer(engine);

  test("a plan keeps its prices, also if a client replaces its meters", async () => {
    const bucket = await newMeteringBucket(client);
    const money = {
      price,
      rates: { requests: perUnit("0.0015") },
      rollover: { requests: { maximum: 0.5, periods: 120 } },
      features: { support: "mail", seats: 5, sso: true },
      description: "For teams",
      isPublic: true,
      position: 2,
    };
    const plan = await createPlan(client, bucket, money);
    expect(plan).toMatchObject(money);
    const path = `${bucket}/plans/${plan.id}`;
    expect(await ok(client.patch(path, { meters: { requests: { max: 7 } } }))).toMatchObject(money);
    const once = await ok(client.patch(path, { rollover: { requests: { maximum: 30 } } }));
    expect(once).toMatchObject({ ...money, rollover: { requests: { maximum: 30, periods: 1 } } });
    const free = await client.patch(path, { price: null, rates: null });
    expectProblem(free, 400, "validation_failed", { pointer: "/price" });
    const shown = { features: null, description: null, isPublic: null, position: null };
    const cleared = { price: null, rates: null, rollover: null, ...shown };
    const bare = await ok(client.patch(path, cleared));
    for (const name of Object.keys(money)) expect(bare).not.toHaveProperty(name);
  });

  describe("invalid prices are rejected:", () => {
    test.each(
      casesFor<[pointer: string, plan: object]>(engine, [
        ["/price/currency", { price: { ...price, currency: "EURO" } }],
        ["/price/amount", { price: { ...price, amount: "-1" } }],
        ["/price/amount", { price: { ...price, amount: "1.005" } }],
        ["/price/amount", { price: { ...price, amount: 30 } }],
        ["/price/amount", { price: { ...price, currency: "JPY", amount: "0.5" } }],
        ["/price/interval", { price: { ...price, interval: "week" } }],
        ["/price", { rates: { requests: perUnit("1") } }],
        ["/rates/other", { price, rates: { other: perUnit("1") } }],
        ["/rates/requests/tiers", { price, rates: { requests: { overage: "bill", tierMode: "graduated" } } }],
        [
          "/rates/requests/tierMode",
          { price, rates: { requests: { overage: "bill", tiers: [{ upTo: null, unitAmount: "1" }] } } },
        ],
        [
          "/rates/requests/tiers/0/upTo",
          { price, rates: { requests: { ...bill, tiers: [{ upTo: 5, unitAmount: "1" }] } } },
        ],
        [
          "/rates/requests/tiers/1/upTo",
          {
            price,
            rates: {
              requests: {
                ...bill,
                tiers: [
                  { upTo: 5, unitAmount: "1" },
                  { upTo: 5, unitAmount: "1" },
                  { upTo: null, unitAmount: "1" },
                ],
              },
            },
          },
        ],
        ["/rates/requests/tiers/0/unitAmount", { price, rates: { requests: perUnit("-0.1") } }],
        ["/rates/requests/packageSize", { price, rates: { requests: { ...perUnit("1"), tierMode: "package" } } }],
        ["/price", { rollover: carry({ maximum: 1 }) }],
        ["/rollover", { price, rollover: {} }],
        ["/rollover", { price, rollover: [] }],
        ["/rollover/other", { price, rollover: { other: { maximum: 1 } } }],
        ["/rollover/a b", { price, rollover: { "a b": { maximum: 1 } } }],
        ["/rollover/requests", { price, rollover: carry(5) }],
        ["/rollover/requests/maximum", { price, rollover: carry({}) }],
        ["/rollover/requests/maximum", { price, rollover: carry({ maximum: "5" }) }],
        ["/rollover/requests/maximum", { price, rollover: carry({ maximum: 0 }) }],
        ["/rollover/requests/maximum", { price, rollover: carry({ maximum: -1 }) }],
        ["/rollover/requests/maximum", { price, rollover: carry({ maximum: 9007199254740992 }) }],
        ["/rollover/requests/maximum", { price, rollover: carry({ maximum: 0.0000000001 }) }],
        ["/rollover/requests/periods", { price, rollover: carry({ maximum: 1, periods: 0 }) }],
        ["/rollover/requests/periods", { price, rollover: carry({ maximum: 1, periods: 121 }) }],
        ["/rollover/requests/periods", { price, rollover: carry({ maximum: 1, periods: 1.5 }) }],
        ["/rollover/requests/unit", { price, rollover: carry({ maximum: 1, unit: "x" }) }],
        ["/features/seats", { features: { seats: false } }],
        ["/position", { position: -1 }],
      ]),
    )("%s of %j", async (pointer, plan) => {
      const bucket = await newMeteringBucket(client);
      const response = await client.post(`${bucket}/plans`, planInput(plan));
      expectProblem(response, 400, "validation_failed", { pointer });
      expect((await ok(client.get(`${bucket}/plans`))).total).toBe(0);
    });
  });

  describe("plans that cannot be billed together are rejected:", () => {
    test.each<[code: string, second: object, more: object]>([
      ["meter_rated_twice", { price, rates: { requests: perUnit("2") } }, {}],
      ["validation_failed", monthly("5.00", "USD"), {}],
      ["validation_failed", yearly, {}],
      ["validation_failed", {}, { renewalStrategy: "yearly" }],
    ])("%s: %j %j", async (code, second, more) => {
      const bucket = await newMeteringBucket(client);
      const base = await createPlan(client, bucket, { price, rates: { requests: perUnit("1") } });
      const other = await createPlan(client, bucket, second);
      const input = subscriptionInput([base, other], more);
      expectProblem(await client.post(`${bucket}/subscriptions`, input), 400, code);
      expect((await ok(client.get(`${bucket}/subscriptions`))).total).toBe(0);
      expect((await ok(client.get(`${bucket}/customers`))).total).toBe(0);
    });
  });

  test("a price cannot change so that subscriptions cannot be billed", async () => {
    const bucket = await newMeteringBucket(client);
    const base = await createPlan(client, bucket, { price, rates: { requests: perUnit("1") } });
    const addOn = await createPlan(client, bucket);
    await ok(client.post(`${bucket}/subscriptions`, subscriptionInput([base, addOn])));
    const patch = (plan: { id: string }, body: object) => client.patch(`${bucket}/plans/${plan.id}`, body);
    const dollars = await patch(base, monthly("30.00", "USD"));
    expectProblem(dollars, 400, "validation_failed", { pointer: "/price/currency" });
    expectProblem(await patch(addOn, monthly("1.00", "USD")), 400, "validation_failed", { pointer: "/price/currency" });
    expectProblem(await patch(addOn, yearly), 400, "validation_failed", { pointer: "/price/interval" });
    expectProblem(await patch(addOn, { price, rates: { requests: perUnit("1") } }), 400, "meter_rated_twice");
    await ok(patch(addOn, monthly("1.00")));
    await ok(patch(base, monthly("31.00")));
  });
});
