import { describe, expect, test } from "bun:test";
import { newBucketPath } from "../../../../test/support/bucket-path.ts";
import { createWholeConsumer, stateOf } from "../../../../test/support/consumer-operations.ts";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../test/support/server.ts";

const sevenDays = 7 * 24 * 60 * 60 * 1000;

eachEngine((engine) => {
  const { client, clock } = useServer(engine);

  async function newInvite() {
    const bucket = newBucketPath();
    const consumer = `${bucket}/consumers/acme`;
    const { body } = await client.post(`${bucket}/consumers`, { name: "acme", managers: ["Jo@Acme.Example"] });
    const invite = body.managerInvites[0];
    return { bucket, consumer, invite, path: `${consumer}/manager-invites/${invite.id}` };
  }

  test("an invite that is accepted becomes a manager, and is used up", async () => {
    const { consumer, path } = await newInvite();
    clock.advance(1000);
    const accepted = await client.post(`${path}/accept`, { sub: "auth0|1" });
    expect(accepted.status).toBe(200);
    expect(accepted.body).toEqual({
      id: expect.stringMatching(/^mngr_[0-9A-Za-z]{24}$/),
      createdOn: clock.iso(),
      email: "Jo@Acme.Example",
      sub: "auth0|1",
    });
    expect((await client.get(`${consumer}/managers`)).body).toMatchObject({ data: [accepted.body], total: 1 });
    expectProblem(await client.get(path), 404, "not_found");
    expect((await client.get(`${consumer}/manager-invites`)).body).toMatchObject({ data: [], total: 0 });

    expectProblem(await client.post(`${path}/accept`, { sub: "auth0|2" }), 404, "not_found");
    expect((await client.get(`${consumer}/managers`)).body.total).toBe(1);
  });

  test("one of ten concurrent requests to accept creates a manager", async () => {
    const { consumer, path } = await newInvite();
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, index) => client.post(`${path}/accept`, { sub: `sub-${index}` })),
    );
    const [won, ...more] = responses.filter(({ status }) => status === 200);
    expect(more).toEqual([]);
    for (const lost of responses.filter((one) => one !== won)) expectProblem(lost, 404, "not_found");
    expect((await client.get(`${consumer}/managers`)).body).toMatchObject({ data: [won?.body], total: 1 });
  });

  test("of concurrent acceptances and withdrawals, one succeeds and the others get an error", async () => {
    for (let round = 0; round < 5; round++) {
      const { consumer, path } = await newInvite();
      const responses = await Promise.all([
        client.post(`${path}/accept`, { sub: "1" }),
        client.delete(path),
        client.post(`${path}/accept`, { sub: "2" }),
        client.delete(path),
      ]);
      const statuses = responses.map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([statuses.includes(200) ? 200 : 204, 404, 404, 404]);
      expect((await client.get(`${consumer}/managers`)).body.total).toBe(statuses.includes(200) ? 1 : 0);
      expect((await client.get(`${consumer}/manager-invites`)).body.total).toBe(0);
    }
  });

  test("the address can be invited again after it was accepted", async () => {
    const { consumer, path } = await newInvite();
    await client.post(`${path}/accept`, { sub: "1" });
    const again = await client.post(`${consumer}/manager-invites`, { email: "jo@acme.example" });
    expect(again.status).toBe(200);
  });

  test("a sub that is a manager already cannot accept, and the invite stays", async () => {
    const bucket = newBucketPath();
    const { path, inviteId } = await createWholeConsumer(client, bucket);
    const before = await stateOf(client, bucket);
    const accept = `${path}/manager-invites/${inviteId}/accept`;
    expectProblem(await client.post(accept, { sub: "manager" }), 409, "manager_exists");
    expect(await stateOf(client, bucket)).toEqual(before);
    expect((await client.post(accept, { sub: "somebody else" })).status).toBe(200);
  });

  describe("rejected, and the invite stays:", () => {
    test.each(
      casesFor(engine, [
        ["{}", "/sub"],
        ['{"sub":""}', "/sub"],
        [`{"sub":"${"s".repeat(257)}"}`, "/sub"],
        ['{"sub":7}', "/sub"],
        ['{"sub":"1","email":"jo@acme.example"}', "/email"],
        ['{"sub":"1","id":"mngr_1"}', "/id"],
        ["[]", ""],
        ["", ""],
      ]),
    )("%p", async (body, pointer) => {
      const { bucket, path } = await newInvite();
      const before = await stateOf(client, bucket);
      expectProblem(await client.raw("POST", `${path}/accept`, body), 400, "validation_failed", { pointer });
      expect(await stateOf(client, bucket)).toEqual(before);
    });
  });

  test("an invite is valid until its last millisecond", async () => {
    const { path } = await newInvite();
    clock.advance(sevenDays - 1);
    expect((await client.post(`${path}/accept`, { sub: "1" })).status).toBe(200);
  });

  test("an invite expires after seven days", async () => {
    const { bucket, path, invite } = await newInvite();
    clock.advance(sevenDays);
    expect(clock.iso()).toBe(invite.expiresOn);
    const before = await stateOf(client, bucket);
    for (let attempt = 0; attempt < 2; attempt++) {
      expectProblem(await client.post(`${path}/accept`, { sub: "1" }), 409, "invite_expired");
    }
    expect(await stateOf(client, bucket)).toEqual(before);
    expect((await client.get(path)).body).toEqual(invite);
  });

  test("an expired invite does not block a new one", async () => {
    const { consumer, path } = await newInvite();
    clock.advance(sevenDays);
    const renewed = await client.post(`${consumer}/manager-invites`, { email: "jo@acme.example" });
    expect(renewed.status).toBe(200);
    expect(renewed.body.expiresOn).toBe(clock.iso(sevenDays));
    expectProblem(await client.get(path), 404, "not_found");
    expect((await client.get(`${consumer}/manager-invites`)).body).toMatchObject({ data: [renewed.body], total: 1 });
    const accepted = await client.post(`${consumer}/manager-invites/${renewed.body.id}/accept`, { sub: "1" });
    expect(accepted.body.email).toBe("jo@acme.example");
  });

  test("one of ten concurrent requests renews an expired invite", async () => {
    const { consumer } = await newInvite();
    clock.advance(sevenDays);
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => client.post(`${consumer}/manager-invites`, { email: "jo@acme.example" })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
    expect((await client.get(`${consumer}/manager-invites`)).body.total).toBe(1);
  });
});
