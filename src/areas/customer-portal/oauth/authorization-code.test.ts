import { beforeAll, describe, expect, test } from "bun:test";
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import {
  authorizationIn,
  expectOAuthError,
  newDeployment,
  newPkce,
  OAuthPortal,
  redirectUri,
} from "../../../../test/support/oauth.ts";
import { useServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";
import { tableContent } from "../../../../test/support/table-content.ts";

const day = 24 * 60 * 60 * 1000;

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;
  const portal = new OAuthPortal(server);
  const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;

  beforeAll(async () => {
    await portal.newCustomer("acme", {
      permissions: ["forecast:read", "alerts:*"],
      allowedIps: ["192.0.2.0/24"],
      rateLimit: { requests: 5, windowSeconds: 60 },
    });
    await portal.newCustomer("plain");
    await portal.set();
  });

  test("a program gets tokens that are limited to it, and refreshes them", async () => {
    const browser = await portal.browser("acme");
    const pkce = newPkce();
    const query = portal.query(pkce, { scope: "forecast:read alerts:write admin" });
    const page = await portal.send(`/oauth/authorize?${query}`);
    expect(page.status).not.toBe(400);
    const asked = await browser.post("/oauth/request", { query });
    const { body: consumer } = await client.get(`${consumers}/acme`);
    expect(asked.body).toEqual({
      client: { name: "Weather CLI", type: "registered" },
      host: "127.0.0.1",
      consumer: { id: consumer.id, name: "acme" },
      deployment: portal.deployment,
      permissions: ["forecast:read", "alerts:write"],
      expiresOn: clock.iso(30 * day),
    });
    const returned = await portal.consent(browser, query);
    expect(returned.origin + returned.pathname).toBe(redirectUri);
    expect(returned.searchParams.get("state")).toBe("af0ifjsldkj");
    expect(returned.searchParams.get("iss")).toBe(portal.url);
    const issued = await portal.exchange(returned.searchParams.get("code")!, pkce);
    expect(issued.headers.get("cache-control")).toBe("no-store");
    expect(issued.body).toEqual({
      access_token: expect.any(String),
      token_type: "Bearer",
      expires_in: 900,
      refresh_token: expect.stringMatching(/^tgrt_/),
      scope: "forecast:read alerts:write",
    });

    const { body: keys } = await portal.send("/oauth/jwks");
    expect(keys.keys).toEqual([
      { kty: "RSA", n: expect.any(String), e: "AQAB", use: "sig", alg: "RS256", kid: expect.any(String) },
    ]);
    const { payload, protectedHeader } = await jwtVerify(issued.body.access_token, createLocalJWKSet(keys), {
      currentDate: new Date(clock.now()),
    });
    expect(protectedHeader).toEqual({ alg: "RS256", typ: "at+jwt", kid: keys.keys[0].kid });
    const now = Math.floor(clock.now() / 1000);
    expect(payload).toEqual({
      iss: portal.url,
      sub: consumer.id,
      aud: portal.deployment,
      client_id: portal.clientId,
      scope: "forecast:read alerts:write",
      authorization: expect.stringMatching(/^auth_/),
      jti: expect.any(String),
      iat: now,
      exp: now + 900,
    });
    const authorization = {
      id: payload.authorization,
      client: {
        id: portal.clientId,
        clientId: portal.clientId,
        name: "Weather CLI",
        type: "registered",
        host: "127.0.0.1",
      },
      subject: "user-1",
      permissions: ["forecast:read", "alerts:write"],
      deployment: portal.deployment,
      createdOn: clock.iso(),
      refreshedOn: clock.iso(),
      expiresOn: clock.iso(30 * day),
    };
    expect((await browser.get("/authorizations")).body.data).toEqual([authorization]);
    const shown = { ...authorization, consumer: { id: consumer.id, name: "acme" } };
    expect(await portal.authorizations()).toEqual([shown]);
    expect(await portal.authorizations("?consumerName=plain")).toEqual([]);
    expect(await portal.authorizations(`?consumerName=acme&clientId=${portal.clientId}`)).toEqual([shown]);
    expect((await client.get(`${portal.path}/authorizations/${payload.authorization}`)).body).toEqual(shown);

    clock.advance(60_000);
    const refreshed = await portal.refresh(issued.body.refresh_token, { scope: "forecast:read other" });
    expect(refreshed.body).toMatchObject({ scope: "forecast:read", expires_in: 900 });
    expect(authorizationIn(refreshed.body)).toBe(payload.authorization as string);
    const stored = JSON.stringify(await tableContent(server.database, "oauth_authorizations"));
    for (const secret of [returned.searchParams.get("code")!, issued.body.refresh_token, pkce.verifier])
      expect(stored).not.toContain(secret);
  });

  test("without scopes, a program gets all that a new key would have, also if that is nothing", async () => {
    expect((await portal.tokens(await portal.browser("acme"))).scope).toBe("forecast:read alerts:*");
    const browser = await portal.browser("plain");
    expect((await portal.tokens(browser)).scope).toBe("");
    const url = await portal.consent(browser, portal.query(newPkce(), { scope: "forecast:read" }));
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ error: "invalid_scope", iss: portal.url });
  });

  test("rules follow those of a new key at each token", async () => {
    await portal.newCustomer("narrow", { permissions: ["read", "write"] });
    const tokens = await portal.tokens(await portal.browser("narrow"));
    const [{ id }] = (await client.get(`${consumers}/narrow/keys`)).body.data;
    await client.patch(`${consumers}/narrow/keys/${id}`, { permissions: ["read"] });
    const refreshed = await portal.refresh(tokens.refresh_token);
    expect(refreshed.body.scope).toBe("read");
    await client.patch(`${consumers}/narrow/keys/${id}`, { permissions: ["other"] });
    expectOAuthError(await portal.refresh(refreshed.body.refresh_token), 400, "invalid_scope");
    // The rejected request has not used the token up.
    await client.patch(`${consumers}/narrow/keys/${id}`, { permissions: ["write"] });
    expect((await portal.refresh(refreshed.body.refresh_token)).body.scope).toBe("write");
  });

  test("an authorization lasts for refreshDays, and no token longer", async () => {
    await portal.set({ refreshDays: 1, accessTokenMinutes: 60 });
    const { refresh_token } = await portal.tokens(await portal.browser("acme"));
    clock.advance(day - 600_000);
    const last = await portal.refresh(refresh_token);
    expect(last.body.expires_in).toBe(600);
    clock.advance(600_000);
    expectOAuthError(await portal.refresh(last.body.refresh_token), 400, "invalid_grant");
    await portal.set();
  });

  test("the person can deny", async () => {
    const url = await portal.consent(await portal.browser("acme"), portal.query(newPkce()), false);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      error: "access_denied",
      state: "af0ifjsldkj",
      iss: portal.url,
    });
  });

  test("while OAuth or the portal is off, nothing is issued; it continues afterwards", async () => {
    const browser = await portal.browser("acme");
    const { refresh_token } = await portal.tokens(browser);
    await portal.set({ isEnabled: false });
    expect((await portal.refresh(refresh_token)).status).toBe(404);
    expect((await portal.send("/.well-known/oauth-authorization-server")).status).toBe(404);
    expect((await portal.send(`/oauth/authorize?${portal.query(newPkce())}`)).status).toBe(404);
    expectProblem(await browser.post("/oauth/request", { query: portal.query(newPkce()) }), 404, "no_such_route");
    await portal.set({}, { isEnabled: false });
    expect((await portal.refresh(refresh_token)).status).toBe(404);
    await portal.set();
    expect((await portal.refresh(refresh_token)).status).toBe(200);
  });

  describe("resource", () => {
    test("may be any host of the deployment, or a URL below; it must be one of the portal's", async () => {
      const browser = await portal.browser("acme");
      const other = await newDeployment(client, "other");
      const hidden = await newDeployment(client, "hidden");
      const urlOf = (name: string) => portal.url.replace(/\/\/[^:]+/, `//${name}.localhost`);
      const errorOf = async (more: Record<string, string | undefined>) =>
        (await portal.consent(browser, portal.query(newPkce(), more))).searchParams.get("error");
      const own = urlOf(portal.deployment);
      for (const resource of [own, `${own}/`, `${own}/v1/mcp?a=b`]) expect(await errorOf({ resource })).toBeNull();
      const wrong = [urlOf(hidden), "not a url", `${own}/#part`, own.replace("http:", "https:"), "https://example.com"];
      for (const resource of [...wrong, own.replace(/:\d+$/, ":1"), own.replace("//", "//user@")])
        expect({ resource, error: await errorOf({ resource }) }).toEqual({ resource, error: "invalid_target" });
      await portal.set({}, { deployments: [portal.deployment, other] });
      expect(await errorOf({})).toBe("invalid_target");
      const pkce = newPkce();
      const code = await portal.code(browser, pkce, { resource: own });
      expectOAuthError(await portal.exchange(code, pkce, { resource: urlOf(other) }), 400, "invalid_target");
      const { body } = await portal.exchange(code, pkce);
      expectOAuthError(await portal.refresh(body.refresh_token, { resource: urlOf(other) }), 400, "invalid_target");
      expect((await portal.refresh(body.refresh_token, { resource: own })).status).toBe(200);
      await portal.set();
    });
  });

  test("keys rotate: a successor is published for a day before it signs, and the old one verifies as long as its tokens", async () => {
    const browser = await portal.browser("acme");
    const kidOf = async () => decodeProtectedHeader((await portal.tokens(browser)).access_token).kid;
    const published = async () => (await portal.send("/oauth/jwks")).body.keys.map(({ kid }: { kid: string }) => kid);
    const first = await kidOf();
    clock.advance(90 * day);
    const again = await portal.browser("acme");
    const next = async () => decodeProtectedHeader((await portal.tokens(again)).access_token).kid;
    expect(await next()).toBe(first!);
    const [second, ...older] = await published();
    expect(older).toEqual([first]);
    clock.advance(day / 2 - 1);
    expect(await next()).toBe(first!);
    clock.advance(day / 2 + 1);
    const later = await portal.browser("acme");
    expect(decodeProtectedHeader((await portal.tokens(later)).access_token).kid).toBe(second);
    expect(await published()).toEqual([second, first]);
    clock.advance(25 * 60 * 60 * 1000);
    expect(await published()).toEqual([second]);

    const rotated = await client.post(`${portal.path}/oauth-keys/$rotate`, {});
    expect(rotated.body.keys).toHaveLength(2);
    const revoking = await client.post(`${portal.path}/oauth-keys/$rotate`, { revokesTokens: true });
    expect(revoking.body.keys).toHaveLength(1);
    expect(await published()).toEqual([revoking.body.keys[0].kid]);
  });
});
