import { beforeAll, describe, expect, test } from "bun:test";
import { sqlite } from "../../../test/support/engines.ts";
import { useServer } from "../../../test/support/server.ts";
import { clientOf, rejected } from "../../../test/support/tollgate-client.ts";
import { until } from "../../../test/support/until.ts";
import { etagOf, type Tollgate } from "../index.ts";

// The client does not depend on the server's engine.
const server = useServer(sqlite);
let client: Tollgate;
beforeAll(() => {
  client = clientOf(server);
});

describe("key buckets", () => {
  test("are created, read, changed, listed and deleted", async () => {
    const made = await client.buckets.create({ name: "payments", keyPrefix: "pay" });
    expect(made).toMatchObject({ name: "payments", keyPrefix: "pay", isRetrievable: true });
    expect(await client.buckets.get("payments")).toEqual(made);
    const changed = await client.buckets.update("payments", { description: "Cards" });
    expect(changed.description).toBe("Cards");
    expect((await client.buckets.list().all()).map(({ name }) => name)).toContain("payments");

    await client.consumers("payments").create({ name: "acme" });
    expect(await rejected(client.buckets.delete("payments"))).toMatchObject({ status: 409, code: "bucket_not_empty" });
    expect(await client.buckets.delete("payments", { force: true })).toBeUndefined();
    expect(await rejected(client.buckets.get("payments"))).toMatchObject({ status: 404, code: "not_found" });
  });

  test("an error names its fields and the request", async () => {
    const error = await rejected(client.buckets.create({ name: "No Name", keyPrefix: "?" }));
    expect(error).toMatchObject({ status: 400, code: "validation_failed", retryAfterSeconds: undefined });
    expect(error.errors.map(({ pointer }) => pointer)).toEqual(["/name", "/keyPrefix"]);
    expect(error.message).toBe(error.detail);
    await until(() => server.log.includes(error.requestId!), { what: "the request in the log" });
  });
});

describe("consumers", () => {
  test("are created with keys and managers, read with includes, changed and deleted", async () => {
    const consumers = client.consumers("main");
    const made = await consumers.create(
      { name: "acme", tags: { plan: "gold", seats: 12 }, managers: ["ann@acme.example", { sub: "bob" }] },
      { withApiKey: true },
    );
    expect(made.apiKeys?.[0]?.key).toMatch(/^tg_/);
    expect(await consumers.get("acme")).not.toHaveProperty("apiKeys");
    const everything = { includeApiKeys: true, includeManagers: true, includeManagerInvites: true } as const;
    const read = await consumers.get("acme", { ...everything, keyFormat: "visible", tag: { seats: 12 } });
    expect(read).toEqual(made);

    expect((await consumers.update("acme", { tags: { plan: "silver" } })).tags).toEqual({ plan: "silver" });
    expect(await rejected(consumers.update("acme", {}, { tag: { plan: "gold" } }))).toMatchObject({ status: 404 });
    expect(await rejected(consumers.delete("acme", { tag: { plan: "gold" } }))).toMatchObject({ status: 404 });
    await consumers.delete("acme", { tag: { plan: "silver" } });
    expect(await rejected(consumers.get("acme"))).toMatchObject({ status: 404, code: "not_found" });
  });

  test("a list follows all pages, with filters and includes", async () => {
    const consumers = client.consumers("paged");
    for (let number = 0; number < 7; number += 1)
      await consumers.create({ name: `c${number}`, tags: { even: number % 2 === 0 }, managers: ["ann@acme.example"] });

    expect((await consumers.list({ limit: 3 }).all()).map(({ name }) => name)).toEqual([
      "c0",
      "c1",
      "c2",
      "c3",
      "c4",
      "c5",
      "c6",
    ]);
    expect((await consumers.list({ limit: 2, offset: 4 }).all()).map(({ name }) => name)).toEqual(["c4", "c5", "c6"]);
    expect((await consumers.list({ tag: { even: [true, false] } }).page()).total).toBe(0);
    expect((await consumers.list({ tag: { even: [true] } }).page()).total).toBeGreaterThan(0);
    // Untyped callers may pass an empty array: it matches nothing, not everything.
    expect((await consumers.list({ tag: { even: [] as never } }).page()).total).toBe(0);
    const even = consumers.list({ limit: 2, tag: { even: true }, includeManagerInvites: true });
    expect(await even.page()).toMatchObject({ data: [{ name: "c0" }, { name: "c2" }], limit: 2, offset: 0, total: 4 });
    expect((await even.all()).map(({ managerInvites }) => managerInvites?.[0]?.email)).toEqual(
      Array(4).fill("ann@acme.example"),
    );
    expect(await consumers.list({ managerEmail: "nobody@acme.example" }).all()).toEqual([]);
    expect(await client.consumers("no-such-bucket").list().all()).toEqual([]);
  });

  test("leaving a loop stops requesting pages", async () => {
    let requests = 0;
    const counting = clientOf(server, {
      fetch: (url, init) => {
        requests += 1;
        return fetch(url, init);
      },
      account: "default",
    });
    for await (const { name } of counting.consumers("paged").list({ limit: 3 })) if (name === "c3") break;
    expect(requests).toBe(2);
  });

  test("an outdated If-Match rejects the change", async () => {
    const consumers = client.consumers("main");
    const read = await consumers.create({ name: "etag" });
    expect(etagOf(read)).toBeString();
    const changed = await consumers.update("etag", { description: "one" }, { ifMatch: etagOf(read) });
    const late = consumers.update("etag", { description: "two" }, { ifMatch: etagOf(read) });
    expect(await rejected(late)).toMatchObject({ status: 412, code: "precondition_failed" });
    await consumers.delete("etag", { ifMatch: etagOf(changed) });
  });

  test("a name with any characters matches only itself", async () => {
    const keys = client.keys("main", "survivor");
    await client.consumers("main").create({ name: "survivor" });
    expect(await rejected(keys.delete("../../survivor"))).toMatchObject({ status: 404, code: "not_found" });
    for (const id of ["", ".", ".."])
      expect(await rejected(keys.delete(id))).toMatchObject({ status: 0, code: "invalid_parameter" });
    expect(await client.consumers("main").get("survivor")).toMatchObject({ name: "survivor" });
  });
});

