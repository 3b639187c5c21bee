import { afterAll, expect, test } from "bun:test";
import { postgres } from "../../../../../test/support/engines.ts";
import { keyCustomer } from "../../../../../test/support/key-customer.ts";
import { usageEvent } from "../../../../../test/support/metering.ts";
import { startServer, type TestServer, useServer } from "../../../../../test/support/server.ts";
import { until } from "../../../../../test/support/until.ts";

const meters = { tokens: { max: 100 } };

let other: TestServer | undefined;
// Stopped before the first, which drops the database.
afterAll(() => other?.stop());
const one = useServer(postgres);

test("another node knows a hold, and settles it", async () => {
  const { client } = one;
  other = await startServer(postgres, { database: one.database, clock: one.clock });
  await client.post("/v1/accounts/default/key-buckets", { name: "main" });
  const customer = await keyCustomer(client, { meters });
  const elsewhere = (how: object) =>
    other!.client.post("/v1/accounts/default/key-buckets/main/verify-key", { key: customer.key, ...how });
  const { bucketId, bucket } = customer;
  const consume = (tokens: number) => elsewhere({ consume: { bucketId, meters: { tokens } } });
  expect((await consume(1)).body.valid).toBe(true);
  await other.runTasks();
  const { body } = await customer.hold({ tokens: 90 });
  let taken = 1;
  await until(async () => {
    const { body } = await consume(10);
    if (body.valid) taken += 10;
    return body.code === "quota_exceeded";
  });
  await other.client.post(`${bucket}/holds/${body.holdId}/$settle`, { meters: { tokens: 0 } });
  expect((await consume(100 - taken)).body.valid).toBe(true);
});

test("another node admits again what an event had used that is taken back", async () => {
  const customer = await keyCustomer(one.client, { meters });
  const { bucketId, bucket } = customer;
  const consume = (tokens: number) =>
    other!.client.post("/v1/accounts/default/key-buckets/main/verify-key", {
      key: customer.key,
      consume: { bucketId, meters: { tokens } },
    });
  expect((await consume(1)).body.valid).toBe(true);
  await other!.runTasks();
  const event = usageEvent({ tokens: 99 }, { id: "void", source: "test", subject: customer.name });
  expect((await one.client.post(`${bucket}/events`, event)).body).toMatchObject({ accepted: 1 });
  await until(async () => (await consume(1)).body.code === "quota_exceeded");
  await one.client.post(`${bucket}/events/$void`, { source: "test", id: "void", reason: "sent by a test" });
  await until(async () => (await consume(1)).body.valid);
});
