import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Database, postgres } from "./support/engines.ts";
import { newKeyHolder, verdict } from "./support/key-holder.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { operatorToken } from "./support/server-settings.ts";

const hour = 3_600_000;
const leads = [2 * hour, -2 * hour];
const requests = 5;

describe.each([{ workers: 0 }, { workers: 1 }])(
  "nodes whose clocks are wrong, with $workers workers",
  ({ workers }) => {
    let database: Database;
    let nodes: TestServer[];

    beforeAll(async () => {
      database = await postgres.migratedDatabase();
      nodes = [];
      for (const clockLead of leads) nodes.push(await startServer(postgres, { database, clockLead, workers }));
    });

    afterAll(async () => {
      for (const node of nodes) await node.stop();
      await database.drop();
    });

    test("share one window of a rate limit, and the times that they store", async () => {
      const [one, other] = nodes as [TestServer, TestServer];
      const { bucket, keys } = await newKeyHolder(one.client);
      const { key } = (await one.client.post(keys, { rateLimit: { requests, windowSeconds: 3600 } })).body;
      const verdicts = [];
      for (const { client } of [one, other])
        for (let each = 0; each < requests; each++) {
          verdicts.push(await verdict(client, bucket, key));
          for (const node of nodes) await node.catchUp();
        }
      // The other node reads the total after its first request.
      expect(verdicts.filter((each) => each === "valid").length - requests).toBeLessThanOrEqual(1);
      const times = [];
      for (const [index, { client }] of nodes.entries())
        times.push(Date.parse((await client.post(`${bucket}/consumers`, { name: `made-by-${index}` })).body.createdOn));
      for (const time of times) expect(Math.abs(time - Date.now())).toBeLessThan(hour);
    });

    test("say so", async () => {
      for (const [index, { client, log, url }] of nodes.entries()) {
        const { body } = await client.as(operatorToken).get("/v1/system");
        expect(Math.round(body.clockLeadMs / hour)).toBe(leads[index]! / hour);
        const text = await (await fetch(`${url}/metrics`)).text();
        const seconds = Number(/^tollgate_clock_offset_seconds (\S+)$/m.exec(text)?.[1]);
        expect(Math.round((seconds * 1000) / hour)).toBe(leads[index]! / hour);
        expect(log.match(/the clock of this node differs/g)).toHaveLength(1);
      }
    });
  },
);
