import { expect, test } from "bun:test";
import { strangerOf } from "../../../../test/support/callers.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { createPlan, record, subscribe, unique, usageEvent, usedOf } from "../../../../test/support/metering.ts";
import { MeteringAccount } from "../../../../test/support/metering-rules.ts";
import { useServer } from "../../../../test/support/server.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import { customerPlace } from "../../../counting/quotas/customer-place.ts";
import { openQuotaLedger } from "../metering/quotas/quota-source.ts";
import { deleteMeteringBucket, updateMeteringBucket } from "./metering-buckets.ts";

eachEngine((engine) => {
  const { client } = useServer(engine);
  const storage = useStorage(engine);

  test("a name can be used instead of the id", async () => {
    const name = unique("shop_1");
    const { status, body: made } = await client.post("/v1/metering", { name });
    expect([status, made.name]).toEqual([200, name]);
    const byName = `/v1/metering/${name}`;
    expect((await client.get(byName)).body).toEqual(made);
    expect((await client.get("/v1/metering")).body.data).toContainEqual(made);
    const plan = await createPlan(client, byName, { meters: { requests: { max: 10 } } });
    const { id } = await subscribe(client, byName, [plan]);
    const event = usageEvent({ requests: 1 });
    expect(await record(client, byName, [event])).toMatchObject({ accepted: 1 });
    expect(await record(client, `/v1/metering/${made.id}`, [event])).toMatchObject({ duplicates: 1 });
    expect(await usedOf(client, `${byName}/subscriptions/${id}`)).toEqual({ requests: 1 });
    expect((await client.delete(`${byName}?force=true`)).status).toBe(204);
    expect((await client.get(`/v1/metering/${made.id}`)).status).toBe(404);
  });

  test("a name is unique in its account, also of ten at once, and free after it was given up", async () => {
    const name = unique("taken");
    const responses = await Promise.all(Array.from({ length: 10 }, () => client.post("/v1/metering", { name })));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
    const { body: other } = await client.post("/v1/metering");
    expectProblem(await client.patch(`/v1/metering/${other.id}`, { name }), 409, "metering_bucket_exists");
    expectProblem(await client.patch(`/v1/metering/${other.id}`, { name: "mtr_x" }), 400, "validation_failed");
    const stranger = await strangerOf(client, unique("stranger"));
    expect((await stranger.get(`/v1/metering/${name}`)).status).toBe(404);
    expect((await stranger.post("/v1/metering", { name })).status).toBe(200);

    const cleared = await client.patch(`/v1/metering/${name}`, { name: null });
    expect([cleared.status, cleared.body.name]).toEqual([200, undefined]);
    expect((await client.get(`/v1/metering/${name}`)).status).toBe(404);
    expect((await client.patch(`/v1/metering/${other.id}`, { name })).body).toMatchObject({ id: other.id, name });
    expect((await client.patch(`/v1/metering/${other.id}`, {})).body.name).toBe(name);
  });

  test("a quota is not oversold when it is consumed by name and by id at once", async () => {
    const { body: made } = await client.post("/v1/metering", { name: unique("both") });
    const path = `/v1/metering/${made.id}`;
    const plan = await createPlan(client, path, { meters: { requests: { max: 10 } } });
    const { id } = await subscribe(client, path, [plan]);
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        client.post(`/v1/metering/${index % 2 ? made.id : made.name}/subscriptions/${id}/quotas/consume`, {
          meters: { requests: 1 },
        }),
      ),
    );
    expect(responses.filter(({ body }) => body.allowed)).toHaveLength(10);
    expect(await usedOf(client, `${path}/subscriptions/${id}`)).toEqual({ requests: 10 });
  });

  test("the ledger follows a bucket that is cached by name", async () => {
    const ledger = openQuotaLedger(storage.open, storage.clock);
    const account = await MeteringAccount.create(storage.open, storage.clock);
    const name = unique("shop");
    const find = async () => {
      const { owner, meterCount } = await ledger.find(
        customerPlace(account.account.seq, name, "acme"),
        storage.clock.now(),
      );
      return owner && meterCount;
    };
    const rename = (to: string | null) =>
      storage.open.write((transaction) =>
        updateMeteringBucket(transaction, account.act, account.bucket.id, { name: to }, () => {}),
      );
    expect(await find()).toBeUndefined();
    await rename(name);
    expect(await find()).toBeUndefined();
    const plan = await account.plan({ requests: { max: 1 } });
    // Like the routes: with the current bucket.
    account.bucket.name = name;
    const subscription = await account.subscribe(plan, "acme");
    expect(await find()).toBe(1);
    await account.changePlan(plan, { requests: { max: 1 }, bytes: { max: 1 } });
    expect(await find()).toBe(2);
    await account.change(subscription, { status: "unpaid" });
    expect(await find()).toBeUndefined();
    await account.change(subscription, { status: "active" });
    expect(await find()).toBe(2);
    await rename(null);
    expect(await find()).toBeUndefined();
    await rename(name);
    expect(await find()).toBe(2);
    await storage.open.write((transaction) =>
      deleteMeteringBucket(transaction, account.act, name, { force: true, precondition: () => {} }),
    );
    expect(await find()).toBeUndefined();
  });
});