describe("keys", () => {
  beforeAll(() => client.consumers("main").create({ name: "holder", tags: { plan: "gold" } }));

  test("are created, read, changed, listed, verified and deleted", async () => {
    const keys = client.keys("main", "holder");
    const made = await keys.create({ description: "production" });
    expect(await keys.get(made.id, { keyFormat: "visible" })).toEqual(made);
    expect((await keys.get(made.id)).key).toStartWith("****");
    expect(await client.verifyKey("main", made.key!)).toMatchObject({ valid: true, consumer: { name: "holder" } });

    expect((await keys.update(made.id, { expiresOn: "2020-01-01T00:00:00Z" })).expiresOn).toBe(
      "2020-01-01T00:00:00.000Z",
    );
    expect(await client.verifyKey("main", made.key!)).toEqual({ valid: false, code: "expired" });
    expect((await keys.list({ keyFormat: "none", tag: { plan: "gold" } }).all())[0]).not.toHaveProperty("key");
    await keys.delete(made.id);
    expect(await rejected(keys.get(made.id))).toMatchObject({ status: 404 });
    expect(await rejected(keys.list({ tag: { plan: "silver" } }).all())).toMatchObject({ status: 404 });
  });

  test("are created together or not at all", async () => {
    const keys = client.keys("main", "holder");
    const made = await keys.createMany([{ description: "one" }, { description: "two" }]);
    expect(made.map(({ description }) => description)).toEqual(["one", "two"]);
    const twice = { key: "a-key-that-is-given-twice" };
    expect(await rejected(keys.createMany([twice, twice]))).toMatchObject({ status: 409, code: "key_exists" });
    expect(await rejected(keys.create({ key: "short" }))).toMatchObject({ errors: [{ pointer: "/key" }] });
  });

  test("roll one by one, and the new one is returned with its value", async () => {
    const keys = client.keys("main", (await client.consumers("main").create({ name: "rolls-one" })).name);
    const old = await keys.create({ description: "production", permissions: ["orders:read"] });
    const rolled = await keys.rollOne(old.id, { expiresOn: "2020-01-01T00:00:00Z" });
    expect(rolled).toMatchObject({ description: "production", permissions: ["orders:read"], expiresOn: null });
    expect(rolled.key).not.toBe(old.key);
    expect((await keys.get(old.id)).expiresOn).toBe("2020-01-01T00:00:00.000Z");
  });

  test("roll, and the new one's id is returned", async () => {
    const keys = client.keys("main", "holder");
    const old = await keys.create();
    const id = await keys.roll({ expiresOn: "2020-01-01T00:00:00Z" });
    const { key } = await keys.get(id, { keyFormat: "visible" });
    expect(await client.verifyKey("main", key!)).toMatchObject({ valid: true, keyId: id });
    expect(await client.verifyKey("main", old.key!)).toMatchObject({ valid: false, code: "expired" });
    expect(await rejected(keys.roll({ expiresOn: "soon" }))).toMatchObject({ errors: [{ pointer: "/expiresOn" }] });
  });

  test("an arbitrary text is an invalid key", async () => {
    expect(await client.verifyKey("main", "tg_typo")).toEqual({ valid: false, code: "malformed" });
    expect(await rejected(client.verifyKey("main", 7 as never))).toMatchObject({ status: 400 });
  });
});

