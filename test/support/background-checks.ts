import { expect } from "bun:test";
import type { BackgroundScene } from "./background-scene.ts";
import { usedOf } from "./metering.ts";
import { account, operatorToken } from "./server-settings.ts";
import { patiently } from "./slowdown.ts";
import { tableContent } from "./table-content.ts";
import { until } from "./until.ts";

/** So that leases of jobs and deliveries end: what a transaction that failed has left is then taken up again. */
const waitMilliseconds = 5_000;
const settlesWithinMs = patiently(40_000);

/** Fails unless the servers come to rest by themselves, and then agree with storage and with what was acknowledged. */
export async function checkInvariants(scene: BackgroundScene): Promise<void> {
  await settle(scene);
  await checkChain(scene);
  await feedsAreRead(scene);
  await checkCredentials(scene);
  await checkCounters(scene);
}

async function settle(scene: BackgroundScene): Promise<void> {
  let unfinished: Record<string, unknown[]> = {};
  const isSettled = async () => {
    for (const node of scene.nodes) await node.catchUp();
    unfinished = await unfinishedWork(scene);
    if (Object.keys(unfinished).length === 0) return true;
    scene.clock.advance(waitMilliseconds);
    return false;
  };
  await until(isSettled, { withinMs: settlesWithinMs, what: () => `no ${JSON.stringify(unfinished).slice(0, 2000)}` });
}

/** What background tasks have not done yet, by its name. */
async function unfinishedWork({ database, receiver, unannounced, ...scene }: BackgroundScene) {
  const isPostgres = scene.proxy !== undefined;
  for (const { message } of receiver.received.splice(0)) unannounced.delete(message.data.id);
  const rows = {
    "removal of a bucket": await tableContent(database, "key_buckets WHERE account_seq = 0"),
    job: await tableContent(database, "jobs WHERE state <> 'succeeded'"),
    "unread change": await tableContent(database, isPostgres ? postgresReadersBehind : sqliteReadersBehind),
    "open transaction": isPostgres ? await tableContent(database, openTransactions) : [],
    "webhook message": [...unannounced],
  };
  return Object.fromEntries(Object.entries(rows).filter(([, { length }]) => length > 0));
}

const sqliteReadersBehind = "feed_cursors WHERE position < (SELECT max(seq) FROM changes)";
const postgresReadersBehind = `feed_cursors WHERE snapshot IS NULL OR target IS NOT NULL
  OR EXISTS (SELECT 1 FROM changes WHERE NOT pg_visible_in_snapshot(xid, snapshot::pg_snapshot))`;
const openTransactions = `(SELECT pid, state, query, xact_start FROM pg_stat_activity WHERE datname = current_database()
  AND backend_type = 'client backend' AND pid <> pg_backend_pid() AND xact_start IS NOT NULL) AS open`;

async function checkChain({ nodes }: BackgroundScene): Promise<void> {
  for (const { client } of nodes) {
    const { status, body } = await client.get(`/v1/accounts/${account}/audit-log/verification`);
    expect([status, body.firstBroken, body.intact]).toEqual([200, undefined, true]);
  }
}

/** Waits until each node has read all changes that are committed now. What it then has in its caches stays. */
async function feedsAreRead({ nodes }: BackgroundScene): Promise<void> {
  const started = performance.now();
  for (const { client } of nodes) {
    const isRead = async () => {
      const elapsed = performance.now() - started;
      const { body } = await client.as(operatorToken).get("/v1/system");
      return body.feed.lagMs + 1 < elapsed;
    };
    await until(isRead, { withinMs: settlesWithinMs, what: "a node to read the changes" });
  }
}

/** Every node accepts the keys and tokens that are in storage, and no others. Those that are deleted are then forgotten. */
async function checkCredentials({ nodes, database, keys, tokens }: BackgroundScene): Promise<void> {
  const stored = new Map(
    (await tableContent(database, "api_keys")).map((row) => [row.id, Number(row.is_enabled) === 1]),
  );
  const storedTokens = new Set((await tableContent(database, "tokens")).map((row) => row.id));
  for (const { client } of nodes) {
    for (const { id, bucket, value, path } of keys) {
      const isEnabled = stored.get(id);
      const expected = isEnabled === undefined ? "not_found" : isEnabled ? "valid" : "disabled";
      const { status, body } = await client.post(`${bucket}/verify-key`, { key: value });
      // If the status is 404, its bucket is deleted too.
      expect([id, status === 404 ? "not_found" : body.valid ? "valid" : body.code]).toEqual([id, expected]);
      if (expected !== "not_found") expect((await client.get(`${path}?key-format=visible`)).body.id).toBe(id);
    }
    for (const { id, value } of tokens) {
      const expected = storedTokens.has(id) ? 200 : 401;
      const { status } = await client.as(value).get("/v1/who-am-i");
      expect([id, status]).toEqual([id, expected]);
    }
  }
  keepOnly(keys, ({ id }) => stored.has(id));
  keepOnly(tokens, ({ id }) => storedTokens.has(id));
}

function keepOnly<Item>(items: Item[], isKept: (item: Item) => boolean): void {
  items.splice(0, items.length, ...items.filter(isKept));
}

async function checkCounters({ nodes, expected, recorded, served }: BackgroundScene): Promise<void> {
  for (const { client } of nodes) {
    const used = {
      recorded: (await usedOf(client, recorded.path)).requests ?? 0,
      served: (await usedOf(client, served.path)).requests ?? 0,
    };
    expect(used).toEqual(expected);
  }
}
