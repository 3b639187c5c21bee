import { describe, expect, test } from "bun:test";
import { newBucketPath } from "../../../../test/support/bucket-path.ts";
import { callerWithRole, strangerOf } from "../../../../test/support/callers.ts";
import type { Client } from "../../../../test/support/client.ts";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { verdict } from "../../../../test/support/key-holder.ts";
import { useServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";
import { until } from "../../../../test/support/until.ts";

interface MadeKey {
  id: string;
  key: string;
}

async function makeConsumer(client: Client, bucket: string, name: string, keys: object[], tags?: object) {
  const { status, body } = await client.post(`${bucket}/consumers`, { name, tags, apiKeys: keys });
  expect(status).toBe(200);
  return body.apiKeys as MadeKey[];
}

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;

  const idsOf = async (bucket: string, query = "") => {
    const { status, body } = await client.get(`${bucket}/keys${query}`);
    expect(status).toBe(200);
    expect(body.total).toBe(body.data.length);
    return body.data.map(({ id }: MadeKey) => id);
  };

  describe("the list of a bucket's keys", () => {
    test("has all keys in the order of creation, masked and with their consumers", async () => {
      const bucket = newBucketPath();
      expect((await client.get(`${bucket}/keys`)).body).toEqual({ data: [], limit: 1000, offset: 0, total: 0 });
      const [one, two] = await makeConsumer(client, bucket, "acme", [{ permissions: ["a"] }, {}]);
      const [three] = await makeConsumer(client, bucket, "other", [{}]);
      expect(await idsOf(bucket)).toEqual([one!.id, two!.id, three!.id]);
      const page = await client.get(`${bucket}/keys?limit=1&offset=1`);
      expect(page.body).toMatchObject({ total: 3, data: [{ id: two!.id, consumer: { name: "acme" } }] });
      expect(page.body.data[0].key).toBe(`****${two!.key.slice(-8)}`);
      expect(page.headers.get("link")).toContain("offset=2");
    });

    test("has the correct total after creates, deletes and deleted consumers", async () => {
      const bucket = newBucketPath();
      const [one] = await makeConsumer(client, bucket, "acme", [{}, {}, { isEnabled: false }]);
      await makeConsumer(client, bucket, "other", [{}, { isEnabled: false }]);
      await client.post(`${bucket}/consumers/acme/keys/$bulk`, [{}, {}]);
      expect((await idsOf(bucket)).length).toBe(7);
      expect((await idsOf(bucket, "?enabled=false")).length).toBe(2);
      await client.patch(`${bucket}/consumers/acme/keys/${one!.id}`, { isEnabled: false });
      expect((await idsOf(bucket, "?enabled=false")).length).toBe(3);
      expect((await idsOf(bucket, "?enabled=true")).length).toBe(4);
      await client.delete(`${bucket}/consumers/acme/keys/${one!.id}`);
      await client.post(`${bucket}/consumers/acme/roll-key`, { expiresOn: clock.iso(1000) });
      expect((await idsOf(bucket)).length).toBe(7);
      await client.delete(`${bucket}/consumers/acme`);
      expect((await idsOf(bucket)).length).toBe(2);
      expect((await idsOf(bucket, "?enabled=false")).length).toBe(1);
      await client.delete(`${bucket}?force=true`);
      expect(await idsOf(bucket)).toEqual([]);
    });

    test("has the correct total by tag and permission after changes of either", async () => {
      const bucket = newBucketPath();
      const gold = async () => (await idsOf(bucket, "?tag.plan=gold")).length;
      const readers = async () => (await idsOf(bucket, "?permission=orders:read")).length;
      const counts = async () => [await gold(), await readers()];
      const tagged = (plan: string) => ({ tags: { plan, 'a "quoted" name': 5 } });
      const keys = [{ permissions: ["orders:read", "x"] }, { permissions: ["orders:*"] }, {}];
      const [one, two] = await makeConsumer(client, bucket, "acme", keys, tagged("gold").tags);
      await makeConsumer(client, bucket, "other", [{ permissions: ["x"] }], tagged("free").tags);
      expect(await counts()).toEqual([3, 2]);
      await client.patch(`${bucket}/consumers/other`, tagged("gold"));
      await client.patch(`${bucket}/consumers/other`, { description: "the same tags" });
      await client.patch(`${bucket}/consumers/acme/keys/${one!.id}`, { permissions: ["orders:write"] });
      expect(await counts()).toEqual([4, 1]);
      await client.patch(`${bucket}/consumers/acme/keys/${one!.id}`, { permissions: null });
      await client.post(`${bucket}/keys/$update`, { where: { "tag.plan": "gold" }, set: { permissions: ["*"] } });
      expect(await counts()).toEqual([4, 4]);
      await client.post(`${bucket}/consumers/acme/roll-key`, { expiresOn: clock.iso(1000) });
      expect(await counts()).toEqual([5, 5]);
      await client.post(`${bucket}/keys/$delete`, { ids: [two!.id] });
      expect(await counts()).toEqual([4, 4]);
      await client.delete(`${bucket}/consumers/acme/keys/${one!.id}`);
      await client.post(`${bucket}/consumers/$update`, { names: ["other"], set: { addTags: { plan: "free" } } });
      expect(await counts()).toEqual([2, 3]);
      expect((await idsOf(bucket, "?tag.plan=free")).length).toBe(1);
      await client.patch(`${bucket}/consumers/other`, { tags: null });
      expect((await idsOf(bucket, "?tag.plan=free")).length).toBe(0);
      await client.delete(`${bucket}/consumers/acme`);
      expect(await counts()).toEqual([0, 1]);
    });

    test("has the correct total when keys are deleted while the tags of their consumers change", async () => {
      const bucket = newBucketPath();
      const names = Array.from({ length: 8 }, (_, index) => `consumer-${index}`);
      const made = await Promise.all(
        names.map((name) => makeConsumer(client, bucket, name, [{}, {}, {}], { plan: "gold" })),
      );
      const retagged = names.map((name) => client.patch(`${bucket}/consumers/${name}`, { tags: { plan: "free" } }));
      const deleted = [0, 1].map((place) =>
        client.post(`${bucket}/keys/$delete`, { ids: made.map((keys) => keys[place]!.id) }),
      );
      for (const { status } of await Promise.all([...retagged, ...deleted])) expect(status).toBe(200);
      expect(await idsOf(bucket, "?tag.plan=gold")).toEqual([]);
      expect((await idsOf(bucket, "?tag.plan=free")).toSorted()).toEqual(made.map((keys) => keys[2]!.id).toSorted());
    });

    test("is filtered by every condition, alone and together", async () => {
      const bucket = newBucketPath();
      const [old] = await makeConsumer(client, bucket, "acme", [{ permissions: ["orders:*"] }], { plan: "gold" });
      clock.advance(60_000);
      const before = clock.iso();
      const input = { permissions: ["orders:read", "x"], expiresOn: clock.iso(10_000), isEnabled: false };
      const [ending] = await makeConsumer(client, bucket, "other", [input], { plan: "free" });
      const [plain] = await makeConsumer(client, bucket, "third", [{}], { plan: "gold" });
      expect(await verdict(client, bucket, plain!.key)).toBe("valid");
      await server.restart(); // writes when keys were used

      const all = [old!.id, ending!.id, plain!.id];
      const expected: Record<string, (string | undefined)[]> = {
        [`created-before=${before}`]: [all[0]],
        [`expires-before=${clock.iso(10_001)}`]: [all[1]],
        [`expires-before=${clock.iso(10_000)}`]: [],
        "enabled=true": [all[0], all[2]],
        "enabled=false": [all[1]],
        "never-used=true": [all[0], all[1]],
        "never-used=false": [all[2]],
        [`unused-since=${clock.iso(1)}`]: all,
        [`unused-since=${before}`]: [all[0]],
        "permission=orders:read": [all[0], all[1]],
        "permission=orders:write": [all[0]],
        "permission=x": [all[1]],
        "permission=y": [],
        [`suffix=${old!.key.slice(-8)}`]: [all[0]],
        [`suffix=${old!.key.slice(-3)}&created-before=${before}`]: [all[0]],
        "suffix=zzzz": [],
        "tag.plan=gold": [all[0], all[2]],
        "tag.plan=gold&never-used=true": [all[0]],
        "tag.plan=gold&enabled=false": [],
        "permission=orders:read&enabled=false&never-used=true&tag.plan=free": [all[1]],
      };
      for (const [query, ids] of Object.entries(expected))
        expect([query, await idsOf(bucket, `?${query.replaceAll("+", "%2B")}`)]).toEqual([query, ids]);
    });

    test.each(
      casesFor(engine, [
        ["unused-since=90d", "?unused-since"],
        ["created-before=2026-01-01", "?created-before"],
        ["never-used=1", "?never-used"],
        ["enabled=yes", "?enabled"],
        ["permission=a%20b", "?permission"],
        ["suffix=123456789", "?suffix"],
        ["suffix=", "?suffix"],
        ["tag=gold", "?tag"],
      ]),
    )("rejects %s", async (query, pointer) => {
      expectProblem(await client.get(`${newBucketPath()}/keys?${query}`), 400, "validation_failed", { pointer });
    });
  });

  describe("a bulk change", () => {
    test("by ids returns for each, takes effect immediately, and leaves the others", async () => {
      const bucket = newBucketPath();
      const [one, two, three] = await makeConsumer(client, bucket, "acme", [{}, {}, {}]);
      for (const { key } of [one!, two!, three!]) expect(await verdict(client, bucket, key)).toBe("valid");
      const ids = [two!.id, "key_unknown", one!.id, two!.id];
      const updated = await client.post(`${bucket}/keys/$update`, {
        ids,
        set: { isEnabled: false, permissions: ["p"] },
      });
      expect(updated.body).toEqual({
        results: [
          { id: two!.id, status: "updated" },
          { id: "key_unknown", status: "not_found" },
          { id: one!.id, status: "updated" },
        ],
      });
      expect(await verdict(client, bucket, one!.key)).toBe("disabled");
      expect(await verdict(client, bucket, three!.key)).toBe("valid");
      expect(await idsOf(bucket, "?permission=p")).toEqual([one!.id, two!.id]);
      expect(await idsOf(bucket, "?enabled=false")).toEqual([one!.id, two!.id]);
      const deleted = await client.post(`${bucket}/keys/$delete`, { ids: [one!.id] });
      expect(deleted.body).toEqual({ results: [{ id: one!.id, status: "deleted" }] });
      expect(await verdict(client, bucket, one!.key)).toBe("not_found");
      expect(await idsOf(bucket)).toEqual([two!.id, three!.id]);
      expect(await idsOf(bucket, "?permission=p")).toEqual([two!.id]);
    });

    test("a bulk change by conditions changes what matches; a dry run lists it and changes nothing", async () => {
      const bucket = newBucketPath();
      const [one, two] = await makeConsumer(client, bucket, "acme", [{}, {}], { plan: "gold" });
      const [other] = await makeConsumer(client, bucket, "other", [{}]);
      const where = { "tag.plan": "gold", "never-used": true, enabled: true };
      const dry = await client.post(`${bucket}/keys/$delete`, { where, dryRun: true });
      expect(dry.body).toMatchObject({
        matched: 2,
        sample: [{ id: one!.id }, { id: two!.id, consumer: { name: "acme" } }],
      });
      const byIds = { ids: [one!.id, "key_x"], set: { isEnabled: false }, dryRun: true };
      expect((await client.post(`${bucket}/keys/$update`, byIds)).body).toMatchObject({ matched: 1 });
      expect((await idsOf(bucket)).length).toBe(3);
      const set = { expiresOn: clock.iso(1000), description: "ends" };
      const updated = await client.post(`${bucket}/keys/$update`, { where, set });
      expect(updated.body.results).toEqual([one, two].map((key) => ({ id: key!.id, status: "updated" })));
      const read = await client.get(`${bucket}/consumers/acme/keys/${one!.id}`);
      expect(read.body).toMatchObject({ ...set, updatedOn: clock.iso() });
      await client.post(`${bucket}/keys/$delete`, { where });
      expect(await idsOf(bucket)).toEqual([other!.id]);
    });

    test.each<[name: string, body: object, pointer: string]>([
      ["neither ids nor where", { set: { isEnabled: false } }, ""],
      ["both", { ids: ["key_1"], where: { enabled: true }, set: { isEnabled: false } }, "/where"],
      ["an empty where", { where: {}, set: { isEnabled: false } }, "/where"],
      ["no ids", { ids: [], set: { isEnabled: false } }, "/ids"],
      ["10,001 ids", { ids: Array(10_001).fill("key"), set: { isEnabled: false } }, "/ids"],
      ["an unknown condition", { where: { unused: true }, set: { isEnabled: false } }, "/where/unused"],
      ["a tag without a name", { where: { "tag.": "a" }, set: { isEnabled: false } }, "/where/tag."],
      ["a boolean as text", { where: { enabled: "true" }, set: { isEnabled: false } }, "/where/enabled"],
      ["an empty set", { where: { enabled: true }, set: {} }, "/set"],
      ["a value for all", { where: { enabled: true }, set: { key: "0123456789abcdef" } }, "/set/key"],
      ["a wrong field", { where: { enabled: true }, set: { permissions: ["a b"] } }, "/set/permissions/0"],
    ])("a bulk change with %s is rejected and changes nothing", async (_name, body, pointer) => {
      const bucket = newBucketPath();
      await makeConsumer(client, bucket, "acme", [{}]);
      const before = (await client.get(`${bucket}/keys`)).body;
      expectProblem(await client.post(`${bucket}/keys/$update`, body), 400, "validation_failed", { pointer });
      expect((await client.get(`${bucket}/keys`)).body).toEqual(before);
    });

    test("needs an editor of the account, and a bucket", async () => {
      const bucket = newBucketPath();
      await makeConsumer(client, bucket, "acme", [{}]);
      const body = { where: { enabled: true } };
      for (const path of [`${bucket}/keys/$delete`, `${bucket}/keys/$update`]) {
        const sent = path.endsWith("$update") ? { ...body, set: { isEnabled: false } } : body;
        expectProblem(await client.anonymous().post(path, sent), 401, "unauthenticated");
        for (const role of ["reader", "verifier"] as const)
          expectProblem(await (await callerWithRole(client, role)).post(path, sent), 403, "forbidden");
        const stranger = await strangerOf(client, `stranger-${engine.name}`);
        expectProblem(await stranger.post(path, sent), 404, "not_found");
        expectProblem(await client.post(path.replace(bucket, newBucketPath()), sent), 404, "not_found");
      }
      expectProblem(await client.anonymous().get(`${bucket}/keys`), 401, "unauthenticated");
      expectProblem(await (await callerWithRole(client, "verifier")).get(`${bucket}/keys`), 403, "forbidden");
      expect((await (await callerWithRole(client, "reader")).get(`${bucket}/keys`)).body.total).toBe(1);
    });
  });

  describe("more than 1,000 keys are a job", () => {
    async function manyKeys(count: number) {
      const bucket = newBucketPath();
      await makeConsumer(client, bucket, "acme", [{}]);
      const made: MadeKey[] = [];
      while (made.length < count) {
        const size = Math.min(1000, count - made.length);
        const batch = Array(size).fill({ permissions: ["p"] });
        made.push(...(await client.post(`${bucket}/consumers/acme/keys/$bulk`, batch)).body.data);
      }
      return { bucket, made };
    }

    const jobOf = async (id: string) => (await client.get(`/v1/accounts/${account}/jobs/${id}`)).body;
    const ended = (id: string) =>
      until(async () => ["succeeded", "failed"].includes((await jobOf(id)).state), { withinMs: 30_000 });

    test("a job continues after a restart, and processes each item once", async () => {
      const { bucket, made } = await manyKeys(1700);
      const started = await client.post(`${bucket}/keys/$update`, {
        where: { permission: "p", enabled: true },
        set: { isEnabled: false },
      });
      expect(started.status).toBe(202);
      const { jobId } = started.body;
      await server.restart();
      await ended(jobId);
      expect(await jobOf(jobId)).toMatchObject({ state: "succeeded", done: 1700, total: 1700, failed: 0 });
      expect((await client.get(`${bucket}/keys?enabled=false&limit=1`)).body.total).toBe(1700);
      expect((await client.get(`${bucket}/keys?enabled=true`)).body.total).toBe(1);
      expect(await verdict(client, bucket, made.at(-1)!.key)).toBe("disabled");

      const ids = [...made.map(({ id }) => id), "key_unknown"];
      const deletion = await client.post(`${bucket}/keys/$delete`, { ids });
      expect(deletion.status).toBe(202);
      await ended(deletion.body.jobId);
      expect(await jobOf(deletion.body.jobId)).toMatchObject({
        state: "succeeded",
        done: 1701,
        total: 1701,
        failed: 1,
      });
      expect((await client.get(`${bucket}/keys`)).body.total).toBe(1);
    });

    test("the job of a bulk change is visible only to its account", async () => {
      const { bucket } = await manyKeys(1001);
      const { jobId } = (await client.post(`${bucket}/keys/$delete`, { where: { permission: "p" } })).body;
      const path = `/v1/accounts/${account}/jobs/${jobId}`;
      expectProblem(await client.anonymous().get(path), 401, "unauthenticated");
      const name = `jobs-${engine.name}`;
      const stranger = await strangerOf(client, name);
      expectProblem(await stranger.get(path), 404, "not_found");
      expectProblem(await stranger.get(`/v1/accounts/${name}/jobs/${jobId}`), 404, "not_found");
      expectProblem(await (await callerWithRole(client, "verifier")).get(path), 403, "forbidden");
      await ended(jobId);
    });
  });
});
