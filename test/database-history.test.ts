import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { postgresTimeouts } from "../src/platform/storage/postgres-options.ts";
import type { Client } from "./support/client.ts";
import { copyOfDatabase, type Database, postgres } from "./support/engines.ts";
import { eventually } from "./support/eventually.ts";
import { type KeyHolder, newKeyHolder, verdict, verify } from "./support/key-holder.ts";
import { failIfAnythingRuns } from "./support/left-running.ts";
import { record, type Subscribed, subscribed, usageEvent, usedOf } from "./support/metering.ts";
import { PostgresProxy } from "./support/postgres-proxy.ts";
import { startReplicatedPostgres } from "./support/replicated-postgres.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { operatorToken } from "./support/server-settings.ts";
import { databasePatience } from "./support/slowdown.ts";
import { until } from "./support/until.ts";

const limit = 100;

/** A node whose connections lead to a database, and later to another one. */
interface Node {
  server: TestServer;
  client: Client;
  proxy: PostgresProxy;
}

let database: Database;
/** What a standby had received when it was promoted. */
let promoted: Database;
let nodes: Node[];
let holder: KeyHolder;
let made: Subscribed;
let key: { id: string; key: string };

afterAll(failIfAnythingRuns);

describe.each([{ workers: 0 }, { workers: 2 }])("two nodes with $workers workers", ({ workers }) => {
  beforeEach(async () => {
    database = await postgres.migratedDatabase();
    const first = await startServer(postgres, { database });
    holder = await newKeyHolder(first.client);
    key = (await first.client.post(holder.keys, {})).body;
    made = await subscribed(first.client, { meters: { requests: { max: limit } } });
    await record(first.client, made.bucket, [usageEvent({ requests: 20 })]);
    await first.stop();
    promoted = await copyOfDatabase(database);
    nodes = [await startNode(workers), await startNode(workers)];
  });

  afterEach(async () => {
    for (const { server, proxy } of nodes) {
      await server.stop();
      await proxy.stop();
    }
    await database.drop();
    await promoted.drop();
  });

  test("a revocation after the failover reaches a node that arrives a minute later, and lost keys are invalid", async () => {
    const [one, other] = nodes as [Node, Node];
    const lost = (await one.client.post(holder.keys, {})).body;
    for (const { client } of nodes)
      for (const each of [key, lost]) await eventually(() => verdict(client, holder.bucket, each.key)).toBe("valid");
    failOver(one);
    await eventually(() => verdict(one.client, holder.bucket, lost.key)).toBe("not_found");
    await eventually(async () => (await one.client.delete(`${holder.keys}/${key.id}`)).status).toBe(204);
    one.server.clock.advance(60_000);
    other.server.clock.advance(60_000);
    expect(await verdict(other.client, holder.bucket, key.key)).toBe("valid");
    failOver(other);
    for (const { client } of nodes)
      for (const each of [key, lost])
        await eventually(() => verdict(client, holder.bucket, each.key)).toBe("not_found");
  });

  test("a quota keeps limiting, and counts what the former primary had not sent", async () => {
    const [one] = nodes as [Node];
    // Increases the version of the total far beyond that in the standby.
    for (let each = 0; each < 12; each++) {
      expect(await take(one.client, key.key)).toBe("valid");
      await one.server.runTasks();
    }
    failOver(one);
    await followsPromoted(one);
    const verdicts = [];
    for (let each = 0; each < limit; each++) verdicts.push(await take(one.client, key.key));
    await one.server.runTasks();
    const { requests } = await usedOf(one.client, made.path);
    expect(verdicts.at(-1)).toBe("quota_exceeded");
    expect(requests).toBe(limit);
    expect(verdicts.filter((each) => each === "valid").length).toBeLessThanOrEqual(limit - 20);
    const consumed = await one.client.post(`${made.path}/quotas/consume`, { meters: { requests: 1 } });
    expect(consumed.body.allowed).toBe(false);
  });

  test("while the former primary accepts connections too, no acknowledged write is lost to it", async () => {
    const [one] = nodes as [Node];
    // Opens the connections of the pool.
    await Promise.all(Array.from({ length: 20 }, () => one.client.get(holder.keys)));
    one.proxy.leadTo(promoted.environment.DATABASE_URL!);
    one.proxy.cut("tollgate node");
    const names = Array.from({ length: 50 }, (_, index) => `after-${index}`);
    const responses = await Promise.all(
      names.map((name) =>
        one.client.post(`${holder.bucket}/consumers`, { name }).then(({ status }) => ({ name, status })),
      ),
    );
    await followsPromoted(one);
    const kept = (await one.client.get(`${holder.bucket}/consumers`)).body.data.map(
      ({ name }: { name: string }) => name,
    );
    const acknowledged = responses.filter(({ status }) => status === 200).map(({ name }) => name);
    expect(kept).toEqual(expect.arrayContaining(acknowledged));
    // Those that were not acknowledged can be repeated.
    const missing = names.filter((name) => !kept.includes(name));
    for (const name of missing)
      expect((await one.client.post(`${holder.bucket}/consumers`, { name })).status).toBe(200);
  });

  test("connections of the pool that find the other database first make the node follow it", async () => {
    const [one] = nodes as [Node];
    one.proxy.leadTo(promoted.environment.DATABASE_URL!);
    one.proxy.cut("tollgate\0");
    await eventually(async () => {
      await one.client.get(holder.keys);
      return historyChanges(one);
    }).toBe(1);
    await eventually(() => one.server.log).toContain("another history");
    const { body } = await one.client.as(operatorToken).get("/v1/system");
    expect(body.feed.lastHistoryChange).toEqual({ followedUntil: expect.any(String), on: expect.any(String) });
    expect(await historyChanges(nodes[1]!)).toBe(0);
  });
});

