import { beforeAll, describe, expect, test } from "bun:test";
import {
  billed,
  invoicesOf,
  monthly,
  moveTo,
  newTestBucket,
  ok,
  perUnit,
  setProfile,
  use,
} from "../../../../../test/support/billing.ts";
import { callerWithRole, strangerOf } from "../../../../../test/support/callers.ts";
import type { Client, ClientResponse } from "../../../../../test/support/client.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { McpMessages } from "../../../../../test/support/mcp-messages.ts";
import { createPlan, subscribe, usageEvent } from "../../../../../test/support/metering.ts";
import { joined } from "../../../../../test/support/people.ts";
import { runSql } from "../../../../../test/support/run-sql.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account, adminToken } from "../../../../../test/support/server-settings.ts";
import { until } from "../../../../../test/support/until.ts";

type Body = ClientResponse["body"];

const meters = { requests: { max: 100 } };
const rates = { requests: perUnit("0.10") };
const gold = { ...monthly("10.00"), meters, rates, planExternalId: "gold" };
const span = { from: "2031-01-01T00:00:00.000Z", to: "2031-03-01T00:00:00.000Z" };
const dearer = { ...span, plans: { gold: monthly("12.00") } };

eachEngine((engine) => {
  const server = useServer(engine, { environment: { TOLLGATE_MCP_WRITES: "1" } });
  const { client, clock } = server;
  let bucket: string;
  let subscription: string;

  /** `acme` has used 130 requests of plan `gold` in January 2031. It is March. */
  beforeAll(async () => {
    await setProfile(client, { termsDays: 90 });
    ({ bucket, path: subscription } = await billed(client, span.from, gold));
    await use(client, bucket, 130, "2031-01-10T00:00:00.000Z");
    await moveTo(client, bucket, "2031-03-05T00:00:00.000Z");
  });

  const start = async (input: object, inBucket = bucket): Promise<{ id: string; jobId: string; path: string }> => {
    const { status, text, body } = await client.post(`${inBucket}/$simulate`, input);
    expect({ status, text }).toEqual({ status: 202, text });
    return { ...body, path: `${inBucket}/simulations/${body.id}` };
  };
  const ended = (path: string) =>
    until(async () => {
      const found = await ok(client.get(path));
      return found.state === "queued" || found.state === "running" ? undefined : found;
    });
  const resultOf = async (input: object, inBucket = bucket): Promise<Body> => {
    const simulation = await ended((await start(input, inBucket)).path);
    expect(simulation.state).toBe("succeeded");
    return simulation.result;
  };
  const sql = (statement: string) => runSql(server.database, statement);
  /** Another node has taken the oldest simulation of the account, so that others wait. */
  const occupied = () =>
    sql(`INSERT INTO jobs (id, account_seq, actor, kind, input, state, position, done, failed, total, worker, worker_until,
        created_on, updated_on)
      SELECT 'occupied', account_seq, 'test', 'simulation', '{}', 'running', 0, 0, 0, 1, 'another', ${clock.now() + 1e9}, 0, 0
      FROM metering_buckets WHERE id = '${bucket.split("/").at(-1)}'`);
  const freed = () => sql("DELETE FROM jobs WHERE id = 'occupied'");

  test.each<[string, object, string]>([
    ["a plan that is not there", { plans: { silver: {} } }, "/plans/silver"],
    ["another currency", { plans: { gold: monthly("12.00", "USD") } }, "/plans/gold/price"],
    ["another interval", { plans: { gold: { price: { ...gold.price, interval: "year" } } } }, "/plans/gold/price"],
    [
      "rates of a meter that the plan has not",
      { plans: { gold: { meters: { tokens: { max: 1 } }, rates } } },
      "/plans/gold/rates/requests",
    ],
    ["rates without a price", { plans: { free: { meters, rates } } }, "/plans/free/price"],
    ["a time in the future", { to: "2031-03-05T00:00:00.001Z" }, "/to"],
    ["no time", { to: span.from }, "/from"],
    ["more than 400 days", { from: "2030-01-24T23:59:59.999Z" }, "/from"],
    ["a move from nowhere", { moves: [{ from: "silver", to: "gold" }] }, "/moves/0/from"],
    ["a move to nowhere", { moves: [{ from: "gold", to: "silver" }] }, "/moves/0/to"],
    [
      "a new plan without meters",
      { plans: { new: monthly("1.00") }, moves: [{ from: "gold", to: "new" }] },
      "/moves/0/to",
    ],
    ["a move to another currency", { moves: [{ from: "gold", to: "dollars" }] }, "/moves/0/to"],
    ["another field", { plans: { gold: { label: "Gold" } } }, "/plans/gold/label"],
  ])("%s is rejected", async (_, input, pointer) => {
    const all = (await ok(client.get(`${bucket}/plans`))).data.map((plan: Body) => plan.planExternalId);
    if (!all.includes("free")) {
      await createPlan(client, bucket, { planExternalId: "free", meters });
      await createPlan(client, bucket, { planExternalId: "dollars", meters, ...monthly("1.00", "USD") });
    }
    const response = await client.post(`${bucket}/$simulate`, { ...span, plans: {}, ...input });
    expectProblem(response, 400, "validation_failed");
    expect(response.body.errors[0].pointer).toBe(pointer);
  });

  test("all customers if no plan is named, and those that are named", async () => {
    const all = await resultOf({ ...span, plans: {} });
    expect(all.before).toMatchObject([{ fees: "20.00", usage: "3.00" }]);
    expect(all).toMatchObject({ after: all.before, customers: { more: 0, less: 0, same: 1 } });
    const none = { before: [], after: [], customers: { more: 0, less: 0, same: 0 }, distribution: [] };
    expect(await resultOf({ ...dearer, customers: ["other"] })).toMatchObject(none);
    expect(await resultOf({ ...dearer, from: "2031-02-02T00:00:00.000Z" })).toMatchObject(none);
    expect(await resultOf({ ...dearer, customers: ["acme"] })).toMatchObject({ after: [{ fees: "24.00" }] });
  });

  test("subscribers are moved to another plan, to a new one, and to one without a price", async () => {
    const { bucket, plan } = await billed(client, span.from, gold);
    const large = { ...monthly("20.00"), meters: { requests: { max: 1000 } }, planExternalId: "large" };
    const free = { meters, planExternalId: "free" };
    for (const each of [large, free]) await createPlan(client, bucket, each);
    await use(client, bucket, 130, "2031-01-10T00:00:00.000Z");
    await moveTo(client, bucket, "2031-03-05T00:00:00.000Z");
    const move = async (to: string, plans = {}) =>
      (await resultOf({ ...span, plans, moves: [{ from: plan.planExternalId, to }] }, bucket)).after;
    expect(await move("large")).toMatchObject([{ fees: "40.00", usage: "0.00" }]);
    expect(await move("large", { large: monthly("25.00") })).toMatchObject([{ fees: "50.00" }]);
    const small = { small: { ...monthly("5.00"), meters: { requests: { max: 50 } }, rates } };
    expect(await move("small", small)).toMatchObject([{ fees: "10.00", usage: "8.00", total: "18.00" }]);
    expect(await move("free")).toMatchObject([{ fees: "0.00", usage: "0.00", total: "0.00" }]);
  });

  /** `acme` has used 60 requests in January and 130 in February, after what happened on the second day. */
  const used = async (setUp: (bucket: string) => Promise<unknown>, plan: object = gold) => {
    const { bucket } = await billed(client, span.from, plan);
    await moveTo(client, bucket, "2031-01-02T00:00:00.000Z");
    await setUp(bucket);
    await use(client, bucket, 60, "2031-01-10T00:00:00.000Z");
    await moveTo(client, bucket, "2031-02-02T00:00:00.000Z");
    await use(client, bucket, 130, "2031-02-10T00:00:00.000Z");
    await moveTo(client, bucket, "2031-03-05T00:00:00.000Z");
    return bucket;
  };
  const twice = { ...span, plans: { gold: { rates: { requests: perUnit("0.20") } } } };
  const grants = (bucket: string) => `${bucket}/customers/acme/grants`;

  test("grants pay for usage and invoices, caps and prepaid rates write it off, and rollover covers it", async () => {
    const credited = await used((bucket) =>
      ok(client.post(grants(bucket), { currency: "EUR", amount: "12.00", funding: "promotional" })),
    );
    // The fee of February takes 10 euros, and usage what is left.
    expect(await resultOf(twice, credited)).toMatchObject({
      before: [{ fees: "20.00", usage: "3.00", credits: "-12.00", total: "11.00" }],
      after: [{ fees: "20.00", usage: "6.00", credits: "-12.00", total: "14.00" }],
    });
    const cap = { amount: "2.00", action: "block", currency: "EUR" };
    const capped = await used((bucket) => ok(client.patch(`${bucket}/customers/acme`, { spendCap: cap })));
    const firstOn = "2031-02-10T00:00:00.000Z";
    expect(await resultOf(twice, capped)).toMatchObject({
      before: [{ usage: "2.00", credits: "0.00", total: "22.00" }],
      after: [{ usage: "2.00", total: "22.00" }],
      meters: { requests: { reached: 0, capped: 1, firstOn } },
    });
    const cheaper = { ...span, plans: { gold: { rates: { requests: perUnit("0.05") } } } };
    expect(await resultOf(cheaper, capped)).toMatchObject({ after: [{ usage: "1.50", total: "21.50" }], meters: {} });

    const plain = await used(async () => undefined);
    const prepaid = { requests: { ...perUnit("0.10"), overage: "prepaid" } };
    expect(await resultOf({ ...span, plans: { gold: { rates: prepaid } } }, plain)).toMatchObject({
      before: [{ usage: "3.00", total: "23.00" }],
      after: [{ usage: "0.00", total: "20.00" }],
    });
    const rollover = { requests: { maximum: 20, periods: 1 } };
    // Its fee must be paid before anything is carried over.
    const invoices = await invoicesOf(client, plain);
    for (const { id, status } of invoices)
      if (status === "open") await ok(client.post(`${plain}/invoices/${id}/$mark-paid`));
    expect(await resultOf({ ...span, plans: { gold: { rollover } } }, plain)).toMatchObject({
      after: [{ usage: "3.00" }],
    });
    const early = await used(async (bucket) => {
      const [first] = await invoicesOf(client, bucket);
      await ok(client.post(`${bucket}/invoices/${first.id}/$mark-paid`));
    });
    expect(await resultOf({ ...span, plans: { gold: { rollover } } }, early)).toMatchObject({
      after: [{ usage: "1.00", total: "21.00" }],
    });
  });

  test("maximums that a change of plans prorated follow those of the plans", async () => {
    const bucket = await used(async () => undefined);
    const { planExternalId } = await createPlan(client, bucket, { ...gold, planExternalId: "large" });
    const [{ id }] = (await ok(client.get(`${bucket}/subscriptions`))).data;
    await use(client, bucket, 50);
    await moveTo(client, bucket, "2031-03-17T00:00:00.000Z");
    const change = { planExternalIds: [planExternalId], prorate: 0.5 };
    await ok(client.patch(`${bucket}/subscriptions/${id}`, change));
    await moveTo(client, bucket, "2031-03-18T00:00:00.000Z");
    await use(client, bucket, 150);
    await moveTo(client, bucket, "2031-04-02T00:00:00.000Z");
    const march = { from: "2031-03-01T00:00:00.000Z", to: "2031-04-01T00:00:00.000Z" };
    // 50 used and half of the maximum: 100 were left, and then 150.
    const plans = { large: { meters: { requests: { max: 200 } } } };
    expect(await resultOf({ ...march, plans }, bucket)).toMatchObject({
      before: [{ usage: "10.00" }],
      after: [{ usage: "5.00" }],
    });
  });

  test("without stored events, usage is counted at the end of its hour, and then of its day", async () => {
    const bucket = await used((bucket) =>
      ok(client.post(grants(bucket), { currency: "EUR", amount: "1.00", funding: "promotional" })),
    );
    const seq = `(SELECT seq FROM metering_buckets WHERE id = '${bucket.split("/").at(-1)}')`;
    const rowOf = async () => {
      const { path } = await start(twice, bucket);
      await ended(path);
      return (await ok(client.get(`${path}/customers`))).data[0];
    };
    const exact = await rowOf();
    expect(exact).toMatchObject({ precision: "exact", before: "22.00", after: "25.00" });
    await sql(`DELETE FROM usage_events WHERE bucket_seq = ${seq}`);
    expect(await rowOf()).toEqual({ ...exact, precision: "hour" });
    const own = `(SELECT seq FROM subscriptions WHERE bucket_seq = ${seq})`;
    await sql(`DELETE FROM usage_hours WHERE subscription_seq IN ${own}`);
    expect(await rowOf()).toEqual({ ...exact, precision: "day" });
  });

  test("deleted subscriptions are missing, with what was invoiced to them", async () => {
    const { bucket, path } = await billed(client, span.from, gold);
    const other = await createPlan(client, bucket, { ...gold, planExternalId: "other" });
    await subscribe(client, bucket, [other], { customerKey: "bolt" });
    expect((await client.delete(path)).status).toBe(204);
    await moveTo(client, bucket, "2031-03-05T00:00:00.000Z");
    await server.runTasks();
    const { missing, customers } = await resultOf({ ...span, plans: { gold: {} } }, bucket);
    expect(missing).toEqual({ subscriptions: 1, invoiced: [{ currency: "EUR", amount: "10.00" }] });
    expect(customers).toEqual({ more: 0, less: 0, same: 0 });
    const ofOther = await resultOf({ ...span, plans: { other: {} } }, bucket);
    expect(ofOther.missing).toEqual({ subscriptions: 0, invoiced: [] });
    expect(ofOther.customers.same).toBe(1);
  });

  test("a customer with a credit note by hand differs, and CSV has the same rows as JSON", async () => {
    const { bucket } = await billed(client, span.from, gold);
    const [invoice] = await invoicesOf(client, bucket);
    const note = { lines: [{ description: "Outage", amount: "4.00", line: 0 }] };
    expect((await client.post(`${bucket}/invoices/${invoice.id}/$credit`, note)).status).toBe(200);
    await moveTo(client, bucket, "2031-03-05T00:00:00.000Z");
    const { path } = await start(dearer, bucket);
    await ended(path);
    const { data, total } = await ok(client.get(`${path}/customers`));
    const sums = { before: "20.00", after: "24.00", difference: "4.00", precision: "exact" };
    const differs = { invoiced: "16.00", computed: "20.00" };
    expect({ data, total }).toEqual({ data: [{ customerKey: "acme", currency: "EUR", ...sums, differs }], total: 1 });
    const csv = await client.get(`${path}/customers`, { accept: "text/csv" });
    expect(csv.text.trim().split(/\r?\n/).slice(1)).toEqual([
      expect.stringContaining("acme,EUR,20.00,24.00,4.00,exact"),
    ]);
  });

  test("one in progress is canceled, also while another node computes it; one that has ended is deleted", async () => {
    await occupied();
    const [queued, taken] = [await start(dearer), await start(dearer)];
    await sql(`UPDATE jobs SET state = 'running', done = 1, worker = 'dead', worker_until = ${clock.now() + 30_000}
      WHERE id = '${taken.jobId}'`);
    for (const { path, jobId } of [queued, taken]) {
      expect((await client.delete(path)).status).toBe(204);
      expect(await ok(client.get(path))).toMatchObject({ state: "canceled" });
      expect(await ok(client.get(`/v1/accounts/${account}/jobs/${jobId}`))).toMatchObject({ state: "canceled" });
    }
    // Neither begins again, and those that follow do not wait.
    await freed();
    clock.advance(31_000);
    const next = await start(dearer);
    await ended(next.path);
    for (const { path } of [queued, taken]) {
      const canceled = await ok(client.get(path));
      expect(canceled.state).toBe("canceled");
      expect(canceled).not.toHaveProperty("result");
    }
    for (const { path } of [queued, taken, next]) {
      expect((await client.delete(path)).status).toBe(204);
      expectProblem(await client.get(path), 404, "not_found");
      expectProblem(await client.get(`${path}/customers`), 404, "not_found");
      expectProblem(await client.delete(path), 404, "not_found");
    }
  });

  test("with If-Match, one in progress is canceled however far it is, and none that has ended since is deleted", async () => {
    await occupied();
    const { path, jobId } = await start(dearer);
    const etag = (await client.get(path)).headers.get("etag")!;
    await sql(`UPDATE jobs SET done = 1 WHERE id = '${jobId}'`);
    expect((await client.delete(path, { "if-match": etag })).status).toBe(204);
    expectProblem(await client.delete(path, { "if-match": etag }), 412, "precondition_failed");
    await freed();
    const ended = (await client.get(path)).headers.get("etag")!;
    expect((await client.delete(path, { "if-match": ended })).status).toBe(204);
    expectProblem(await client.get(path), 404, "not_found");
  });

  test("another node continues after the last page that is stored, and no other job waits", async () => {
    const bucket = await newTestBucket(client, span.from);
    const plan = await createPlan(client, bucket, gold);
    const keys = Array.from({ length: 60 }, (_, index) => `customer-${String(index).padStart(2, "0")}`);
    for (const customerKey of keys) await subscribe(client, bucket, [plan], { customerKey });
    const events = keys.map((subject, index) =>
      usageEvent({ requests: 90 + index }, { subject, time: "2031-01-10T00:00:00.000Z" }),
    );
    await ok(client.post(`${bucket}/events`, events));
    await moveTo(client, bucket, "2031-03-05T00:00:00.000Z");
    const whole = await start(dearer, bucket);
    const expected = await ended(whole.path);
    expect(expected).toMatchObject({ done: 60, total: 60, result: { customers: { more: 60 } } });

    // What a node has stored that ended after the first 25.
    const page = await start({ ...dearer, customers: keys.slice(0, 25) }, bucket);
    await ended(page.path);
    await occupied();
    const { id, jobId, path } = await start(dearer, bucket);
    const seqOf = (simulation: string) => `(SELECT seq FROM simulations WHERE id = '${simulation}')`;
    const columns =
      "customer_key, currency, amount_before, amount_after, difference, size, exactness, limited_on, invoiced";
    await sql(`INSERT INTO simulation_customers (simulation_seq, ${columns})
      SELECT ${seqOf(id)}, ${columns} FROM simulation_customers WHERE simulation_seq = ${seqOf(page.id)}`);
    await sql(
      `UPDATE simulations SET result = (SELECT result FROM simulations WHERE id = '${page.id}') WHERE id = '${id}'`,
    );
    await sql(`UPDATE jobs SET state = 'running', done = 25, worker = 'dead', worker_until = ${clock.now() + 30_000},
        position = (SELECT max(seq) FROM customers WHERE customer_key = 'customer-24')
      WHERE id = '${jobId}'`);
    await freed();

    await client.post(`/v1/accounts/${account}/key-buckets/main/consumers`, { name: "acme" });
    const ids = Array.from({ length: 1001 }, (_, index) => `key_${index}`);
    const deletion = await client.post(`/v1/accounts/${account}/key-buckets/main/keys/$delete`, { ids });
    expect(deletion.status).toBe(202);
    await until(async () => {
      const job = await ok(client.get(`/v1/accounts/${account}/jobs/${deletion.body.jobId}`));
      return job.state === "succeeded";
    });
    expect(await ok(client.get(path))).toMatchObject({ state: "running", done: 25, total: 60 });
    clock.advance(31_000);
    const continued = await ended(path);
    expect(continued).toMatchObject({ state: "succeeded", done: 60, result: expected.result });
    const rowsOf = async (path: string) => (await ok(client.get(`${path}/customers?limit=100`))).data;
    expect(await rowsOf(path)).toEqual(await rowsOf(whole.path));
  });

  test("a bucket has at most 100 simulations", async () => {
    const empty = await newTestBucket(client, "2031-03-05T00:00:00.000Z");
    const first = await start({ ...span, plans: {} }, empty);
    for (let count = 1; count < 100; count++) await start({ ...span, plans: {} }, empty);
    expectProblem(await client.post(`${empty}/$simulate`, { ...span, plans: {} }), 409, "too_many_simulations");
    expect((await ok(client.get(`${empty}/simulations?limit=1`))).total).toBe(100);
    await ended(first.path);
    expect((await client.delete(first.path)).status).toBe(204);
    await start({ ...span, plans: {} }, empty);
  });

  describe("who may", () => {
    let path: string;
    beforeAll(async () => {
      ({ path } = await start(dearer));
      await ended(path);
    });
    const statuses = async (caller: Client) => {
      const answers = [
        await caller.get(`${bucket}/simulations`),
        await caller.get(path),
        await caller.get(`${path}/customers`),
        await caller.get(`${path}/customers`, { accept: "text/csv" }),
        await caller.post(`${bucket}/$simulate`, dearer),
        await caller.delete(`${bucket}/simulations/sim_none`),
      ];
      return answers.map(({ status }) => status);
    };

    test("start them who may change plans, and read them who may read invoices", async () => {
      for (const role of ["admin", "billing"] as const)
        expect(await statuses(await callerWithRole(client, role))).toEqual([200, 200, 200, 200, 202, 404]);
      expect(await statuses(await callerWithRole(client, "reader"))).toEqual([200, 200, 200, 200, 403, 403]);
      expect(await statuses(await callerWithRole(client, "verifier"))).toEqual([403, 403, 403, 403, 403, 403]);
      const projects = [{ project: "shop", role: "editor" }];
      const { browser } = await joined(client, { email: "bob@acme.example", role: "editor", projects });
      expect(await statuses(browser)).toEqual([403, 403, 403, 403, 403, 403]);
      expect(await statuses(await strangerOf(client, `other-${engine.name}`))).toEqual([404, 404, 404, 404, 404, 404]);
    });

    test("through the assistant: a start is confirmed, and limited roles have none of the tools", async () => {
      const messages = new McpMessages(() => `${server.url}/mcp`);
      const admin = messages.with({ token: adminToken });
      const bucketId = bucket.split("/").at(-1)!;
      const counted = async () => (await ok(client.get(`${bucket}/simulations?limit=1`))).total;
      const before = await counted();
      const asked = await admin.call("simulatePlans", { bucketId, ...dearer });
      expect(asked.result.resultType).toBe("input_required");
      expect(await counted()).toBe(before);
      expect((await admin.call("listSimulations", { bucketId })).value.total).toBe(before);

      const { body } = await client.post(`/v1/accounts/${account}/tokens`, { role: "verifier" });
      const verifier = messages.with({ token: body.token });
      const names = ["simulatePlans", "listSimulations", "getSimulation", "listSimulatedCustomers", "deleteSimulation"];
      for (const name of names) expect((await verifier.call(name, { bucketId })).body.error.code).toBe(-32602);
    });
  });

  test("what is simulated is not changed", async () => {
    const state = async () => [
      await invoicesOf(client, bucket),
      await ok(client.get(subscription)),
      await ok(client.get(`${bucket}/plans`)),
    ];
    const before = await state();
    await resultOf({ ...dearer, plans: { gold: { ...monthly("1.00"), meters: { requests: { max: 1 } } } } });
    expect(await state()).toEqual(before);
  });
});
