import { expect, test } from "bun:test";
import { newBucketPath } from "../../../test/support/bucket-path.ts";
import { strangerOf } from "../../../test/support/callers.ts";
import type { Client } from "../../../test/support/client.ts";
import { type Database, type Engine, eachEngine } from "../../../test/support/engines.ts";
import { verdict } from "../../../test/support/key-holder.ts";
import { deploy, openApi, projectArchive, requestUpload } from "../../../test/support/project.ts";
import { runSql } from "../../../test/support/run-sql.ts";
import { useServer } from "../../../test/support/server.ts";
import { account, operatorToken } from "../../../test/support/server-settings.ts";
import { tableContent } from "../../../test/support/table-content.ts";
import { until } from "../../../test/support/until.ts";

/** With a key each. Of these 16,000 rows 2,000 to 3,000 were removed by the first check, and up to 5,000 by the one after the restart. */
const many = 8000;
const waiting = { withinMs: 120_000, what: "the removal to end" };

const manyMessages = 1500;

const upTo = (last: number) =>
  `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${last})`;

/** Inserts many consumers of a bucket, with a key each: creating them by the API would take minutes. */
async function fillBucket({ name }: Engine, database: Database, bucketId: string): Promise<void> {
  const bytes = name === "postgres" ? "bytea" : "blob";
  const bucket = `(SELECT seq FROM key_buckets WHERE id = '${bucketId}')`;
  await runSql(
    database,
    `INSERT INTO consumers (id, bucket_seq, name, version, created_on, updated_on) ${upTo(many)}
      SELECT 'csmr_many' || n, ${bucket}, 'many-' || n, 1, 1, 1 FROM numbers`,
  );
  await runSql(
    database,
    `INSERT INTO api_keys (id, bucket_seq, consumer_seq, hash, suffix, version, created_on, updated_on)
      SELECT 'key_' || id, bucket_seq, seq, CAST(id AS ${bytes}), '01234567', 1, 1, 1 FROM consumers
      WHERE bucket_seq = ${bucket} AND name LIKE 'many-%'`,
  );
}

