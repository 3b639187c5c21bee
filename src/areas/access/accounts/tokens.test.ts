import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../test/support/server.ts";
import { adminToken } from "../../../../test/support/server-settings.ts";
import { holdText, tableContent } from "../../../../test/support/table-content.ts";

const tokens = "/v1/accounts/default/tokens";
const second = 1000;
const minute = 60 * second;

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;

  describe("a token", () => {
    test.each(["admin", "editor", "reader", "verifier"])(
      "is made with role %s and identifies its holder",
      async (role) => {
        const created = await client.post(tokens, { role });
        expect(created.status).toBe(200);
        expect(created.body).toEqual({
          id: expect.stringMatching(/^tokn_[0-9A-Za-z]{24}$/),
          role,
          createdOn: clock.iso(),
          token: expect.stringMatching(/^tgt_[0-9a-f]{32}_[0-9a-f]{8}$/),
        });
        const { id: sub, token } = created.body;
        expect((await client.as(token).get("/v1/who-am-i")).body).toEqual({ sub, account: "default", role });
      },
    );

    test("has a name and an expiry where given, in UTC with milliseconds", async () => {
      const created = await client.post(tokens, { role: "reader", name: "Jo", expiresOn: "2030-01-31T10:00:00+02:00" });
      expect(created.body).toMatchObject({ name: "Jo", expiresOn: "2030-01-31T08:00:00.000Z" });
    });

    test("shows its value once, and is stored as a hash", async () => {
      const { token, ...rest } = (await client.post(tokens, { role: "reader" })).body;
      expect((await client.get(`${tokens}/${rest.id}`)).body).toEqual(rest);
      const list = await client.get(tokens);
      expect(list.body.data.at(-1)).toEqual(rest);
      expect(list.text).not.toContain(token);

      const rows = await tableContent(server.database, "tokens");
      expect(holdText(rows, rest.id)).toBe(true);
      for (const secret of [token, adminToken]) expect(holdText(rows, secret)).toBe(false);
    });

    const badBodies: [what: string, body: unknown, pointer: string][] = [
      ["no role", {}, "/role"],
      ["an unknown role", { role: "owner" }, "/role"],
      ["the operator's role", { role: "operator" }, "/role"],
      ["a list of roles", { role: ["admin"] }, "/role"],
      ["a date without a time", { role: "reader", expiresOn: "2030-01-31" }, "/expiresOn"],
      ["a time without an offset", { role: "reader", expiresOn: "2030-01-31T10:00:00" }, "/expiresOn"],
      ["a day that does not exist", { role: "reader", expiresOn: "2030-02-30T10:00:00Z" }, "/expiresOn"],
      ["a number as a time", { role: "reader", expiresOn: 1900000000000 }, "/expiresOn"],
      ["a name of 129 characters", { role: "reader", name: "n".repeat(129) }, "/name"],
      ["a name with a NUL", { role: "reader", name: "a\0b" }, "/name"],
      ["a value of one's own", { role: "reader", token: "a-token-of-my-own-choice" }, "/token"],
      ["a read-only field", { role: "reader", createdOn: "2030-01-31T10:00:00Z" }, "/createdOn"],
      ["an unknown field", { role: "reader", scope: "all" }, "/scope"],
    ];
    test.each(casesFor(engine, badBodies))("is not made from %s", async (_what, body, pointer) => {
      const before = (await client.get(tokens)).body.total;
      expectProblem(await client.post(tokens, body), 400, "validation_failed", { pointer });
      expect((await client.get(tokens)).body.total).toBe(before);
    });

    test("is valid until it expires, to the millisecond", async () => {
      const { token } = (await client.post(tokens, { role: "editor", expiresOn: clock.iso(minute) })).body;
      const holder = client.as(token);
      clock.advance(minute - 1);
      expect((await holder.get("/v1/who-am-i")).status).toBe(200);
      clock.advance(1);
      expectProblem(await holder.get("/v1/who-am-i"), 401, "token_expired");
      const rejected = await holder.post("/v1/accounts/default/key-buckets", { name: "made-by-an-expired-token" });
      expectProblem(rejected, 401, "token_expired");
      expect(rejected.headers.get("www-authenticate")).toMatch(/^Bearer/);
      expect((await client.get("/v1/accounts/default/key-buckets")).body.total).toBe(0);
    });

    test("is invalid as soon as it is deleted", async () => {
      const { id, token } = (await client.post(tokens, { role: "reader" })).body;
      const holder = client.as(token);
      expect((await holder.get("/v1/who-am-i")).status).toBe(200);
      expect((await client.delete(`${tokens}/${id}`)).status).toBe(204);
      expectProblem(await holder.get("/v1/who-am-i"), 401, "unauthenticated");
      expectProblem(await client.get(`${tokens}/${id}`), 404, "not_found");
      expectProblem(await client.delete(`${tokens}/${id}`), 404, "not_found");
      expect((await client.get("/v1/who-am-i")).status).toBe(200);
    });

    test("a token may delete itself", async () => {
      const { id, token } = (await client.post(tokens, { role: "admin" })).body;
      expect((await client.as(token).delete(`${tokens}/${id}`)).status).toBe(204);
      expectProblem(await client.as(token).get("/v1/who-am-i"), 401, "unauthenticated");
    });

    test("is still there after a restart", async () => {
      const { token } = (await client.post(tokens, { role: "reader" })).body;
      await server.restart();
      expect((await client.as(token).get("/v1/who-am-i")).body).toMatchObject({ role: "reader" });
    });
  });

  describe("lastUsedOn", () => {
    const lastUse = async (id: string) => (await client.get(`${tokens}/${id}`)).body.lastUsedOn;

    test("is the time of the latest use, kept across a restart", async () => {
      const { id, token } = (await client.post(tokens, { role: "reader" })).body;
      expect(await lastUse(id)).toBeUndefined();
      await client.as(token).get("/v1/who-am-i");
      clock.advance(minute);
      await client.as(token).get("/v1/who-am-i");
      const used = clock.iso();
      clock.advance(minute);
      expect(await lastUse(id)).toBe(used);
      await server.restart();
      expect(await lastUse(id)).toBe(used);
    });

    test("is not moved by an expired token", async () => {
      const { id, token } = (await client.post(tokens, { role: "reader", expiresOn: clock.iso(second) })).body;
      clock.advance(second);
      expectProblem(await client.as(token).get("/v1/who-am-i"), 401, "token_expired");
      expect(await lastUse(id)).toBeUndefined();
    });

    test("is not inherited from a token that was deleted", async () => {
      const old = (await client.post(tokens, { role: "reader" })).body;
      await client.as(old.token).get("/v1/who-am-i");
      await client.delete(`${tokens}/${old.id}`);
      const { id } = (await client.post(tokens, { role: "reader" })).body;
      expect(await lastUse(id)).toBeUndefined();
    });
  });

  describe("credentials", () => {
    const rejected: [what: string, authorization: string | undefined][] = [
      ["none", undefined],
      ["an unknown token", "Bearer a-token-that-nobody-was-given"],
      ["a token and more", `Bearer ${adminToken}x`],
      ["the hash of a token", `Bearer ${createHash("sha256").update(adminToken).digest("hex")}`],
      ["a token without its scheme", adminToken],
      ["an empty token", "Bearer "],
      ["another scheme", `Basic ${Buffer.from(`admin:${adminToken}`).toString("base64")}`],
    ];
    test.each(casesFor(engine, rejected))(
      "%s: rejected, and the response describes how to send a token",
      async (_what, authorization) => {
        const headers = authorization === undefined ? undefined : { authorization };
        const before = await client.get("/v1/accounts/default/key-buckets");
        const response = await client
          .anonymous()
          .post("/v1/accounts/default/key-buckets", { name: "rejected" }, headers);
        expectProblem(response, 401, "unauthenticated");
        expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/);
        expect((await client.get("/v1/accounts/default/key-buckets")).body).toEqual(before.body);
      },
    );

    test("the name of the scheme may be in any case", async () => {
      const response = await client.anonymous().get("/v1/who-am-i", { authorization: `bearer ${adminToken}` });
      expect(response.status).toBe(200);
    });
  });
});
