import { beforeAll, expect, test } from "bun:test";
import { newBucketPath } from "../../../../test/support/bucket-path.ts";
import { strangerOf } from "../../../../test/support/callers.ts";
import type { Client } from "../../../../test/support/client.ts";
import { createWholeConsumer } from "../../../../test/support/consumer-operations.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { useServer } from "../../../../test/support/server.ts";
import { consumerTables, tableContent } from "../../../../test/support/table-content.ts";
import { until } from "../../../../test/support/until.ts";

const buckets = "/v1/accounts/default/key-buckets";

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  let stranger: Client;

  beforeAll(async () => {
    stranger = await strangerOf(client, "stranger");
  });

  test("a consumer never lands in the bucket that comes after its own", async () => {
    for (let round = 0; round < 10; round++) {
      const [ours, theirs] = [newBucketPath(), newBucketPath("stranger")];
      await client.post(buckets, { name: nameOf(ours) });
      await client.get(`${ours}/consumers`); // the server caches the bucket
      const [deleted, , created] = await Promise.all([
        client.delete(ours),
        stranger.post("/v1/accounts/stranger/key-buckets", { name: nameOf(theirs) }),
        client.post(`${ours}/consumers`, { name: "acme" }),
      ]);
      expect([204, 409]).toContain(deleted.status);
      expect([200, 409]).toContain(created.status);
      expect((await stranger.get(`${theirs}/consumers/acme`)).status).toBe(404);
      const isThere = created.status === 200;
      expect((await client.get(`${ours}/consumers/acme`)).status).toBe(isThere ? 200 : 404);
      expect((await client.get(`${ours}/consumers`)).body.total).toBe(isThere ? 1 : 0);
    }
  });

  test("a bucket that is deleted while its consumers change leaves nothing behind", async () => {
    for (let round = 0; round < 5; round++) {
      const bucket = newBucketPath();
      const names = ["a", "b", "c", "d", "e", "f"];
      for (const name of names) await createWholeConsumer(client, bucket, name);
      const responses = await Promise.all([
        ...names.map((name) => client.patch(`${bucket}/consumers/${name}`, { tags: { [`tag-of-${name}`]: round } })),
        client.delete(`${bucket}?force=true`),
        ...names.map((name) => client.post(`${bucket}/consumers/${name}/managers`, { sub: "another" })),
      ]);
      expect(responses[names.length]?.status).toBe(204);
      for (const { status } of responses) expect([200, 204, 404]).toContain(status);
      expect((await client.get(`${bucket}/consumers`)).body.total).toBe(0);
      await client.delete(`${bucket}?force=true`);
    }
    for (const { body } of [await client.get(buckets), await stranger.get("/v1/accounts/stranger/key-buckets")]) {
      for (const { name } of body.data) {
        await client.delete(`${buckets}/${name}?force=true`);
        await stranger.delete(`/v1/accounts/stranger/key-buckets/${name}?force=true`);
      }
    }
    await until(async () => (await tableContent(server.database, "key_buckets")).length === 0);
    for (const table of consumerTables) {
      expect([table, await tableContent(server.database, table)]).toEqual([table, []]);
    }
  });
});

function nameOf(bucket: string): string {
  return bucket.split("/").at(-1)!;
}
