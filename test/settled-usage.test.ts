import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { invoicesOf, linesOf, monthly, ok, perUnit, setProfile } from "./support/billing.ts";
import type { Client } from "./support/client.ts";
import { eachEngine } from "./support/engines.ts";
import { FakeClock } from "./support/fake-clock.ts";
import { type KeyCustomer, keyCustomer } from "./support/key-customer.ts";
import { createPlan, newMeteringBucket, unique, usedOf } from "./support/metering.ts";
import { callHost, type Deployed, deploy, openApi } from "./support/project.ts";
import { readSql, runSql } from "./support/run-sql.ts";
import { TestServer } from "./support/server.ts";
import { account } from "./support/server-settings.ts";
import { until } from "./support/until.ts";

const hour = 60 * 60 * 1000;
const day = 24 * hour;
/** A connection for each request, so that the kernel distributes requests among the workers. */
const ownConnection = { connection: "close" };
const rates = { requests: perUnit("0.10") };
/** Without a fee, with 100 units that grants extend, or with a price from the first unit on. */
const included = { meters: { requests: { max: 0 } } };
const billed = { ...monthly("0.00"), rates, meters: { requests: { max: 0 } } };
const fee = { ...monthly("100.00"), meters: { requests: { max: 100 } } };

/** Takes one unit. Returns whether it was taken. */
type Take = (customer: KeyCustomer, client: Client, call: Deployed["call"]) => Promise<boolean>;

const ways: Record<string, Take> = {
  consume: async ({ subscription }, client) =>
    (await ok(client.post(`${subscription}/quotas/consume`, { meters: { requests: 1 } }))).allowed,
  hold: async ({ bucket, bucketId, key }, client) => {
    const hold = { bucketId, meters: { requests: 1 }, expiresInSeconds: 60 };
    const verified = await ok(client.post(verifyPath, { key, hold }));
    if (!verified.valid) return false;
    await ok(client.post(`${bucket}/holds/${verified.holdId}/$settle`, { meters: { requests: 1 } }));
    return true;
  },
  "verify-key": async ({ key, bucketId }, client) => {
    const consume = { bucketId, meters: { requests: 1 } };
    return (await ok(client.post(verifyPath, { key, consume }, ownConnection))).valid;
  },
  gateway: async ({ key, name }, _client, call) => {
    const headers = { ...ownConnection, authorization: `Bearer ${key}` };
    const response = await call(`/metered?customer=${name}`, { headers });
    await response.text();
    return response.status === 200;
  },
};
const verifyPath = `/v1/accounts/${account}/key-buckets/main/verify-key`;

interface Scene {
  client: Client;
  customer: KeyCustomer;
  /** The path of the customer in billing. */
  path: string;
}

/** Something that computes money from usage, after 3 of 100 units were used. */
interface Operation {
  plan: object;
  /** Returns the path of what is returned or ended. */
  setUp?(scene: Scene): Promise<string>;
  /** Returns the amount that shows how much usage was seen. */
  act(scene: Scene, made: string): Promise<unknown>;
  expected: unknown;
  /** Whether time passes between the usage and the operation. */
  isLater?: boolean;
}

const pack = (units: number) => ({
  packExternalId: `units-${units}`,
  label: `${units} requests`,
  price: { currency: "EUR", amount: `${units}.00` },
  grant: { meter: "requests", amount: units },
});

const buyPack =
  (units: number) =>
  async ({ client, customer, path }: Scene) => {
    const { packExternalId } = pack(units);
    const purchase = { packExternalId, returnUrl: "https://shop.example/billing" };
    const { purchaseId } = await ok(client.post(`${path}/packs/$purchase`, purchase));
    const { invoiceId } = await ok(client.get(`${path}/packs/${purchaseId}`));
    await ok(client.post(`${customer.bucket}/invoices/${invoiceId}/$mark-paid`, {}));
    return `${path}/packs/${purchaseId}`;
  };
/** "0.00" if all is used. */
const refund = async ({ client }: Scene, made: string) => (await client.post(`${made}/$refund`)).body.amount ?? "0.00";

const grantUnits =
  (amount: number, more: object = {}) =>
  async ({ client, path }: Scene) => {
    const { id } = await ok(client.post(`${path}/grants`, { meter: "requests", amount, funding: "paid", ...more }));
    return `${path}/grants/${id}`;
  };
