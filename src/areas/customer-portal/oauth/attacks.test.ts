import { beforeAll, describe, expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import {
  authorizationIn,
  expectOAuthError,
  newPkce,
  OAuthPortal,
  redirectUri,
} from "../../../../test/support/oauth.ts";
import { PortalBrowser } from "../../../../test/support/portal.ts";
import { useServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;
  const portal = new OAuthPortal(server);
  const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;
  const ids = async () => (await portal.authorizations()).map(({ id }: { id: string }) => id);
  const lastAudit = async (action: string) =>
    (await client.get(`/v1/accounts/${account}/audit-log?action=${action}&limit=1`)).body.data[0];

  beforeAll(async () => {
    for (const name of ["acme", "globex"]) await portal.newCustomer(name, { permissions: ["read"] });
    await portal.set();
  });

  describe("codes", () => {
    test("a replayed code ends the authorization, and the audit log names the client", async () => {
      const pkce = newPkce();
      const code = await portal.code(await portal.browser("acme"), pkce);
      const { body } = await portal.exchange(code, pkce);
      expect(await ids()).toContain(authorizationIn(body));
      expectOAuthError(await portal.exchange(code, pkce), 400, "invalid_grant");
      expect(await ids()).not.toContain(authorizationIn(body));
      expectOAuthError(await portal.refresh(body.refresh_token), 400, "invalid_grant");
      expect(await lastAudit("authorization.ended")).toMatchObject({
        actor: { type: "client", id: portal.clientId, name: "Weather CLI" },
        resource: { type: "authorization", id: authorizationIn(body), parent: { type: "consumer", name: "acme" } },
      });
    });

    test("of two programs with one code, at most one gets tokens", async () => {
      const pkce = newPkce();
      const code = await portal.code(await portal.browser("acme"), pkce);
      const both = await Promise.all([portal.exchange(code, pkce), portal.exchange(code, pkce)]);
      expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
      const { body } = both.find(({ status }) => status === 200)!;
      expectOAuthError(await portal.refresh(body.refresh_token), 400, "invalid_grant");
    });

    test("a code is valid for a minute, and an authorization without tokens is not listed", async () => {
      const pkce = newPkce();
      const before = await ids();
      const code = await portal.code(await portal.browser("acme"), pkce);
      expect(await ids()).toEqual(before);
      const { id: lastCreated } = await lastAudit("authorization.created");
      clock.advance(60_000);
      expectOAuthError(await portal.exchange(code, pkce), 400, "invalid_grant");
      // Its other fields change when the entry is sealed.
      expect((await lastAudit("authorization.created")).id).toBe(lastCreated);
    });

    test("a code needs the verifier of the program that requested it, and its client and redirect", async () => {
      const pkce = newPkce();
      const code = await portal.code(await portal.browser("acme"), pkce);
      // The code of one customer, in the session of another: the other program has another verifier.
      expectOAuthError(await portal.exchange(code, newPkce()), 400, "invalid_grant");
      expectOAuthError(await portal.exchange(code, pkce, { code_verifier: undefined }), 400, "invalid_request");
      expectOAuthError(await portal.exchange(code, pkce, { code_verifier: pkce.challenge }), 400, "invalid_grant");
      expectOAuthError(await portal.exchange(code, pkce, { code_verifier: "short" }), 400, "invalid_request");
      expectOAuthError(
        await portal.exchange(code, pkce, { redirect_uri: "http://127.0.0.1/other" }),
        400,
        "invalid_grant",
      );
      const other = await portal.newClient("Other", [redirectUri]);
      expectOAuthError(await portal.exchange(code, pkce, { client_id: other.id }), 400, "invalid_grant");
      expectOAuthError(await portal.exchange(code, pkce, { client_id: "oac_unknown" }), 401, "invalid_client");
      expect((await portal.exchange(code, pkce)).status).toBe(200);
    });

    for (const [name, more] of [
      ["without a challenge", { code_challenge: undefined, code_challenge_method: undefined }],
      ["plain", { code_challenge_method: "plain" }],
      ["no method, which means plain", { code_challenge_method: undefined }],
      ["a challenge that is no SHA-256", { code_challenge: "abc" }],
    ] as [string, Record<string, string | undefined>][])
      test(`PKCE cannot be left out: ${name}`, async () => {
        const { status, headers } = await portal.send(`/oauth/authorize?${portal.query(newPkce(), more)}`);
        const location = new URL(headers.get("location")!);
        expect(status).toBe(302);
        expect(Object.fromEntries(location.searchParams)).toMatchObject({ error: "invalid_request", iss: portal.url });
        const browser = await portal.browser("acme");
        const returned = await portal.consent(browser, portal.query(newPkce(), more));
        expect(returned.searchParams.get("error")).toBe("invalid_request");
      });
  });

  describe("redirects", () => {
    const registered = "https://app.example.com/oauth/callback";
    const lookAlikes = [
      "https://user@app.example.com/oauth/callback",
      "https://app.example.com@evil.example/oauth/callback",
      "https://app.example.com:8443/oauth/callback",
      "https://app.example.com/oauth/callback/",
      "https://app.example.com/oauth/callback/../other",
      "https://app.example.com/oauth/Callback",
      "https://APP.example.com/oauth/callback",
      "https://app.example.com/oauth/%63allback",
      "https://app.example.com/oauth/callback?next=evil",
      "https://app.example.com/oauth/callback#part",
      "https://app.example.com.evil.example/oauth/callback",
      "https://app.example.com\\@evil.example/oauth/callback",
      "https://app.example.com/oauth/callback\n",
      "http://app.example.com/oauth/callback",
      "http://127.0.0.1.evil.example/callback",
      "http://127.0.0.1:80@evil.example/callback",
      "http://127.0.0.2/callback",
      "http://[::1]/callback",
      "https://127.0.0.1/callback",
      "javascript:alert(1)",
    ];
    let id: string;

    beforeAll(async () => {
      id = (await portal.newClient("App", [registered, "http://127.0.0.1/callback"])).id;
    });

    test("only a registered address is used, compared exactly; the browser is not redirected to another", async () => {
      const browser = await portal.browser("acme");
      for (const redirect_uri of lookAlikes) {
        const query = portal.query(newPkce(), { client_id: id, redirect_uri });
        const { status, headers } = await portal.send(`/oauth/authorize?${query}`);
        expect({ redirect_uri, status, location: headers.get("location") }).toEqual({
          redirect_uri,
          status: 400,
          location: null,
        });
        expectProblem(await browser.post("/oauth/request", { query }), 400, "oauth_request_invalid");
      }
    });

    test("only the port of a loopback address may differ", async () => {
      const browser = await portal.browser("acme");
      for (const redirect_uri of ["http://127.0.0.1:49152/callback", "http://127.0.0.1/callback", registered]) {
        const url = await portal.consent(browser, portal.query(newPkce(), { client_id: id, redirect_uri }));
        expect(url.href.startsWith(`${redirect_uri}?code=`)).toBe(true);
      }
    });

    test("a client cannot register an address that is neither https nor loopback", async () => {
      for (const uri of ["http://app.example.com/", "myapp:/callback", "javascript:alert(1)", "https://a@b.example/"])
        expectProblem(
          await client.post(`${portal.path}/oauth-clients`, { name: "App", redirectUris: [uri] }),
          400,
          "validation_failed",
        );
    });

    test("an unknown client, a repeated parameter and a missing redirect are rejected on the page", async () => {
      const query = portal.query(newPkce());
      for (const wrong of [
        portal.query(newPkce(), { client_id: "oac_unknown" }),
        portal.query(newPkce(), { client_id: undefined }),
        `${query}&client_id=${portal.clientId}`,
        `${query}&redirect_uri=${encodeURIComponent("https://evil.example/")}`,
        portal.query(newPkce(), { client_id: id, redirect_uri: undefined }),
      ])
        expect((await portal.send(`/oauth/authorize?${wrong}`)).status).toBe(400);
    });
  });

  describe("refresh tokens", () => {
    test("the previous refresh token works for 30 s and returns the same new token", async () => {
      const first = await portal.tokens(await portal.browser("acme"));
      const second = await portal.refresh(first.refresh_token);
      clock.advance(29_999);
      const again = await portal.refresh(first.refresh_token);
      expect(again.body.refresh_token).toBe(second.body.refresh_token);
      const third = await portal.refresh(second.body.refresh_token);
      expect(third.status).toBe(200);
      expect(third.body.refresh_token).not.toBe(second.body.refresh_token);
    });

    test("a previous refresh token that is used after 30 s ends the authorization", async () => {
      const first = await portal.tokens(await portal.browser("acme"));
      const second = await portal.refresh(first.refresh_token);
      clock.advance(30_000);
      expectOAuthError(await portal.refresh(first.refresh_token), 400, "invalid_grant");
      expectOAuthError(await portal.refresh(second.body.refresh_token), 400, "invalid_grant");
      expect(await ids()).not.toContain(authorizationIn(first));
    });

    test("an older refresh token ends the authorization at once", async () => {
      const first = await portal.tokens(await portal.browser("acme"));
      const second = await portal.refresh(first.refresh_token);
      const third = await portal.refresh(second.body.refresh_token);
      expectOAuthError(await portal.refresh(first.refresh_token), 400, "invalid_grant");
      expectOAuthError(await portal.refresh(third.body.refresh_token), 400, "invalid_grant");
    });

    test("a forged refresh token, or one of another client, ends no authorization", async () => {
      const first = await portal.tokens(await portal.browser("acme"));
      const [, id, number, mac] = first.refresh_token.split("_") as [string, string, string, string];
      const wrong = mac.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
      for (const token of [
        `tgrt_${id}_0_${mac}`,
        `tgrt_${id}_${number}_${wrong}`,
        `tgrt_${id}_2_${wrong}`,
        "tgrt_x",
        "x",
      ])
        expectOAuthError(await portal.refresh(token), 400, "invalid_grant");
      const other = await portal.newClient("Other", [redirectUri]);
      expectOAuthError(await portal.refresh(first.refresh_token, { client_id: other.id }), 400, "invalid_grant");
      expect((await portal.refresh(first.refresh_token)).status).toBe(200);
    });
  });

  describe("consent", () => {
    test("consent requires keys:write and is rejected in a view; a person without the scope can deny", async () => {
      const query = portal.query(newPkce());
      const reader = await portal.browser("acme", { scopes: ["keys:read", "usage:read"] });
      const view = new PortalBrowser(server, portal.url);
      const { body } = await client.post(`${portal.path}/$view`, { consumerName: "acme" });
      await view.signIn(new URLSearchParams(new URL(body.url).hash.slice(1)).get("code")!);
      const { id: consumerId } = (await client.get(`${consumers}/acme`)).body;
      const before = await ids();
      for (const browser of [reader, view]) {
        expectProblem(await browser.post("/oauth/request", { query }), 403, "portal_scope_missing");
        const decision = { query, consumerId, isApproved: true };
        expectProblem(await browser.post("/oauth/decision", decision), 403, "portal_scope_missing");
        const denied = await browser.post("/oauth/decision", { ...decision, isApproved: false });
        expect(new URL(denied.body.redirectTo).searchParams.get("error")).toBe("access_denied");
        expectProblem(await browser.post("/oauth-clients", { name: "Import" }), 403, "portal_scope_missing");
      }
      expect(await ids()).toEqual(before);
    });

    test("consent is rejected if the session has switched to another customer than the page shows", async () => {
      const query = portal.query(newPkce());
      const browser = await portal.browser("acme");
      const { body } = await browser.post("/oauth/request", { query });
      const other = await portal.browser("globex");
      const decision = { query, consumerId: body.consumer.id, isApproved: true };
      expectProblem(await other.post("/oauth/decision", decision), 409, "session_replaced");
    });

    test("a consent from another origin, without JSON or without a session is rejected", async () => {
      const query = portal.query(newPkce());
      const browser = await portal.browser("acme");
      const { body } = await browser.post("/oauth/request", { query });
      const decision = { query, consumerId: body.consumer.id, isApproved: true };
      const before = await ids();
      for (const headers of [{ origin: "https://evil.example" }, { "content-type": "text/plain" }] as Record<
        string,
        string
      >[])
        expect((await browser.post("/oauth/decision", decision, headers)).status).toBeGreaterThanOrEqual(400);
      expectProblem(
        await new PortalBrowser(server, portal.url).post("/oauth/decision", decision),
        401,
        "session_required",
      );
      expect(await ids()).toEqual(before);
    });

    test("a customer cannot authorize the client of another customer", async () => {
      const acme = await portal.browser("acme");
      const own = await acme.post("/oauth-clients", { name: "Own app", redirectUris: [redirectUri] });
      const query = portal.query(newPkce(), { client_id: own.body.clientId });
      expect((await portal.consent(acme, query)).searchParams.has("code")).toBe(true);
      const globex = await portal.browser("globex");
      expectProblem(await globex.post("/oauth/request", { query }), 400, "oauth_request_invalid");
      expectProblem(await globex.delete(`/oauth-clients/${own.body.id}`), 404, "not_found");
      expect((await globex.get("/oauth-clients")).body.data).toEqual([]);
    });
  });

  describe("an authorization ends", () => {
    test("deleting a consumer ends its authorizations; a new consumer of the same name has none", async () => {
      await portal.newCustomer("short", { permissions: ["read"] });
      const tokens = await portal.tokens(await portal.browser("short"));
      await client.delete(`${consumers}/short`);
      await portal.newCustomer("short", { permissions: ["read"] });
      expectOAuthError(await portal.refresh(tokens.refresh_token), 400, "invalid_grant");
      expect(await ids()).not.toContain(authorizationIn(tokens));
      expect((await (await portal.browser("short")).get("/authorizations")).body.data).toEqual([]);
    });

    test("deleting a client ends its authorizations", async () => {
      const { id } = await portal.newClient("Gone", [redirectUri]);
      const pkce = newPkce();
      const code = await portal.code(await portal.browser("acme"), pkce, { client_id: id });
      const { body } = await portal.exchange(code, pkce, { client_id: id });
      expect(await ids()).toContain(authorizationIn(body));
      await client.delete(`${portal.path}/oauth-clients/${id}`);
      expect(await ids()).not.toContain(authorizationIn(body));
      expectOAuthError(await portal.refresh(body.refresh_token, { client_id: id }), 401, "invalid_client");
    });

    test("an authorization is ended by its customer, the operator or its program, not by other customers", async () => {
      const acme = await portal.browser("acme");
      const [one, two, three, four] = [
        await portal.tokens(acme),
        await portal.tokens(acme),
        await portal.tokens(acme),
        await portal.tokens(acme),
      ] as const;
      const globex = await portal.browser("globex");
      expectProblem(await globex.delete(`/authorizations/${authorizationIn(one)}`), 404, "not_found");
      expect((await acme.delete(`/authorizations/${authorizationIn(one)}`)).status).toBe(204);
      expect((await client.delete(`${portal.path}/authorizations/${authorizationIn(two)}`)).status).toBe(204);
      const revoke = (token: string) => portal.submit("/oauth/revoke", { token, client_id: portal.clientId });
      expect((await revoke(three.refresh_token)).status).toBe(200);
      expect((await revoke(four.access_token)).status).toBe(200);
      for (const { refresh_token } of [one, two, three, four])
        expectOAuthError(await portal.refresh(refresh_token), 400, "invalid_grant");
      for (const token of [three.refresh_token, "unknown", `${four.access_token}x`])
        expect((await revoke(token)).status).toBe(200);
    });

    test("a program cannot end the authorization of another program", async () => {
      const tokens = await portal.tokens(await portal.browser("acme"));
      const other = await portal.newClient("Other", [redirectUri]);
      for (const token of [tokens.refresh_token, tokens.access_token])
        expect((await portal.submit("/oauth/revoke", { token, client_id: other.id })).status).toBe(200);
      expect((await portal.refresh(tokens.refresh_token)).status).toBe(200);
    });
  });

  test("codes and tokens of one portal are not valid at another", async () => {
    await client.post(`/v1/accounts/${account}/key-buckets`, { name: "second" });
    const second = new OAuthPortal(server, "second");
    await second.newCustomer("acme", { permissions: ["read"] });
    await second.set();
    const pkce = newPkce();
    const code = await portal.code(await portal.browser("acme"), pkce);
    expectOAuthError(await second.exchange(code, pkce), 400, "invalid_grant");
    expectOAuthError(await second.exchange(code, pkce, { client_id: portal.clientId }), 401, "invalid_client");
    const { body } = await portal.exchange(code, pkce);
    expectOAuthError(await second.refresh(body.refresh_token), 400, "invalid_grant");
    expect(
      (await second.submit("/oauth/revoke", { token: body.access_token, client_id: second.clientId })).status,
    ).toBe(200);
    expect((await portal.refresh(body.refresh_token)).status).toBe(200);
  });
});
