import { beforeEach, expect, test } from "bun:test";
import { newBucketPath } from "../../../../test/support/bucket-path.ts";
import { callerWithRole, strangerOf } from "../../../../test/support/callers.ts";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";
import { holdText, tableContent } from "../../../../test/support/table-content.ts";
import { until } from "../../../../test/support/until.ts";

const source = "github";
const url = "https://github.com/acme/website/blob/main/config.js";
const unknownKey = "tg_0123456789abcdef0123456789abcdef_7759b50e";

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;

  let bucket: string;
  let path: string;
  let key: { id: string; key: string };
  const consumer = () => `${bucket}/consumers/acme`;
  const newBucket = async (more: object = {}) => {
    bucket = newBucketPath();
    await client.post(`/v1/accounts/${account}/key-buckets`, { name: bucket.split("/").at(-1), ...more });
    path = `${bucket}/keys/$leaked`;
    await client.post(`${bucket}/consumers`, { name: "acme" });
    key = (await client.post(`${consumer()}/keys`, {})).body;
  };
  beforeEach(() => newBucket());

  const report = async (keys: string[], more: object = {}) => {
    const response = await client.post(path, { keys, source, ...more });
    expect(response.status).toBe(202);
    const job = `/v1/accounts/${account}/jobs/${response.body.jobId}`;
    return until(
      async () => {
        const { body } = await client.get(job);
        return body.state === "succeeded" ? body : undefined;
      },
      { what: "the report to be processed" },
    );
  };
  const keyNow = async () => (await client.get(`${consumer()}/keys/${key.id}`)).body;
  const verify = async () => (await client.post(`${bucket}/verify-key`, { key: key.key })).body;
  const events = async (id: string) => {
    await server.catchUp();
    const { data } = (await client.get(`/v1/accounts/${account}/audit-log?action=key.leaked&limit=1000`)).body;
    return data.filter(({ resource }: { resource: { id: string } }) => resource.id === id);
  };

  test("marks a key, which keeps working, and records the leak once", async () => {
    expect((await verify()).valid).toBe(true);
    expect(await report([key.key, unknownKey], { url })).toMatchObject({ done: 2, failed: 0, total: 2 });
    expect(await keyNow()).toMatchObject({ isEnabled: true, leak: { source, url, reportedOn: expect.any(String) } });
    expect((await verify()).valid).toBe(true);
    await report([key.key], { source: "another" });
    expect(await keyNow()).toMatchObject({ leak: { source } });
    const recorded = await events(key.id);
    expect(recorded).toHaveLength(1);
    expect(recorded[0]).toMatchObject({ action: "key.leaked", resource: { parent: { name: "acme" } } });
  });

  test("disables a key if the bucket says so, on the next request", async () => {
    await newBucket({ onLeak: "disable" });
    expect((await verify()).valid).toBe(true);
    await report([key.key]);
    expect(await keyNow()).toMatchObject({ isEnabled: false, leak: { source } });
    expect(await verify()).toMatchObject({ valid: false, code: "disabled" });
    const { body } = await client.get(`${bucket}/keys?enabled=false`);
    expect(body).toMatchObject({ total: 1, data: [{ id: key.id }] });
  });

  test("disables a key that was marked before the bucket was set to disable", async () => {
    await report([key.key]);
    await client.patch(bucket, { onLeak: "disable" });
    expect((await client.get(bucket)).body.onLeak).toBe("disable");
    await report([key.key]);
    expect((await keyNow()).isEnabled).toBe(false);
    expect(await events(key.id)).toHaveLength(2);
  });

  test("a new value is not leaked", async () => {
    await report([key.key]);
    await client.patch(`${consumer()}/keys/${key.id}`, { key: "another-value-of-the-key" });
    expect(await keyNow()).not.toHaveProperty("leak");
  });

  test("a report with and without keys has the same response and the same progress, and no value is stored", async () => {
    const without = await report([unknownKey, "not a key at all", "x"]);
    const withKeys = await report([key.key, unknownKey, "x"]);
    const shape = ({ state, done, total, failed }: Record<string, unknown>) => ({ state, done, total, failed });
    expect(shape(without)).toEqual(shape(withKeys));
    expect(shape(await report([unknownKey, unknownKey]))).toMatchObject({ done: 2, total: 2 });
    for (const table of ["jobs", "changes"])
      for (const value of [unknownKey, key.key])
        expect(holdText(await tableContent(server.database, table), value)).toBe(false);
  });

  test("is sent to webhooks as key.leaked", async () => {
    // Events of other tests.
    await server.catchUp();
    const webhooks = `/v1/accounts/${account}/webhooks`;
    const { body: hook } = await client.post(webhooks, { url: "http://127.0.0.1:9/", events: ["key.leaked"] });
    await report([key.key], { url });
    await server.catchUp();
    const { data } = (await client.get(`${webhooks}/${hook.id}/deliveries`)).body;
    expect(data).toMatchObject([{ type: "key.leaked" }]);
    const { request } = (await client.get(`${webhooks}/${hook.id}/deliveries/${data[0].id}`)).body;
    expect(JSON.parse(request.body)).toMatchObject({
      type: "key.leaked",
      data: { id: key.id, leak: { source, url }, consumer: { name: "acme" }, bucket: { name: expect.any(String) } },
    });
    expect(request.body).not.toContain(key.key);
    await client.delete(`${webhooks}/${hook.id}`);
  });

  test.each(
    casesFor(engine, [
      [{ source }, "/keys"],
      [{ keys: [], source }, "/keys"],
      [{ keys: [""], source }, "/keys/0"],
      [{ keys: ["x".repeat(513)], source }, "/keys/0"],
      [{ keys: Array.from({ length: 1001 }, () => "x"), source }, "/keys"],
      [{ keys: ["x"] }, "/source"],
      [{ keys: ["x"], source: "" }, "/source"],
      [{ keys: ["x"], source, url: "javascript:alert(1)" }, "/url"],
      [{ keys: ["x"], source, force: true }, "/force"],
    ]),
  )("rejects an invalid report: %#", async (body, pointer) => {
    expectProblem(await client.post(path, body), 400, "validation_failed", { pointer });
  });

  test("needs an editor of the account, and an existing bucket", async () => {
    const body = { keys: [key.key], source };
    const reader = await callerWithRole(client, "reader");
    const verifier = await callerWithRole(client, "verifier");
    expectProblem(await reader.post(path, body), 403, "forbidden");
    expectProblem(await verifier.post(path, body), 403, "forbidden");
    expectProblem(await client.anonymous().post(path, body), 401, "unauthenticated");
    const stranger = await strangerOf(client, `leaks-${engine.name}-${Date.now()}`);
    expectProblem(await stranger.post(path, body), 404, "not_found");
    expectProblem(await client.post(`${newBucketPath()}/keys/$leaked`, body), 404, "not_found");
    expect(await keyNow()).not.toHaveProperty("leak");
  });
});
