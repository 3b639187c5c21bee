import { describe, expect, test } from "bun:test";
import { newBucketPath } from "../../../../test/support/bucket-path.ts";
import { callerWithRole, strangerOf } from "../../../../test/support/callers.ts";
import { casesFor, type Database, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { verdict } from "../../../../test/support/key-holder.ts";
import { runSql } from "../../../../test/support/run-sql.ts";
import { useServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";
import { until } from "../../../../test/support/until.ts";

/** Copies the only consumer of a bucket directly in storage, to `many-1` and so on: the API takes seconds to create so many. */
async function copyConsumer(database: Database, bucketId: string, copies: number): Promise<void> {
  const bucket = `(SELECT seq FROM key_buckets WHERE id = '${bucketId}')`;
  await runSql(
    database,
    `INSERT INTO consumers (id, bucket_seq, name, tags, version, created_on, updated_on)
      WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${copies})
      SELECT id || n, bucket_seq, 'many-' || n, tags, version, created_on, updated_on FROM consumers, numbers
      WHERE bucket_seq = ${bucket}`,
  );
  await runSql(
    database,
    `INSERT INTO consumer_tags (bucket_seq, name, value, consumer_seq)
      SELECT consumers.bucket_seq, consumer_tags.name, value, seq FROM consumers, consumer_tags
      WHERE consumers.bucket_seq = ${bucket} AND consumer_tags.bucket_seq = ${bucket} AND seq <> consumer_seq`,
  );
  await runSql(database, `UPDATE list_blocks SET size = size * ${copies + 1} WHERE scope = '${bucketId}'`);
}

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;

  /** acme and globex are gold, initech is silver; each has a key. */
  async function scene() {
    const bucket = newBucketPath();
    const keys: Record<string, string> = {};
    for (const [name, plan] of Object.entries({ acme: "gold", globex: "gold", initech: "silver" })) {
      const input = { name, tags: { plan, region: "eu" }, managers: [`boss@${name}.example`] };
      keys[name] = (await client.post(`${bucket}/consumers?with-api-key=true`, input)).body.apiKeys[0].key;
    }
    return { bucket, keys, update: `${bucket}/consumers/$update`, remove: `${bucket}/consumers/$delete` };
  }
  const names = async (bucket: string, query = "") =>
    (await client.get(`${bucket}/consumers${query}`)).body.data.map(({ name }: { name: string }) => name);
  const tagsOf = async (bucket: string, name: string) => (await client.get(`${bucket}/consumers/${name}`)).body.tags;

  test("a dry run returns the matching consumers and their number of keys, and changes nothing", async () => {
    const { bucket, update, remove } = await scene();
    const set = { addTags: { plan: "platinum" } };
    const dry = await client.post(update, { where: { "tag.plan": "gold" }, set, dryRun: true });
    expect(dry.status).toBe(200);
    expect(dry.body).toMatchObject({ matched: 2, keys: 2, sample: [{ name: "acme" }, { name: "globex" }] });
    const one = await client.post(remove, { names: ["acme", "acme", "nobody"], dryRun: true });
    expect(one.body).toMatchObject({ matched: 1, keys: 1, sample: [{ name: "acme" }] });
    expect(await names(bucket)).toEqual(["acme", "globex", "initech"]);
    expect(await tagsOf(bucket, "acme")).toEqual({ plan: "gold", region: "eu" });
  });

  test("tags are added and removed, lists follow, and the rest stays", async () => {
    const { bucket, update } = await scene();
    const set = { addTags: { plan: "platinum", seats: 5 }, removeTags: ["region", "none"], description: "moved" };
    const { status, body } = await client.post(update, { where: { "tag.plan": "gold" }, set });
    expect(status).toBe(200);
    expect(body.results).toEqual([
      { name: "acme", status: "updated" },
      { name: "globex", status: "updated" },
    ]);
    expect(await tagsOf(bucket, "acme")).toEqual({ plan: "platinum", seats: 5 });
    expect(await tagsOf(bucket, "initech")).toEqual({ plan: "silver", region: "eu" });
    expect(await names(bucket, "?tag.plan=gold")).toEqual([]);
    expect(await names(bucket, "?tag.seats=5")).toEqual(["acme", "globex"]);
    expect(await names(bucket, "?tag.region=eu")).toEqual(["initech"]);
    const stripped = { names: ["acme"], set: { removeTags: ["plan", "seats"] } };
    await client.post(update, stripped);
    expect((await client.get(`${bucket}/consumers/acme`)).body).not.toHaveProperty("tags");
  });

  test.each([
    [{ q: "ini" }, ["acme", "globex"]],
    [{ "manager-email": "BOSS@acme.example" }, ["globex", "initech"]],
    [{ "tag.plan": "gold", q: "g" }, ["acme", "initech"]],
  ])("those that fit %j are deleted", async (where, left) => {
    const { bucket, remove } = await scene();
    expect((await client.post(remove, { where })).status).toBe(200);
    expect(await names(bucket)).toEqual(left);
    expect((await client.get(`${bucket}/consumers`)).body.total).toBe(left.length);
  });

  test("deleted consumers' keys stop immediately, and one entry of the audit log has the counts", async () => {
    const { bucket, keys, remove } = await scene();
    expect(await verdict(client, bucket, keys.acme!)).toBe("valid");
    const { body } = await client.post(remove, { names: ["acme", "initech", "nobody"] });
    expect(body.results).toEqual([
      { name: "acme", status: "deleted" },
      { name: "initech", status: "deleted" },
      { name: "nobody", status: "not_found" },
    ]);
    expect(await verdict(client, bucket, keys.acme!)).toBe("not_found");
    expect(await verdict(client, bucket, keys.globex!)).toBe("valid");
    const { id } = (await client.get(bucket)).body;
    const log = async () => (await client.get(`/v1/accounts/${account}/audit-log?resource=${id}&limit=1`)).body.data[0];
    await until(async () => (await log())?.action === "consumer.deleted");
    expect((await log()).counts).toEqual({ consumers: 2, keys: 2, managers: 0, managerInvites: 2 });
  });

  test("a changed consumer has another ETag", async () => {
    const { bucket, update } = await scene();
    const before = (await client.get(`${bucket}/consumers/acme`)).headers.get("etag");
    await client.post(update, { names: ["acme"], set: { description: "new" } });
    expect((await client.get(`${bucket}/consumers/acme`)).headers.get("etag")).not.toBe(before);
  });

  test("too many tags for one of them changes none", async () => {
    const { bucket, update } = await scene();
    const many = Object.fromEntries(Array.from({ length: 48 }, (_, index) => [`tag-${index}`, index]));
    await client.patch(`${bucket}/consumers/globex`, { tags: { ...many, plan: "gold" } });
    const set = { addTags: { one: 1, two: 2 } };
    const rejected = await client.post(update, { where: { "tag.plan": "gold" }, set });
    expectProblem(rejected, 400, "validation_failed", { pointer: "/set/addTags" });
    expect(await tagsOf(bucket, "acme")).toEqual({ plan: "gold", region: "eu" });
  });

  const invalid: [body: object, pointer: string][] = [
    [{ set: {} }, "/set"],
    [{ names: [], set: { description: "x" } }, "/names"],
    [{ where: {}, set: { description: "x" } }, "/where"],
    [{ where: { plan: "gold" }, set: { description: "x" } }, "/where/plan"],
    [{ where: { "tag.": "gold" }, set: { description: "x" } }, "/where/tag."],
    [{ where: { q: "" }, set: { description: "x" } }, "/where/q"],
    [{ names: ["acme"], where: { q: "a" }, set: { description: "x" } }, "/where"],
    [{ names: ["acme"], set: { addTags: { "": "x" } } }, "/set/addTags/"],
    [{ names: ["acme"], set: { tags: {} } }, "/set/tags"],
    [{ names: ["acme"], set: { description: "x" }, force: true }, "/force"],
  ];
  test("an invalid change is rejected", async () => {
    const { bucket, update } = await scene();
    for (const [body, pointer] of casesFor(engine, invalid)) {
      expectProblem(await client.post(update, body), 400, "validation_failed", { pointer });
      expect((await client.get(`${bucket}/consumers/acme`)).body).not.toHaveProperty("description");
    }
  });

  test("a condition that does not exist is named whatever its value, and the value of a tag is text", async () => {
    const { bucket } = await scene();
    const cases: [path: string, name: string, detail: string][] = [
      ["consumers/$delete", "plan", "is not a filter of consumers"],
      ["keys/$delete", "plan", "is not a filter of keys"],
      ["keys/$delete", "neverused", 'is not a filter of keys; did you mean "never-used"?'],
      ["consumers/$delete", "tag.plan", "must be a string"],
      ["keys/$delete", "tag.plan", "must be a string"],
    ];
    for (const [path, name, detail] of cases) {
      for (const value of [5, true, null, [], {}]) {
        const rejected = await client.post(`${bucket}/${path}`, { where: { [name]: value } });
        expectProblem(rejected, 400, "validation_failed");
        expect(rejected.body.errors).toEqual([{ pointer: `/where/${name}`, detail }]);
      }
    }
    expect(await names(bucket)).toEqual(["acme", "globex", "initech"]);
  });

  test("20 conditions on tags are accepted, more are rejected, of consumers and of keys", async () => {
    const { bucket, keys } = await scene();
    const where = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`tag.t${index}`, "x"]));
    for (const remove of [`${bucket}/consumers/$delete`, `${bucket}/keys/$delete`]) {
      expect((await client.post(remove, { where: where(20) })).status).toBe(200);
      for (const count of [21, 10_000])
        expectProblem(await client.post(remove, { where: where(count) }), 400, "validation_failed", {
          pointer: "/where/tag.t20",
        });
    }
    expect(await names(bucket)).toEqual(["acme", "globex", "initech"]);
    expect(await verdict(client, bucket, keys.acme!)).toBe("valid");
  });

  test("bulk changes require an editor of the account and an existing bucket", async () => {
    const { bucket, remove } = await scene();
    const body = { names: ["acme"] };
    expectProblem(await client.anonymous().post(remove, body), 401, "unauthenticated");
    expectProblem(await (await callerWithRole(client, "reader")).post(remove, body), 403, "forbidden");
    expectProblem(await (await strangerOf(client, `bulk-${engine.name}`)).post(remove, body), 404, "not_found");
    expectProblem(await client.post(`${newBucketPath()}/consumers/$delete`, body), 404, "not_found");
    expect(await names(bucket)).toEqual(["acme", "globex", "initech"]);
  });

  describe("more than 1,000 consumers are a job", () => {
    const jobOf = async (id: string) => (await client.get(`/v1/accounts/${account}/jobs/${id}`)).body;
    const ended = (id: string) =>
      until(async () => ["succeeded", "failed"].includes((await jobOf(id)).state), { withinMs: 60_000 });

    test("a job changes more than 1,000 consumers", async () => {
      const bucket = newBucketPath();
      await client.post(`${bucket}/consumers`, { name: "many-0", tags: { of: "many" } });
      await copyConsumer(server.database, (await client.get(bucket)).body.id, 1_000);
      expect((await client.get(`${bucket}/consumers?tag.of=many&limit=1`)).body.total).toBe(1001);
      const set = { addTags: { of: "few" } };
      const started = await client.post(`${bucket}/consumers/$update`, { where: { "tag.of": "many" }, set });
      expect(started.status).toBe(202);
      await ended(started.body.jobId);
      expect(await jobOf(started.body.jobId)).toMatchObject({ state: "succeeded", done: 1001, total: 1001, failed: 0 });
      const { body } = await client.get(`${bucket}/consumers?tag.of=few&limit=1`);
      expect(body.total).toBe(1001);

      const deletion = await client.post(`${bucket}/consumers/$delete`, {
        names: ["many-0", "many-1000", ...Array.from({ length: 1_000 }, (_, index) => `nobody-${index}`)],
      });
      expect(deletion.status).toBe(202);
      await ended(deletion.body.jobId);
      expect(await jobOf(deletion.body.jobId)).toMatchObject({ state: "succeeded", done: 1002, failed: 1000 });
      expect((await client.get(`${bucket}/consumers?limit=1`)).body.total).toBe(999);
    });
  });
});