test("a standby that is promoted by synchronous replication hands out transaction ids again, and no revocation is missed", async () => {
  const replicated = await startReplicatedPostgres();
  const [primary, standby] = [replicated.url, replicated.standbyUrl].map((url) => new SQL(url, { max: 1 })) as [
    SQL,
    SQL,
  ];
  database = { environment: { DATABASE_URL: replicated.url }, drop: async () => {} };
  const [one, other] = [await startNode(0), await startNode(0)];
  const withHosts = await startServer(postgres, {
    database: {
      environment: { DATABASE_URL: severalHosts(replicated.standbyUrl, replicated.url) },
      drop: async () => {},
    },
    workers: 2,
  });
  holder = await newKeyHolder(one.client);
  key = (await one.client.post(holder.keys, {})).body;
  for (const { client } of [one, other, withHosts])
    await eventually(() => verdict(client, holder.bucket, key.key)).toBe("valid");
  await primary`ALTER SYSTEM SET synchronous_standby_names = '*'`;
  await primary`SELECT pg_reload_conf()`;

  await replicated.stopStandby();
  // Transactions that are rolled back wait for no standby.
  for (let each = 0; each < 200; each++) await primary.unsafe("BEGIN; SELECT pg_current_xact_id(); ROLLBACK");
  const usedAt = performance.now();
  const operator = other.client.as(operatorToken);
  await eventually(async () => (await operator.get("/v1/system")).body.feed.lagMs < performance.now() - usedAt).toBe(
    true,
  );
  await primary.close();
  await replicated.stopPrimary();
  await replicated.startStandby();
  await standby`SELECT pg_promote()`;

  // One of its hosts is the primary again, with other transaction ids.
  await eventually(async () => (await withHosts.client.post(holder.keys, {})).status).toBe(200);
  one.proxy.leadTo(replicated.standbyUrl);
  // 404 if a response was lost.
  const revoked = async () => [204, 404].includes((await one.client.delete(`${holder.keys}/${key.id}`)).status);
  await eventually(revoked).toBe(true);
  expect(await verdict(other.client, holder.bucket, key.key)).toBe("valid");
  other.proxy.leadTo(replicated.standbyUrl);
  await eventually(() => verdict(other.client, holder.bucket, key.key)).toBe("not_found");
  await eventually(() => verdict(withHosts.client, holder.bucket, key.key)).toBe("not_found");
  await withHosts.stop();
  for (const node of [one, other]) {
    expect(await historyChanges(node)).toBe(1);
    await node.server.stop();
    await node.proxy.stop();
  }
  await standby.close();
  await replicated.remove();
});

test("a primary that vanishes without a reset does not hold up requests", async () => {
  database = await postgres.migratedDatabase();
  const proxies = [await startProxy(), await startProxy()] as const;
  const [first, second] = proxies;
  const environment = { ...database.environment, DATABASE_URL: severalHosts(first.url, second.url) };
  const server = await startServer(postgres, { database: { environment, drop: async () => {} } });
  holder = await newKeyHolder(server.client);
  // Opens the connections of the pool.
  await Promise.all(Array.from({ length: 20 }, () => server.client.get(holder.keys)));
  let statements = 0;
  second.faultOf = () => {
    statements += 1;
    return undefined;
  };
  first.pause();
  // The feed has moved, and the connections that were idle are gone.
  await until(() => statements > 0);
  const started = performance.now();
  const responses = await Promise.all(Array.from({ length: 7 }, () => server.client.post(holder.keys, {})));
  expect(responses.map(({ status }) => status)).toEqual(Array(7).fill(200));
  // Without that, each waits for its connection to time out.
  expect(performance.now() - started).toBeLessThan(postgresTimeouts(databasePatience).transaction);
  await server.stop();
  for (const proxy of proxies) await proxy.stop();
  await database.drop();
});

/** The hosts of two addresses that are the same otherwise. */
function severalHosts(one: string, other: string): string {
  return `${one.replace(new URL(one).host, `${new URL(one).host},${new URL(other).host}`)}?target_session_attrs=read-write`;
}

function startProxy(): Promise<PostgresProxy> {
  return PostgresProxy.start(database.environment.DATABASE_URL!);
}

async function startNode(workers: number): Promise<Node> {
  const proxy = await startProxy();
  const environment = { ...database.environment, DATABASE_URL: proxy.url };
  const server = await startServer(postgres, { database: { environment, drop: async () => {} }, workers });
  return { server, client: server.client, proxy };
}

/** The former primary is gone, and the address of the database leads to the promoted standby. */
function failOver({ proxy }: Node): void {
  proxy.leadTo(promoted.environment.DATABASE_URL!);
  proxy.cut();
}

async function take(client: Client, value: string): Promise<string> {
  const { status, body } = await client.post(`${holder.bucket}/verify-key`, {
    key: value,
    consume: { bucketId: made.bucket.split("/").at(-1), meters: { requests: 1 } },
  });
  return status === 200 ? (body.valid ? "valid" : body.code) : String(status);
}

async function historyChanges({ server }: Node): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(/^tollgate_database_history_changes_total (\d+)$/m.exec(text)?.[1]);
}

async function followsPromoted(node: Node): Promise<void> {
  await eventually(() => historyChanges(node)).toBe(1);
  await eventually(async () => (await verify(node.client, holder.bucket, key.key)).status).toBe(200);
  await eventually(async () => (await node.client.get(holder.keys)).status).toBe(200);
}
