import { beforeAll, describe, expect, test } from "bun:test";
import type { Client, ClientResponse } from "../../../../test/support/client.ts";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../test/support/server.ts";
import { operatorToken } from "../../../../test/support/server-settings.ts";

const buckets = "/v1/accounts/default/key-buckets";
const minute = 60_000;

const full = {
  description: "Keys of the public API",
  tags: { stage: "live", replicas: 3, public: true },
  isRetrievable: false,
  keyPrefix: "acme_live",
};

let count = 0;
const newName = () => `bucket-${++count}`;

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;
  const operator = client.as(operatorToken);
  const all = async () => (await client.get(buckets)).body;

  async function made(input: object = {}): Promise<string> {
    const name = newName();
    expect((await client.post(buckets, { name, ...input })).status).toBe(200);
    return `${buckets}/${name}`;
  }

  async function madeWithKey(): Promise<{ bucket: string; key: string }> {
    const bucket = await made();
    const consumer = await client.post(`${bucket}/consumers?with-api-key=true`, { name: "acme" });
    return { bucket, key: consumer.body.apiKeys[0].key };
  }

  const isValid = async (bucket: string, key: string) =>
    (await client.post(`${bucket}/verify-key`, { key })).body.valid as boolean;

  describe("creating a bucket", () => {
    test("a bucket with only a name gets the defaults", async () => {
      const name = newName();
      const created = await client.post(buckets, { name });
      expect(created.status).toBe(200);
      expect(created.body).toEqual({
        id: expect.stringMatching(/^bckt_[0-9A-Za-z]{24}$/),
        name,
        isRetrievable: true,
        onLeak: "mark",
        tokenIssuers: [],
        keyPrefix: "tg",
        createdOn: clock.iso(),
        updatedOn: clock.iso(),
      });
      const read = await client.get(`${buckets}/${name}`);
      expect(read.body).toEqual(created.body);
      expect(read.headers.get("etag")).toBe(created.headers.get("etag"));
    });

    test("a bucket has the fields that were given", async () => {
      const name = newName();
      expect((await client.post(buckets, { name, ...full })).body).toMatchObject({ name, ...full });
      expect((await client.get(`${buckets}/${name}`)).body).toMatchObject({ name, ...full });
      expect((await all()).data.at(-1)).toMatchObject({ name, ...full });
    });

    test("lists them in the order of creation", async () => {
      const names = ["z", "a", "m"].map((letter) => `${letter}-${newName()}`);
      for (const name of names) await client.post(buckets, { name });
      const { data, total } = await all();
      expect(data.slice(-3).map(({ name }: { name: string }) => name)).toEqual(names);
      expect(total).toBe(data.length);
    });

    const largest: [what: string, input: object][] = [
      ["a name of 128 characters", { name: `${"a-9".repeat(42)}zz` }],
      ["a description of 1,000 characters", { description: "ü".repeat(1000) }],
      ["50 tags", { tags: Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`tag-${index}`, index])) }],
      ["a tag name of 128 and a value of 256 characters", { tags: { ["n".repeat(128)]: "v".repeat(256) } }],
      ["a prefix of 32 characters", { keyPrefix: "p".repeat(32) }],
    ];
    test.each(largest)("takes %s", async (_what, input) => {
      const response = await client.post(buckets, { name: newName(), ...input });
      expect(response.body).toMatchObject(input);
      expect((await client.get(`${buckets}/${response.body.name}`)).body).toEqual(response.body);
    });

    const tooManyTags = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`tag-${index}`, index]));
    const bad: [what: string, input: unknown, pointer: string][] = [
      ["no name", { name: undefined }, "/name"],
      ["an empty name", { name: "" }, "/name"],
      ["a name with upper case", { name: "Main" }, "/name"],
      ["a name with a dot", { name: "a.b" }, "/name"],
      ["a name with a slash", { name: "a/b" }, "/name"],
      ["a name of 129 characters", { name: "a".repeat(129) }, "/name"],
      ["a number as its name", { name: 1 }, "/name"],
      ["a description of 1,001 characters", { description: "d".repeat(1001) }, "/description"],
      ["a description with a NUL", { description: "a\0b" }, "/description"],
      ["half a character as its description", { description: "\ud800" }, "/description"],
      ["null as its description", { description: null }, "/description"],
      ["51 tags", { tags: tooManyTags }, "/tags"],
      ["a list as its tags", { tags: ["live"] }, "/tags"],
      ["an empty tag name", { tags: { "": "x" } }, "/tags/"],
      ["a tag name of 129 characters", { tags: { ["n".repeat(129)]: "x" } }, `/tags/${"n".repeat(129)}`],
      ["a tag name with a slash and too long a value", { tags: { "a/b~c": "v".repeat(257) } }, "/tags/a~1b~0c"],
      ["a tag value of 257 characters", { tags: { stage: "v".repeat(257) } }, "/tags/stage"],
      ["null as a tag value", { tags: { stage: null } }, "/tags/stage"],
      ["an object as a tag value", { tags: { stage: { live: true } } }, "/tags/stage"],
      ["text as isRetrievable", { isRetrievable: "true" }, "/isRetrievable"],
      ["an empty prefix", { keyPrefix: "" }, "/keyPrefix"],
      ["a prefix with a space", { keyPrefix: "a b" }, "/keyPrefix"],
      ["a prefix of 33 characters", { keyPrefix: "p".repeat(33) }, "/keyPrefix"],
      ["an id", { id: "bckt_1" }, "/id"],
      ["a creation time", { createdOn: "2030-01-31T10:00:00Z" }, "/createdOn"],
      ["an update time", { updatedOn: "2030-01-31T10:00:00Z" }, "/updatedOn"],
      ["an unknown field", { colour: "red" }, "/colour"],
    ];
    test.each(casesFor(engine, bad))("rejects %s, and nothing is made", async (_what, input, pointer) => {
      const before = await all();
      const response = await client.post(buckets, { name: newName(), ...(input as object) });
      expectProblem(response, 400, "validation_failed", { pointer });
      expect(await all()).toEqual(before);
    });

    test("a bucket with several errors gets a 400 that names each", async () => {
      const response = await client.post(buckets, { name: "A", isRetrievable: 1, colour: "red", tags: { a: null } });
      const pointers = response.body.errors.map(({ pointer }: { pointer: string }) => pointer);
      expect(pointers.sort()).toEqual(["/colour", "/isRetrievable", "/name", "/tags/a"]);
    });

    test("rejects a name in use, and does not change the existing resource", async () => {
      const bucket = await made({ description: "the first" });
      const before = await client.get(bucket);
      const name = before.body.name;
      expectProblem(await client.post(buckets, { name, description: "the second" }), 409, "bucket_exists");
      expect((await client.get(bucket)).body).toEqual(before.body);
    });

    test("has one winner when twenty request a name at once", async () => {
      const name = newName();
      const { total } = await all();
      const responses = await Promise.all(Array.from({ length: 20 }, () => client.post(buckets, { name })));
      const [winner, ...others] = responses.filter(({ status }) => status === 200);
      expect(others).toEqual([]);
      for (const rejected of responses.filter((response) => response !== winner))
        expectProblem(rejected, 409, "bucket_exists");
      expect((await client.get(`${buckets}/${name}`)).body).toEqual(winner!.body);
      expect((await all()).total).toBe(total + 1);
    });
  });

  describe("changing a bucket", () => {
    const patches: [what: string, patch: object, expected: object][] = [
      ["a description", { description: "new" }, { description: "new" }],
      ["a description to nothing", { description: "" }, { description: "" }],
      ["no description", { description: null }, {}],
      ["tags, all of them", { tags: { stage: "test" } }, { tags: { stage: "test" } }],
      ["tags, to an empty set", { tags: {} }, { tags: {} }],
      ["no tags", { tags: null }, {}],
      ["a prefix", { keyPrefix: "other" }, { keyPrefix: "other" }],
      ["all at once", { description: null, keyPrefix: "x", tags: { a: 1 } }, { keyPrefix: "x", tags: { a: 1 } }],
    ];
    test.each(patches)("replaces the given fields: %s", async (_what, patch, expected) => {
      const bucket = await made(full);
      const before = await client.get(bucket);
      clock.advance(minute);
      const response = await client.patch(bucket, patch);
      expect(response.status).toBe(200);
      const kept = { ...before.body };
      for (const field of Object.keys(patch)) delete kept[field];
      expect(response.body).toEqual({ ...kept, ...expected, updatedOn: clock.iso() });

      const after = await client.get(bucket);
      expect(after.body).toEqual(response.body);
      expect(after.headers.get("etag")).toBe(response.headers.get("etag"));
      expect(after.headers.get("etag")).not.toBe(before.headers.get("etag"));
      expect((await all()).data.at(-1)).toEqual(response.body);
    });

    test("changes nothing without a field", async () => {
      const bucket = await made(full);
      const before = await client.get(bucket);
      clock.advance(minute);
      const response = await client.patch(bucket, {});
      expect(response.status).toBe(200);
      expect(response.body).toEqual(before.body);
      expect(response.headers.get("etag")).toBe(before.headers.get("etag"));
    });

    const bad: [what: string, patch: unknown, pointer: string][] = [
      ["isRetrievable, which is fixed", { isRetrievable: true }, "/isRetrievable"],
      ["a name, which is fixed", { name: "renamed" }, "/name"],
      ["an id", { id: "bckt_1" }, "/id"],
      ["an update time", { updatedOn: "2030-01-31T10:00:00Z" }, "/updatedOn"],
      ["an unknown field", { colour: "red" }, "/colour"],
      ["a good and a bad field", { description: "new", keyPrefix: "A B" }, "/keyPrefix"],
      ["a description of 1,001 characters", { description: "d".repeat(1001) }, "/description"],
      ["null as a tag value", { tags: { stage: null } }, "/tags/stage"],
      ["a list", [], ""],
    ];
    test.each(casesFor(engine, bad))("rejects %s, and nothing is changed", async (_what, patch, pointer) => {
      const bucket = await made(full);
      const before = await client.get(bucket);
      clock.advance(minute);
      expectProblem(await client.patch(bucket, patch), 400, "validation_failed", { pointer });
      const after = await client.get(bucket);
      expect(after.body).toEqual(before.body);
      expect(after.headers.get("etag")).toBe(before.headers.get("etag"));
    });

    test("rejects a bucket that does not exist, and makes none", async () => {
      const bucket = `${buckets}/${newName()}`;
      expectProblem(await client.patch(bucket, { description: "new" }), 404, "not_found");
      expectProblem(await client.get(bucket), 404, "not_found");
    });

    test("gives later keys the new prefix, and leaves older ones alone", async () => {
      const { bucket, key } = await madeWithKey();
      expect(key).toMatch(/^tg_/);
      await client.patch(bucket, { keyPrefix: "acme" });
      expect((await client.post(`${bucket}/consumers/acme/keys`, {})).body.key).toMatch(/^acme_/);
      expect(await isValid(bucket, key)).toBe(true);
    });
  });

  test("a bucket that is not retrievable never shows a key again", async () => {
    const bucket = await made({ isRetrievable: false });
    await client.post(`${bucket}/consumers?with-api-key=true`, { name: "acme" });
    const keys = `${bucket}/consumers/acme/keys`;
    expectProblem(await client.get(`${keys}?key-format=visible`), 409, "keys_not_retrievable");
    expect((await client.get(keys)).body.data[0].key).toMatch(/^\*{4}.{8}$/);
  });

  describe("deleting a bucket", () => {
    test("deleting an empty bucket removes it", async () => {
      const bucket = await made();
      const { total } = await all();
      const response = await client.delete(bucket);
      expect(response).toMatchObject({ status: 204, text: "" });
      expectProblem(await client.get(bucket), 404, "not_found");
      expectProblem(await client.delete(bucket), 404, "not_found");
      expect((await all()).total).toBe(total - 1);
    });

    test.each(["", "?force=false"])("rejects one that holds consumers%s", async (query) => {
      const { bucket, key } = await madeWithKey();
      const before = await client.get(bucket);
      const consumers = await client.get(`${bucket}/consumers?include-api-keys=true`);
      expectProblem(await client.delete(bucket + query), 409, "bucket_not_empty");
      expect((await client.get(bucket)).body).toEqual(before.body);
      expect((await client.get(`${bucket}/consumers?include-api-keys=true`)).body).toEqual(consumers.body);
      expect(await isValid(bucket, key)).toBe(true);
    });

    test.each(["yes", "", "1", "TRUE"])("rejects force=%s", async (force) => {
      const bucket = await made();
      const rejected = await client.delete(`${bucket}?force=${force}`);
      expectProblem(rejected, 400, "validation_failed", { pointer: "?force" });
      expect((await client.get(bucket)).status).toBe(200);
    });

    test("by force deletes consumers and keys, immediately and permanently", async () => {
      const { bucket, key } = await madeWithKey();
      const other = await madeWithKey();
      expect(await isValid(bucket, key)).toBe(true);

      expect((await client.delete(`${bucket}?force=true`)).status).toBe(204);
      expectProblem(await client.get(bucket), 404, "not_found");
      expect((await client.get(`${bucket}/consumers`)).body).toMatchObject({ data: [], total: 0 });
      expect(await isValid(bucket, key)).toBe(false);
      expect(await isValid(other.bucket, other.key)).toBe(true);

      await client.post(`${bucket}/consumers`, { name: "acme" });
      expect(await isValid(bucket, key)).toBe(false);
      expect((await client.get(`${bucket}/consumers?include-api-keys=true`)).body).toMatchObject({
        total: 1,
        data: [{ name: "acme", apiKeys: [] }],
      });
    });

    test("can delete a bucket that is empty again", async () => {
      const { bucket } = await madeWithKey();
      await client.delete(`${bucket}/consumers/acme`);
      expect((await client.delete(bucket)).status).toBe(204);
    });
  });

  describe("a bucket that was never created", () => {
    test("is made by its first consumer, with the defaults", async () => {
      const name = newName();
      await client.post(`${buckets}/${name}/consumers`, { name: "acme" });
      const { body } = await client.get(`${buckets}/${name}`);
      expect(body).toMatchObject({ name, isRetrievable: true, keyPrefix: "tg" });
    });

    test("is not made by a consumer that is rejected", async () => {
      const name = newName();
      const rejected = await client.post(`${buckets}/${name}/consumers`, { name: "Acme" });
      expectProblem(rejected, 400, "validation_failed", { pointer: "/name" });
      expectProblem(await client.get(`${buckets}/${name}`), 404, "not_found");
    });

    test("is not made under a name that no bucket may have", async () => {
      const before = await all();
      const rejected = await client.post(`${buckets}/No%20Bucket/consumers`, { name: "acme" });
      expectProblem(rejected, 400, "validation_failed");
      expect(rejected.text).toContain("bucketName");
      expect(await all()).toEqual(before);
    });

    test("is empty for reads, which do not create it", async () => {
      const bucket = `${buckets}/${newName()}`;
      expect((await client.get(`${bucket}/consumers`)).body).toMatchObject({ data: [], total: 0 });
      expectProblem(await client.get(`${bucket}/consumers/acme`), 404, "not_found");
      expect(await isValid(bucket, "a-key-of-sixteen-characters")).toBe(false);
      expectProblem(await client.get(bucket), 404, "not_found");
    });
  });

  describe("callers without permission", () => {
    const calls: [what: string, (caller: Client, path: string) => Promise<ClientResponse>][] = [
      ["lists", (caller, path) => caller.get(path)],
      ["creates", (caller, path) => caller.post(path, { name: "planted" })],
      ["reads", (caller, path) => caller.get(`${path}/private`)],
      ["changes", (caller, path) => caller.patch(`${path}/private`, { description: "mine" })],
      ["deletes", (caller, path) => caller.delete(`${path}/private?force=true`)],
    ];
    const path = "/v1/accounts/neighbour/key-buckets";
    beforeAll(async () => {
      await operator.post("/v1/accounts", { name: "neighbour" });
      await operator.post(path, { name: "private" });
    });

    test.each(calls)("%s without a credential", async (_what, call) => {
      const before = await operator.get(path);
      expectProblem(await call(client.anonymous(), path), 401, "unauthenticated");
      expect((await operator.get(path)).body).toEqual(before.body);
    });

    test.each(calls)("%s with the token of another account", async (_what, call) => {
      const before = await operator.get(path);
      expectProblem(await call(client, path), 404, "not_found");
      expect((await operator.get(path)).body).toEqual(before.body);
    });

    test("takes a name away from another account", async () => {
      const mine = await client.post(buckets, { name: "private" });
      expect(mine.status).toBe(200);
      expect(mine.body.id).not.toBe((await operator.get(`${path}/private`)).body.id);
    });
  });
});
