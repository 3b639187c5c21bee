import { expect, test } from "bun:test";
import { SQL } from "bun";
import type { Client } from "../../../../test/support/client.ts";
import { type Engine, postgres, sqlite } from "../../../../test/support/engines.ts";
import { startServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";
import { type SpawnedServer, spawnServer } from "../../../../test/support/spawned-server.ts";
import { until } from "../../../../test/support/until.ts";

const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;
const log = `/v1/accounts/${account}/audit-log`;
/** The server is busy with all writers meanwhile. */
const withinMs = 60_000;
const writers = 6;

interface Verification {
  intact: boolean;
  entries: number;
  unsealed: number;
}

/** Resolves when all entries are sealed. */
const sealed = (client: Client): Promise<Verification> =>
  until(
    async () => {
      const { body } = await client.get(`${log}/verification`);
      return body.unsealed === 0 && body;
    },
    { withinMs, what: "all entries to be sealed" },
  );

async function createdNames(client: Client): Promise<string[]> {
  const names: string[] = [];
  for (let before = ""; ; ) {
    const { body } = await client.get(`${log}?action=consumer.created&limit=1000${before}`);
    for (const { resource } of body.data) names.push(resource.name);
    if (body.data.length < 1000) return names;
    before = `&before=${body.data.at(-1).id}`;
  }
}

/** Creates consumers in a loop until the server stops. */
function createConsumers({ client }: SpawnedServer, round: number) {
  const acknowledged: string[] = [];
  const work = async (_: unknown, writer: number) => {
    for (let number = 0; ; number++) {
      const name = `acme-${round}-${writer}-${number}`;
      const response = await client.post(consumers, { name }).catch(() => undefined);
      if (!response) return;
      if (response.status === 200) acknowledged.push(name);
    }
  };
  return { acknowledged, finished: Promise.all(Array.from({ length: writers }, work)) };
}

test.each<[name: string, engine: Engine]>([
  ["SQLite", sqlite],
  ["PostgreSQL", postgres],
])("kill -9 while entries are sealed, on %s: the next node seals the rest, each change once", async (_name, engine) => {
  const database = await engine.migratedDatabase();
  const acknowledged: string[] = [];
  for (let round = 0; round < 2; round++) {
    const server = await spawnServer(engine, { database });
    const load = createConsumers(server, round);
    // Kills the server while it seals: some entries are sealed, and more are added all the time.
    await until(async () => (await server.client.get(`${log}/verification`)).body.entries > acknowledged.length + 20, {
      withinMs,
    });
    await server.kill("SIGKILL");
    await load.finished;
    acknowledged.push(...load.acknowledged);
    await server.stop();
  }
  const last = await startServer(engine, { database, hasRealTime: true });
  expect(await sealed(last.client)).toMatchObject({ intact: true, unsealed: 0 });
  const names = await createdNames(last.client);
  expect(new Set(names).size).toBe(names.length);
  const logged = new Set(names);
  expect(acknowledged.filter((name) => !logged.has(name))).toEqual([]);
  await last.stop();
  await database.drop();
});

test("a node that dies in the middle of sealing on PostgreSQL: another node continues, and writers do not wait", async () => {
  const database = await postgres.migratedDatabase();
  const dying = await spawnServer(postgres, { database });
  expect((await dying.client.post(consumers, { name: "before" })).status).toBe(200);
  const before = await sealed(dying.client);

  const connection = new SQL(database.environment.DATABASE_URL!, { max: 2 });
  const holder = await connection.reserve();
  await holder.unsafe("BEGIN");
  await holder.unsafe("LOCK TABLE audit_chains IN SHARE MODE");
  expect((await dying.client.post(consumers, { name: "meanwhile" })).status).toBe(200);
  // The node has inserted the entries, and waits to move the end of the chain while it holds the reader's lock.
  await until(
    async () =>
      (
        await connection.unsafe(
          `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'UPDATE audit_chains SET "count"%'`,
        )
      ).length > 0,
    { withinMs, what: "a transaction that seals" },
  );
  const other = await startServer(postgres, { database, hasRealTime: true });
  expect((await other.client.post(consumers, { name: "elsewhere" })).status).toBe(200);
  expect((await other.client.get(`${log}/verification`)).body).toMatchObject({ entries: before.entries, unsealed: 2 });

  await dying.kill("SIGKILL");
  await holder.unsafe("ROLLBACK");
  holder.release();
  const after = await sealed(other.client);
  expect(after).toMatchObject({ intact: true, entries: before.entries + 2 });
  expect((await createdNames(other.client)).sort()).toEqual(["before", "elsewhere", "meanwhile"]);
  await connection.close();
  await dying.stop();
  await other.stop();
  await database.drop();
});
