import { describe, expect, test } from "bun:test";
import { strangerOf } from "../../../../test/support/callers.ts";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import {
  createPlan,
  meteringState,
  newMeteringBucket,
  record,
  subscribed,
  usageEvent,
} from "../../../../test/support/metering.ts";
import { useServer } from "../../../../test/support/server.ts";
import { operatorToken } from "../../../../test/support/server-settings.ts";

eachEngine((engine) => {
  const { client, clock } = useServer(engine);

  describe("a bucket is made from", () => {
    test.each(["", "{}", " \n"])("the body %p", async (body) => {
      const { status, body: made, headers } = await client.raw("POST", "/v1/metering", body);
      expect(status).toBe(200);
      expect(made).toEqual({
        id: made.id,
        accountName: "default",
        createdOn: clock.iso(),
        updatedOn: clock.iso(),
      });
      expect(made.id).toMatch(/^mtr_[0-9A-Za-z]{24}$/);
      const read = await client.get(`/v1/metering/${made.id}/`);
      expect(read.body).toEqual(made);
      expect(read.headers.get("etag")).toBe(headers.get("etag")!);
    });
  });

  test.each([
    ['{"id":"mtr_1"}', "validation_failed", "/id"],
    ['{"accountName":"default"}', "validation_failed", "/accountName"],
    ['{"name":""}', "validation_failed", "/name"],
    ['{"name":"Main"}', "validation_failed", "/name"],
    ['{"name":"mtr_0qgznqw81kx8vhtb3mpcrdzu"}', "validation_failed", "/name"],
    ['{"name":"bckt_1"}', "validation_failed", "/name"],
    ['{"name":null}', "validation_failed", "/name"],
    ['{"__proto__":{}}', "validation_failed", "/__proto__"],
    ["[]", "validation_failed", ""],
    ["null", "validation_failed", ""],
    ['"text"', "validation_failed", ""],
    ["{", "invalid_json", undefined],
  ])("the body %s makes none", async (body, code, pointer) => {
    const { total } = (await client.get("/v1/metering")).body;
    expectProblem(await client.raw("POST", "/v1/metering", body), 400, code, { pointer });
    expect((await client.get("/v1/metering")).body.total).toBe(total);
  });

  test("buckets are listed page by page, in the order of creation, each account's by themselves", async () => {
    const stranger = await strangerOf(client, "lister");
    expect((await stranger.get("/v1/metering")).body).toEqual({ data: [], limit: 1000, offset: 0, total: 0 });
    const made = [];
    for (let index = 0; index < 5; index++) made.push((await stranger.post("/v1/metering")).body);
    expect(made.map(({ accountName }) => accountName)).toEqual(Array(5).fill("lister"));
    expect((await stranger.get("/v1/metering")).body.data).toEqual(made);

    const page = await stranger.get("/v1/metering?limit=2&offset=1");
    expect(page.body).toEqual({ data: made.slice(1, 3), limit: 2, offset: 1, total: 5 });
    expect(page.headers.get("link")).toBe('</v1/metering?limit=2&offset=3>; rel="next"');
    const last = await stranger.get("/v1/metering?limit=2&offset=3");
    expect(last.body.data).toEqual(made.slice(3));
    expect(last.headers.get("link")).toBeNull();
    expectProblem(await stranger.get("/v1/metering?limit=0"), 400, "validation_failed", { pointer: "?limit" });
  });

  test("a bucket is deleted, with its plans, and only once", async () => {
    const bucket = await newMeteringBucket(client);
    const other = await newMeteringBucket(client);
    await createPlan(client, bucket);
    expect(await client.delete(bucket)).toMatchObject({ status: 204, text: "" });
    for (const path of [bucket, `${bucket}/plans`, `${bucket}/subscriptions`, `${bucket}/reconciliation`])
      expectProblem(await client.get(path), 404, "not_found");
    expectProblem(await client.delete(bucket), 404, "not_found");
    expect((await client.get(other)).status).toBe(200);
  });

  test("a bucket with subscriptions is only deleted by force, with all that is in it", async () => {
    const { bucket, path } = await subscribed(client);
    const kept = await subscribed(client);
    for (const one of [bucket, kept.bucket]) await record(client, one, [usageEvent({ requests: 3 })]);
    await client.post(`${path}/quotas/consume`, { meters: { requests: 2 } });
    const before = await meteringState(client, bucket);
    const keptBefore = await meteringState(client, kept.bucket);

    for (const query of ["", "?force=false"])
      expectProblem(await client.delete(bucket + query), 409, "metering_bucket_not_empty");
    for (const query of ["?force=1", "?force=", "?force=TRUE"])
      expectProblem(await client.delete(bucket + query), 400, "validation_failed", { pointer: "?force" });
    expect(await meteringState(client, bucket)).toEqual(before);

    expect((await client.delete(`${bucket}?force=true`)).status).toBe(204);
    for (const gone of [bucket, path, `${path}/usage`]) expectProblem(await client.get(gone), 404, "not_found");
    expect(await meteringState(client, kept.bucket)).toEqual(keptBefore);
  });

  test("a bucket whose last subscription was deleted needs no force", async () => {
    const { bucket, path } = await subscribed(client);
    await record(client, bucket, [usageEvent({ requests: 3 })]);
    expect((await client.delete(path)).status).toBe(204);
    expect((await client.delete(bucket)).status).toBe(204);
  });

  test("an account is deleted with its metering", async () => {
    const stranger = await strangerOf(client, "leaver");
    const { bucket } = await subscribed(stranger);
    await record(stranger, bucket, [usageEvent({ requests: 3 })]);
    const operator = client.as(operatorToken);
    expect((await operator.delete("/v1/accounts/leaver")).status).toBe(204);
    await operator.post("/v1/accounts", { name: "leaver" });
    expectProblem(await operator.get(`${bucket}?accountName=leaver`), 404, "not_found");
    expect((await operator.get("/v1/metering?accountName=leaver")).body.total).toBe(0);
  });

  test.each(["mtr_000000000000000000000000", "nothing", "%00", "%ff", "__proto__"])(
    "what is not there is missing: %s",
    async (id) => {
      const path = `/v1/metering/${id}`;
      for (const missing of [path, `${path}/plans`, `${path}/subscriptions`, `${path}/reconciliation`])
        expectProblem(await client.get(missing), 404, "not_found");
      expectProblem(await client.delete(`${path}?force=true`), 404, "not_found");
      expectProblem(await client.post(`${path}/events`, []), 404, "not_found");
    },
  );

  test.each(
    casesFor(engine, [
      ["PUT", "/v1/metering", "GET, POST, HEAD"],
      ["PUT", "/v1/metering/any", "GET, PATCH, DELETE, HEAD"],
      ["DELETE", "/v1/metering/any/plans", "GET, POST, HEAD"],
      ["POST", "/v1/metering/any/subscriptions/any", "GET, PATCH, DELETE, HEAD"],
      ["GET", "/v1/metering/any/events", "POST"],
      ["GET", "/v1/metering/any/subscriptions/any/quotas/consume", "POST"],
    ]),
  )("%s %s is not allowed, only %s", async (method, path, allowed) => {
    const rejected = await client.raw(method, path);
    expectProblem(rejected, 405, "method_not_allowed");
    expect(rejected.headers.get("allow")).toBe(allowed);
  });

  test("the ETag guards deletion", async () => {
    const bucket = await newMeteringBucket(client);
    const etag = (await client.get(bucket)).headers.get("etag")!;
    expect((await client.get(bucket, { "if-none-match": etag })).status).toBe(304);
    expectProblem(await client.delete(bucket, { "if-match": '"other"' }), 412, "precondition_failed");
    expect((await client.get(bucket)).status).toBe(200);
    expect((await client.delete(bucket, { "if-match": etag })).status).toBe(204);
  });

  test("one Idempotency-Key makes one bucket", async () => {
    const { total } = (await client.get("/v1/metering")).body;
    const headers = { "idempotency-key": "one-bucket" };
    const [first, again] = [
      await client.post("/v1/metering", {}, headers),
      await client.post("/v1/metering", {}, headers),
    ];
    expect(again.body).toEqual(first.body);
    expect((await client.get("/v1/metering")).body.total).toBe(total + 1);
    expectProblem(await client.post("/v1/metering", undefined, headers), 422, "idempotency_key_reused");
    expect((await client.get("/v1/metering")).body.total).toBe(total + 1);
  });
});
