import { describe, expect, test } from "bun:test";
import { newBucketPath } from "../../../../test/support/bucket-path.ts";
import { strangerOf } from "../../../../test/support/callers.ts";
import type { Client } from "../../../../test/support/client.ts";
import { createWholeConsumer } from "../../../../test/support/consumer-operations.ts";
import { type Database, eachEngine, postgres } from "../../../../test/support/engines.ts";
import { verdict } from "../../../../test/support/key-holder.ts";
import { startServer, useServer } from "../../../../test/support/server.ts";
import { account, operatorToken } from "../../../../test/support/server-settings.ts";
import { consumerTables, tableContent } from "../../../../test/support/table-content.ts";
import { until } from "../../../../test/support/until.ts";

const waiting = { what: "the removal to end" };

/** The remaining rows of deleted buckets. */
async function leftOf(database: Database): Promise<number> {
  const removed = (await tableContent(database, "key_buckets")).filter((row) => Number(row.account_seq) === 0);
  return removed.length;
}

const batchKeys = 1000;

/** Returns one of the keys, of which there may be more than one batch removes. */
async function fill(client: Client, bucket: string, keys = batchKeys + 200): Promise<string> {
  for (const name of ["a", "b", "c"]) await createWholeConsumer(client, bucket, name);
  let key = "";
  for (let left = keys; left > 0; left -= batchKeys) {
    const { body } = await client.post(`${bucket}/consumers/a/keys/$bulk`, Array(Math.min(left, batchKeys)).fill({}));
    key = body.data[0].key;
  }
  return key;
}

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;

  test("a deleted bucket is invisible immediately, its name is free, and a new one of that name is empty", async () => {
    const bucket = newBucketPath();
    const name = bucket.split("/").at(-1)!;
    const old = await fill(client, bucket);
    expect(await verdict(client, bucket, old)).toBe("valid");
    const before = (await client.get(bucket)).body;
    expect((await client.delete(`${bucket}?force=true`)).status).toBe(204);
    expect(await verdict(client, bucket, old)).toBe("not_found");
    expect((await client.get(bucket)).status).toBe(404);
    expect((await client.get(`${bucket}/consumers/a`)).status).toBe(404);
    const listed = (await client.get(`/v1/accounts/${account}/key-buckets`)).body;
    expect(listed.data.map((each: { name: string }) => each.name)).not.toContain(name);

    const created = await client.post(`/v1/accounts/${account}/key-buckets`, { name });
    expect(created.status).toBe(200);
    expect(created.body.id).not.toBe(before.id);
    expect((await client.get(`${bucket}/consumers`)).body).toMatchObject({ data: [], total: 0 });
    await createWholeConsumer(client, bucket, "a");
    const [{ key }] = (await client.post(`${bucket}/consumers/a/keys/$bulk`, [{}])).body.data;
    await until(async () => (await leftOf(server.database)) === 0, waiting);
    expect(await verdict(client, bucket, key)).toBe("valid");
    expect(await verdict(client, bucket, old)).toBe("not_found");
    expect((await client.get(`${bucket}/consumers`)).body.total).toBe(1);
    expect((await client.get(`${bucket}/consumers?tag.plan=gold`)).status).toBe(200);
    await client.delete(`${bucket}?force=true`);
  });

  test("a removal that was interrupted by a stop continues after the start, and removes everything", async () => {
    const bucket = newBucketPath();
    await fill(client, bucket);
    await client.delete(`${bucket}?force=true`);
    await server.restart();
    await until(async () => (await leftOf(server.database)) === 0, waiting);
    for (const table of consumerTables)
      expect([table, await tableContent(server.database, table)]).toEqual([table, []]);
  });

  test("an account is deleted with its buckets immediately, and a new one of its name has none of them", async () => {
    const stranger = await strangerOf(client, "removal");
    const bucket = newBucketPath("removal");
    const key = await fill(stranger, bucket, 1);
    const metering = (await stranger.post("/v1/metering")).body.id;
    const operator = client.as(operatorToken);
    expect((await operator.delete("/v1/accounts/removal")).status).toBe(204);
    expect((await stranger.get(`${bucket}/consumers`)).status).toBe(401);
    const names = (await operator.get("/v1/accounts")).body.data.map(({ name }: { name: string }) => name);
    expect(names).not.toContain("removal");
    expect(names).not.toContain("");
    const again = await strangerOf(client, "removal");
    expect(await verdict(again, bucket, key)).toBe("not_found");
    expect((await again.get(`${bucket}/consumers`)).body.total).toBe(0);
    expect((await again.get(`/v1/metering/${metering}`)).status).toBe(404);
    await until(async () => (await leftOf(server.database)) === 0, waiting);
  });

  test("the account that owns deleted buckets cannot be addressed", async () => {
    const operator = client.as(operatorToken);
    expect((await operator.get("/v1/metering?accountName=")).status).toBe(404);
    const { data, total } = (await operator.get("/v1/accounts")).body;
    expect(total).toBe(data.length);
  });
});

describe("two nodes", () => {
  test("the keys of a deleted bucket stop on both within a second", async () => {
    await using stack = new AsyncDisposableStack();
    const one = await startServer(postgres);
    stack.defer(() => one.stop());
    const two = await startServer(postgres, { database: one.database, clock: one.clock });
    stack.defer(() => two.stop());
    const bucket = newBucketPath();
    const key = await fill(one.client, bucket, 1);
    expect(await verdict(two.client, bucket, key)).toBe("valid");
    await one.client.delete(`${bucket}?force=true`);
    expect(await verdict(one.client, bucket, key)).toBe("not_found");
    await until(async () => (await verdict(two.client, bucket, key)) === "not_found");
    expect((await two.client.post(`${bucket}/consumers`, { name: "a" })).status).toBe(200);
    await until(async () => (await leftOf(one.database)) === 0, waiting);
    expect((await one.client.get(`${bucket}/consumers`)).body.total).toBe(1);
  });
});
