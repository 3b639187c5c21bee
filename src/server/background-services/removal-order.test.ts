import { expect, test } from "bun:test";
import { newBucketPath } from "../../../test/support/bucket-path.ts";
import { strangerOf } from "../../../test/support/callers.ts";
import { createWholeConsumer } from "../../../test/support/consumer-operations.ts";
import { domainsPath, useDns } from "../../../test/support/domains.ts";
import { type Database, eachEngine } from "../../../test/support/engines.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { subscribed, usageEvent } from "../../../test/support/metering.ts";
import { setPortal } from "../../../test/support/portal.ts";
import { deploy, openApi } from "../../../test/support/project.ts";
import { readSql, runSql } from "../../../test/support/run-sql.ts";
import { useServer } from "../../../test/support/server.ts";
import { operatorToken } from "../../../test/support/server-settings.ts";
import { openStorageOf } from "../../../test/support/storage.ts";
import { tableNames } from "../../../test/support/table-content.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { type AccountCleanup, deleteAccount, findAccount } from "../../areas/access/accounts/accounts.ts";
import { deleteKeyBucketsOf } from "../../areas/api-keys/key-buckets/key-buckets.ts";
import { removeDeletedKeyBuckets } from "../../areas/api-keys/key-buckets/removal.ts";
import { deleteMeteringOf } from "../../areas/commerce/metering-buckets/metering-buckets.ts";
import { removeDeletedMetering } from "../../areas/commerce/metering-buckets/removal.ts";
import { deleteDeploymentsOf } from "../../areas/gateways/deployments/deployments.ts";
import { removeDeletedDeployments } from "../../areas/gateways/deployments/removal.ts";
import { deleteDomainsOf } from "../../areas/gateways/domains/domains.ts";
import { removeDeletedWebhooks } from "../../areas/operations/webhooks/removal.ts";
import { deleteWebhooksOf } from "../../areas/operations/webhooks/webhooks.ts";
import { unconditional } from "../../lib/http/etag.ts";
import type { Storage } from "../../platform/storage/storage.ts";

/** More of everything than one transaction may delete: 1,000 rows, and an event has a row in two tables. */
const many = 3000;
const most = 2000;

const upTo = (last: number) =>
  `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${last})`;

/**
 * What is about deletions stays, and what belongs to no account. Hours of usage and the size of a log have no foreign key, and are
 * removed by time.
 */
const staying =
  /^(accounts|changes|feed_|audit_|idempotency|written_batches|nodes|migrations|sqlite_|webhook_timers|usage_hours|deployment_log_sizes)/;

/** In the order of the control plane. */
const cleanups: AccountCleanup[] = [
  deleteKeyBucketsOf,
  deleteMeteringOf,
  deleteDomainsOf,
  deleteDeploymentsOf,
  deleteWebhooksOf,
];
const contents = [removeDeletedKeyBuckets, removeDeletedMetering, removeDeletedDeployments, removeDeletedWebhooks];

/** The number of rows of each table that has some. */
async function rowsOf(database: Database): Promise<Record<string, number>> {
  const tables = (await tableNames(database)).filter((name) => !staying.test(name));
  const counts = tables.map((name) => `SELECT '${name}' AS name, count(*) AS rows FROM ${name}`).join(" UNION ALL ");
  const rows = await readSql<{ name: string; rows: number | string }>(database, counts);
  return Object.fromEntries(rows.filter((row) => Number(row.rows) > 0).map((row) => [row.name, Number(row.rows)]));
}

/** The storage, which counts the rows that each transaction deletes, also by cascades. */
function countingDeletions(storage: Storage, tables: string[]) {
  const deleted: number[] = [];
  const sum = tables.map((name) => `(SELECT count(*) FROM ${name})`).join(" + ");
  const write: Storage["write"] = (work) =>
    storage.write(async (transaction) => {
      const rows = async () => Number((await transaction.one<{ rows: number }>(`SELECT ${sum} AS rows`, []))!.rows);
      const before = await rows();
      const result = await work(transaction);
      deleted.push(before - (await rows()));
      return result;
    });
  return { deleted, storage: Object.create(storage, { write: { value: write } }) as Storage };
}

