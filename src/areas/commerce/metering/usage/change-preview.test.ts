import { beforeEach, describe, expect, test } from "bun:test";
import { callerWithRole, strangerOf } from "../../../../../test/support/callers.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { createPlan, metersOf, record, subscribed, usageEvent } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";

eachEngine((engine) => {
  const { client, clock } = useServer(engine);
  beforeEach(() => clock.set("2026-01-15T10:00:00.000Z"));

  /** 30 of 100 are used. Another plan allows 200, and 10 of a meter that the first plan lacks. */
  async function scene() {
    const made = await subscribed(client, { meters: { requests: { max: 100 } } });
    await record(client, made.bucket, [usageEvent({ requests: 30 })]);
    const meters = { requests: { label: "Requests", max: 200 }, bytes: { max: 10 } };
    const larger = await createPlan(client, made.bucket, { meters });
    return { ...made, change: { planExternalIds: [larger.planExternalId as string] } };
  }

  describe("previews what the change then does:", () => {
    test.each([[undefined], [0], [0.5], [1 / 3], [1]])("prorated by %p", async (prorate) => {
      const { path, change } = await scene();
      const before = await metersOf(client, path);
      const { status, body } = await client.post(`${path}/$preview`, { ...change, prorate });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        periodStart: "2026-01-15T10:00:00.000Z",
        periodEnd: "2026-02-15T10:00:00.000Z",
        before,
        next: { requests: { label: "Requests", max: 200 }, bytes: { max: 10 } },
      });
      expect(await metersOf(client, path)).toEqual(before);

      await client.patch(path, { ...change, prorate });
      expect(await metersOf(client, path)).toEqual(body.after);
      clock.set("2026-02-15T10:00:00.000Z");
      const later = Object.entries<{ max: number }>(await metersOf(client, path)).map(([name, { max }]) => [name, max]);
      const previewed = Object.entries<{ max: number }>(body.next).map(([name, { max }]) => [name, max]);
      expect(later).toEqual(previewed);
    });
  });

  test("a change back within the period forgets the earlier proration", async () => {
    const { path, change, ...made } = await scene();
    await client.patch(path, { ...change, prorate: 0.5 });
    const first = { planExternalIds: [made.plan.planExternalId] };
    const { body } = await client.post(`${path}/$preview`, first);
    expect(body.before.requests.max).toBe(130);
    expect(body.after.requests).toEqual({ used: 30, max: 100, available: 70 });
  });

  test("rejects what the change would be rejected for", async () => {
    const { path, change, plan } = await scene();
    const preview = (body: unknown) => client.post(`${path}/$preview`, body);
    const present = { planExternalIds: [plan.planExternalId] };
    expectProblem(await preview({ ...present, prorate: 0.5 }), 400, "validation_failed", { pointer: "/prorate" });
    expectProblem(await preview({ ...change, prorate: 2 }), 400, "validation_failed", { pointer: "/prorate" });
    expectProblem(await preview({ planExternalIds: ["price_none"] }), 400, "validation_failed", {
      pointer: "/planExternalIds/0",
    });
    expectProblem(await preview({}), 400, "validation_failed", { pointer: "/planExternalIds" });
    expectProblem(await preview({ ...change, status: "active" }), 400, "validation_failed", { pointer: "/status" });
  });

  test("only readers of the account can preview a change", async () => {
    const { path, change } = await scene();
    const preview = (caller: typeof client) => caller.post(`${path}/$preview`, change);
    expectProblem(await preview(client.anonymous()), 401, "unauthenticated");
    expectProblem(await preview(await callerWithRole(client, "verifier")), 403, "forbidden");
    expectProblem(await preview(await strangerOf(client, "preview-stranger")), 404, "not_found");
    expectProblem(await client.post(`${path}x/$preview`, change), 404, "not_found");
    expect((await preview(await callerWithRole(client, "reader"))).status).toBe(200);
  });
});
