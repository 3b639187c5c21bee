import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Database, postgres } from "./support/engines.ts";
import { newKeyHolder, verdict } from "./support/key-holder.ts";
import { failIfAnythingRuns } from "./support/left-running.ts";
import { subscribed } from "./support/metering.ts";
import { startPgBouncer } from "./support/pgbouncer.ts";
import { serverEnvironment } from "./support/server-settings.ts";
import { type SpawnedServer, spawnServer } from "./support/spawned-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { TollgateProcess } from "./support/tollgate-process.ts";
import { until } from "./support/until.ts";

let database: Database;

beforeAll(async () => {
  database = await postgres.freshDatabase();
});

afterAll(async () => {
  await database.drop();
  failIfAnythingRuns();
});

describe("PgBouncer in session mode", () => {
  let pooler: Awaited<ReturnType<typeof startPgBouncer>>;
  let nodes: SpawnedServer[];

  beforeAll(async () => {
    pooler = await startPgBouncer(database.environment.DATABASE_URL!, "session");
    const through = { environment: { DATABASE_URL: pooler.url }, drop: async () => {} };
    nodes = [await spawnServer(postgres, { database: through }), await spawnServer(postgres, { database: through })];
  });

  afterAll(async () => {
    for (const node of nodes) await node.stop();
    await pooler.stop();
  });

  test("a key that one node revokes is rejected by the other", async () => {
    const [one, other] = nodes.map(({ client }) => client) as [SpawnedServer["client"], SpawnedServer["client"]];
    const { bucket, keys } = await newKeyHolder(one);
    const { id, key } = (await one.post(keys, {})).body;
    expect(await verdict(other, bucket, key)).toBe("valid");
    expect((await one.delete(`${keys}/${id}`)).status).toBe(204);
    await until(async () => (await verdict(other, bucket, key)) === "not_found", {
      what: "the rejection",
    });
  });

  test("a quota is consumed exactly by both nodes", async () => {
    const { path } = await subscribed(nodes[0]!.client, { meters: { requests: { max: 10 } } });
    const attempts = Array.from({ length: 30 }, (_, each) =>
      nodes[each % 2]!.client.post(`${path}/quotas/consume`, { meters: { requests: 1 } }),
    );
    const allowed = (await Promise.all(attempts)).filter(({ body }) => body.allowed);
    expect(allowed).toHaveLength(10);
  });
});

test("PgBouncer in transaction mode is rejected at the start, with the reason", async () => {
  const pooler = await startPgBouncer(database.environment.DATABASE_URL!, "transaction");
  const folder = await temporaryFolder("data");
  const through = { environment: { DATABASE_URL: pooler.url }, drop: async () => {} };
  const server = new TollgateProcess(["serve"], serverEnvironment(through, folder.path, {}));
  expect(await server.exited).toBe(1);
  expect(server.stderr.join("\n")).toContain("shares connections between transactions");
  await pooler.stop();
  await folder.remove();
});
