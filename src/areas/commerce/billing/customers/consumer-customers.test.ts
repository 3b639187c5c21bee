import { expect, test } from "bun:test";
import { ok, setProfile } from "../../../../../test/support/billing.ts";
import { newBucketPath } from "../../../../../test/support/bucket-path.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { createPlan, subscribe, subscriptionInput } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";

eachEngine((engine) => {
  const { client } = useServer(engine);

  /** A key bucket, and a metering bucket whose customers are its consumers. */
  async function scene(keyBucketOf = (name: string): string | undefined => name) {
    const bucket = newBucketPath();
    const { body } = await client.post("/v1/metering", {
      isTest: true,
      keyBucket: keyBucketOf(bucket.split("/").at(-1)!),
    });
    const metering = `/v1/metering/${body.id}`;
    const plan = await createPlan(client, metering);
    const create = (query = "") => client.post(`${bucket}/consumers${query}`, { name: "acme" });
    const consumerIdOf = async () => (await client.get(`${metering}/customers/acme`)).body.consumerId;
    return {
      bucket,
      path: `${bucket}/consumers/acme`,
      metering,
      plan,
      create,
      consumerIdOf,
      subscribe: () => subscribe(client, metering, [plan]),
      created: async (query = "") => (await ok(create(query))).id as string,
    };
  }

  test("a new consumer does not inherit the customer of a deleted one, until it is handed over", async () => {
    const { path, created, create, consumerIdOf, subscribe, metering } = await scene();
    const first = await created();
    const { id } = await subscribe();
    expect(await consumerIdOf()).toBe(first);
    await client.delete(path);
    for (const query of ["", "?adopt-customer=false", "?with-api-key=true"])
      expectProblem(await create(query), 409, "customer_exists");
    expect((await client.get(path)).status).toBe(404);
    expect(await consumerIdOf()).toBe(first);

    const second = await created("?adopt-customer=true&with-api-key=true");
    expect(second).not.toBe(first);
    expect(await consumerIdOf()).toBe(second);
    expect((await client.get(`${metering}/subscriptions/${id}`)).body.customerKey).toBe("acme");
    const { data } = (await client.get("/v1/accounts/default/audit-log?action=customer.updated&limit=1")).body;
    expect(data[0].changes).toContainEqual({ pointer: "/consumerId", before: first, after: second });
    // The next one must confirm again.
    await client.delete(path);
    expectProblem(await create(), 409, "customer_exists");
  });

  test("a consumer that was deleted in bulk or with its bucket has left its customer too", async () => {
    const { bucket, created, create, subscribe } = await scene();
    await created();
    await subscribe();
    await client.post(`${bucket}/consumers/$delete`, { names: ["acme"] });
    expectProblem(await create(), 409, "customer_exists");
    await created("?adopt-customer=true");
    await client.delete(`${bucket}?force=true`);
    expectProblem(await create(), 409, "customer_exists");
    // The rejected creation has not created the bucket again.
    expect((await client.get(bucket)).status).toBe(404);
  });

  test("a subscription created before its consumer is that of the first one created later", async () => {
    const { path, created, create, consumerIdOf, subscribe } = await scene();
    await subscribe();
    expect(await consumerIdOf()).toBeUndefined();
    const first = await created();
    expect(await consumerIdOf()).toBe(first);
    await client.delete(path);
    expectProblem(await create(), 409, "customer_exists");
  });

  test("credit, a payment method and an invoice are kept from a namesake as well; a customer without them is not", async () => {
    const { path, metering, plan, created, create, subscribe } = await scene();
    await created();
    const { id } = await subscribe();
    await client.delete(`${metering}/subscriptions/${id}`);
    await client.delete(path);
    await created();
    const method = `${metering}/customers/acme/payment-method`;
    await ok(client.raw("PUT", method, JSON.stringify({ type: "sandbox", behavior: "succeeds" })));
    await client.delete(path);
    expectProblem(await create(), 409, "customer_exists");
    expect((await client.delete(method)).status).toBeOneOf([200, 204]);
    await created();
    await ok(
      client.post(`${metering}/customers/acme/grants`, { meter: "requests", amount: 5, funding: "promotional" }),
    );
    await client.delete(path);
    expectProblem(await create(), 409, "customer_exists");
    expect(plan.id).toBeString();
  });

  test("an invoice alone is kept from a namesake", async () => {
    await setProfile(client);
    const { path, metering, created, create } = await scene();
    const price = { currency: "EUR", amount: "10.00", interval: "month" };
    const priced = await createPlan(client, metering, { price });
    await created();
    const { id } = await ok(client.post(`${metering}/subscriptions`, subscriptionInput([priced])));
    await client.delete(`${metering}/subscriptions/${id}`);
    await client.delete(path);
    expectProblem(await create(), 409, "customer_exists");
  });

  test("without keyBucket, everything is as before; a keyBucket that is set later finds the consumers", async () => {
    const { bucket, path, metering, created, create, consumerIdOf, subscribe } = await scene(() => undefined);
    await created();
    await subscribe();
    expect(await consumerIdOf()).toBeUndefined();
    await client.delete(path);
    const second = await created();
    await ok(client.patch(metering, { keyBucket: bucket.split("/").at(-1)! }));
    expect(await consumerIdOf()).toBe(second);
    await client.delete(path);
    expectProblem(await create(), 409, "customer_exists");
    // Another key bucket begins anew, and so does none.
    await ok(client.patch(metering, { keyBucket: "another-one" }));
    expect(await consumerIdOf()).toBeUndefined();
    await created();
  });

  test("a consumer and a first subscription that are created at once belong together", async () => {
    for (let round = 0; round < 5; round++) {
      const { path, created, create, subscribe, consumerIdOf } = await scene();
      const [id] = await Promise.all([created(), subscribe()]);
      expect(await consumerIdOf()).toBe(id);
      await client.delete(path);
      expectProblem(await create(), 409, "customer_exists");
    }
  });
});
