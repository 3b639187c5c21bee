import { describe, expect, test } from "bun:test";
import { newBucketPath } from "../../../../test/support/bucket-path.ts";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../test/support/server.ts";

const goodKey = "a-key-that-is-long-enough";
const otherKey = "another-key-long-enough";

interface Rejection {
  error: string;
  /** Added to an otherwise complete and valid consumer. */
  body: object;
  status?: number;
  code?: string;
  pointer?: string;
}

const invalid: Rejection[] = [
  {
    error: "a key that is too short",
    body: { apiKeys: [{ key: goodKey }, { key: "short" }] },
    pointer: "/apiKeys/1/key",
  },
  { error: "a key with a space", body: { apiKeys: [{ key: "a key with spaces in it" }] }, pointer: "/apiKeys/0/key" },
  {
    error: "a good key and one too long",
    body: { apiKeys: [{}, { key: "k".repeat(513) }] },
    pointer: "/apiKeys/1/key",
  },
  {
    error: "an expiry without time",
    body: { apiKeys: [{ expiresOn: "2030-01-31" }] },
    pointer: "/apiKeys/0/expiresOn",
  },
  {
    error: "an unknown field of a key",
    body: { apiKeys: [{ key: goodKey, name: "x" }] },
    pointer: "/apiKeys/0/name",
  },
  { error: "a key that is no object", body: { apiKeys: [goodKey] }, pointer: "/apiKeys/0" },
  { error: "keys that are no list", body: { apiKeys: { key: goodKey } }, pointer: "/apiKeys" },
  { error: "1,001 keys", body: { apiKeys: Array(1001).fill({}) }, pointer: "/apiKeys" },
  { error: "a bad email address", body: { managers: ["jo@acme.example", "jo@"] }, pointer: "/managers/1" },
  { error: "a manager without sub", body: { managers: [{ email: "jo@acme.example" }] }, pointer: "/managers/0/sub" },
  { error: "a manager's bad address", body: { managers: [{ sub: "1", email: "jo" }] }, pointer: "/managers/0/email" },
  {
    error: "an unknown field of a manager",
    body: { managers: [{ sub: "1", role: "x" }] },
    pointer: "/managers/0/role",
  },
  { error: "a manager that is a number", body: { managers: [7] }, pointer: "/managers/0" },
  { error: "managers that are no list", body: { managers: "jo@acme.example" }, pointer: "/managers" },
  { error: "an id", body: { id: "csmr_000000000000000000000000" }, pointer: "/id" },
  { error: "a creation time", body: { createdOn: "2026-01-31T10:00:00.000Z" }, pointer: "/createdOn" },
  { error: "an update time", body: { updatedOn: "2026-01-31T10:00:00.000Z" }, pointer: "/updatedOn" },
  { error: "an unknown field", body: { nickname: "ac" }, pointer: "/nickname" },
  { error: "a field of responses only", body: { managerInvites: [] }, pointer: "/managerInvites" },
  { error: "a description that is no text", body: { description: 5 }, pointer: "/description" },
];

/** Rejected by storage. */
const conflicts: Rejection[] = [
  {
    error: "one key twice",
    body: { apiKeys: [{ key: goodKey }, { key: goodKey }] },
    status: 409,
    code: "key_exists",
    pointer: "/apiKeys/1/key",
  },
  {
    error: "one address twice",
    body: { managers: ["jo@acme.example", "JO@Acme.example"] },
    status: 409,
    code: "invite_exists",
  },
  {
    error: "one sub twice",
    body: { managers: [{ sub: "1" }, { sub: "1", email: "jo@acme.example" }] },
    status: 409,
    code: "manager_exists",
  },
];

eachEngine((engine) => {
  const { client } = useServer(engine);

  describe("nothing exists after a create with", () => {
    test.each([...casesFor(engine, invalid), ...conflicts])(
      "$error",
      async ({ body, status = 400, code = "validation_failed", pointer }) => {
        const bucket = newBucketPath();
        const whole = {
          name: "acme",
          tags: { plan: "gold" },
          apiKeys: [{ key: otherKey }],
          managers: ["kim@acme.example"],
        };
        const rejected = await client.post(`${bucket}/consumers?with-api-key=true`, { ...whole, ...body });
        expectProblem(rejected, status, code, { pointer });
        expectProblem(await client.get(bucket), 404, "not_found");
        for (const key of [goodKey, otherKey]) {
          expect((await client.post(`${bucket}/verify-key`, { key })).body).toEqual({
            valid: false,
            code: "not_found",
          });
        }
        expect((await client.post(`${bucket}/consumers`, whole)).status).toBe(200);
        expect((await client.get(`${bucket}/consumers?tag.plan=gold`)).body.total).toBe(1);
      },
    );
  });

  test("nothing exists after a create with a key that another consumer has", async () => {
    const bucket = newBucketPath();
    const owner = await client.post(`${bucket}/consumers`, { name: "owner", apiKeys: [{ key: goodKey }] });
    const rejected = await client.post(`${bucket}/consumers`, {
      name: "acme",
      tags: { plan: "gold" },
      apiKeys: [{ key: otherKey }, { key: goodKey }],
    });
    expectProblem(rejected, 409, "key_exists");
    expect(rejected.text).not.toContain(goodKey);
    expectProblem(await client.get(`${bucket}/consumers/acme`), 404, "not_found");
    expect((await client.get(`${bucket}/consumers`)).body.total).toBe(1);
    expect((await client.get(`${bucket}/consumers?tag.plan=gold`)).body.total).toBe(0);
    expect((await client.post(`${bucket}/verify-key`, { key: otherKey })).body.valid).toBe(false);
    expect((await client.post(`${bucket}/verify-key`, { key: goodKey })).body.consumer.id).toBe(owner.body.id);
  });

  test.each(
    casesFor(engine, [
      ["no name", "{}", "/name"],
      ["a list", '[{"name":"acme"}]', ""],
      ["text", '"acme"', ""],
      ["null", "null", ""],
      ["nothing", "", ""],
      ["a prototype", '{"name":"acme","__proto__":{"description":"x"}}', "/__proto__"],
    ]),
  )("a body of %s is rejected", async (_, body, pointer) => {
    const bucket = newBucketPath();
    expectProblem(await client.raw("POST", `${bucket}/consumers`, body), 400, "validation_failed", { pointer });
    expectProblem(await client.get(bucket), 404, "not_found");
  });
});