describe("managers and invites", () => {
  beforeAll(() => client.consumers("main").create({ name: "managed" }));

  test("managers are added, read, listed and removed", async () => {
    const managers = client.managers("main", "managed");
    const ann = await managers.add({ sub: "ann", email: "ann@acme.example" });
    expect(await managers.get(ann.id)).toEqual(ann);
    expect(await managers.list().all()).toEqual([ann]);
    expect(await rejected(managers.add({ sub: "ann" }))).toMatchObject({ status: 409, code: "manager_exists" });
    await managers.delete(ann.id);
    expect(await managers.list().all()).toEqual([]);
  });

  test("invites are created, read, listed, accepted and withdrawn", async () => {
    const invites = client.managerInvites("main", "managed");
    const bob = await invites.create({ email: "bob@acme.example" });
    const eve = await invites.create({ email: "eve@acme.example" });
    expect(await invites.get(bob.id)).toEqual(bob);
    expect(await invites.list().all()).toEqual([bob, eve]);
    expect(await invites.accept(bob.id, { sub: "bob" })).toMatchObject({ sub: "bob", email: "bob@acme.example" });
    await invites.delete(eve.id);
    expect(await invites.list().all()).toEqual([]);
    expect(await rejected(invites.accept(eve.id, { sub: "eve" }))).toMatchObject({ status: 404 });
  });
});

describe("keys of all consumers", () => {
  test("are listed by every filter, changed and deleted together", async () => {
    const bucket = "many";
    const consumers = client.consumers(bucket);
    const one = (await consumers.create({ name: "one", tags: { plan: "gold" }, apiKeys: [{ permissions: ["a:*"] }] }))
      .apiKeys![0]!;
    const two = (await consumers.create({ name: "two", apiKeys: [{ isEnabled: false }] })).apiKeys![0]!;
    const keys = client.bucketKeys(bucket);
    const ids = async (...[filter]: Parameters<typeof keys.list>) =>
      (await keys.list(filter).all()).map(({ id }) => id);
    expect(await ids()).toEqual([one.id, two.id]);
    expect(await ids({ enabled: false })).toEqual([two.id]);
    expect(await ids({ permission: "a:b", tag: { plan: "gold" }, neverUsed: true })).toEqual([one.id]);
    expect(await ids({ suffix: two.key!.slice(-8) })).toEqual([two.id]);
    const later = "2030-01-01T00:00:00Z";
    expect(await ids({ unusedSince: later, createdBefore: later })).toEqual([one.id, two.id]);
    expect(await ids({ expiresBefore: later })).toEqual([]);
    expect(await client.verifyKey(bucket, one.key!, { permission: "a:b", ip: "192.0.2.1" })).toMatchObject({
      valid: true,
    });
    expect(await client.verifyKey(bucket, one.key!, { permission: "b" })).toMatchObject({ code: "permission_missing" });
    expect(await keys.delete({ where: { enabled: true }, dryRun: true })).toMatchObject({ matched: 1 });
    expect(await keys.update({ ids: [two.id], set: { isEnabled: true } })).toEqual({
      results: [{ id: two.id, status: "updated" }],
    });
    expect(await keys.delete({ where: { enabled: true } })).toMatchObject({
      results: [{ id: one.id }, { id: two.id }],
    });
    expect(await rejected(client.job("job_1"))).toMatchObject({ status: 404 });
    expect(await client.search("tw")).toMatchObject([{ type: "consumer", name: "two" }]);
    expect((await consumers.list({ namePrefix: "o" }).all()).map(({ name }) => name)).toEqual(["one"]);
  });
});
