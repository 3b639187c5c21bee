import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { type Database, postgres } from "./support/engines.ts";
import { findPgBouncer } from "./support/find-pgbouncer.ts";
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

const direct = () => database.environment.DATABASE_URL!;
const warning = "does not support prepared statements";

describe.each([
  ["session mode", "session", { preparedStatements: 200 }],
  ["transaction mode", "transaction", { preparedStatements: 200 }],
  ["transaction mode without prepared statements", "transaction", { preparedStatements: 0 }],
] as const)("PgBouncer in %s", (_, mode, options) => {
  let pooler: Awaited<ReturnType<typeof startPgBouncer>>;
  let nodes: SpawnedServer[];

  beforeAll(async () => {
    pooler = await startPgBouncer(direct(), mode, options);
    const feed = mode === "transaction" && { TOLLGATE_DATABASE_FEED_URL: direct() };
    const through = { environment: { DATABASE_URL: pooler.url, ...feed }, drop: async () => {} };
    nodes = [
      await spawnServer(postgres, { database: through }),
      await spawnServer(postgres, { database: through, environment: { TOLLGATE_WORKERS: "1" } }),
    ];
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

  test("concurrent lookups and writes of both nodes succeed", async () => {
    const { bucket, keys } = await newKeyHolder(nodes[0]!.client);
    const created = await Promise.all(
      Array.from({ length: 40 }, (_, each) => nodes[each % 2]!.client.post(keys, { description: `key ${each}` })),
    );
    expect(created.map(({ status }) => status)).toEqual(Array(40).fill(200));
    // Each key is unknown to the other node, which reads it by a prepared statement, on several connections at once.
    const verdicts = await Promise.all(
      created.map(({ body }, each) => verdict(nodes[(each + 1) % 2]!.client, bucket, body.key)),
    );
    expect(verdicts).toEqual(Array(40).fill("valid"));
    expect((await nodes[0]!.client.get(`${keys}?limit=100`)).body.total).toBe(40);
    const { hasPreparedStatements } = findPgBouncer();
    const isPrepared = mode === "session" || (hasPreparedStatements && options.preparedStatements !== 0);
    const output = nodes.flatMap((node) => node.output).join("\n");
    expect(output.includes(warning)).toBe(!isPrepared);
  });
});

describe("rejected at the start:", () => {
  async function startError(environment: Record<string, string>): Promise<string> {
    const folder = await temporaryFolder("data");
    const server = new TollgateProcess(
      ["serve"],
      serverEnvironment({ environment, drop: async () => {} }, folder.path, {}),
    );
    expect(await server.exited).toBe(1);
    await folder.remove();
    return server.stderr.join("\n");
  }

  test("PgBouncer in transaction mode without a direct connection", async () => {
    const pooler = await startPgBouncer(direct(), "transaction");
    const error = await startError({ DATABASE_URL: pooler.url });
    expect(error).toContain("DATABASE_URL leads to a pooler that shares connections between transactions");
    expect(error).toContain("Set TOLLGATE_DATABASE_FEED_URL");
    const indirect = await startError({ DATABASE_URL: direct(), TOLLGATE_DATABASE_FEED_URL: pooler.url });
    expect(indirect).toContain("TOLLGATE_DATABASE_FEED_URL leads to a pooler");
    await pooler.stop();
  });

  test("a direct connection to another database, or to nothing", async () => {
    const other = await postgres.freshDatabase();
    const feed = other.environment.DATABASE_URL!;
    const error = await startError({ DATABASE_URL: direct(), TOLLGATE_DATABASE_FEED_URL: feed });
    expect(error).toContain("lead to different databases");
    await using connection = new SQL(feed, { max: 1 });
    const [row] = await connection.unsafe("SELECT count(*)::int AS tables FROM pg_tables WHERE schemaname = 'public'");
    expect(row.tables).toBe(0);
    await connection.close();
    await other.drop();
    const gone = await startError({
      DATABASE_URL: direct(),
      TOLLGATE_DATABASE_FEED_URL: "postgres://u:secret@127.0.0.1:9/x",
    });
    expect(gone).toContain("PostgreSQL at 127.0.0.1:9/x cannot be used");
    expect(gone).toContain("Check TOLLGATE_DATABASE_FEED_URL");
    expect(gone).not.toContain("secret");
  });
});
