import { describe, expect, test } from "bun:test";
import { newBucketPath } from "../../../../test/support/bucket-path.ts";
import type { Client } from "../../../../test/support/client.ts";
import { eachEngine, sqlite } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../test/support/server.ts";
import { tableContent } from "../../../../test/support/table-content.ts";

const permissions = Array.from({ length: 50 }, (_, index) => `orders:${index}`);

async function consumerWithKeys(client: Client, bucket: string, name: string, keys: object[]): Promise<string[]> {
  await client.post(`${bucket}/consumers`, { name });
  const created = await client.post(`${bucket}/consumers/${name}/keys/$bulk`, keys);
  expect(created.status).toBe(200);
  return created.body.data.map(({ id }: { id: string }) => id);
}

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;

  test("consumers with more keys than are read at once include all of them, and lose all when they are deleted", async () => {
    const bucket = newBucketPath();
    const many = await consumerWithKeys(client, bucket, "many", Array(600).fill({ permissions }));
    const few = await consumerWithKeys(client, bucket, "few", [{}, {}]);
    const rest = await consumerWithKeys(client, bucket, "rest", Array(300).fill({}));
    const idsOf = ({ apiKeys }: { apiKeys: { id: string }[] }) => apiKeys.map(({ id }) => id);
    const { body: listed } = await client.get(`${bucket}/consumers?include-api-keys=true`);
    expect(listed.data.map(idsOf)).toEqual([many, few, rest]);
    expect(listed.data[0].apiKeys[599].permissions).toEqual(permissions);
    const { body } = await client.get(`${bucket}/consumers/many?include-api-keys=true`);
    expect(idsOf(body)).toEqual(many);

    expect((await client.get(`${bucket}/keys?permission=orders:49&limit=1`)).body.total).toBe(600);
    expect((await client.delete(`${bucket}/consumers/many`)).status).toBe(204);
    expect((await client.get(`${bucket}/keys?permission=orders:49`)).body.total).toBe(0);
    expect((await client.get(`${bucket}/keys?limit=1`)).body.total).toBe(302);
    const ids = new Set((await tableContent(server.database, "api_keys")).map(({ id }) => id));
    expect([many.some((id) => ids.has(id)), few.every((id) => ids.has(id))]).toEqual([false, true]);
  });
});

describe("sqlite, with large keys", () => {
  const { client } = useServer(sqlite);

  test("more than 16 MiB of keys are not included in consumers", async () => {
    const bucket = newBucketPath();
    const metadata = { text: "x".repeat(16_000) };
    for (const name of ["one", "two"]) await consumerWithKeys(client, bucket, name, Array(550).fill({ metadata }));
    const rejected = await client.get(`${bucket}/consumers?include-api-keys=true`);
    expectProblem(rejected, 400, "validation_failed", { pointer: "?include-api-keys" });
    expect(rejected.body.errors[0].detail).toContain("more than 16 MiB of keys");
    const { body } = await client.get(`${bucket}/consumers?include-api-keys=true&limit=1`);
    expect(body.data[0].apiKeys).toHaveLength(550);
  });
});
