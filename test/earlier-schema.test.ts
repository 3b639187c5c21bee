import { afterAll, beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { migrations } from "../src/core/database/migrations/index.ts";
import { emptyChain, linkHash } from "../src/lib/crypto/hash-chain.ts";
import { Keyring } from "../src/lib/crypto/keyring.ts";
import { newId } from "../src/lib/ids.ts";
import { canonicalJson } from "../src/lib/text/canonical-json.ts";
import { formatDateTime } from "../src/lib/time/time.ts";
import { openStorage } from "../src/platform/storage/engines/open.ts";
import type { WriteTransaction } from "../src/platform/storage/storage.ts";
import { type Database, eachEngine, postgres } from "./support/engines.ts";
import { FakeClock } from "./support/fake-clock.ts";
import { runSql } from "./support/run-sql.ts";
import { TestServer } from "./support/server.ts";
import { account, encryptionKey } from "./support/server-settings.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const accountPath = `/v1/accounts/${account}`;
const bucketPath = `${accountPath}/key-buckets/main`;
const body = '{"type":"key.created","timestamp":"2026-01-01T00:00:00.000Z","data":{}}';

/**
 * Data as written by a server before audit segments, webhook removals and counted lists of keys by tag and permission.
 */
class EarlierRows {
  readonly webhookId: string;
  readonly deliveryIds: string[];
  readonly #now: number;

  constructor(private readonly clock: FakeClock) {
    this.#now = clock.now();
    this.webhookId = newId("hook", this.#now);
    this.deliveryIds = [1, 2].map((at) => newId("dlvr", this.#now + at));
  }

  async write(database: Database, dataDirectory: string): Promise<void> {
    const storage = await openStorage({
      dataDirectory: database.environment.TOLLGATE_DATA_DIR ?? dataDirectory,
      databaseUrl: database.environment.DATABASE_URL,
      migrations: migrations.filter(({ name }) => name < "0024"),
      databaseConnections: 8,
      staleSeconds: 300,
      now: () => this.clock.now(),
      observer: { operation: () => {}, group: () => {}, revocationLag: () => {} },
      warn: () => {},
    });
    await storage.write(async (transaction) => {
      await transaction.run(
        "INSERT INTO accounts (seq, id, name, version, created_on, updated_on) VALUES (7, 'acct_7', ?, 1, 1, 1)",
        [account],
      );
      await this.#writeKeys(transaction);
      await this.#writeWebhook(transaction);
      await this.#writeAuditLog(transaction);
    });
    await storage.close();
  }

  async #writeKeys(transaction: WriteTransaction): Promise<void> {
    await transaction.run(
      `INSERT INTO key_buckets (seq, id, account_seq, name, is_retrievable, key_prefix, version, created_on, updated_on)
        VALUES (3, 'bckt_3', 7, 'main', 0, 'tg', 1, 1, 1)`,
      [],
    );
    for (let at = 1; at <= 6; at++) {
      // Above the numbers that PostgreSQL assigns to later rows.
      const seq = 100 + at;
      const plan = at % 3 === 0 ? "gold" : "free";
      const permissions = at % 2 === 0 ? '["orders:read"]' : null;
      await transaction.run(
        `INSERT INTO consumers (seq, id, bucket_seq, name, tags, version, created_on, updated_on)
          VALUES (?, ?, 3, ?, ?, 1, 1, 1)`,
        [seq, `csmr_${at}`, `consumer-${at}`, JSON.stringify({ plan })],
      );
      await transaction.run(
        "INSERT INTO consumer_tags (bucket_seq, name, value, consumer_seq) VALUES (3, 'plan', ?, ?)",
        [plan, seq],
      );
      await transaction.run(
        `INSERT INTO api_keys
            (seq, id, bucket_seq, consumer_seq, hash, suffix, permissions, version, created_on, updated_on)
          VALUES (?, ?, 3, ?, ?, '01234567', ?, 1, 1, 1)`,
        [seq, `key_${at}`, seq, Buffer.from(`hash ${at}`), permissions],
      );
      if (permissions)
        await transaction.run(
          "INSERT INTO key_permissions (bucket_seq, permission, key_seq) VALUES (3, 'orders:read', ?)",
          [seq],
        );
    }
    await transaction.run(
      `INSERT INTO list_blocks (scope, list, block, shard, size)
        VALUES ('bckt_3', '', 0, 0, 6), ('bckt_3', 'keys', 0, 0, 6),
          ('bckt_3', '["plan","gold"]', 0, 0, 2), ('bckt_3', '["plan","free"]', 0, 0, 4)`,
      [],
    );
  }

  async #writeWebhook(transaction: WriteTransaction): Promise<void> {
    const secret = new Keyring([encryptionKey]).seal("whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz", "webhook-secret");
    await transaction.run(
      `INSERT INTO webhooks (seq, id, account_seq, url, events, is_enabled, secret, version, created_on, updated_on)
        VALUES (5, ?, 7, 'https://example.com/hook', '["*"]', 1, ?, 1, ?, ?)`,
      [this.webhookId, secret, this.#now, this.#now],
    );
    for (const [index, id] of this.deliveryIds.entries()) {
      const seq = 10 + index;
      await transaction.run(
        "INSERT INTO webhook_messages (seq, account_seq, id, type, body, created_on) VALUES (?, 7, ?, 'key.created', ?, ?)",
        [seq, `msg_${seq}`, body, this.#now],
      );
      await transaction.run(
        `INSERT INTO webhook_deliveries (seq, id, webhook_seq, message_seq, message_id, type, status, attempts,
            schedule_step, created_on, finished_on) VALUES (?, ?, 5, ?, ?, 'key.created', ?, 2, 1, ?, ?)`,
        [20 + index, id, seq, `msg_${seq}`, index === 0 ? "failed" : "succeeded", this.#now, this.#now],
      );
      for (const number of [1, 2])
        await transaction.run(
          `INSERT INTO webhook_attempts (delivery_seq, number, started_on, duration_ms, status, response)
            VALUES (?, ?, ?, 12, ?, 'thanks')`,
          [20 + index, number, this.#now, 500 + number],
        );
    }
  }

  /** A row for each entry, in canonical JSON. */
  async #writeAuditLog(transaction: WriteTransaction): Promise<void> {
    let hash = emptyChain;
    for (const number of [1, 2, 3]) {
      const id = newId("audt", this.#now);
      const resource = { type: "key", id: `key_${number}`, parent: { type: "consumer", id: `csmr_${number}` } };
      const actor = { type: "system", id: "system" };
      const time = formatDateTime(this.#now);
      const entry = canonicalJson({ id, time, action: "key.created", actor, resource, changes: [] });
      hash = linkHash(hash, number, entry);
      await transaction.run(
        `INSERT INTO audit_entries
            (account_seq, id, number, time, action, actor, resource_type, resource, parent, entry, hash)
          VALUES (7, ?, ?, ?, 'key.created', 'system', 'key', ?, ?, ?, ?)`,
        [id, number, this.#now, resource.id, resource.parent.id, entry, hash],
      );
    }
    await transaction.run(
      `INSERT INTO audit_chains (account_seq, account, count, hash, sealed_on, anchor, anchor_hash, oldest_on, signed_count)
        VALUES (7, 'acct_7', 3, ?, ?, 0, ?, ?, 0)`,
      [hash, this.#now, emptyChain, this.#now],
    );
  }
}

eachEngine((engine) => {
  const clock = new FakeClock();
  const rows = new EarlierRows(clock);
  let database: Database;
  let server: TestServer;

  beforeAll(async () => {
    database = await engine.freshDatabase();
    const folder = await temporaryFolder("data");
    await rows.write(database, folder.path);
    await folder.remove();
    server = new TestServer(engine, { database, clock });
    await server.start();
  });

  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  test("messages, deliveries and attempts exist after the upgrade, and can be retried", async () => {
    const { client } = server;
    const path = `${accountPath}/webhooks/${rows.webhookId}/deliveries`;
    const { data } = (await client.get(path)).body;
    expect(data).toMatchObject([
      { id: rows.deliveryIds[1], messageId: "msg_11", status: "succeeded", attempts: 2 },
      { id: rows.deliveryIds[0], messageId: "msg_10", status: "failed", attempts: 2 },
    ]);
    const failed = `${path}/${rows.deliveryIds[0]}`;
    expect((await client.get(failed)).body).toMatchObject({
      request: { url: "https://example.com/hook", headers: { "webhook-id": "msg_10" }, body },
      attemptLog: [
        { number: 1, status: 501, response: "thanks" },
        { number: 2, status: 502, response: "thanks" },
      ],
    });
    expect((await client.post(`${failed}/retry`)).body).toMatchObject({ status: "pending" });
  });

  test("the audit log verifies from its first entry to those written since", async () => {
    const { client } = server;
    expect((await client.patch(`${bucketPath}/consumers/consumer-1`, { description: "since" })).status).toBe(200);
    await server.catchUp();
    const { body: verified } = await client.get(`${accountPath}/audit-log/verification`);
    expect(verified).toMatchObject({ intact: true, unsealed: 0 });
    expect(verified.entries).toBeGreaterThan(3);
    const { data } = (await client.get(`${accountPath}/audit-log?resource=csmr_2`)).body;
    expect(data).toMatchObject([{ action: "key.created", resource: { id: "key_2" }, isSealed: true }]);
  });

  test("keys are counted by tag and permission, and so are those made since", async () => {
    const { client } = server;
    const total = async (query: string) => (await client.get(`${bucketPath}/keys?${query}`)).body.total;
    const totals = async () => [
      await total(""),
      await total("tag.plan=gold"),
      await total("tag.plan=free"),
      await total("permission=orders:read"),
      await total("tag.plan=gold&permission=orders:read"),
    ];
    expect(await totals()).toEqual([6, 2, 4, 3, 1]);
    const keys = `${bucketPath}/consumers/consumer-3/keys`;
    expect((await client.post(keys, { permissions: ["orders:*"] })).status).toBe(200);
    expect(await totals()).toEqual([7, 3, 4, 4, 2]);
    expect((await client.delete(`${keys}/key_3`)).status).toBe(204);
    expect((await client.patch(`${bucketPath}/consumers/consumer-6`, { tags: { plan: "free" } })).status).toBe(200);
    expect(await totals()).toEqual([6, 1, 5, 4, 1]);

    if (engine !== postgres) return;
    // Creates and deletes keys like a node of the previous version during a rolling upgrade.
    await runSql(
      database,
      `INSERT INTO api_keys (seq, id, bucket_seq, consumer_seq, hash, suffix, version, created_on, updated_on)
        VALUES (9000, 'key_9000', 3, 101, 'hash 9000', '01234567', 1, 1, 1)`,
    );
    await runSql(database, "DELETE FROM api_keys WHERE seq IN (102, 104)");
    expect(await totals()).not.toEqual([5, 1, 4, 2, 1]);
    const documented = await Bun.file(new URL("../docs/upgrading.md", import.meta.url)).text();
    await using connection = new SQL(database.environment.DATABASE_URL!, { max: 1 });
    await connection.unsafe(/```sql\n([\s\S]*?)```/.exec(documented)![1]!).simple();
    expect(await totals()).toEqual([5, 1, 4, 2, 1]);
    const { data } = (await client.get(`${bucketPath}/keys?tag.plan=free`)).body;
    expect(data.map(({ id }: { id: string }) => id)).toContain("key_9000");
  });
});
