import { describe, expect, test } from "bun:test";
import { childrenOf } from "./support/child-processes.ts";
import { eachEngine } from "./support/engines.ts";
import { keyCustomer } from "./support/key-customer.ts";
import { usedOf } from "./support/metering.ts";
import { spawnServer } from "./support/spawned-server.ts";
import { until } from "./support/until.ts";

const workers = 2;
const callers = 64;
const max = 600;
/** A connection for each call: the kernel distributes calls, and one to a killed process cannot be used again. */
const ownConnection = { connection: "close" };

eachEngine((engine) => {
  describe("verify-key with consume, beside 64 callers, when a worker is killed:", () => {
    test("the quota is exceeded by at most the calls whose responses it was sending", async () => {
      const database = await engine.migratedDatabase();
      const server = await spawnServer(engine, { database, environment: { TOLLGATE_WORKERS: String(workers) } });
      const running = () => childrenOf(server.processId, "worker-process");
      try {
        const { client } = server;
        await until(() => running().length === workers);
        await client.post("/v1/accounts/default/key-buckets", { name: "main" });
        const customer = await keyCustomer(client, { meters: { requests: { max } } });
        let accepted = 0;
        let rejected = 0;
        let lost = 0;
        let killed: number | undefined;
        const isKilledAt = max / 3;
        const caller = async () => {
          // Each stops at its first rejection, so all of the quota is taken.
          for (let isLeft = true; isLeft; ) {
            const response = await customer.consume({ requests: 1 }, ownConnection).catch(() => undefined);
            if (!response) lost += 1;
            else if (response.body.valid === true) accepted += 1;
            else {
              expect(response.body).toMatchObject({ valid: false, code: "quota_exceeded" });
              rejected += 1;
              isLeft = false;
            }
            if (accepted >= isKilledAt && killed === undefined) {
              [killed] = running();
              process.kill(killed!, "SIGKILL");
            }
          }
        };
        await Promise.all(Array.from({ length: callers }, caller));
        expect(killed).toBeDefined();
        expect(rejected).toBe(callers);
        // At most one call of each caller was being sent. A lost call may have been counted, and a sent one not.
        expect(lost).toBeLessThanOrEqual(callers);
        expect(accepted).toBeGreaterThanOrEqual(max - lost);
        expect(accepted).toBeLessThanOrEqual(max + callers);
        await until(() => running().length === workers && !running().includes(killed!));
        expect((await customer.consume({ requests: 1 }, ownConnection)).body.code).toBe("quota_exceeded");
        await until(async () => (await usedOf(client, customer.subscription)).requests === max);
      } finally {
        await server.stop();
        await database.drop();
      }
    }, 120_000);
  });
});
