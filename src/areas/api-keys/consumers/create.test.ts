import { expect, test } from "bun:test";
import { newBucketPath } from "../../../../test/support/bucket-path.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../test/support/server.ts";

const generatedKey = /^tg_[0-9a-f]{32}_[0-9a-f]{8}$/;
const oneKey = "first-supplied-key-0001";
const otherKey = "second-supplied-key-0002";

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;

  test("a consumer needs only a name", async () => {
    const bucket = newBucketPath();
    const created = await client.post(`${bucket}/consumers`, { name: "acme" });
    expect(created.status).toBe(200);
    expect(created.body).toEqual({
      id: expect.stringMatching(/^csmr_[0-9A-Za-z]{24}$/),
      name: "acme",
      createdOn: clock.iso(),
      updatedOn: clock.iso(),
    });
    const read = await client.get(`${bucket}/consumers/acme`);
    expect(read.body).toEqual(created.body);
    expect(created.headers.get("etag")).toBe(read.headers.get("etag"));
  });

  test("all descriptive fields are returned as they were sent", async () => {
    const bucket = newBucketPath();
    const described = {
      name: "acme",
      description: "Acme Inc. 🛒 – “wholesale”",
      tags: { plan: "gold", seats: 12, ratio: 0.5, trial: false, text: "", 長い: "値" },
      metadata: { seats: [1, 2.5, -3], owner: { name: "Jo", left: null, active: true }, empty: {}, nul: "a\0b" },
    };
    const created = await client.post(`${bucket}/consumers`, described);
    expect(created.status).toBe(200);
    expect(created.body).toMatchObject(described);
    const read = await client.get(`${bucket}/consumers/acme`);
    expect(read.body).toEqual(created.body);
  });

  test("the first consumer makes its bucket, with the defaults", async () => {
    const bucket = newBucketPath();
    expectProblem(await client.get(bucket), 404, "not_found");
    await client.post(`${bucket}/consumers`, { name: "acme" });
    expect((await client.get(bucket)).body).toMatchObject({
      id: expect.stringMatching(/^bckt_/),
      name: bucket.split("/").at(-1),
      isRetrievable: true,
      keyPrefix: "tg",
    });
    await client.post(`${bucket}/consumers`, { name: "another" });
    expect((await client.get(`${bucket}/consumers`)).body.total).toBe(2);
  });

  test("a bucket that cannot be named so is not made", async () => {
    const buckets = await client.get("/v1/accounts/default/key-buckets");
    for (const name of ["Bad", "with.dot", "a".repeat(129), "a%20b"]) {
      const path = `/v1/accounts/default/key-buckets/${name}/consumers`;
      expectProblem(await client.post(path, { name: "acme" }), 400, "validation_failed", { pointer: "bucketName" });
    }
    expect((await client.get("/v1/accounts/default/key-buckets")).body).toEqual(buckets.body);
  });

  test("with-api-key creates a valid key, and returns it", async () => {
    const bucket = newBucketPath();
    const { body } = await client.post(`${bucket}/consumers?with-api-key=true`, { name: "acme" });
    expect(body.apiKeys).toEqual([
      {
        id: expect.stringMatching(/^key_[0-9A-Za-z]{24}$/),
        createdOn: clock.iso(),
        updatedOn: clock.iso(),
        expiresOn: null,
        isEnabled: true,
        lastUsedOn: null,
        key: expect.stringMatching(generatedKey),
      },
    ]);
    const verified = await client.post(`${bucket}/verify-key`, { key: body.apiKeys[0].key });
    expect(verified.body).toMatchObject({ valid: true, keyId: body.apiKeys[0].id, consumer: { name: "acme" } });
  });

  test("with-api-key=false makes none, and nothing but true and false is taken", async () => {
    const bucket = newBucketPath();
    const without = await client.post(`${bucket}/consumers?with-api-key=false`, { name: "acme" });
    expect(without.body.apiKeys).toBeUndefined();
    expect((await client.get(`${bucket}/consumers/acme/keys`)).body.total).toBe(0);
    for (const value of ["yes", "1", "TRUE", ""]) {
      const rejected = await client.post(`${bucket}/consumers?with-api-key=${value}`, { name: "another" });
      expectProblem(rejected, 400, "validation_failed", { pointer: "?with-api-key" });
    }
    expect((await client.get(`${bucket}/consumers`)).body.total).toBe(1);
  });

  test("apiKeys are taken as given or generated, in order, and all can be used", async () => {
    const bucket = newBucketPath();
    const { body } = await client.post(`${bucket}/consumers`, {
      name: "acme",
      apiKeys: [
        { key: oneKey, description: "one", expiresOn: "2030-01-31T12:00:00+02:00" },
        {},
        { key: otherKey, expiresOn: null },
      ],
    });
    expect(body.apiKeys).toMatchObject([
      { key: oneKey, description: "one", expiresOn: "2030-01-31T10:00:00.000Z" },
      { expiresOn: null },
      { key: otherKey, expiresOn: null },
    ]);
    expect(body.apiKeys[1].key).toMatch(generatedKey);
    for (const { key, id } of body.apiKeys) {
      expect((await client.post(`${bucket}/verify-key`, { key })).body).toMatchObject({ valid: true, keyId: id });
    }
    const stored = await client.get(`${bucket}/consumers/acme?include-api-keys=true&key-format=visible`);
    expect(stored.body.apiKeys).toEqual(body.apiKeys);
  });

  test("with-api-key adds one to the apiKeys given", async () => {
    const bucket = newBucketPath();
    const { body } = await client.post(`${bucket}/consumers?with-api-key=true`, {
      name: "acme",
      apiKeys: [{ key: oneKey }],
    });
    const values = body.apiKeys.map(({ key }: { key: string }) => key).sort();
    expect(values).toEqual([oneKey, expect.stringMatching(generatedKey)]);
  });

  test("keys are returned in full if they cannot be retrieved later", async () => {
    const bucket = newBucketPath();
    await client.post("/v1/accounts/default/key-buckets", { name: bucket.split("/").at(-1), isRetrievable: false });
    const { body } = await client.post(`${bucket}/consumers?with-api-key=true`, {
      name: "acme",
      apiKeys: [{ key: oneKey }],
    });
    for (const { key } of body.apiKeys) {
      expect((await client.post(`${bucket}/verify-key`, { key })).body.valid).toBe(true);
    }
    expect(body.apiKeys).toHaveLength(2);
  });

  test("managers: email addresses become invites, objects become managers", async () => {
    const bucket = newBucketPath();
    const invited = await client.post(`${bucket}/consumers`, { name: "invited", managers: ["Jo@Acme.Example"] });
    expect(invited.body.managers).toBeUndefined();
    expect(invited.body.managerInvites).toEqual([
      {
        id: expect.stringMatching(/^\w+_[0-9A-Za-z]{24}$/),
        email: "Jo@Acme.Example",
        createdOn: clock.iso(),
        expiresOn: clock.iso(7 * 24 * 60 * 60 * 1000),
      },
    ]);
    const managed = await client.post(`${bucket}/consumers`, {
      name: "managed",
      managers: [{ sub: "auth0|1", email: "kim@acme.example" }, { sub: "auth0|2" }],
    });
    expect(managed.body.managerInvites).toBeUndefined();
    expect(managed.body.managers).toEqual([
      { id: expect.stringMatching(/^mngr_/), createdOn: clock.iso(), email: "kim@acme.example", sub: "auth0|1" },
      { id: expect.stringMatching(/^mngr_/), createdOn: clock.iso(), sub: "auth0|2" },
    ]);
    for (const { body } of [invited, managed]) {
      const path = `${bucket}/consumers/${body.name}?include-managers=true&include-manager-invites=true`;
      expect((await client.get(path)).body).toEqual({ managers: [], managerInvites: [], ...body });
    }
  });

  test("a response can be sent again: read-only members of keys and managers are ignored", async () => {
    const bucket = newBucketPath();
    const first = await client.post(`${bucket}/consumers`, {
      name: "first",
      apiKeys: [{ description: "one" }],
      managers: [{ sub: "auth0|1", email: "kim@acme.example" }],
    });
    const again = await client.post(`${bucket}/consumers`, {
      name: "second",
      apiKeys: [{ ...first.body.apiKeys[0], key: oneKey }],
      managers: [{ ...first.body.managers[0], updatedOn: "whatever" }],
    });
    expect(again.status).toBe(200);
    expect(again.body.apiKeys).toMatchObject([{ description: "one", key: oneKey }]);
    expect(again.body.managers).toMatchObject([{ sub: "auth0|1", email: "kim@acme.example" }]);
    expect(again.body.apiKeys[0].id).not.toBe(first.body.apiKeys[0].id);
    expect(again.body.managers[0].id).not.toBe(first.body.managers[0].id);
  });

  test("names are unique in a bucket, not beyond", async () => {
    const bucket = newBucketPath();
    const first = await client.post(`${bucket}/consumers`, { name: "acme", tags: { plan: "gold" } });
    const second = await client.post(`${bucket}/consumers?with-api-key=true`, { name: "acme", tags: { plan: "gold" } });
    expectProblem(second, 409, "consumer_exists");
    const list = await client.get(`${bucket}/consumers?include-api-keys=true&tag.plan=gold`);
    expect(list.body).toMatchObject({ data: [{ id: first.body.id, apiKeys: [] }], total: 1 });
    expect((await client.post(`${newBucketPath()}/consumers`, { name: "acme" })).status).toBe(200);
  });

  test("of 20 concurrent creations with one name, one succeeds and the others leave nothing", async () => {
    const bucket = newBucketPath();
    const consumer = { name: "acme", tags: { plan: "gold" }, managers: ["jo@acme.example"] };
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => client.post(`${bucket}/consumers?with-api-key=true`, consumer)),
    );
    const [won, ...more] = responses.filter(({ status }) => status === 200);
    expect(more).toEqual([]);
    for (const lost of responses.filter((response) => response !== won)) expectProblem(lost, 409, "consumer_exists");
    const query = "include-api-keys=true&include-managers=true&include-manager-invites=true&key-format=visible";
    const list = await client.get(`${bucket}/consumers?${query}`);
    expect(list.body).toMatchObject({ data: [{ ...won?.body, managers: [] }], total: 1 });
    expect((await client.get(`${bucket}/consumers?tag.plan=gold`)).body.total).toBe(1);
  });

  test("20 at once make a bucket once", async () => {
    const bucket = newBucketPath();
    const names = Array.from({ length: 20 }, (_, index) => `consumer-${index}`);
    const responses = await Promise.all(names.map((name) => client.post(`${bucket}/consumers`, { name })));
    expect(responses.map(({ status }) => status)).toEqual(names.map(() => 200));
    const { body } = await client.get(`${bucket}/consumers`);
    expect(body.data.map(({ name }: { name: string }) => name).sort()).toEqual(names.sort());
    expect(body.total).toBe(20);
  });
});
