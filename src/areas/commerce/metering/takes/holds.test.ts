import { beforeAll, expect, test } from "bun:test";
import {
  invoicesOf,
  linesOf,
  moveTo,
  newTestBucket,
  ok,
  rated,
  setProfile,
} from "../../../../../test/support/billing.ts";
import { callerWithRole, strangerOf } from "../../../../../test/support/callers.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { type KeyCustomer, keyCustomer } from "../../../../../test/support/key-customer.ts";
import { createPlan, unique, usedOf } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { tableContent } from "../../../../../test/support/table-content.ts";

const second = 1000;
const day = 24 * 60 * 60 * second;
const meters = { tokens: { max: 100 }, requests: { max: 5 } };

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;
  beforeAll(async () => {
    await client.post("/v1/accounts/default/key-buckets", { name: "main" });
  });
  const used = ({ subscription }: KeyCustomer) => usedOf(client, subscription);
  const end = (customer: KeyCustomer, holdId: string, how: string, amounts?: object) =>
    client.post(`${customer.bucket}/holds/${holdId}/${how}`, amounts && { meters: amounts });
  async function held(amounts: object, more?: object) {
    const customer = await keyCustomer(client, { meters });
    const { body } = await customer.hold(amounts, more);
    expect(body.holdId).toMatch(/^hold_[0-9A-Za-z]{24}$/);
    return { customer, holdId: body.holdId as string };
  }

  test("a hold takes the amounts until it is settled with what was used", async () => {
    const customer = await keyCustomer(client, { meters });
    const { body } = await customer.hold({ tokens: 80 });
    expect(body).toMatchObject({ valid: true, meters: { tokens: { used: 80, max: 100, available: 20 } } });
    expect((await customer.hold({ tokens: 21 })).body).toMatchObject({ valid: false, code: "quota_exceeded" });
    expect((await customer.consume({ tokens: 21 })).body).toMatchObject({ valid: false, code: "quota_exceeded" });
    const settled = await end(customer, body.holdId, "$settle", { tokens: 30.5, requests: 1 });
    expect(settled.body).toEqual({
      holdId: body.holdId,
      meters: {
        tokens: { used: 30.5, max: 100, available: 69.5 },
        requests: { used: 1, max: 5, available: 4 },
      },
      periodEnd: body.periodEnd,
    });
    expect(await used(customer)).toEqual({ tokens: 30.5, requests: 1 });
    // What was not used can be taken at once.
    expect((await customer.consume({ tokens: 69.5 })).body.valid).toBe(true);
  });

  test("settling again counts once, and with other amounts or after a release it is a conflict", async () => {
    const { customer, holdId } = await held({ tokens: 10 });
    for (let times = 0; times < 2; times++)
      expect((await end(customer, holdId, "$settle", { tokens: 120, requests: 0 })).status).toBe(200);
    // More than was held, and more than the plan allows, is counted.
    expect(await used(customer)).toEqual({ tokens: 120, requests: 0 });
    expect((await end(customer, holdId, "$settle", { tokens: 120 })).status).toBe(200);
    expectProblem(await end(customer, holdId, "$settle", { tokens: 121 }), 409, "hold_settled");
    expectProblem(await end(customer, holdId, "$release"), 409, "hold_settled");
    expect(await used(customer)).toEqual({ tokens: 120, requests: 0 });
  });

  test("a release returns all, once, and a hold that used nothing is settled with no meters", async () => {
    const { customer, holdId } = await held({ tokens: 100 });
    for (let times = 0; times < 2; times++) expect((await end(customer, holdId, "$release")).status).toBe(204);
    expect(await used(customer)).toEqual({ tokens: 0, requests: 0 });
    expectProblem(await end(customer, holdId, "$settle", { tokens: 1 }), 409, "hold_released");
    const { body } = await customer.hold({ tokens: 100 });
    expect(body.valid).toBe(true);
    expect((await end(customer, body.holdId, "$settle", {})).body.meters.tokens.used).toBe(0);
    expect(await used(customer)).toEqual({ tokens: 0, requests: 0 });
  });

  test("a hold that expires returns the amounts, and can be settled for 24 hours", async () => {
    const { customer, holdId } = await held({ tokens: 100 }, { expiresInSeconds: 60 });
    clock.advance(60 * second - 1);
    await server.runTasks();
    expect((await customer.consume({ tokens: 1 })).body.code).toBe("quota_exceeded");
    clock.advance(1);
    await server.runTasks();
    expect((await customer.consume({ tokens: 1 }, { "idempotency-key": unique("once") })).body.valid).toBe(true);
    clock.advance(day - 1);
    expect((await end(customer, holdId, "$settle", { tokens: 40 })).status).toBe(200);
    expect(await used(customer)).toEqual({ tokens: 41, requests: 0 });
    const late = (await customer.hold({ tokens: 1 }, { expiresInSeconds: 1 })).body.holdId;
    clock.advance(second + day);
    await server.runTasks();
    expectProblem(await end(customer, late, "$settle", { tokens: 1 }), 409, "hold_expired");
    expectProblem(await end(customer, late, "$release"), 409, "hold_expired");
    expect((await end(customer, holdId, "$settle", { tokens: 40 })).status).toBe(200);
    expect(await used(customer)).toEqual({ tokens: 41, requests: 0 });
  });

  test("a hold that counts when it expires is replaced by what is settled later", async () => {
    const { customer, holdId } = await held({ tokens: 50 }, { expiresInSeconds: 1, onExpiry: "count" });
    clock.advance(second);
    await server.runTasks();
    expect(await used(customer)).toEqual({ tokens: 50, requests: 0 });
    expect((await end(customer, holdId, "$settle", { tokens: 20 })).status).toBe(200);
    expect(await used(customer)).toEqual({ tokens: 20, requests: 0 });
    const other = (await customer.hold({ tokens: 5 }, { expiresInSeconds: 1, onExpiry: "count" })).body.holdId;
    clock.advance(second);
    await server.runTasks();
    expect((await end(customer, other, "$release")).status).toBe(204);
    expect(await used(customer)).toEqual({ tokens: 20, requests: 0 });
  });

  test("the usage by hour adds up to the usage", async () => {
    const { customer, holdId } = await held({ tokens: 50 });
    clock.advance(2 * 60 * 60 * second);
    await end(customer, holdId, "$settle", { tokens: 20 });
    const series = await client.get(`${customer.subscription}/usage-series?step=1h`);
    expect(series.body.meters.tokens.used).toBe(20);
  });

  test("a hold that is settled after a change of plans counts for the plan that it was made in", async () => {
    await setProfile(client);
    const bucket = await newTestBucket(client, "2031-01-01T00:00:00.000Z");
    const customer = await keyCustomer(client, { bucket, meters: {}, plan: rated("1.00", { max: 1 }) });
    const other = await createPlan(client, bucket, rated("2.00", { max: 1 }));
    const { holdId } = (await customer.hold({ requests: 8 })).body;
    await moveTo(client, bucket, "2031-01-10T00:00:00.000Z");
    await ok(client.patch(customer.subscription, { planExternalIds: [other.planExternalId] }));
    await ok(end(customer, holdId, "$settle", { requests: 3 }));
    await moveTo(client, bucket, "2031-02-03T00:00:00.000Z");
    const invoices = await invoicesOf(client, bucket);
    const used = invoices.flatMap(linesOf).filter((line) => (line as [string, string])[0] === "overage");
    // Two of three are beyond the maximum.
    expect(used).toEqual([["overage", "2.00"]]);
  });

  test("with an Idempotency-Key a repeated hold is the same hold", async () => {
    const customer = await keyCustomer(client, { meters });
    const once = { "idempotency-key": unique("hold") };
    const first = await customer.hold({ tokens: 60 }, {}, once);
    const second = await customer.hold({ tokens: 60 }, {}, once);
    expect(second.body).toEqual(first.body);
    expect(await used(customer)).toEqual({ tokens: 60, requests: 0 });
    expectProblem(await customer.hold({ tokens: 60 }, { onExpiry: "count" }, once), 422, "idempotency_key_reused");
  });

  test("holds survive a restart, and old ones are removed", async () => {
    const { customer, holdId } = await held({ tokens: 70 });
    const open = await held({ tokens: 1 });
    await server.restart();
    expect((await customer.hold({ tokens: 31 })).body.code).toBe("quota_exceeded");
    expect((await end(customer, holdId, "$settle", { tokens: 1 })).status).toBe(200);
    clock.advance(8 * day);
    // The first run ends those that are open, and the second removes them.
    for (let runs = 0; runs < 2; runs++) await server.runTasks();
    expect(await tableContent(server.database, "metering_holds")).toEqual([]);
    expectProblem(await end(customer, holdId, "$settle", { tokens: 1 }), 404, "not_found");
    expect(await used(open.customer)).toEqual({ tokens: 0, requests: 0 });
  });

  test("64 concurrent holds never exceed a quota", async () => {
    const customer = await keyCustomer(client, { meters });
    const all = await Promise.all(
      Array.from({ length: 64 }, (_, index) =>
        index % 2 ? customer.hold({ tokens: 4 }) : customer.consume({ tokens: 4 }),
      ),
    );
    expect(all.filter(({ body }) => body.valid)).toHaveLength(25);
  });

  test("roles and accounts", async () => {
    const { customer, holdId } = await held({ tokens: 10 });
    const path = `${customer.bucket}/holds/${holdId}/$settle`;
    const body = { meters: { tokens: 1 } };
    const stranger = await strangerOf(client, unique("stranger"));
    expectProblem(await stranger.post(path, body), 404, "not_found");
    const reader = await callerWithRole(client, "reader");
    expectProblem(await reader.post(path, body), 403, "forbidden");
    const elsewhere = await keyCustomer(client);
    expectProblem(await end(elsewhere, holdId, "$settle", { tokens: 1 }), 404, "not_found");
    expectProblem(await end(customer, holdId, "$settle", { unknown: 1 }), 400, "validation_failed");
    expectProblem(await end(customer, holdId, "$settle", { tokens: -1 }), 400, "validation_failed");
    expect(await used(customer)).toEqual({ tokens: 10, requests: 0 });
    const verifier = await callerWithRole(client, "verifier");
    expect((await verifier.post(path, body)).status).toBe(200);
    expect(await used(customer)).toEqual({ tokens: 1, requests: 0 });
  });
});