const lastEntry = async ({ client }: Scene, grant: string) =>
  (await ok(client.get(`${grant}/entries`))).data
    .map(({ kind, amount }: Record<string, unknown>) => `${kind} ${amount}`)
    .at(-1);
const voidGrant = async (scene: Scene, made: string) => {
  await ok(scene.client.post(`${made}/$void`));
  return lastEntry(scene, made);
};

const ownInvoices = ({ client, customer }: Scene) =>
  invoicesOf(client, customer.bucket, `?subscriptionId=${customer.subscription.split("/").at(-1)}`);
const credited = async (scene: Scene) => (await ownInvoices(scene)).find(({ credited }) => credited)?.credited;
const otherPlan = async ({ client, customer }: Scene, plan: object) =>
  (await createPlan(client, customer.bucket, plan)).planExternalId;

async function deleteSubscription(scene: Scene) {
  expect((await scene.client.delete(scene.customer.subscription)).status).toBe(204);
  return (await ownInvoices(scene)).map(linesOf);
}

const operations: Record<string, Operation> = {
  "the refund of a pack": { plan: included, setUp: buyPack(100), act: refund, expected: "97.00" },
  "a voided grant": { plan: included, setUp: grantUnits(100), act: voidGrant, expected: "voided -97" },
  "an expired grant": {
    plan: included,
    setUp: (scene) => grantUnits(100, { expiresOn: clock.iso(day) })(scene),
    act: lastEntry,
    expected: "expired -97",
    isLater: true,
  },
  $collect: {
    plan: { ...billed, ...monthly("30.00") },
    setUp: async (scene) => {
      const [open] = await ownInvoices(scene);
      await ok(scene.client.post(`${scene.path}/grants`, { currency: "EUR", amount: "10.00", funding: "paid" }));
      return `${scene.customer.bucket}/invoices/${open.id}`;
    },
    // The grant pays for the usage first.
    act: async ({ client }, invoice) => (await ok(client.post(`${invoice}/$collect`))).amountDue,
    expected: "20.30",
  },
  $cancel: {
    plan: fee,
    act: async (scene) => {
      await ok(scene.client.post(`${scene.customer.subscription}/$cancel`, { timing: "now", refund: true }));
      return credited(scene);
    },
    expected: "97.00",
  },
  $change: {
    plan: fee,
    act: async (scene) => {
      const planExternalIds = [await otherPlan(scene, { ...fee, ...monthly("200.00") })];
      await ok(scene.client.post(`${scene.customer.subscription}/$change`, { planExternalIds, timing: "now" }));
      return credited(scene);
    },
    expected: "97.00",
  },
  "a prorated change": {
    plan: { meters: { requests: { max: 100 } } },
    act: async (scene) => {
      const planExternalIds = [await otherPlan(scene, { meters: { requests: { max: 200 } } })];
      await ok(scene.client.patch(scene.customer.subscription, { planExternalIds, prorate: 0.5 }));
      return (await ok(scene.client.get(`${scene.customer.subscription}/usage`))).meters.requests.max;
    },
    expected: 103,
  },
  "a lowered cap": {
    plan: billed,
    act: async (scene) => {
      await ok(scene.client.patch(scene.path, { spendCap: { amount: "0.10", action: "block" } }));
      return deleteSubscription(scene);
    },
    expected: [[["overage", "0.30"]]],
  },
  "a deleted subscription": { plan: billed, act: deleteSubscription, expected: [[["overage", "0.30"]]] },
};

let clock: FakeClock;

/** The ledger writes what it counted with the number of its batch. */
const writesFail: Record<string, string> = {
  sqlite: "CREATE TRIGGER writes_fail BEFORE INSERT ON written_batches BEGIN SELECT RAISE(ABORT, 'no space'); END",
  postgres: `CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'no space' USING ERRCODE = '53100'; END $$;
    CREATE TRIGGER writes_fail BEFORE INSERT ON written_batches FOR EACH ROW EXECUTE FUNCTION fail()`,
};

