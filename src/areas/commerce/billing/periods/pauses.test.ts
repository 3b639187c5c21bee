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
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";

const start = "2031-01-01T00:00:00.000Z";

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  beforeAll(async () => {
    await setProfile(client);
  });

  /** A subscription whose invoices are paid at once. */
  async function paying(plan: object) {
    const { bucket, path } = await billed(client, start, plan);
    const method = JSON.stringify({ type: "sandbox", behavior: "succeeds" });
    await ok(client.raw("PUT", `${bucket}/customers/acme/payment-method`, method));
    const [first] = await invoicesOf(client, bucket);
    await ok(client.post(`${bucket}/invoices/${first.id}/$collect`));
    return { bucket, path };
  }

  const post = (path: string, action: "$pause" | "$resume") => client.post(`${path}/${action}`);
  const allowed = async (path: string) =>
    (await ok(client.post(`${path}/quotas/consume`, { meters: { requests: 1 } }))).allowed;
  const periods = async (bucket: string) =>
    (await invoicesOf(client, bucket)).flatMap(({ lines }) =>
      lines.map((line: { amount: string; periodStart: string; periodEnd: string }) =>
        [line.amount, line.periodStart.slice(0, 10), line.periodEnd.slice(0, 10)].join(" "),
      ),
    );

  test("periods that pass during a pause are not billed, and the fee of the rest is charged when it is resumed", async () => {
    const { bucket, path } = await paying(monthly("31.00"));
    await moveTo(client, bucket, "2031-01-11T00:00:00.000Z");
    const paused = await ok(post(path, "$pause"));
    expect(paused.status).toBe("inactive");
    expect(await allowed(path)).toBe(false);
    expectProblem(await post(path, "$pause"), 409, "subscription_not_in_force");
    expect((await client.get(`${path}/upcoming-invoice`)).status).toBe(404);
    await moveTo(client, bucket, "2031-05-11T00:00:00.000Z");
    expect(await periods(bucket)).toEqual(["31.00 2031-01-01 2031-02-01"]);
    expect((await ok(post(path, "$resume"))).status).toBe("active");
    expect(await allowed(path)).toBe(true);
    await moveTo(client, bucket, "2031-06-01T00:00:00.000Z");
    expect(await periods(bucket)).toEqual([
      "31.00 2031-01-01 2031-02-01",
      "21.00 2031-05-11 2031-06-01",
      "31.00 2031-06-01 2031-07-01",
    ]);
    const { data } = await ok(client.get(`/v1/accounts/${account}/audit-log?resource=${paused.id}`));
    expect(data.map(({ action }: { action: string }) => action)).toContain("subscription.updated");
  });

  test("a period that is paid for continues without a new fee, however often it is paused", async () => {
    const { bucket, path } = await billed(client, start, monthly("31.00"));
    for (const day of ["05", "06", "20"]) {
      await moveTo(client, bucket, `2031-01-${day}T00:00:00.000Z`);
      await ok(post(path, "$pause"));
      await moveTo(client, bucket, `2031-01-${day}T12:00:00.000Z`);
      await ok(post(path, "$resume"));
    }
    expectProblem(await post(path, "$resume"), 409, "subscription_not_canceling");
    await moveTo(client, bucket, "2031-02-01T00:00:00.000Z");
    expect(await periods(bucket)).toEqual(["31.00 2031-01-01 2031-02-01", "31.00 2031-02-01 2031-03-01"]);
  });

  test("usage before the pause is billed once, and none is accepted during it", async () => {
    const { bucket, path } = await paying(rated("0.10", { amount: "31.00" }));
    await use(client, bucket, 150);
    await moveTo(client, bucket, "2031-01-11T00:00:00.000Z");
    await ok(post(path, "$pause"));
    const event = { specversion: "1.0", id: "1", source: "api", type: "request", subject: "acme" };
    expect((await client.post(`${bucket}/events`, { ...event, data: { requests: 50 } })).status).toBe(400);
    await moveTo(client, bucket, "2031-01-11T02:00:00.000Z");
    const [, overage] = await invoicesOf(client, bucket);
    expect(linesOf(overage)).toEqual([["overage", "5.00"]]);
    await moveTo(client, bucket, "2031-01-21T00:00:00.000Z");
    await ok(post(path, "$resume"));
    await use(client, bucket, 10);
    await moveTo(client, bucket, "2031-02-01T01:00:00.000Z");
    const renewal = (await invoicesOf(client, bucket)).at(-1);
    expect(linesOf(renewal)).toEqual([
      ["plan", "31.00"],
      ["overage", "1.00"],
    ]);
  });

  test("a trial continues if it is not over, and one that ended as paused is resumed", async () => {
    const plan = { ...monthly("31.00"), trialEndStatus: "paused" };
    const trial = { status: "trialing", trialStartDate: start, trialEndDate: "2031-01-15T00:00:00.000Z" };
    const { bucket, path } = await billed(client, start, plan, trial);
    await ok(post(path, "$pause"));
    expect((await ok(post(path, "$resume"))).status).toBe("trialing");
    await moveTo(client, bucket, "2031-02-11T00:00:00.000Z");
    expect((await ok(client.get(path))).status).toBe("inactive");
    expect(await invoicesOf(client, bucket)).toEqual([]);
    expect((await ok(post(path, "$resume"))).status).toBe("active");
    expect(await periods(bucket)).toEqual(["19.93 2031-02-11 2031-03-01"]);
  });

  test("a subscription that will be canceled or changed, is canceled or does not exist is not paused", async () => {
    const { bucket, path } = await billed(client, start, monthly("31.00"));
    const silver = { label: "Silver", planExternalId: "silver", ...monthly("10.00"), meters: { requests: { max: 1 } } };
    await ok(client.post(`${bucket}/plans`, silver));
    const scheduled = await ok(client.post(`${path}/$change`, { planExternalIds: ["silver"] }));
    expect(scheduled.planChange).toBeDefined();
    expectProblem(await post(path, "$pause"), 409, "subscription_change_scheduled");
    await ok(client.post(`${path}/$cancel`));
    expectProblem(await post(path, "$pause"), 409, "subscription_change_scheduled");
    expect((await ok(post(path, "$resume"))).status).toBe("active");
    await ok(client.post(`${path}/$cancel`, { timing: "now" }));
    expectProblem(await post(path, "$pause"), 409, "subscription_not_in_force");
    expectProblem(await post(path, "$resume"), 409, "subscription_not_canceling");
    expect((await post(`${bucket}/subscriptions/sbsc_none`, "$pause")).status).toBe(404);
    const { token } = await ok(client.post(`/v1/accounts/${account}/tokens`, { role: "reader" }));
    expectProblem(await client.as(token).post(`${path}/$pause`), 403, "forbidden");
  });
});
