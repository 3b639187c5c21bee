import type { Client } from "../../test/support/client.ts";
import { createPlan, newMeteringBucket, type PlanNames, subscribe, usageEvent } from "../../test/support/metering.ts";
import type { Effort } from "../effort.ts";
import { expectStatus } from "../expect-status.ts";

export type DataSizes = Pick<Effort, "largePlans" | "largeRecords">;

/** The documented limits that the data is made to reach. */
export const documentedLimits = ({ largePlans, largeRecords }: DataSizes) =>
  `100 meters of a plan; 100 such plans; 100 subscriptions to one; ${largePlans} subscriptions to 20 plans of 75 kB each; ` +
  "2,000 meters of a subscription; 100 events of 100 meters each; 20,000 keys of a consumer; " +
  `1,000 keys with 50 permissions each; 16 KiB of metadata of ${largeRecords} consumers and as many subscriptions; 50 changes of 100 meters; ` +
  "45,000 points of analytics; 1,000 recorded requests of 8 kB; 100 sessions; 10 MiB of a batch, 1 MiB of other bodies";

export interface LimitRequest {
  name: string;
  method: string;
  path: string;
  /** Created for each attempt, because ids of events count once. */
  body?: () => string;
  /** The admin token of another account. */
  token?: string;
  /** The second attempt would find nothing. */
  isOnce?: boolean;
}

const meters = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`meter-${index}`, { max: 1e9 }]));
const permissions = Array.from({ length: 50 }, (_, index) => `orders:${index}`);

/** Subscriptions to different plans with long labels. Returns the path of their bucket. */
async function subscriptionsToMany(client: Client, largePlans: number): Promise<string> {
  const bucket = await newMeteringBucket(client);
  const label = "\u4e2d".repeat(240);
  const long = Object.fromEntries(Object.keys(meters).map((meter) => [meter, { label, max: 1 }]));
  const plans: PlanNames[] = [];
  for (let count = 0; count < largePlans; count++) plans.push(await createPlan(client, bucket, { meters: long }));
  for (let count = 0; count < largePlans; count++) {
    const chosen = Array.from({ length: 20 }, (_, index) => plans[(count + index) % plans.length]!);
    await subscribe(client, bucket, chosen, { customerKey: `customer-${count}` });
  }
  return bucket;
}

/** A subscription to 20 plans of a hundred meters each, with long labels. Returns the paths of its bucket and of itself. */
async function subscriptionWithMost(client: Client): Promise<{ most: string; path: string }> {
  const most = await newMeteringBucket(client);
  const plans: PlanNames[] = [];
  for (let count = 0; count < 20; count++) {
    const label = "\u4e2d".repeat(240);
    const other = Object.fromEntries(Object.keys(meters).map((meter) => [`${meter}-${count}`, { label, max: 1e9 }]));
    plans.push(await createPlan(client, most, { meters: other }));
  }
  const { id } = await subscribe(client, most, plans);
  const events = plans.map((_, count) =>
    usageEvent(Object.fromEntries(Object.keys(meters).map((meter) => [`${meter}-${count}`, 1]))),
  );
  expectStatus(await client.post(`${most}/events`, events), [200], "usage");
  return { most, path: `${most}/subscriptions/${id}` };
}

