import { beforeAll, describe, expect, test } from "bun:test";
import { eachEngine } from "./support/engines.ts";
import { expectProblem } from "./support/expect-problem.ts";
import { keyCustomer } from "./support/key-customer.ts";
import { unique, usedOf } from "./support/metering.ts";
import { useServer } from "./support/server.ts";

/** A connection for each request, so that the kernel distributes requests among the workers. */
const ownConnection = { connection: "close" };

eachEngine((engine) => {
  describe("verify-key that takes from a plan, with two workers:", () => {
    const server = useServer(engine, { workers: 2 });
    const { client } = server;
    beforeAll(async () => {
      await client.post("/v1/accounts/default/key-buckets", { name: "main" });
    });
    const flush = async () => {
      for (let flushes = 0; flushes < 2; flushes++) await server.runTasks();
    };

    test("64 concurrent callers never exceed a quota, and each response contains the remaining amount", async () => {
      const max = 100;
      const rules = { rateLimit: { requests: 1000, windowSeconds: 3600 } };
      const customer = await keyCustomer(client, { meters: { requests: { max } }, rules });
      const used: number[] = [];
      let rejected = 0;
      const caller = async () => {
        for (let calls = 0; calls < 3; calls++) {
          const { body } = await customer.consume({ requests: 1 }, ownConnection);
          if (body.valid) used.push(body.meters.requests.used);
          else {
            rejected += 1;
            expect(body).toMatchObject({ code: "quota_exceeded", keyId: customer.keyId, rateLimit: { limit: 1000 } });
            expect(body.retryAfterSeconds).toBeGreaterThan(0);
          }
        }
      };
      await Promise.all(Array.from({ length: 64 }, caller));
      expect(rejected).toBe(64 * 3 - max);
      expect(used.toSorted((one, other) => one - other)).toEqual(Array.from({ length: max }, (_, index) => index + 1));
      await flush();
      expect(await usedOf(client, customer.subscription)).toEqual({ requests: max });
    });

    test("the other results are those of one process", async () => {
      const customer = await keyCustomer(client, { tags: { region: "eu" } });
      const { keyId, consumerId, name, bucketId } = customer;
      const consumer = { id: consumerId, name };
      expect((await customer.consume({ tokens: 1 }, ownConnection)).body).toEqual({
        valid: false,
        code: "meter_not_in_plan",
        keyId,
        consumer,
      });
      const consume = { bucketId, meters: { requests: 1 } };
      expectProblem(await customer.verify({ consume }, ownConnection, "?tag.region=us"), 404, "not_found");
      const unknown = { ...consume, bucketId: "nothing-here" };
      expectProblem(await customer.verify({ consume: unknown }, ownConnection), 404, "not_found");
      const once = { ...ownConnection, "idempotency-key": unique("once") };
      for (let times = 0; times < 2; times++)
        expect((await customer.consume({ requests: 2 }, once)).body.meters.requests.used).toBe(2);
      await flush();
      expect(await usedOf(client, customer.subscription)).toEqual({ requests: 2 });
    });

    test("holds are exact, and any process ends them", async () => {
      const customer = await keyCustomer(client, { meters: { tokens: { max: 100 } } });
      const all = await Promise.all(Array.from({ length: 20 }, () => customer.hold({ tokens: 10 }, {}, ownConnection)));
      const holds = all.flatMap(({ body }) => (body.valid ? [body.holdId as string] : []));
      expect(new Set(holds).size).toBe(10);
      await Promise.all(
        holds.map((id) =>
          client.post(`${customer.bucket}/holds/${id}/$settle`, { meters: { tokens: 1 } }, ownConnection),
        ),
      );
      expect((await customer.consume({ tokens: 90 }, ownConnection)).body.valid).toBe(true);
      expect((await customer.consume({ tokens: 1 }, ownConnection)).body.code).toBe("quota_exceeded");
    });
  });
});