eachEngine((engine) => {
  const { environment } = useDns({ TOLLGATE_GATEWAY_URL: "https://{name}.apis.example.com" });
  const server = useServer(engine, { environment });
  const operator = server.client.as(operatorToken);

  /** An account with everything that is removed later, and with more of it than one transaction may delete. */
  async function fill(accountName: string): Promise<void> {
    const client = await strangerOf(server.client, accountName);
    const path = newBucketPath(accountName);
    await createWholeConsumer(client, path, "acme");
    for (let left = many; left > 0; left -= 1000)
      await client.post(`${path}/consumers/acme/keys/$bulk`, Array(Math.min(left, 1000)).fill({}));
    const { bucket } = await subscribed(client, { meters: { requests: { max: many } } });
    const events = Array.from({ length: many }, () => usageEvent({ requests: 1 }));
    expect((await client.post(`${bucket}/events`, events)).body.accepted).toBe(many);
    await setPortal(client, { meteringBucket: bucket.split("/").at(-1) }, `${path}/portal`);
    const files = { "openapi.json": openApi({ "/hello": { "x-tollgate": { upstream: "http://127.0.0.1:1" } } }) };
    const project = { accountName, project: "shop", branch: "main" };
    const { name } = await deploy({ url: server.url, client }, project, files);
    const domain = { host: `${accountName}.example`, deploymentName: name };
    expect((await client.post(domainsPath(accountName), domain)).status).toBe(200);
    const hook = { url: "https://example.com/hook", events: ["export.*"] };
    const webhook = await client.post(`/v1/accounts/${accountName}/webhooks`, hook);
    expect(webhook.status).toBe(200);
    const { id } = webhook.body;
    await runSql(
      server.database,
      `INSERT INTO webhook_messages (account_seq, id, type, body, created_on) ${upTo(many)}
        SELECT account_seq, 'msg_' || id || n, 'key.created', '{}', 4102444800000 FROM numbers, webhooks WHERE id = '${id}'`,
    );
    await runSql(
      server.database,
      `INSERT INTO webhook_deliveries
          (id, webhook_seq, message_seq, message_id, type, status, attempts, schedule_step, created_on, due_on)
        SELECT 'dlvr_' || webhook_messages.seq, webhooks.seq, webhook_messages.seq, webhook_messages.id, type, 'pending', 0, 0,
          4102444800000, 4102444800000
        FROM webhook_messages JOIN webhooks ON webhooks.account_seq = webhook_messages.account_seq
        WHERE webhooks.id = '${id}'`,
    );
    await runSql(
      server.database,
      `INSERT INTO deployment_logs (id, deployment_seq, time, kind, entry, bytes) ${upTo(many)}
        SELECT 'log_' || name || n, seq, 4102444800000, 'console', '{}', 100 FROM numbers, deployments WHERE name = '${name}'`,
    );
  }

  test("nothing remains of a deleted account", async () => {
    const before = await rowsOf(server.database);
    await fill("leaver");
    const filled = Object.keys(await rowsOf(server.database)).length;
    expect(filled).toBeGreaterThan(Object.keys(before).length + 20);
    expect((await operator.delete("/v1/accounts/leaver")).status).toBe(204);
    await eventually(() => rowsOf(server.database)).toEqual(before);
  });

  test.each([
    ["in their order", cleanups, contents],
    ["in reverse", cleanups.toReversed(), contents.toReversed()],
  ])("areas remove what belongs to a deleted account %s, a batch in each transaction", async (_, marking, removing) => {
    const before = await rowsOf(server.database);
    await fill("stopped");
    const { database } = server;
    await server.halt();
    const folder = await temporaryFolder("removal");
    const opened = await openStorageOf(database, folder.path, server.clock);
    try {
      const account = await findAccount(opened.reads, "stopped");
      const act = { account, actor: "operator", now: server.clock.now() };
      await opened.write((transaction) => deleteAccount(transaction, act, marking, unconditional));
      const { storage, deleted } = countingDeletions(opened, Object.keys(await rowsOf(database)));
      for (const remove of removing) await remove(storage);
      expect(Math.max(...deleted)).toBeLessThanOrEqual(most);
      expect(deleted.reduce((sum, rows) => sum + rows, 0)).toBeGreaterThan(4 * many);
    } finally {
      await opened.close();
      await folder.remove();
    }
    await server.restart();
    expect(await rowsOf(database)).toEqual(before);
  });
});
