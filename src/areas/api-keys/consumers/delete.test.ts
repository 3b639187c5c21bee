import { describe, expect, test } from "bun:test";
import { newBucketPath } from "../../../../test/support/bucket-path.ts";
import { createWholeConsumer, stateOf } from "../../../../test/support/consumer-operations.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../test/support/server.ts";
import { consumerTables, tableContent } from "../../../../test/support/table-content.ts";

eachEngine((engine) => {
  const { client } = useServer(engine);

  test("the consumer is deleted with its keys, managers and invites", async () => {
    const bucket = newBucketPath();
    const { path, keyId, managerId, inviteId } = await createWholeConsumer(client, bucket);
    const { body } = await client.get(`${path}/keys/${keyId}?key-format=visible`);
    expect((await client.post(`${bucket}/verify-key`, { key: body.key })).body.valid).toBe(true);

    const deleted = await client.delete(path);
    expect(deleted.status).toBe(204);
    expect(deleted.text).toBe("");
    for (const rest of [
      "",
      "/keys",
      `/keys/${keyId}`,
      "/managers",
      `/managers/${managerId}`,
      "/manager-invites",
      `/manager-invites/${inviteId}`,
    ]) {
      expectProblem(await client.get(path + rest), 404, "not_found");
    }
    expect((await client.post(`${bucket}/verify-key`, { key: body.key })).body).toEqual({
      valid: false,
      code: "not_found",
    });
    for (const query of ["", "?tag.plan=gold", "?tag.plan=gold&tag.seats=5", "?manager-email=manager@acme.example"]) {
      expect((await client.get(`${bucket}/consumers${query}`)).body).toMatchObject({ data: [], total: 0 });
    }
    expectProblem(await client.delete(path), 404, "not_found");
  });

  test("its name, keys and managers can be used again, and a new consumer has nothing of the old one", async () => {
    const bucket = newBucketPath();
    const consumer = {
      name: "acme",
      apiKeys: [{ key: "a-key-to-be-used-again" }],
      managers: [{ sub: "1" }, "jo@acme.example"],
    };
    const first = await client.post(`${bucket}/consumers`, { ...consumer, description: "old", tags: { old: true } });
    await client.delete(`${bucket}/consumers/acme`);
    const second = await client.post(`${bucket}/consumers`, consumer);
    expect(second.status).toBe(200);
    expect(second.body.id).not.toBe(first.body.id);
    const included = "include-api-keys=true&include-managers=true&include-manager-invites=true&key-format=visible";
    expect((await client.get(`${bucket}/consumers/acme?${included}`)).body).toEqual(second.body);
    const verified = await client.post(`${bucket}/verify-key`, { key: "a-key-to-be-used-again" });
    expect(verified.body.consumer.id).toBe(second.body.id);
  });

  test("other consumers are unchanged", async () => {
    const bucket = newBucketPath();
    await createWholeConsumer(client, bucket, "first");
    await createWholeConsumer(client, bucket, "last");
    const before = (await stateOf(client, bucket)) as { data: unknown[]; etags: unknown[] };
    await createWholeConsumer(client, bucket, "deleted");
    await client.delete(`${bucket}/consumers/deleted`);
    expect(await stateOf(client, bucket)).toEqual(before);
    await client.delete(`${bucket}/consumers/first`);
    const left = { data: before.data.slice(1), etags: before.etags.slice(1), total: 1 };
    expect(await stateOf(client, bucket)).toMatchObject(left);
  });

  test("deleting a consumer keeps its bucket", async () => {
    const bucket = newBucketPath();
    const { path } = await createWholeConsumer(client, bucket);
    const before = await client.get(bucket);
    await client.delete(path);
    expect((await client.get(bucket)).body).toEqual(before.body);
  });

  test("If-Match: only what the client has seen is deleted", async () => {
    const bucket = newBucketPath();
    const { path } = await createWholeConsumer(client, bucket);
    const old = (await client.get(path)).headers.get("etag")!;
    await client.patch(path, { description: "changed" });
    const before = await stateOf(client, bucket);
    for (const header of [old, '"other"']) {
      expectProblem(await client.delete(path, { "if-match": header }), 412, "precondition_failed");
    }
    expect(await stateOf(client, bucket)).toEqual(before);
    const current = (await client.get(path)).headers.get("etag")!;
    expect((await client.delete(path, { "if-match": current })).status).toBe(204);
    expectProblem(await client.get(path), 404, "not_found");
  });

  test("of ten deletes at once, one finds it", async () => {
    const bucket = newBucketPath();
    const { path } = await createWholeConsumer(client, bucket);
    await createWholeConsumer(client, bucket, "other");
    const responses = await Promise.all(Array.from({ length: 10 }, () => client.delete(path)));
    expect(responses.map(({ status }) => status).sort()).toEqual([204, ...Array(9).fill(404)]);
    expect((await client.get(`${bucket}/consumers?tag.plan=gold`)).body).toMatchObject({
      data: [{ name: "other" }],
      total: 1,
    });
    expect((await client.get(`${bucket}/consumers`)).body.total).toBe(1);
  });

  test("concurrent deletes, updates and additions leave no partial consumer", async () => {
    const bucket = newBucketPath();
    for (let round = 0; round < 5; round++) {
      const { path, inviteId } = await createWholeConsumer(client, bucket, `acme-${round}`);
      const responses = await Promise.all([
        client.patch(path, { tags: { plan: "silver" } }),
        client.post(`${path}/keys`, {}),
        client.post(`${path}/managers`, { sub: "another" }),
        client.delete(path),
        client.post(`${path}/manager-invites/${inviteId}/accept`, { sub: "accepted" }),
        client.patch(path, { tags: { plan: "gold", other: true } }),
      ]);
      for (const { status } of responses) expect([200, 204, 404]).toContain(status);
      expect(responses[3]?.status).toBe(204);
      expectProblem(await client.get(path), 404, "not_found");
    }
    for (const query of ["", "?tag.plan=gold", "?tag.plan=silver", "?tag.other=true"]) {
      expect((await client.get(`${bucket}/consumers${query}`)).body).toMatchObject({ data: [], total: 0 });
    }
  });

  describe("in storage", () => {
    const server = useServer(engine);

    async function filled(): Promise<string[]> {
      const rows = await Promise.all(consumerTables.map((table) => tableContent(server.database, table)));
      return consumerTables.filter((_, index) => rows[index]!.length > 0);
    }

    test("a deleted consumer leaves nothing behind", async () => {
      const { path } = await createWholeConsumer(server.client, newBucketPath());
      expect(await filled()).toEqual(consumerTables);
      await server.client.patch(path, { tags: { plan: "silver", region: "eu" } });
      await server.client.delete(path);
      expect(await filled()).toEqual([]);
    });

    test("a rejected create leaves nothing behind", async () => {
      const consumer = {
        name: "acme",
        tags: { plan: "gold" },
        managers: [{ sub: "1" }, "jo@acme.example", { sub: "1" }],
      };
      const rejected = await server.client.post(`${newBucketPath()}/consumers?with-api-key=true`, consumer);
      expectProblem(rejected, 409, "manager_exists");
      expect(await filled()).toEqual([]);
    });
  });
});
