import { beforeAll, describe, expect, test } from "bun:test";
import { newBucketPath } from "../../../../test/support/bucket-path.ts";
import { callerWithRole } from "../../../../test/support/callers.ts";
import type { Client } from "../../../../test/support/client.ts";
import { createWholeConsumer } from "../../../../test/support/consumer-operations.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../test/support/server.ts";

const members = {
  "include-api-keys": "apiKeys",
  "include-managers": "managers",
  "include-manager-invites": "managerInvites",
};

eachEngine((engine) => {
  const { client } = useServer(engine);
  let reader: Client;

  beforeAll(async () => {
    reader = await callerWithRole(client, "reader");
  });

  /** The same consumer from the list and by its name. */
  async function bothViews(consumers: string, name: string, query: string) {
    const list = await client.get(`${consumers}?${query}`);
    const listed = list.body.data.find((one: { name: string }) => one.name === name);
    return [listed, (await client.get(`${consumers}/${name}?${query}`)).body];
  }

  describe("include-*", () => {
    const bucket = newBucketPath();
    const consumers = `${bucket}/consumers`;

    beforeAll(async () => {
      await createWholeConsumer(client, bucket, "whole");
      await client.post(consumers, { name: "bare" });
    });

    test.each([
      "",
      "include-api-keys=false&include-managers=false&include-manager-invites=false",
      "key-format=visible",
    ])("nothing is included by %p", async (query) => {
      for (const consumer of await bothViews(consumers, "whole", query)) {
        expect(Object.keys(consumer).sort()).toEqual(["createdOn", "id", "name", "tags", "updatedOn"]);
      }
    });

    test.each(Object.entries(members))("%s includes %s and nothing else", async (parameter, member) => {
      for (const consumer of await bothViews(consumers, "whole", `${parameter}=true`)) {
        expect(consumer[member]).toHaveLength(1);
        for (const other of Object.values(members)) if (other !== member) expect(consumer[other]).toBeUndefined();
      }
      for (const consumer of await bothViews(consumers, "bare", `${parameter}=true`))
        expect(consumer[member]).toEqual([]);
    });

    test("included parts are the same as in their own lists", async () => {
      const query = Object.keys(members)
        .map((name) => `${name}=true`)
        .join("&");
      for (const consumer of await bothViews(consumers, "whole", query)) {
        expect(consumer.apiKeys).toEqual((await client.get(`${consumers}/whole/keys`)).body.data);
        expect(consumer.managers).toEqual((await client.get(`${consumers}/whole/managers`)).body.data);
        expect(consumer.managerInvites).toEqual((await client.get(`${consumers}/whole/manager-invites`)).body.data);
      }
    });
  });

  test("each consumer of a list gets its own keys, managers and invites, in order", async () => {
    const consumers = `${newBucketPath()}/consumers`;
    for (const name of ["a", "b", "c"]) {
      const apiKeys = [1, 2].map((index) => ({ key: `key-number-${index}-of-${name}` }));
      const managers = [{ sub: `${name}-1` }, `${name}-1@acme.example`, { sub: `${name}-2` }, `${name}-2@acme.example`];
      await client.post(consumers, { name, apiKeys, managers });
    }
    for (const name of ["c", "a"]) await client.post(`${consumers}/${name}/keys`, { key: `key-number-3-of-${name}` });
    const query = "include-api-keys=true&include-managers=true&include-manager-invites=true&key-format=visible";
    const { body } = await client.get(`${consumers}?${query}`);
    for (const { name, apiKeys, managers, managerInvites } of body.data) {
      const numbers = name === "b" ? [1, 2] : [1, 2, 3];
      expect(valuesOf(apiKeys, "key")).toEqual(numbers.map((index) => `key-number-${index}-of-${name}`));
      expect(valuesOf(managers, "sub")).toEqual([`${name}-1`, `${name}-2`]);
      expect(valuesOf(managerInvites, "email")).toEqual([`${name}-1@acme.example`, `${name}-2@acme.example`]);
    }
    expect(body.data).toHaveLength(3);
  });

  describe("key-format", () => {
    const consumers = `${newBucketPath()}/consumers`;
    let generated: string;
    const supplied = "sixteen-chars-ok";

    beforeAll(async () => {
      const { body } = await client.post(`${consumers}?with-api-key=true`, {
        name: "acme",
        apiKeys: [{ key: supplied }],
      });
      generated = body.apiKeys[0].key;
    });

    const shown: [string, () => (string | undefined)[]][] = [
      ["", () => [`****${generated.slice(-8)}`, `****${supplied.slice(-4)}`]],
      ["&key-format=masked", () => [`****${generated.slice(-8)}`, `****${supplied.slice(-4)}`]],
      ["&key-format=visible", () => [generated, supplied]],
      ["&key-format=none", () => [undefined, undefined]],
    ];

    test.each(shown)("include-api-keys=true%s", async (query, expected) => {
      for (const consumer of await bothViews(consumers, "acme", `include-api-keys=true${query}`)) {
        expect(valuesOf(consumer.apiKeys, "key")).toEqual(expected());
        for (const key of consumer.apiKeys) expect("key" in key).toBe(!query.endsWith("none"));
      }
    });

    test("a reader sees keys masked at most", async () => {
      for (const path of [consumers, `${consumers}/acme`, `${consumers}/nobody`, `${newBucketPath()}/consumers`]) {
        const rejected = await reader.get(`${path}?include-api-keys=true&key-format=visible`);
        expectProblem(rejected, 403, "forbidden");
        expect(rejected.text).not.toContain(supplied);
      }
      const allowed = await reader.get(`${consumers}/acme?include-api-keys=true`);
      expect(valuesOf(allowed.body.apiKeys, "key")).toEqual([`****${generated.slice(-8)}`, "****s-ok"]);
    });
  });

  test("a bucket that keeps no retrievable keys shows none", async () => {
    const bucket = newBucketPath();
    await client.post("/v1/accounts/default/key-buckets", { name: bucket.split("/").at(-1), isRetrievable: false });
    const { body } = await client.post(`${bucket}/consumers?with-api-key=true`, { name: "acme" });
    for (const path of [`${bucket}/consumers`, `${bucket}/consumers/acme`]) {
      const rejected = await client.get(`${path}?include-api-keys=true&key-format=visible`);
      expectProblem(rejected, 409, "keys_not_retrievable");
      expectProblem(await reader.get(`${path}?include-api-keys=true&key-format=visible`), 403, "forbidden");
    }
    const masked = [`****${body.apiKeys[0].key.slice(-8)}`];
    for (const consumer of await bothViews(`${bucket}/consumers`, "acme", "include-api-keys=true")) {
      expect(valuesOf(consumer.apiKeys, "key")).toEqual(masked);
    }
  });

  test("the ETag covers included parts, and still works with If-Match", async () => {
    const { path } = await createWholeConsumer(client, newBucketPath());
    const etagOf = async (query: string) => (await client.get(`${path}?${query}`)).headers.get("etag")!;
    const [bare, withKeys] = [await etagOf(""), await etagOf("include-api-keys=true")];
    expect(withKeys).not.toBe(bare);
    const unchanged = await client.get(`${path}?include-api-keys=true`, { "if-none-match": withKeys });
    expect(unchanged.status).toBe(304);

    await client.post(`${path}/keys`, {});
    const changed = await client.get(`${path}?include-api-keys=true`, { "if-none-match": withKeys });
    expect(changed.status).toBe(200);
    expect(changed.headers.get("etag")).not.toBe(withKeys);
    expect(await etagOf("")).toBe(bare);

    const updated = await client.patch(
      path,
      { description: "new" },
      { "if-match": await etagOf("include-api-keys=true") },
    );
    expect(updated.status).toBe(200);
  });
});

function valuesOf(items: Record<string, string>[], member: string): (string | undefined)[] {
  return items.map((item) => item[member]);
}
