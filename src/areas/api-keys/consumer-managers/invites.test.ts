import { describe, expect, test } from "bun:test";
import { newBucketPath } from "../../../../test/support/bucket-path.ts";
import { createWholeConsumer, newConsumer, stateOf } from "../../../../test/support/consumer-operations.ts";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../test/support/server.ts";

const sevenDays = 7 * 24 * 60 * 60 * 1000;

eachEngine((engine) => {
  const { client, clock } = useServer(engine);

  test("an invite can be read, listed and withdrawn", async () => {
    const consumer = await newConsumer(client);
    const invites = `${consumer}/manager-invites`;
    const invite = await client.post(invites, { email: "Jo@Acme.Example" });
    expect(invite.status).toBe(200);
    expect(invite.body).toEqual({
      id: expect.stringMatching(/^\w+_[0-9A-Za-z]{24}$/),
      email: "Jo@Acme.Example",
      createdOn: clock.iso(),
      expiresOn: clock.iso(sevenDays),
    });
    const read = await client.get(`${invites}/${invite.body.id}`);
    expect(read.body).toEqual(invite.body);
    expect(read.headers.get("etag")).toBe(invite.headers.get("etag"));
    expect((await client.get(invites)).body).toEqual({ data: [invite.body], limit: 1000, offset: 0, total: 1 });

    expect((await client.delete(`${invites}/${invite.body.id}`)).status).toBe(204);
    expectProblem(await client.get(`${invites}/${invite.body.id}`), 404, "not_found");
    expectProblem(await client.delete(`${invites}/${invite.body.id}`), 404, "not_found");
    expectProblem(await client.post(`${invites}/${invite.body.id}/accept`, { sub: "1" }), 404, "not_found");
    expect((await client.get(invites)).body).toMatchObject({ data: [], total: 0 });
    expect((await client.get(`${consumer}/managers`)).body.total).toBe(0);
  });

  test("pages show every invite once, in the order of inviting", async () => {
    const invites = `${await newConsumer(client)}/manager-invites`;
    const emails = Array.from({ length: 5 }, (_, index) => `person-${9 - index}@acme.example`);
    for (const email of emails) await client.post(invites, { email });
    for (const limit of [1, 2, 5, 6]) {
      const seen: string[] = [];
      for (let offset = 0; offset < emails.length; offset += limit) {
        const { body } = await client.get(`${invites}?limit=${limit}&offset=${offset}`);
        expect(body).toMatchObject({ limit, offset, total: 5 });
        seen.push(...body.data.map(({ email }: { email: string }) => email));
      }
      expect(seen).toEqual(emails);
    }
  });

  test("an expired invite is in no list, and is not found by its address", async () => {
    const bucket = newBucketPath();
    const { path } = await createWholeConsumer(client, bucket);
    clock.advance(1000);
    const later = await client.post(`${path}/manager-invites`, { email: "later@acme.example" });
    clock.advance(sevenDays - 1000);
    const expected = [later.body];
    expect((await client.get(`${path}/manager-invites`)).body).toMatchObject({ data: expected, total: 1 });
    const query = "include-manager-invites=true";
    expect((await client.get(`${path}?${query}`)).body.managerInvites).toEqual(expected);
    expect((await client.get(`${bucket}/consumers?${query}`)).body.data[0].managerInvites).toEqual(expected);
    const found = async (email: string) =>
      (await client.get(`${bucket}/consumers?manager-email=${email}`)).body.total as number;
    expect([await found("invited@acme.example"), await found("later@acme.example")]).toEqual([0, 1]);
    clock.advance(1000);
    expect((await client.get(`${path}/manager-invites`)).body).toMatchObject({ data: [], total: 0 });
    expect(await found("later@acme.example")).toBe(0);
  });

  test("an address is invited to a consumer once, whatever its case", async () => {
    const bucket = newBucketPath();
    const { path } = await createWholeConsumer(client, bucket);
    const before = await stateOf(client, bucket);
    for (const email of ["invited@acme.example", "INVITED@Acme.Example"]) {
      expectProblem(await client.post(`${path}/manager-invites`, { email }), 409, "invite_exists");
    }
    expect(await stateOf(client, bucket)).toEqual(before);
    const { path: other } = await createWholeConsumer(client, bucket, "other");
    expect((await client.get(`${other}/manager-invites`)).body.data).toMatchObject([{ email: "invited@acme.example" }]);
  });

  test("of 20 concurrent invites of one address, one is created", async () => {
    const invites = `${await newConsumer(client)}/manager-invites`;
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        client.post(invites, { email: index % 2 ? "jo@acme.example" : "JO@acme.example" }),
      ),
    );
    const [won, ...more] = responses.filter(({ status }) => status === 200);
    expect(more).toEqual([]);
    for (const lost of responses.filter((one) => one !== won)) expectProblem(lost, 409, "invite_exists");
    expect((await client.get(invites)).body).toMatchObject({ data: [won?.body], total: 1 });
  });

  test.each([
    "a@b.co",
    "jo+keys@mail.acme.example",
    "o'neil@acme.example",
    "UPPER@ACME.EXAMPLE",
    `${"a".repeat(241)}@acme.example`,
  ])("%p is an address", async (email) => {
    const invites = `${await newConsumer(client)}/manager-invites`;
    const { body } = await client.post(invites, { email });
    expect((await client.get(`${invites}/${body.id}`)).body.email).toBe(email);
  });

  describe("rejected, without an invite:", () => {
    test.each(
      casesFor(engine, [
        ["{}", "/email"],
        ['{"email":""}', "/email"],
        ['{"email":"jo"}', "/email"],
        ['{"email":"jo@"}', "/email"],
        ['{"email":"@acme.example"}', "/email"],
        ['{"email":"jo@acme"}', "/email"],
        ['{"email":"jo@@acme.example"}', "/email"],
        ['{"email":"jo@acme..example"}', "/email"],
        ['{"email":"jo smith@acme.example"}', "/email"],
        ['{"email":" jo@acme.example"}', "/email"],
        ['{"email":"Jo <jo@acme.example>"}', "/email"],
        ['{"email":"jo@acme.example\\nbcc: x@y.example"}', "/email"],
        ['{"email":"jo\\u0000@acme.example"}', "/email"],
        [`{"email":"${"a".repeat(242)}@acme.example"}`, "/email"],
        ['{"email":["jo@acme.example"]}', "/email"],
        ['{"email":null}', "/email"],
        ['{"email":"jo@acme.example","sub":"1"}', "/sub"],
        ['{"email":"jo@acme.example","id":"mngi_1"}', "/id"],
        ['{"email":"jo@acme.example","expiresOn":"2030-01-31T10:00:00.000Z"}', "/expiresOn"],
        ['"jo@acme.example"', ""],
        ["", ""],
      ]),
    )("%p", async (body, pointer) => {
      const invites = `${await newConsumer(client)}/manager-invites`;
      expectProblem(await client.raw("POST", invites, body), 400, "validation_failed", { pointer });
      expect((await client.get(invites)).body.total).toBe(0);
    });
  });

  test("an invite is found under its own consumer only", async () => {
    const bucket = newBucketPath();
    const { inviteId } = await createWholeConsumer(client, bucket, "owner");
    const { path: other } = await createWholeConsumer(client, bucket, "other");
    const before = await stateOf(client, bucket);
    for (const path of [other, `${bucket}/consumers/nobody`]) {
      expectProblem(await client.get(`${path}/manager-invites/${inviteId}`), 404, "not_found");
      expectProblem(await client.delete(`${path}/manager-invites/${inviteId}`), 404, "not_found");
      expectProblem(await client.post(`${path}/manager-invites/${inviteId}/accept`, { sub: "1" }), 404, "not_found");
    }
    expect(await stateOf(client, bucket)).toEqual(before);
  });

  test("If-Match and If-None-Match", async () => {
    const invites = `${await newConsumer(client)}/manager-invites`;
    const invite = await client.post(invites, { email: "jo@acme.example" });
    const [path, etag] = [`${invites}/${invite.body.id}`, invite.headers.get("etag")!];
    expect((await client.get(path, { "if-none-match": etag })).status).toBe(304);
    expectProblem(await client.delete(path, { "if-match": '"other"' }), 412, "precondition_failed");
    expect((await client.get(invites)).body.total).toBe(1);
    expect((await client.delete(path, { "if-match": etag })).status).toBe(204);
    expect((await client.get(invites)).body.total).toBe(0);
  });
});
