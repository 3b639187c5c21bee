import { expect, test } from "bun:test";
import { type Database, eachEngine } from "../../../../test/support/engines.ts";
import { useServer } from "../../../../test/support/server.ts";
import { tableContent } from "../../../../test/support/table-content.ts";
import { until } from "../../../../test/support/until.ts";

const tables = ["metering_buckets", "subscriptions", "subscription_plans", "usage_counters", "usage_events"];
const more = ["plans", "plan_history", "subscription_history"];
const waiting = { what: "the removal to end" };

async function isEmpty(database: Database): Promise<boolean> {
  return (await tableContent(database, "metering_buckets")).length === 0;
}

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;

  async function fill(name: string): Promise<string> {
    const bucket = `/v1/metering/${(await client.post("/v1/metering", { name })).body.id}`;
    const meters = { requests: { max: 100 } };
    const plan = (await client.post(`${bucket}/plans`, { label: "P", planExternalId: "p", meters })).body;
    await client.patch(`${bucket}/plans/${plan.id}`, { meters: { requests: { max: 200 } } });
    for (const customerKey of ["acme", "bolt"]) {
      const subscription = await client.post(`${bucket}/subscriptions`, {
        planIds: [plan.id],
        planExternalIds: ["p"],
        status: "active",
        type: "periodic",
        renewalStrategy: "monthly",
        region: "us-central1",
        customerKey,
        subscriptionExternalId: customerKey,
        customerExternalId: customerKey,
      });
      expect(subscription.status).toBe(200);
      const events = Array.from({ length: 1500 }, (_, index) => ({
        specversion: "1.0",
        id: `${customerKey}-${index}`,
        source: "test",
        type: "request",
        subject: customerKey,
        data: { requests: 0.001 },
      }));
      expect((await client.post(`${bucket}/events`, events)).body.accepted).toBe(1500);
    }
    return bucket;
  }

  test("a bucket disappears immediately, its name is free, and its contents are removed, also after a restart", async () => {
    const bucket = await fill("usage");
    expect((await client.delete(bucket)).status).toBe(409);
    expect((await client.delete(`${bucket}?force=true`)).status).toBe(204);
    expect((await client.get(bucket)).status).toBe(404);
    expect((await client.get(`${bucket}/subscriptions`)).status).toBe(404);
    const again = await client.post("/v1/metering", { name: "usage" });
    expect(again.status).toBe(200);
    expect((await client.get(`/v1/metering/${again.body.id}/subscriptions`)).body.total).toBe(0);
    expect((await client.get("/v1/metering")).body.total).toBe(1);
    await server.restart();
    expect((await client.delete(`/v1/metering/${again.body.id}?force=true`)).status).toBe(204);
    await until(() => isEmpty(server.database), waiting);
    for (const table of [...tables, ...more])
      expect([table, await tableContent(server.database, table)]).toEqual([table, []]);
  });
});
