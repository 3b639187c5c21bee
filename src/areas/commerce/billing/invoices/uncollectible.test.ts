import { beforeAll, expect, test } from "bun:test";
import {
  billed,
  invoicesOf,
  linesOf,
  monthly,
  moveTo,
  ok,
  perUnit,
  setProfile,
} from "../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { createPlan, record, subscribe, usageEvent } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";

const start = "2031-01-01T00:00:00.000Z";

eachEngine((engine) => {
  const { client } = useServer(engine);
  beforeAll(async () => {
    await setProfile(client);
  });

  test("an invoice that is given up stays unpaid and blocks access; a payment ends that", async () => {
    const { bucket, path } = await billed(client, start, monthly("30.00"));
    const [{ id }] = await invoicesOf(client, bucket);
    const invoice = `${bucket}/invoices/${id}`;
    expect(await ok(client.post(`${invoice}/$mark-uncollectible`))).toMatchObject({
      status: "uncollectible",
      amountDue: "30.00",
      failedOn: start,
    });
    expectProblem(await client.post(`${invoice}/$mark-uncollectible`), 409, "invoice_not_open");
    expectProblem(await client.post(`${invoice}/$collect`), 409, "invoice_not_open");
    expect((await ok(client.get(path))).payment).toMatchObject({
      state: "failed",
      blocksOn: "2031-01-04T00:00:00.000Z",
    });
    await moveTo(client, bucket, "2031-01-04T00:00:00.000Z");
    expect((await ok(client.get(path))).status).toBe("unpaid");
    expect(await invoicesOf(client, bucket, "?status=uncollectible")).toHaveLength(1);
    expect(await ok(client.post(`${invoice}/$mark-paid`))).toMatchObject({ status: "paid", amountDue: "0.00" });
    expect((await ok(client.get(path))).status).toBe("active");
  });

  test("it can be voided, or corrected by a credit note", async () => {
    const { bucket, plan } = await billed(client, start, monthly("30.00"));
    await subscribe(client, bucket, [plan], { customerKey: "other", subscriptionExternalId: "two" });
    const [one, two] = await invoicesOf(client, bucket);
    for (const { id } of [one, two]) await ok(client.post(`${bucket}/invoices/${id}/$mark-uncollectible`));
    expect(await ok(client.post(`${bucket}/invoices/${one.id}/$void`))).toMatchObject({ status: "void" });
    const lines = [{ description: "Given up", amount: "30.00" }];
    await ok(client.post(`${bucket}/invoices/${two.id}/$credit`, { lines }));
    expect(await ok(client.get(`${bucket}/invoices/${two.id}`))).toMatchObject({ status: "paid", credited: "30.00" });
  });

  test("marking an invoice as uncollectible requires a token, an existing invoice and a valid body", async () => {
    const { bucket } = await billed(client, start, monthly("30.00"));
    const [{ id }] = await invoicesOf(client, bucket);
    const path = `${bucket}/invoices/${id}/$mark-uncollectible`;
    expectProblem(await client.anonymous().post(path), 401, "unauthenticated");
    expectProblem(await client.post(`${bucket}/invoices/inv_none/$mark-uncollectible`), 404, "not_found");
    expectProblem(await client.post(path, { reason: "x" }), 400, "validation_failed");
    expect(await ok(client.get(`${bucket}/invoices/${id}`))).toMatchObject({ status: "open" });
  });

  test("revenue is added up by month and plan, without taxes and void invoices", async () => {
    await setProfile(client, { taxRates: [{ name: "VAT", percentage: "19" }], termsDays: 365, graceDays: 365 });
    const gold = { ...monthly("30.00"), rates: { requests: perUnit("0.10") }, meters: { requests: { max: 100 } } };
    const { bucket, plan } = await billed(client, start, gold);
    const silver = await createPlan(client, bucket, monthly("10.00"));
    await subscribe(client, bucket, [silver], { customerKey: "other", subscriptionExternalId: "two" });
    const void10 = await subscribe(client, bucket, [silver], { customerKey: "third", subscriptionExternalId: "three" });
    const [voided] = await invoicesOf(client, bucket, `?subscriptionId=${void10.id}`);
    await ok(client.post(`${bucket}/invoices/${voided.id}/$void`));
    await ok(client.patch(`${bucket}/subscriptions/${void10.id}`, { status: "canceled" }));
    await record(client, bucket, usageEvent({ requests: 230 }));
    await moveTo(client, bucket, "2031-02-01T01:00:00.000Z");
    const [first] = await invoicesOf(client, bucket, "?customerKey=acme");
    expect(linesOf(first)).toEqual([
      ["plan", "30.00"],
      ["tax", "5.70"],
    ]);
    await ok(client.post(`${bucket}/invoices/${first.id}/$credit`, { lines: [{ description: "x", amount: "5.00" }] }));
    const { from, to, data } = await ok(client.get(`${bucket}/revenue`));
    expect({ from, to }).toEqual({ from: "2030-03", to: "2031-02" });
    const rows = data.map(({ month, planId, fees, overage, credits, total }: Record<string, string>) =>
      [
        month,
        planId === plan.id ? "gold" : planId === silver.id ? "silver" : planId,
        fees,
        overage,
        credits,
        total,
      ].join(" "),
    );
    expect(rows.toSorted()).toEqual([
      "2031-01 gold 30.00 0.00 0.00 30.00",
      "2031-01 silver 10.00 0.00 0.00 10.00",
      "2031-02  0.00 0.00 -4.20 -4.20",
      "2031-02 gold 30.00 13.00 0.00 43.00",
      "2031-02 silver 10.00 0.00 0.00 10.00",
    ]);
    expect((await ok(client.get(`${bucket}/revenue?from=2031-01&to=2031-01`))).data).toHaveLength(2);
    for (const [query, pointer] of [
      ["from=2031-13", "?from"],
      ["from=2031-02&to=2031-01", "?from"],
      ["from=2027-01&to=2031-01", "?from"],
      ["to=now", "?to"],
    ] as const) {
      const { status, body } = await client.get(`${bucket}/revenue?${query}`);
      expect({ status, pointer: body.errors[0].pointer }).toEqual({ status: 400, pointer });
    }
    await setProfile(client);
  });
});