eachEngine((engine) => {
  const modes = ["one process", "two workers", ...(engine.name === "sqlite" ? [] : ["two nodes"])];
  describe.each(modes)("%s:", (mode) => {
    let nodes: TestServer[];
    let bucket: string;
    let deployed: Deployed;

    beforeAll(async () => {
      clock = new FakeClock();
      const first = new TestServer(engine, { clock, workers: mode === "two workers" ? 2 : 0 });
      nodes = [first];
      await first.start();
      const { client } = first;
      await setProfile(client);
      await ok(client.raw("PUT", `/v1/accounts/${account}/payment-provider/live`, JSON.stringify({ type: "manual" })));
      await client.post(`/v1/accounts/${account}/key-buckets`, { name: "main" });
      bucket = await newMeteringBucket(client);
      for (const units of [100, 60]) await ok(client.post(`${bucket}/credit-packs`, pack(units)));
      if (mode === "two nodes") {
        const second = new TestServer(engine, { clock, database: first.database });
        nodes.push(second);
        await second.start();
      }
      const quota = { bucketId: bucket.split("/").at(-1), meters: { requests: 1 } };
      deployed = await deploy(
        first,
        { project: unique("shop"), branch: "main" },
        {
          "openapi.json": openApi({ "/metered": { "x-tollgate": { policies: ["key", "quota"] } } }),
          "tollgate.json": {
            upstream: upstream.url.origin,
            policies: {
              key: { type: "api-key", options: { bucket: "main" } },
              quota: { type: "quota", options: quota },
            },
          },
        },
      );
    });
    afterAll(async () => {
      for (const node of nodes.reverse()) await node.stop();
    });

    const flushed = () => Promise.all(nodes.map((node) => node.catchUp()));

    async function newScene(plan: object): Promise<Scene> {
      const { client } = nodes[0]!;
      const customer = await keyCustomer(client, { bucket, plan });
      return { client, customer, path: `${bucket}/customers/${customer.name}` };
    }
    const takeOn = (node: TestServer, way: string, { customer }: Scene) =>
      ways[way]!(customer, node.client, (path, init) => callHost(node.url, new URL(deployed.url).hostname, path, init));

    test.each(Object.entries(operations))(
      "%s sees all usage before it",
      async (_name, { plan, setUp, act, ...rest }) => {
        const scenes = await Promise.all(
          Object.keys(ways).map(async (way) => {
            const scene = await newScene(plan);
            const made = (await setUp?.(scene)) ?? "";
            for (let taken = 0; taken < 3; taken++) expect(await takeOn(nodes.at(-1)!, way, scene)).toBe(true);
            return { way, scene, made };
          }),
        );
        // What another node has not written is not waited for, see docs/billing.md.
        if (nodes.length > 1) await nodes[1]!.catchUp();
        if (rest.isLater) {
          clock.advance(day);
          await nodes[0]!.runTasks();
        }
        const seen = await Promise.all(
          scenes.map(async ({ way, scene, made }) => [way, await act(scene, made)] as const),
        );
        expect(Object.fromEntries(seen)).toEqual(
          Object.fromEntries(Object.keys(ways).map((way) => [way, rest.expected])),
        );
        await flushed();
      },
    );

    test("if usage cannot be written, the operation fails and requests do not", async () => {
      const scene = await newScene(included);
      const grant = await grantUnits(100)(scene);
      const { database } = nodes[0]!;
      const isSqlite = engine.name === "sqlite";
      const take = () => takeOn(nodes[0]!, "verify-key", scene);
      expect(await take()).toBe(true);
      await runSql(database, writesFail[engine.name]!);
      try {
        expect(await take()).toBe(true);
        const [voided, ...taken] = await Promise.all([scene.client.post(`${grant}/$void`), take(), take()]);
        // A trigger of SQLite cannot raise an error of storage.
        expect([voided.status, taken]).toEqual([isSqlite ? 500 : 503, [true, true]]);
        expect(await take()).toBe(true);
      } finally {
        await runSql(database, `DROP TRIGGER writes_fail${isSqlite ? "" : " ON written_batches"}`);
      }
      // A write that began before may still fail.
      await until(async () => (await scene.client.post(`${grant}/$void`)).status === 200);
      expect(await lastEntry(scene, grant)).toBe("voided -95");
      await flushed();
    });

    const ends: Record<string, { end: (scene: Scene) => Promise<unknown>; invoices: unknown[][] }> = {
      canceled: {
        end: ({ client, customer }) => ok(client.post(`${customer.subscription}/$cancel`, { timing: "now" })),
        invoices: [[["overage", "0.50"]]],
      },
      deleted: { end: deleteSubscription, invoices: [[["overage", "0.30"]], [["overage", "0.20"]]] },
    };
    test.each(Object.entries(ends))(
      "usage that arrives after a subscription was %s is billed",
      async (how, { end, invoices }) => {
        const scene = await newScene(billed);
        const { client, customer, path } = scene;
        const node = nodes.at(-1)!;
        for (const way of ["consume", "verify-key"]) expect(await takeOn(node, way, scene)).toBe(true);
        if (nodes.length > 1) await node.catchUp();
        const { holdId } = await ok(customer.hold({ requests: 1 }, { expiresInSeconds: 60 }));
        // Longer than the server waits for it, which is nothing on another node.
        const { promise: released, resolve: release } = Promise.withResolvers<void>();
        const reached = upstreamWaits(customer.name, released);
        const slow = takeOn(node, "gateway", scene);
        await reached;
        await end(scene);
        release();
        expect(await slow).toBe(true);
        await ok(client.post(`${customer.bucket}/holds/${holdId}/$settle`, { meters: { requests: 2 } }));
        await flushed();
        const id = customer.subscription.split("/").at(-1);
        if (how === "deleted") {
          expect(await client.get(customer.subscription)).toMatchObject({ status: 404 });
          const listed = await ok(client.get(`${bucket}/subscriptions?customerKey=${customer.name}`));
          expect([listed.data, listed.total]).toEqual([[], 0]);
          expect(await client.delete(`${bucket}/plans/${customer.plan.id}`)).toMatchObject({ status: 204 });
        }
        clock.advance(hour);
        await nodes[0]!.runTasks();
        expect((await ownInvoices(scene)).map(linesOf)).toEqual(invoices);
        clock.advance(hour);
        await nodes[0]!.runTasks();
        expect(await ownInvoices(scene)).toHaveLength(invoices.length);
        expect(await ok(client.get(path))).toMatchObject({ customerKey: customer.name });
        const rows = await readSql(nodes[0]!.database, `SELECT seq FROM subscriptions WHERE id = '${id}'`);
        expect(rows).toHaveLength(how === "deleted" ? 0 : 1);
      },
    );

    test.each([
      ["the refund of a pack", buyPack(60), async (scene: Scene, made: string) => Number(await refund(scene, made))],
      [
        "a voided grant",
        grantUnits(60),
        async (scene: Scene, made: string) => Number(/^voided -(.*)$/.exec(await voidGrant(scene, made))?.[1] ?? 0),
      ],
    ])("%s returns nothing that is used at the same time", async (_name, setUp, act) => {
      const outcomes = await Promise.all(
        Object.keys(ways).map(async (way) => {
          const scene = await newScene(included);
          const made = await setUp(scene);
          let used = 0;
          let returning: Promise<number> | undefined;
          const caller = async (_: unknown, index: number) => {
            // What another node counts in memory is not waited for, see docs/billing.md.
            const node = ["consume", "hold"].includes(way) ? nodes[index % nodes.length]! : nodes[0]!;
            for (let calls = 0; calls < 12; calls++) {
              if (await takeOn(node, way, scene)) used += 1;
              if (used >= 5) returning ??= act(scene, made);
            }
          };
          await Promise.all(Array.from({ length: 6 }, caller));
          const returned = await returning!;
          await flushed();
          const counted = (await usedOf(scene.client, scene.customer.subscription)).requests;
          return { way, isCounted: counted === used, isTooMuch: used + returned > 60 };
        }),
      );
      const expected = { isCounted: true, isTooMuch: false };
      expect(outcomes).toEqual(Object.keys(ways).map((way) => ({ way, ...expected })));
    });
  });
});

/** Requests that the upstream does not respond to yet, by their customer. */
const waiting = new Map<string, { until: Promise<void>; reached(): void }>();
function upstreamWaits(customer: string, until: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.set(customer, { until, reached: resolve });
  return promise;
}
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const slow = waiting.get(new URL(request.url).searchParams.get("customer") ?? "");
    slow?.reached();
    await slow?.until;
    return new Response("from the upstream");
  },
});
afterAll(() => upstream.stop(true));
