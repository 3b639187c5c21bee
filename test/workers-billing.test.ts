import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { monthly, ok, perUnit } from "./support/billing.ts";
import { eachEngine } from "./support/engines.ts";
import { createPlan, newMeteringBucket, subscribe, usedOf } from "./support/metering.ts";
import { type Deployed, deploy, openApi } from "./support/project.ts";
import { useServer } from "./support/server.ts";

const consumers = "/v1/accounts/default/key-buckets/main/consumers";
const max = 5;
/** What a request with the policy `usage` holds. */
const reserved = 4;

eachEngine((engine) => {
  describe("with two workers", () => {
    const server = useServer(engine, { workers: 2 });
    const { client } = server;
    /** What a response of the target reports. */
    let reported = 0;
    const upstream = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Response("from the target", { headers: { "x-units": String(reported) } }),
    });
    let deployed: Deployed;
    let bucket: string;

    beforeAll(async () => {
      bucket = await newMeteringBucket(client);
      deployed = await deploy(
        server,
        { project: "shop", branch: "main" },
        {
          "openapi.json": openApi({
            "/metered": { "x-tollgate": { policies: ["key", "quota"] } },
            "/reported": { "x-tollgate": { policies: ["key", "usage"] } },
          }),
          "tollgate.json": {
            upstream: upstream.url.origin,
            policies: {
              key: { type: "api-key", options: { bucket: "main" } },
              quota: { type: "quota", options: { bucketId: bucket.split("/").at(-1), meters: { requests: 1 } } },
              usage: {
                type: "usage",
                options: {
                  bucketId: bucket.split("/").at(-1),
                  meters: { requests: { header: "x-units" } },
                  reserve: { requests: { amount: reserved } },
                },
              },
            },
          },
        },
      );
    });
    afterAll(() => upstream.stop(true));

    /** A customer with a key and a subscription. */
    async function newCustomer(name: string, prices: object = {}) {
      const { apiKeys } = await ok(client.post(`${consumers}?with-api-key=true`, { name }));
      const plan = await createPlan(client, bucket, { meters: { requests: { max } }, ...prices });
      const { id } = await subscribe(client, bucket, [plan], { customerKey: name });
      const customer = `${bucket}/customers/${name}`;
      // A connection for each request, so that the kernel distributes requests among the workers.
      const headers = { connection: "close", authorization: `Bearer ${apiKeys[0].key}` };
      /** The outcomes of so many requests at once, with their counts. */
      const send = async (count: number, path = "/metered"): Promise<Record<string, number>> => {
        const outcomes = await Promise.all(
          Array.from({ length: count }, async () => {
            const response = await deployed.call(path, { headers });
            const text = await response.text();
            return response.status === 200 ? "served" : `${response.status} ${JSON.parse(text).code}`;
          }),
        );
        const counted = Map.groupBy(outcomes, (outcome) => outcome).entries();
        return Object.fromEntries(counted.map(([outcome, { length }]) => [outcome, length]));
      };
      return {
        send,
        grant: (amount: number) =>
          ok(client.post(`${customer}/grants`, { meter: "requests", amount, funding: "paid" })),
        grantMoney: (amount: string) =>
          ok(client.post(`${customer}/grants`, { currency: "EUR", amount, funding: "promotional" })),
        balances: async () =>
          (await ok(client.get(`${customer}/grants`))).data.map(({ balance }: { balance: string }) => balance),
        setCap: (amount: string) => ok(client.patch(customer, { spendCap: { amount, action: "block" } })),
        used: async () => {
          await server.catchUp();
          return (await usedOf(client, `${bucket}/subscriptions/${id}`)).requests;
        },
      };
    }

    const prepaid = { ...monthly("0.00"), rates: { requests: { ...perUnit("0.10"), overage: "prepaid" } } };
    const priced = { ...monthly("0.00"), rates: { requests: perUnit("0.10") } };

    test("500 concurrent requests on the last 10 credits: 10 succeed, the others are 402", async () => {
      const { send, grant, used } = await newCustomer("with-credits");
      await grant(10);
      expect(await send(max)).toEqual({ served: max });
      expect(await send(500)).toEqual({ served: 10, "402 credit_exhausted": 490 });
      expect(await used()).toBe(max + 10);
      // A grant is in effect for every next request, whichever worker gets it.
      await grant(3);
      expect(await send(20)).toEqual({ served: 3, "402 credit_exhausted": 17 });
    });

    test("prepaid requests take as much money as there is, and the others are 402", async () => {
      const { send, grantMoney, balances, used } = await newCustomer("prepaid", prepaid);
      expect(await send(max)).toEqual({ served: max });
      expect(await send(5)).toEqual({ "402 credit_exhausted": 5 });
      await grantMoney("1.00");
      expect(await send(200)).toEqual({ served: 10, "402 credit_exhausted": 190 });
      expect(await used()).toBe(max + 10);
      expect(await balances()).toEqual(["0.00"]);
      await grantMoney("0.30");
      expect(await send(20)).toEqual({ served: 3, "402 credit_exhausted": 17 });
    });

    test("what a prepaid request holds is not promised twice, and what it reports more is written off", async () => {
      const { send, grantMoney, balances, used } = await newCustomer("prepaid-usage", prepaid);
      await grantMoney("2.00");
      reported = 1;
      const outcomes = await send(200, "/reported");
      expect(Object.keys(outcomes).filter((outcome) => !["served", "402 credit_exhausted"].includes(outcome))).toEqual(
        [],
      );
      while ((await send(1, "/reported")).served === 1);
      // The next one would hold more than money covers.
      expect(await used()).toBe(max + 20 - reserved + 1);
      await grantMoney("0.50");
      reported = 50;
      expect(await send(1, "/reported")).toEqual({ served: 1 });
      expect(await used()).toBe(max + 20 - reserved + 1 + 50);
      expect(await balances()).toEqual(["0.00", "0.00"]);
      expect(await send(3, "/reported")).toEqual({ "402 credit_exhausted": 3 });
      // What was written off is not owed by later money.
      await grantMoney("0.40");
      reported = reserved;
      expect(await send(3, "/reported")).toEqual({ served: 1, "402 credit_exhausted": 2 });
    });

    test("a cap comes after credits and is exact, and a raised one takes effect at once", async () => {
      const { send, grant, setCap, used } = await newCustomer("with-cap", priced);
      await grant(10);
      await setCap("2.00");
      expect(await send(200)).toEqual({ served: max + 10 + 20, "402 spend_cap_reached": 200 - max - 30 });
      for (const cap of ["3.00", "4.00", "5.00"]) {
        await setCap(cap);
        expect(await send(40)).toEqual({ served: 10, "402 spend_cap_reached": 30 });
      }
      expect(await used()).toBe(max + 10 + 50);
    });

    test("a lowered cap takes effect at once", async () => {
      const { send, setCap, used } = await newCustomer("with-lower-cap", priced);
      await setCap("50.00");
      expect(await send(max + 20)).toEqual({ served: max + 20 });
      await setCap("1.00");
      expect(await send(20)).toEqual({ "402 spend_cap_reached": 20 });
      expect(await used()).toBe(max + 20);
    });
  });
});
