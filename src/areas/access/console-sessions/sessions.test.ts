import { describe, expect, test } from "bun:test";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../test/support/server.ts";
import { adminToken } from "../../../../test/support/server-settings.ts";
import { holdText, tableContent } from "../../../../test/support/table-content.ts";

const hour = 60 * 60 * 1000;
const day = 24 * hour;
const operatorToken = "the-operator-of-this-test-installation";
const buckets = "/v1/accounts/default/key-buckets";

eachEngine((engine) => {
  const server = useServer(engine, { environment: { TOLLGATE_OPERATOR_TOKEN: operatorToken } });
  const { client, clock } = server;
  const browser = client.anonymous();
  const json = { "content-type": "application/json" };

  const own = () => ({ origin: server.url, ...json });
  const signIn = async (token: string) => {
    const response = await browser.post("/v1/sessions", { token }, own());
    expect(response.status).toBe(200);
    const cookie = response.headers.get("set-cookie")!;
    return { response, cookie: cookie.split(";")[0]!, attributes: cookie };
  };
  const newToken = async (role: string, more: object = {}) =>
    (await client.post("/v1/accounts/default/tokens", { role, ...more })).body as { id: string; token: string };

  describe("a session", () => {
    test("is created with a token, and has its permissions", async () => {
      const { id: sub, token } = await newToken("editor");
      const { response, cookie, attributes } = await signIn(token);
      const caller = { sub, account: "default", role: "editor" };
      expect(response.body).toEqual({ id: expect.stringMatching(/^sess_/), expiresOn: clock.iso(7 * day), caller });
      expect(attributes).toMatch(/^tollgate-session=tgs_[0-9a-f_]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=604800$/);
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect((await browser.get("/v1/who-am-i", { cookie })).body).toEqual(caller);
      expect((await browser.post(buckets, { name: `made-by-${engine.name}` }, { cookie, ...own() })).status).toBe(200);
    });

    test("is stored as a hash", async () => {
      const { cookie, response } = await signIn(adminToken);
      const rows = await tableContent(server.database, "sessions");
      expect(holdText(rows, response.body.id)).toBe(true);
      expect(holdText(rows, cookie.split("=")[1]!)).toBe(false);
      expect(server.log).not.toContain(cookie.split("=")[1]!);
    });

    test("may not do more than its token", async () => {
      const { cookie } = await signIn((await newToken("reader")).token);
      expectProblem(await browser.post(buckets, { name: "by-a-reader" }, { cookie, ...own() }), 403, "forbidden");
    });

    test("can be created with the operator token", async () => {
      const { cookie, response } = await signIn(operatorToken);
      expect(response.body.caller).toEqual({ sub: "operator", role: "operator" });
      expect((await browser.get("/v1/accounts", { cookie })).status).toBe(200);
    });

    test("is ignored if there is an Authorization header", async () => {
      const { cookie } = await signIn(adminToken);
      const { token } = await newToken("verifier");
      expect((await client.as(token).get("/v1/who-am-i", { cookie })).body.role).toBe("verifier");
      expectProblem(await client.as("tgt_nobody").get("/v1/who-am-i", { cookie }), 401, "unauthenticated");
    });

    test("is found beside other cookies, and only by its own name", async () => {
      const { cookie } = await signIn(adminToken);
      expect((await browser.get("/v1/who-am-i", { cookie: `a=b; ${cookie};c=d` })).status).toBe(200);
      const other = cookie.replace("tollgate-session", "__Host-tollgate");
      for (const wrong of [other, "tollgate-session=", "tollgate-session=tgs_1", "=", ";;"])
        expectProblem(await browser.get("/v1/who-am-i", { cookie: wrong }), 401, "unauthenticated");
    });
  });

  describe("a session is not made", () => {
    test.each(["tgt_nobody", "x"])("a session is not created with the token %s", async (token) => {
      const response = await browser.post("/v1/sessions", { token }, own());
      expectProblem(response, 401, "unauthenticated");
      expect(response.headers.has("set-cookie")).toBe(false);
    });

    test("a session is not created with a token that has expired", async () => {
      const { token } = await newToken("reader", { expiresOn: clock.iso(hour) });
      clock.advance(hour);
      expectProblem(await browser.post("/v1/sessions", { token }, own()), 401, "token_expired");
    });

    test.each([{}, { token: "" }, { token: 1 }, { token: "x".repeat(513) }])(
      "a session is not created from %p",
      async (body) => {
        expectProblem(await browser.post("/v1/sessions", body, own()), 400, "validation_failed", { pointer: "/token" });
      },
    );

    test("after too many invalid tokens, while valid tokens still work", async () => {
      for (let guess = 0; guess < 100; guess += 1)
        await browser.post("/v1/sessions", { token: `guess-${guess}` }, own());
      expectProblem(await browser.post("/v1/sessions", { token: "one-more" }, own()), 429, "too_many_failures");
      await signIn(adminToken);
      clock.advance(60_000);
    });
  });

  describe("another origin", () => {
    const others: [what: string, headers: Record<string, string>][] = [
      ["no origin", {}],
      ["another site", { origin: "https://evil.example" }],
      ["null", { origin: "null" }],
      ["another port", { origin: "http://127.0.0.1:1" }],
      ["a deployment's host", { origin: "http://shop.localhost:8787" }],
    ];
    test.each(casesFor(engine, others))("cannot sign in: %s", async (_what, headers) => {
      expectProblem(
        await browser.post("/v1/sessions", { token: adminToken }, { ...json, ...headers }),
        403,
        "origin_mismatch",
      );
    });

    test.each(casesFor(engine, others))("changes nothing with a session: %s", async (_what, headers) => {
      const { cookie } = await signIn(adminToken);
      const sent = { cookie, ...json, ...headers };
      expectProblem(await browser.post(buckets, { name: "from-elsewhere" }, sent), 403, "origin_mismatch");
      expectProblem(await browser.delete("/v1/sessions/current", sent), 403, "origin_mismatch");
      expectProblem(await browser.get(`${buckets}/from-elsewhere`, { cookie }), 404, "not_found");
      expect((await browser.get("/v1/who-am-i", { cookie })).status).toBe(200);
    });

    test("over https without a public URL names the missing setting", async () => {
      const origin = server.url.replace("http:", "https:");
      const response = await browser.post("/v1/sessions", { token: adminToken }, { ...json, origin });
      expectProblem(response, 403, "origin_mismatch");
      expect(response.body.detail).toContain(`Set TOLLGATE_PUBLIC_URL to ${origin}`);
    });
  });

  test.each(["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""])(
    "a body by cookie must be JSON, not %s",
    async (type) => {
      const { cookie } = await signIn(adminToken);
      const headers = { cookie, origin: server.url, "content-type": type };
      expectProblem(await browser.post(buckets, { name: "as-text" }, headers), 415, "unsupported_media_type");
      const signingIn = await browser.post(
        "/v1/sessions",
        { token: adminToken },
        { origin: server.url, "content-type": type },
      );
      expectProblem(signingIn, 415, "unsupported_media_type");
    },
  );

  describe("a session ends", () => {
    test("12 hours after its last use", async () => {
      const { cookie } = await signIn(adminToken);
      for (let hours = 0; hours < 30; hours += 11) {
        clock.advance(11 * hour);
        expect((await browser.get("/v1/who-am-i", { cookie })).status).toBe(200);
      }
      clock.advance(12 * hour);
      expectProblem(await browser.get("/v1/who-am-i", { cookie }), 401, "unauthenticated");
    });

    test("after 7 days of use", async () => {
      const { cookie } = await signIn(adminToken);
      for (let hours = 0; hours < 7 * 24 - 8; hours += 8) {
        clock.advance(8 * hour);
        expect((await browser.get("/v1/who-am-i", { cookie })).status).toBe(200);
      }
      clock.advance(8 * hour);
      expectProblem(await browser.get("/v1/who-am-i", { cookie }), 401, "unauthenticated");
    });

    test("a session ends when its token is deleted", async () => {
      const { id, token } = await newToken("editor");
      const { cookie } = await signIn(token);
      expect((await browser.get("/v1/who-am-i", { cookie })).status).toBe(200);
      await client.delete(`/v1/accounts/default/tokens/${id}`);
      expectProblem(await browser.get("/v1/who-am-i", { cookie }), 401, "unauthenticated");
      expect(holdText(await tableContent(server.database, "sessions"), id)).toBe(false);
    });

    test("a session ends when its token expires", async () => {
      const { token } = await newToken("editor", { expiresOn: clock.iso(hour) });
      const { cookie } = await signIn(token);
      clock.advance(hour);
      expectProblem(await browser.get("/v1/who-am-i", { cookie }), 401, "token_expired");
    });

    test("a session ends when its holder signs out", async () => {
      const { cookie } = await signIn(adminToken);
      const response = await browser.delete("/v1/sessions/current", { cookie, ...own() });
      expect(response.status).toBe(204);
      expect(response.headers.get("set-cookie")).toMatch(/^tollgate-session=; .*Max-Age=0/);
      expectProblem(await browser.get("/v1/who-am-i", { cookie }), 401, "unauthenticated");
    });

    test("when another session of the token ends it, and no other token's can", async () => {
      const { id, token } = await newToken("editor");
      const owner = { type: "token", id };
      const [one, other] = [await signIn(token), await signIn(token)];
      const stranger = await signIn(adminToken);
      const path = `/v1/sessions/${one.response.body.id}`;
      expectProblem(await browser.delete(path, { cookie: stranger.cookie, ...own() }), 404, "not_found");
      const listed = await browser.get("/v1/sessions", { cookie: other.cookie });
      expect(listed.body.data).toEqual([
        {
          id: one.response.body.id,
          createdOn: clock.iso(),
          lastUsedOn: clock.iso(),
          expiresOn: clock.iso(7 * day),
          owner,
          method: "token",
          ip: "127.0.0.1",
          isCurrent: false,
        },
        {
          id: other.response.body.id,
          createdOn: clock.iso(),
          lastUsedOn: clock.iso(),
          expiresOn: clock.iso(7 * day),
          owner,
          method: "token",
          ip: "127.0.0.1",
          isCurrent: true,
        },
      ]);
      expect((await browser.delete(path, { cookie: other.cookie, ...own() })).status).toBe(204);
      expectProblem(await browser.get("/v1/who-am-i", { cookie: one.cookie }), 401, "unauthenticated");
      expect((await browser.get("/v1/who-am-i", { cookie: other.cookie })).status).toBe(200);
    });

    test("current means nothing to a token", async () => {
      expectProblem(await client.delete("/v1/sessions/current"), 404, "not_found");
    });
  });

  test("signing in and out is in the audit log", async () => {
    const { token, id } = await newToken("editor", { name: "Ann" });
    const { cookie, response } = await signIn(token);
    await browser.delete("/v1/sessions/current", { cookie, ...own() });
    const { body } = await client.get(`/v1/accounts/default/audit-log?resource=${response.body.id}`);
    const actor = { type: "token", id, name: "Ann" };
    const resource = { type: "session", id: response.body.id };
    expect(body.data).toMatchObject([
      { action: "session.deleted", actor, resource },
      { action: "session.created", actor, resource },
    ]);
  });

  test("a restart ends no session but the operator's whose token has changed", async () => {
    const [admin, operator] = [await signIn(adminToken), await signIn(operatorToken)];
    await server.restart({ TOLLGATE_OPERATOR_TOKEN: "another-operator-of-this-test-installation" });
    expect((await browser.get("/v1/who-am-i", { cookie: admin.cookie })).status).toBe(200);
    expectProblem(await browser.get("/v1/who-am-i", { cookie: operator.cookie }), 401, "unauthenticated");
  });

  describe("with a public URL", () => {
    const secure = useServer(engine, {
      environment: {
        TOLLGATE_PUBLIC_URL: "https://gate.example",
        TOLLGATE_SMTP_URL: "smtp://127.0.0.1:1",
        TOLLGATE_MAIL_FROM: "gate@tollgate.example",
        TOLLGATE_OIDC_ISSUER: "http://127.0.0.1:1",
        TOLLGATE_OIDC_CLIENT_ID: "tollgate",
        TOLLGATE_OIDC_CLIENT_SECRET: "a-secret-of-the-console",
      },
    });
    const visitor = secure.client.anonymous();
    const headers = { host: "gate.example", ...json };

    test("the origin is that one, and the cookie is bound to it", async () => {
      const response = await visitor.post(
        "/v1/sessions",
        { token: adminToken },
        { ...headers, origin: "https://gate.example" },
      );
      const cookie = response.headers.get("set-cookie")!;
      expect(cookie).toMatch(/^__Host-tollgate=tgs_\S+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=604800; Secure$/);
      expect((await visitor.get("/v1/who-am-i", { cookie: cookie.split(";")[0]! })).status).toBe(200);
    });

    test("no other host can set the cookies of a sign-in by mail or with the provider", async () => {
      const own = { ...headers, origin: "https://gate.example" };
      const started = await visitor.post("/v1/sign-in", { email: "ada@acme.example" }, own);
      expect(started.headers.get("set-cookie")).toMatch(
        /^__Host-tollgate-sign-in=tgb_\w+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=900; Secure$/,
      );
      const url = `${secure.url}/sign-in/provider`;
      const begun = await fetch(url, { redirect: "manual", headers: { host: "gate.example" } });
      expect(begun.headers.getSetCookie()).toEqual([
        "__Host-tollgate-provider=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0; Secure",
      ]);
    });

    test.each(["http://gate.example", "https://gate.example:8443", "https://www.gate.example"])(
      "not %s",
      async (origin) => {
        expectProblem(
          await visitor.post("/v1/sessions", { token: adminToken }, { ...headers, origin }),
          403,
          "origin_mismatch",
        );
      },
    );
  });

  test("sign-in over plain http from another machine is rejected", async () => {
    const headers = { host: "10.0.0.7:8787", origin: "http://10.0.0.7:8787", ...json };
    expectProblem(await browser.post("/v1/sessions", { token: adminToken }, headers), 403, "insecure_origin");
  });
});
