import { afterAll, beforeAll, expect, test } from "bun:test";
import { billed, linesOfAll, moveTo, ok, rated } from "../../../../../test/support/billing.ts";
import { BillingProperties } from "../../../../../test/support/billing-properties.ts";
import { eachEngine, sqlite } from "../../../../../test/support/engines.ts";
import { createPlan } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";

const hour = 60 * 60 * 1000;
const day = 24 * hour;

// Many more runs: npm run torture -- billing. The amounts are computed by the same code on both engines.
eachEngine((engine) => {
  const numRuns = (onSqlite: number) => (engine === sqlite ? onSqlite : Math.ceil(onSqlite / 3));
  let properties: BillingProperties;
  // Before the server: a second node uses its database.
  afterAll(() => properties.close());
  const server = useServer(engine);
  beforeAll(async () => {
    properties = await BillingProperties.open(engine, server);
  });

  test("whatever happens, each unit and each fee is billed once, under the terms of its time", async () => {
    await properties.billsOnce({ numRuns: numRuns(12) });
  });

  test("meter grants cover units beyond the allowance, each once, and money pays for the rest", async () => {
    await properties.coversOnce({ numRuns: numRuns(5) });
  });

  test("subscriptions of a customer share grants, and each has the caps for itself", async () => {
    await properties.sharesGrants({ numRuns: numRuns(5) });
  });

  test("payments, packs and top-ups return no more than was received, and cover each unit once", async () => {
    await properties.returnsReceived({ numRuns: numRuns(12) });
  });

  test("requests to a gateway have the time of the test bucket, which stands still", async () => {
    const { client, clock } = server;
    const { bucket, path } = await billed(client, clock.iso(), rated("0.10", { max: 10 }));
    const { planExternalId } = await createPlan(client, bucket, rated("0.50", { amount: "5.00", max: 1000 }));
    await properties.gateway.use(bucket);
    await moveTo(client, bucket, clock.iso(60_000));
    clock.advance(3 * hour);
    expect(await properties.gateway.request(75)).toBe(true);
    await ok(client.post(`${path}/$change`, { planExternalIds: [planExternalId], timing: "now" }));
    await moveTo(client, bucket, clock.iso(32 * day));
    expect(await linesOfAll(client, bucket, path)).toContainEqual(["overage", "6.50"]);
  });
});
