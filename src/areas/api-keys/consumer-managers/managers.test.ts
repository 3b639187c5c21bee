import { describe, expect, test } from "bun:test";
import { newBucketPath } from "../../../../test/support/bucket-path.ts";
import { createWholeConsumer, newConsumer, stateOf } from "../../../../test/support/consumer-operations.ts";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../test/support/server.ts";

eachEngine((engine) => {
  const { client, clock } = useServer(engine);

  test("a manager that is added can be read, listed and removed", async () => {
    const managers = `${await newConsumer(client)}/managers`;
    const added = await client.post(managers, { sub: "auth0|1", email: "Jo@Acme.Example" });
    expect(added.status).toBe(200);
    expect(added.body).toEqual({
      id: expect.stringMatching(/^mngr_[0-9A-Za-z]{24}$/),
      createdOn: clock.iso(),
      email: "Jo@Acme.Example",
      sub: "auth0|1",
    });
    const read = await client.get(`${managers}/${added.body.id}`);
    expect(read.body).toEqual(added.body);
    expect(read.headers.get("etag")).toBe(added.headers.get("etag"));
    expect((await client.get(managers)).body).toEqual({ data: [added.body], limit: 1000, offset: 0, total: 1 });

    const removed = await client.delete(`${managers}/${added.body.id}`);
    expect(removed.status).toBe(204);
    expect(removed.text).toBe("");
    expectProblem(await client.get(`${managers}/${added.body.id}`), 404, "not_found");
    expectProblem(await client.delete(`${managers}/${added.body.id}`), 404, "not_found");
    expect((await client.get(managers)).body).toMatchObject({ data: [], total: 0 });
  });

  test("a manager needs no email address, and several may share one", async () => {
    const managers = `${await newConsumer(client)}/managers`;
    const without = await client.post(managers, { sub: "1" });
    expect(Object.keys(without.body).sort()).toEqual(["createdOn", "id", "sub"]);
    for (const sub of ["2", "3"]) await client.post(managers, { sub, email: "team@acme.example" });
    expect((await client.get(managers)).body.total).toBe(3);
  });

  test("pages show every manager once, in the order of adding", async () => {
    const managers = `${await newConsumer(client)}/managers`;
    const subs = Array.from({ length: 7 }, (_, index) => `sub-${9 - index}`);
    for (const sub of subs) await client.post(managers, { sub });
    for (const limit of [1, 2, 3, 7, 8]) {
      const seen: string[] = [];
      for (let offset = 0; offset < subs.length; offset += limit) {
        const { body } = await client.get(`${managers}?limit=${limit}&offset=${offset}`);
        expect(body).toMatchObject({ limit, offset, total: 7 });
        seen.push(...body.data.map(({ sub }: { sub: string }) => sub));
      }
      expect(seen).toEqual(subs);
    }
    for (const query of ["limit=0", "offset=-1"]) {
      expectProblem(await client.get(`${managers}?${query}`), 400, "validation_failed");
    }
  });

  test("a sub is a manager of a consumer once", async () => {
    const bucket = newBucketPath();
    const { path } = await createWholeConsumer(client, bucket);
    const before = await stateOf(client, bucket);
    const again = await client.post(`${path}/managers`, { sub: "manager", email: "other@acme.example" });
    expectProblem(again, 409, "manager_exists");
    expect(await stateOf(client, bucket)).toEqual(before);

    expect((await client.post(`${path}/managers`, { sub: "Manager" })).status).toBe(200);
    const { path: other } = await createWholeConsumer(client, bucket, "other");
    expect((await client.get(`${other}/managers`)).body.data).toMatchObject([{ sub: "manager" }]);
  });

  test("of 20 at once with one sub, one is added", async () => {
    const managers = `${await newConsumer(client)}/managers`;
    const responses = await Promise.all(Array.from({ length: 20 }, () => client.post(managers, { sub: "1" })));
    const [won, ...more] = responses.filter(({ status }) => status === 200);
    expect(more).toEqual([]);
    for (const lost of responses.filter((one) => one !== won)) expectProblem(lost, 409, "manager_exists");
    expect((await client.get(managers)).body).toMatchObject({ data: [won?.body], total: 1 });
  });

  test("one of ten concurrent requests removes a manager", async () => {
    const managers = `${await newConsumer(client)}/managers`;
    const { body } = await client.post(managers, { sub: "1" });
    const responses = await Promise.all(Array.from({ length: 10 }, () => client.delete(`${managers}/${body.id}`)));
    expect(responses.map(({ status }) => status).sort()).toEqual([204, ...Array(9).fill(404)]);
  });

  test("a sub that was removed can be added again", async () => {
    const managers = `${await newConsumer(client)}/managers`;
    const first = await client.post(managers, { sub: "1" });
    await client.delete(`${managers}/${first.body.id}`);
    const second = await client.post(managers, { sub: "1" });
    expect(second.status).toBe(200);
    expect(second.body.id).not.toBe(first.body.id);
  });

  test.each(["1", "auth0|5f7c8ec7c33c6c004bbafe82", "s".repeat(256), " ", "ユーザー🛒"])(
    "the sub %p is taken",
    async (sub) => {
      const managers = `${await newConsumer(client)}/managers`;
      const { body } = await client.post(managers, { sub });
      expect((await client.get(`${managers}/${body.id}`)).body.sub).toBe(sub);
    },
  );

  describe("rejected, and nothing added:", () => {
    test.each(
      casesFor(engine, [
        ["{}", "/sub"],
        ['{"email":"jo@acme.example"}', "/sub"],
        ['{"sub":""}', "/sub"],
        [`{"sub":"${"s".repeat(257)}"}`, "/sub"],
        ['{"sub":"a\\u0000b"}', "/sub"],
        ['{"sub":5}', "/sub"],
        ['{"sub":null}', "/sub"],
        ['{"sub":"1","email":"jo"}', "/email"],
        ['{"sub":"1","email":null}', "/email"],
        ['{"sub":"1","id":"mngr_1"}', "/id"],
        ['{"sub":"1","createdOn":"2026-01-31T10:00:00.000Z"}', "/createdOn"],
        ['{"sub":"1","role":"owner"}', "/role"],
        ['[{"sub":"1"}]', ""],
        ['"jo@acme.example"', ""],
        ["", ""],
      ]),
    )("%p", async (body, pointer) => {
      const managers = `${await newConsumer(client)}/managers`;
      expectProblem(await client.raw("POST", managers, body), 400, "validation_failed", { pointer });
      expect((await client.get(managers)).body.total).toBe(0);
    });
  });

  test("a manager is found under its own consumer only", async () => {
    const bucket = newBucketPath();
    const { managerId } = await createWholeConsumer(client, bucket, "owner");
    const { path: other } = await createWholeConsumer(client, bucket, "other");
    const before = await stateOf(client, bucket);
    for (const path of [`${other}/managers/${managerId}`, `${bucket}/consumers/nobody/managers/${managerId}`]) {
      expectProblem(await client.get(path), 404, "not_found");
      expectProblem(await client.delete(path), 404, "not_found");
    }
    for (const path of [`${other}/managers/mngr_0`, `${other}/managers/%00`, `${other}/managers/%zz`]) {
      expectProblem(await client.delete(path), 404, "not_found");
    }
    expect(await stateOf(client, bucket)).toEqual(before);
  });

  test("a consumer that does not exist has no managers, and gets none", async () => {
    const bucket = newBucketPath();
    await createWholeConsumer(client, bucket);
    const before = await stateOf(client, bucket);
    const path = `${bucket}/consumers/nobody/managers`;
    expectProblem(await client.get(path), 404, "not_found");
    expectProblem(await client.post(path, { sub: "1" }), 404, "not_found");
    expect(await stateOf(client, bucket)).toEqual(before);

    const nowhere = newBucketPath();
    expectProblem(await client.post(`${nowhere}/consumers/acme/managers`, { sub: "1" }), 404, "not_found");
    expectProblem(await client.get(nowhere), 404, "not_found");
  });

  test("If-Match and If-None-Match", async () => {
    const managers = `${await newConsumer(client)}/managers`;
    const added = await client.post(managers, { sub: "1" });
    const [path, etag] = [`${managers}/${added.body.id}`, added.headers.get("etag")!];
    expect((await client.get(path, { "if-none-match": etag })).status).toBe(304);
    expectProblem(await client.delete(path, { "if-match": '"other"' }), 412, "precondition_failed");
    expect((await client.get(managers)).body.total).toBe(1);
    expect((await client.delete(path, { "if-match": etag })).status).toBe(204);
    expect((await client.get(managers)).body.total).toBe(0);
  });
});