/** Inserts many messages of an account, each delivered once to its webhook. */
async function fillWebhook(database: Database, webhookId: string): Promise<void> {
  await runSql(
    database,
    `INSERT INTO webhook_messages (account_seq, id, type, body, created_on) ${upTo(manyMessages)}
      SELECT account_seq, 'msg_' || id || n, 'key.created', '{}', 4102444800000 FROM numbers, webhooks
      WHERE webhooks.id = '${webhookId}'`,
  );
  await runSql(
    database,
    `INSERT INTO webhook_deliveries
        (id, webhook_seq, message_seq, message_id, type, status, attempts, schedule_step, created_on, due_on)
      SELECT 'dlvr_' || webhook_messages.seq, webhooks.seq, webhook_messages.seq, webhook_messages.id, type, 'pending', 0, 0,
        4102444800000, 4102444800000
      FROM webhook_messages, webhooks WHERE webhooks.id = '${webhookId}' AND webhook_messages.id LIKE 'msg_' || webhooks.id || '%'`,
  );
}

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  const operator = client.as(operatorToken);

  const removed = async (table: string) =>
    (await tableContent(server.database, table)).filter((row) => Number(row.account_seq) === 0).length;
  const isRemoved = async () =>
    (await removed("key_buckets")) + (await removed("metering_buckets")) + (await removed("deployments")) === 0;

  test(`a bucket of ${many} consumers disappears immediately, writes continue, and a restart resumes the removal`, async () => {
    const bucket = newBucketPath();
    const created = await client.post(`${bucket}/consumers?with-api-key=true`, { name: "first" });
    const { key } = created.body.apiKeys[0];
    await fillBucket(engine, server.database, (await client.get(bucket)).body.id);
    expect(await verdict(client, bucket, key)).toBe("valid");

    expect((await client.delete(`${bucket}?force=true`)).status).toBe(204);
    expect(await verdict(client, bucket, key)).toBe("not_found");
    expect((await client.get(bucket)).status).toBe(404);
    const other = newBucketPath();
    for (let number = 0; number < 10; number++)
      expect((await client.post(`${other}/consumers`, { name: `other-${number}` })).status).toBe(200);
    // The writes did not wait for the end of the removal.
    expect(await isRemoved()).toBe(false);
    await server.restart();
    expect(await isRemoved()).toBe(false);
    await until(isRemoved, waiting);
    expect((await client.get(`${other}/consumers`)).body.total).toBe(10);
    const consumers = await tableContent(server.database, "consumers");
    expect(consumers).toHaveLength(10);
    expect(await tableContent(server.database, "api_keys")).toEqual([]);
  });

  test("deleted webhooks disappear at once, alone or with their account; their deliveries are removed later, also after a restart", async () => {
    const stranger = await strangerOf(client, "removed-webhooks");
    const input = { url: "https://example.com/hook", events: ["key.*"] };
    const webhooksOf = (accountName: string) => `/v1/accounts/${accountName}/webhooks`;
    const theirs = (await stranger.post(webhooksOf("removed-webhooks"), input)).body.id;
    const ours = await Promise.all([1, 2, 3].map(() => client.post(webhooksOf(account), input)));
    const [kept, deleted, left] = ours.map(({ body }) => body.id);
    for (const id of [theirs, kept, deleted, left]) await fillWebhook(server.database, id);
    const count = async (table: string) => (await tableContent(server.database, table)).length;
    const isEmpty = async () => (await removed("webhooks")) + (await count("webhook_removals")) === 0;

    expect((await client.delete(`${webhooksOf(account)}/${deleted}`)).status).toBe(204);
    expect(await removed("webhooks")).toBe(1);
    expect((await client.get(`${webhooksOf(account)}/${deleted}/deliveries`)).status).toBe(404);
    expect((await client.get(webhooksOf(account))).body.total).toBe(2);
    expect((await operator.delete("/v1/accounts/removed-webhooks")).status).toBe(204);
    await until(isEmpty, waiting);
    expect([await count("webhook_messages"), await count("webhook_deliveries")]).toEqual([
      3 * manyMessages,
      2 * manyMessages,
    ]);

    // The state that a stopped node leaves.
    await runSql(server.database, `UPDATE webhooks SET account_seq = 0 WHERE id = '${left}'`);
    await server.restart();
    await until(isEmpty, waiting);
    expect([await count("webhooks"), await count("webhook_deliveries")]).toEqual([1, manyMessages]);
  });

  test("a deleted account disappears at once with its deployments and buckets; their contents are removed later, also after a restart", async () => {
    const accountName = "removed-account";
    const stranger = await strangerOf(client, accountName);
    const files = { "openapi.json": openApi({ "/hello": { "x-tollgate": { upstream: "http://127.0.0.1:1" } } }) };
    const deployInto = (holder: Client, branch: string) =>
      deploy({ url: server.url, client: holder }, { accountName, project: "shop", branch }, files);
    const deployed = [await deployInto(stranger, "main"), await deployInto(stranger, "next")];
    const upload = await requestUpload(stranger, { accountName, project: "shop", branch: "later" });
    const bucket = newBucketPath(accountName);
    await stranger.post(`${bucket}/consumers`, { name: "first" });
    for (const { call } of deployed) expect((await call("/hello")).status).toBe(502);

    expect((await operator.delete(`/v1/accounts/${accountName}`)).status).toBe(204);
    for (const { call } of deployed) expect((await call("/hello")).status).toBe(404);
    expect((await stranger.get("/v1/who-am-i")).status).toBe(401);
    const late = await client.anonymous().raw("PUT", upload.path, await projectArchive(files));
    expect(late.status).toBe(404);

    // A new account of the same name has none of the old data, and can reuse the names of its deployments.
    const again = await strangerOf(client, accountName);
    expect((await again.get("/v1/deployments")).body.total).toBe(0);
    const { call } = await deployInto(again, "main");
    expect((await call("/hello")).status).toBe(502);

    await server.restart();
    await until(isRemoved, waiting);
    for (const table of ["deployments", "deployment_versions", "deployment_artifacts", "deployment_sources"])
      expect([table, (await tableContent(server.database, table)).length]).toEqual([table, 1]);
  });
});