/** Creates data at the limits; returns the requests that read and change it. */
export async function atTheLimits(client: Client, { largePlans, largeRecords }: DataSizes): Promise<LimitRequest[]> {
  const bucket = await newMeteringBucket(client);
  const empty = await newMeteringBucket(client);
  const plan = await createPlan(client, bucket, { meters });
  const subscriptions = [];
  for (let count = 0; count < 100; count++)
    subscriptions.push(await subscribe(client, bucket, [plan], { customerKey: `customer-${count}` }));
  const wide = `${bucket}/subscriptions/${subscriptions[0]!.id}`;
  const amounts = Object.fromEntries(Object.keys(meters).map((meter) => [meter, 1]));
  const events = () => Array.from({ length: 100 }, (_, index) => usageEvent(amounts, { subject: `customer-${index}` }));
  const plans = await newMeteringBucket(client);
  for (let count = 0; count < 100; count++) await createPlan(client, plans, { meters });
  for (let count = 0; count < 50; count++) {
    const changed = Object.fromEntries(Object.keys(meters).map((meter) => [meter, { max: count }]));
    expectStatus(await client.patch(`${bucket}/plans/${plan.id}`, { meters: changed }), [200], "a plan");
  }
  expectStatus(await client.patch(`${bucket}/plans/${plan.id}`, { meters }), [200], "a plan");

  const labelled = await subscriptionsToMany(client, largePlans);
  const { most, path } = await subscriptionWithMost(client);

  const consumers = "/v1/accounts/default/key-buckets/limits/consumers";
  const large = "/v1/accounts/default/key-buckets/large/consumers";
  expectStatus(await client.post(consumers, { name: "many" }), [200], "a consumer");
  expectStatus(await client.post(consumers, { name: "permitted" }), [200], "a consumer");
  for (let count = 0; count < 20; count++)
    expectStatus(await client.post(`${consumers}/many/keys/$bulk`, Array(1000).fill({})), [200], "keys");
  const metadata = { text: "\u00e9".repeat(8_000) };
  const small = await createPlan(client, plans);
  for (let count = 0; count < largeRecords; count += 50)
    await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        expectStatus(await client.post(large, { name: `large-${count + index}`, metadata }), [200], "a consumer");
        await subscribe(client, plans, [small], { customerKey: `customer-${count + index}`, metadata });
      }),
    );
  expectStatus(await client.post(large, { name: "one-more", metadata }), [200], "a consumer");

  const get = (name: string, path: string): LimitRequest => ({ name, method: "GET", path });
  const post = (name: string, path: string, body: () => unknown): LimitRequest => ({
    name,
    method: "POST",
    path,
    body: () => JSON.stringify(body()),
  });
  const long = "from=2018-12-01T00:00:00Z&step=1d";
  const some = Object.fromEntries(Array.from({ length: 99 }, (_, index) => [`meter-${index}-${index % 20}`, 1]));
  return [
    post("recordUsage, 100 events of 100 meters", `${bucket}/events`, events),
    post("consumeQuota, 100 meters", `${wide}/quotas/consume`, () => ({ meters: amounts })),
    post("recordUsage, of 2,000 meters", `${most}/events`, () => [usageEvent({ "meter-0-0": 1 })]),
    post("consumeQuota, of 2,000 meters", `${path}/quotas/consume`, () => ({ meters: { "meter-0-0": 1 } })),
    post("consumeQuota, 99 of 2,000 meters", `${path}/quotas/consume`, () => ({ meters: some })),
    get("getUsage, 100 meters", `${wide}/usage`),
    get("getUsage, 2,000 meters", `${path}/usage`),
    get("getUsageHistory, 100 meters", `${wide}/usage/history`),
    get("getUsageSeries, 100 meters, 8 years", `${wide}/usage-series?${long}`),
    get("getUsageSeries, 100 meters, a period", `${wide}/usage-series?step=1d`),
    get("getUsageSeries, one meter, 8 years", `${wide}/usage-series?${long}&meter=meter-1`),
    get("listUsage, 100 × 100 meters", `${bucket}/usage`),
    get("listUsage, 50 × 100 meters", `${bucket}/usage?limit=50`),
    get(
      `listUsage, ${Math.ceil(largePlans / 10)} with 20 plans of 750 kB`,
      `${labelled}/usage?limit=${Math.ceil(largePlans / 10)}`,
    ),
    get(`listSubscriptions, ${largePlans} with 20 plans of 750 kB`, `${labelled}/subscriptions`),
    get("listPlans, 100 with 100 meters", `${plans}/plans`),
    get(`listSubscriptions, ${largeRecords} with 16 KiB of metadata`, `${plans}/subscriptions`),
    get("listSubscriptions, 100 with 100 meters", `${bucket}/subscriptions`),
    get("listAuditLog, 50 changes of 100 meters", "/v1/accounts/default/audit-log?action=plan.updated&limit=1000"),
    get("listAuditLog, 1,000 entries", "/v1/accounts/default/audit-log?limit=1000"),
    get("verifyAuditLog", "/v1/accounts/default/audit-log/verification"),
    get("reconcileUsage", `${bucket}/reconciliation`),
    get("reconcileUsage, an empty bucket", `${empty}/reconciliation`),
    post("createKeys, 1,000 with 50 permissions", `${consumers}/permitted/keys/$bulk`, () =>
      Array(1000).fill({ permissions }),
    ),
    get("listKeys, 1,000 with 50 permissions", `${consumers}/permitted/keys`),
    get(`listConsumers, ${largeRecords} with 16 KiB of metadata`, `${large}?limit=1000`),
    get("getConsumer, 20,000 keys", `${consumers}/many?include-api-keys=true`),
    { name: "deleteConsumer, 20,000 keys", method: "DELETE", path: `${consumers}/many`, isOnce: true },
    {
      name: "recordUsage, 10 MiB of {},",
      method: "POST",
      path: `${bucket}/events`,
      body: () => `[${"{},".repeat(3_400_000)}{}]`,
    },
    { name: "recordUsage, 10 MiB of [", method: "POST", path: `${bucket}/events`, body: () => "[".repeat(10_000_000) },
  ];
}
