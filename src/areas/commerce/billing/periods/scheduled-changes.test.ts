import { beforeAll, expect, test } from "bun:test";
import {
  billed,
  invoicesOf,
  linesOf,
  monthly,
  moveTo,
  ok,
  rated,
  setProfile,
  use,
} from "../../../../../test/support/billing.ts";
import type { ClientResponse } from "../../../../../test/support/client.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { createPlan, type PlanNames } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";

type Body = ClientResponse["body"];

const start = "2031-01-01T00:00:00.000Z";
const february = "2031-02-01T00:00:00.000Z";
const march = "2031-03-01T01:00:00.000Z";

eachEngine((engine) => {
  const { client } = useServer(engine);
  beforeAll(async () => {
    await setProfile(client, { termsDays: 365 });
  });

  /** A subscription for 30, with a change to another plan at the end of January. */
  async function changing(plan: object) {
    const base = await billed(client, start, monthly("30.00"));
    const next: PlanNames = await createPlan(client, base.bucket, plan);
    const planExternalIds = [next.planExternalId];
    await ok(client.post(`${base.path}/$change`, { planExternalIds, timing: "period-end" }));
    return { ...base, next, nextPath: `${base.bucket}/plans/${next.id}` };
  }

  const totals = async (bucket: string) =>
    (await invoicesOf(client, bucket)).map(({ total, currency }: Body) => `${total} ${currency}`);

  test("a change at the period's end keeps the currency, also after the fee has expired", async () => {
    const { bucket, path, plan } = await billed(client, start, rated("0.10"));
    const dollars = await createPlan(client, bucket, monthly("9.00", "USD"));
    const toDollars = { planExternalIds: [dollars.planExternalId], timing: "period-end" };
    const pointer = { pointer: "/planExternalIds/0" };
    expectProblem(await client.post(`${path}/$change`, toDollars), 400, "validation_failed", pointer);
    expect(await ok(client.get(path))).not.toHaveProperty("planChange");
    await use(client, bucket, 230);
    const free = await createPlan(client, bucket);
    await ok(client.post(`${path}/$change`, { planExternalIds: [free.planExternalId] }));
    await moveTo(client, bucket, "2031-04-01T00:00:00.000Z");
    expect(await totals(bucket)).toEqual(["13.00 EUR"]);
    expectProblem(await client.patch(path, toDollars), 400, "validation_failed");
    expectProblem(await client.post(`${path}/$change`, toDollars), 400, "validation_failed", pointer);
    await ok(client.post(`${path}/$change`, { planExternalIds: [plan.planExternalId], timing: "now" }));
  });

  test("during a trial nothing is billed, and the currency may change", async () => {
    const trial = { status: "trialing", trialEndDate: "2031-01-15T00:00:00.000Z" };
    const { bucket, path } = await billed(client, start, monthly("30.00"), trial);
    const dollars = await createPlan(client, bucket, monthly("9.00", "USD"));
    await ok(client.post(`${path}/$change`, { planExternalIds: [dollars.planExternalId] }));
    await moveTo(client, bucket, february);
    expect((await totals(bucket)).at(-1)).toBe("9.00 USD");
  });

  test("late usage is invoiced in the currency of its time, apart from a plan's first price in another one", async () => {
    const { bucket, path } = await billed(client, start, rated("0.10"));
    const free = await createPlan(client, bucket);
    await ok(client.post(`${path}/$change`, { planExternalIds: [free.planExternalId], timing: "period-end" }));
    await moveTo(client, bucket, "2031-02-10T00:00:00.000Z");
    await ok(client.patch(`${bucket}/plans/${free.id}`, monthly("9.00", "USD")));
    await use(client, bucket, 230, "2031-01-20T00:00:00.000Z");
    await moveTo(client, bucket, march);
    expect((await totals(bucket)).sort()).toEqual(["13.00 EUR", "9.00 USD"]);
    await ok(client.post(`${path}/$cancel`, { timing: "now" }));
  });

  test("a plan that subscriptions change to is not deleted, unless the change is undone", async () => {
    const { path, plan, nextPath } = await changing(monthly("3.00"));
    expectProblem(await client.delete(nextPath), 409, "plan_is_scheduled");
    await ok(client.post(`${path}/$change`, { planExternalIds: [plan.planExternalId] }));
    expect((await client.delete(nextPath)).status).toBe(204);
    const canceled = await changing(monthly("3.00"));
    await ok(client.patch(canceled.path, { status: "canceled" }));
    expect((await client.delete(canceled.nextPath)).status).toBe(204);
    const deleted = await changing(monthly("3.00"));
    expect((await client.delete(deleted.path)).status).toBe(204);
    expect((await client.delete(deleted.nextPath)).status).toBe(204);
  });

  test("a plan that was renamed in the meantime is applied", async () => {
    const { bucket, path, nextPath } = await changing(monthly("3.00"));
    await ok(client.patch(nextPath, { planExternalId: "renamed" }));
    await moveTo(client, bucket, february);
    expect(await ok(client.get(path))).toMatchObject({ planExternalIds: ["renamed"] });
    expect(await totals(bucket)).toEqual(["30.00 EUR", "3.00 EUR"]);
    expect((await client.delete(nextPath)).body).toMatchObject({ code: "plan_has_subscriptions" });
  });

  test("a plan that has become invalid is not applied: billing continues with the current one", async () => {
    const { bucket, path, plan, subscription, nextPath } = await changing(monthly("3.00"));
    await ok(client.patch(nextPath, monthly("3.00", "USD")));
    await moveTo(client, bucket, march);
    const kept = await ok(client.get(path));
    expect(kept).toMatchObject({ status: "active", planExternalIds: [plan.planExternalId] });
    expect(kept).not.toHaveProperty("planChange");
    expect(await totals(bucket)).toEqual(["30.00 EUR", "30.00 EUR", "30.00 EUR"]);
    const { data } = await ok(client.get(`/v1/accounts/${account}/audit-log?resource=${subscription.id}`));
    const dropped = data.find(({ actor }: Body) => actor.type === "system");
    expect(dropped).toMatchObject({ action: "subscription.updated" });
    expect((await client.delete(nextPath)).status).toBe(204);
  });

  test("a scheduled cancellation moves to the end of the period that new plans have paid", async () => {
    const { bucket, path, plan } = await billed(client, start, monthly("30.00"));
    const price = { currency: "EUR", amount: "365.00", interval: "year" };
    const yearly = await createPlan(client, bucket, { price });
    expect((await ok(client.post(`${path}/$cancel`))).cancelsOn).toBe(february);
    const changed = await ok(client.post(`${path}/$change`, { planExternalIds: [yearly.planExternalId] }));
    expect(changed.cancelsOn).toBe("2032-01-01T00:00:00.000Z");
    await moveTo(client, bucket, "2031-12-31T00:00:00.000Z");
    expect((await ok(client.get(path))).status).toBe("active");
    const back = { planExternalIds: [plan.planExternalId], timing: "now" };
    expect((await ok(client.post(`${path}/$change`, back))).cancelsOn).toBe("2032-01-01T00:00:00.000Z");
    await moveTo(client, bucket, "2032-02-01T00:00:00.000Z");
    expect((await ok(client.get(path))).status).toBe("canceled");
    expect(linesOf((await invoicesOf(client, bucket)).at(-1))).toContainEqual(["proration", "0.97"]);
  });
});
