import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { expectOAuthError, newPkce, OAuthPortal, redirectUri } from "../../../../test/support/oauth.ts";
import type { PortalBrowser } from "../../../../test/support/portal.ts";
import { useServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";
import { until } from "../../../../test/support/until.ts";

const day = 24 * 60 * 60 * 1000;

eachEngine((engine) => {
  const server = useServer(engine, {
    environment: { TOLLGATE_EGRESS: "any", TOLLGATE_TRUSTED_PROXIES: "127.0.0.1", TOLLGATE_DRAIN_SECONDS: "0" },
  });
  const { client, clock } = server;
  const portal = new OAuthPortal(server);
  const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;

  beforeAll(async () => {
    for (const name of ["acme", "globex", "many"]) await portal.newCustomer(name, { permissions: ["read", "write"] });
    await portal.set();
  });

  test("operators create, list, change and delete clients", async () => {
    const created = await portal.newClient("App", ["https://app.example.com/callback"]);
    expect(created).toEqual({
      id: expect.stringMatching(/^oac_/),
      clientId: created.id,
      type: "registered",
      name: "App",
      redirectUris: ["https://app.example.com/callback"],
      createdOn: clock.iso(),
      updatedOn: clock.iso(),
    });
    const path = `${portal.path}/oauth-clients/${created.id}`;
    expect((await client.get(`${portal.path}/oauth-clients`)).body.data).toContainEqual(created);
    const changed = await client.patch(path, { name: "Better app" });
    expect(changed.body).toEqual({ ...created, name: "Better app" });
    expect((await client.get(path)).body).toEqual(changed.body);
    expect((await client.delete(path)).status).toBe(204);
    expectProblem(await client.get(path), 404, "not_found");
  });

  describe("a service client", () => {
    const tokenOf = (id: string, secret: string, more: Record<string, string> = {}) =>
      portal.submit("/oauth/token", {
        grant_type: "client_credentials",
        client_id: id,
        client_secret: secret,
        ...more,
      });

    test("a service client gets tokens with its secret, in form or header, until its authorization ends", async () => {
      const browser = await portal.browser("acme");
      const { body: service } = await browser.post("/oauth-clients", { name: "Import" });
      const { clientSecret, ...shown } = service;
      expect(clientSecret).toMatch(/^tgcs_/);
      expect(shown).toMatchObject({ type: "service", redirectUris: [] });
      expect((await browser.get("/oauth-clients")).body.data).toEqual([shown]);
      const { body, status } = await tokenOf(service.clientId, clientSecret, { scope: "read" });
      expect({ status, body }).toEqual({
        status: 200,
        body: { access_token: expect.any(String), token_type: "Bearer", expires_in: 900, scope: "read" },
      });
      const { id: sub } = (await client.get(`${consumers}/acme`)).body;
      expect(decodeJwt(body.access_token)).toMatchObject({ sub, aud: portal.deployment, client_id: service.clientId });
      const authorization = `Basic ${Buffer.from(`${service.clientId}:${clientSecret}`).toString("base64")}`;
      const form = { grant_type: "client_credentials" };
      expect((await portal.submit("/oauth/token", form, { authorization })).body.scope).toBe("read write");
      const wrong = `Basic ${Buffer.from(`${service.clientId}:wrong`).toString("base64")}`;
      const rejected = await portal.submit("/oauth/token", form, { authorization: wrong });
      expectOAuthError(rejected, 401, "invalid_client");
      expect(rejected.headers.get("www-authenticate")).toMatch(/^Basic /);
      expectOAuthError(await tokenOf(service.clientId, "wrong"), 401, "invalid_client");
      expectOAuthError(
        await portal.submit("/oauth/token", { ...form, client_id: service.clientId }),
        401,
        "invalid_client",
      );
      expectOAuthError(await tokenOf(service.clientId, clientSecret, { scope: "other" }), 400, "invalid_scope");

      const [ofClient] = (await browser.get("/authorizations")).body.data;
      expect(ofClient).toMatchObject({ client: { clientId: service.clientId, type: "service" }, expiresOn: null });
      await browser.delete(`/authorizations/${ofClient.id}`);
      expectOAuthError(await tokenOf(service.clientId, clientSecret), 400, "unauthorized_client");
      expect((await browser.delete(`/oauth-clients/${service.id}`)).status).toBe(204);
      expectOAuthError(await tokenOf(service.clientId, clientSecret), 401, "invalid_client");
    });

    test("a service client has only the client credentials grant, and other clients do not have it", async () => {
      const browser = await portal.browser("acme");
      const { body: service } = await browser.post("/oauth-clients", { name: "Import" });
      const query = portal.query(newPkce(), { client_id: service.clientId });
      expect((await portal.send(`/oauth/authorize?${query}`)).status).toBe(400);
      const fields = { client_id: service.clientId, client_secret: service.clientSecret };
      const form = { ...fields, grant_type: "refresh_token", refresh_token: "x" };
      expectOAuthError(await portal.submit("/oauth/token", form), 400, "unauthorized_client");
      const grant_type = "client_credentials";
      expectOAuthError(
        await portal.submit("/oauth/token", { grant_type, client_id: portal.clientId }),
        400,
        "unauthorized_client",
      );
      expectOAuthError(
        await portal.submit("/oauth/token", { grant_type: "password", client_id: portal.clientId }),
        400,
        "unsupported_grant_type",
      );
      expectOAuthError(await portal.submit("/oauth/token", { client_id: portal.clientId }), 400, "invalid_request");
      const json = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
      expectOAuthError(await portal.send("/oauth/token", json), 400, "invalid_request");
    });

    test("a customer has at most 20 clients", async () => {
      const browser = await portal.browser("globex");
      for (let index = 0; index < 20; index++)
        expect((await browser.post("/oauth-clients", { name: `${index}` })).status).toBe(200);
      expectProblem(await browser.post("/oauth-clients", { name: "one more" }), 409, "oauth_client_limit_reached");
      expect((await browser.get("/oauth-clients?limit=100")).body.total).toBe(20);
    });
  });

  describe("metadata of the server", () => {
    const metadata = async () => (await portal.send("/.well-known/oauth-authorization-server")).body;

    test("the metadata advertises only enabled features", async () => {
      const common = {
        issuer: portal.url,
        authorization_endpoint: `${portal.url}/oauth/authorize`,
        token_endpoint: `${portal.url}/oauth/token`,
        revocation_endpoint: `${portal.url}/oauth/revoke`,
        jwks_uri: `${portal.url}/oauth/jwks`,
        response_types_supported: ["code"],
        response_modes_supported: ["query"],
        grant_types_supported: ["authorization_code", "refresh_token", "client_credentials"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
        revocation_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
        authorization_response_iss_parameter_supported: true,
      };
      expect(await metadata()).toEqual(common);
      await portal.set({ registration: "metadata" });
      expect(await metadata()).toEqual({ ...common, client_id_metadata_document_supported: true });
      await portal.set({ registration: "open" });
      expect(await metadata()).toEqual({
        ...common,
        client_id_metadata_document_supported: true,
        registration_endpoint: `${portal.url}/oauth/register`,
      });
      await portal.set();
    });

    test("the metadata and the endpoints of programs allow any origin, and pages do not", async () => {
      const { headers } = await portal.send("/.well-known/oauth-authorization-server");
      expect(headers.get("access-control-allow-origin")).toBe("*");
      const preflight = await portal.send("/oauth/token", { method: "OPTIONS" });
      expect(preflight.status).toBe(204);
      expect((await portal.send("/portal/api/site")).headers.get("access-control-allow-origin")).toBeNull();
    });
  });

  describe("registration", () => {
    const register = (body: unknown, headers: Record<string, string> = {}) =>
      portal.send("/oauth/register", {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      });
    const total = async () => (await client.get(`${portal.path}/oauth-clients`)).body.total;

    test("only portals with open registration accept registrations", async () => {
      const before = await total();
      for (const registration of ["closed", "metadata"]) {
        await portal.set({ registration });
        expect((await register({ redirect_uris: [redirectUri] })).status).toBe(404);
      }
      expect(await total()).toBe(before);
    });

    test("registration creates a public client, which expires unless a customer authorizes it", async () => {
      await portal.set({ registration: "open" });
      const { status, body } = await register({
        client_name: "Agent",
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: "client_secret_basic",
      });
      expect({ status, body }).toEqual({
        status: 201,
        body: {
          client_id: expect.stringMatching(/^oac_/),
          client_id_issued_at: Math.floor(clock.now() / 1000),
          client_name: "Agent",
          redirect_uris: [redirectUri],
          grant_types: ["authorization_code", "refresh_token"],
          response_types: ["code"],
          token_endpoint_auth_method: "none",
        },
      });
      const unused = (await register({ redirect_uris: ["https://agent.example/callback"] })).body;
      expect(unused.client_name).toBe("agent.example");
      const pkce = newPkce();
      const more = { client_id: body.client_id };
      const code = await portal.code(await portal.browser("acme"), pkce, more);
      const issued = await portal.exchange(code, pkce, more);
      expect(issued.status).toBe(200);
      clock.advance(day);
      await server.runTasks();
      expect(
        (await portal.send(`/oauth/authorize?${portal.query(pkce, { client_id: unused.client_id })}`)).status,
      ).toBe(400);
      expectProblem(await client.get(`${portal.path}/oauth-clients/${unused.client_id}`), 404, "not_found");
      expect((await client.get(`${portal.path}/oauth-clients/${body.client_id}`)).body.type).toBe("dynamic");
      // A portal that is closed since stops what was authorized, and authorizes no more.
      await portal.set();
      expectOAuthError(await portal.refresh(issued.body.refresh_token, more), 400, "unauthorized_client");
      expect((await portal.send(`/oauth/authorize?${portal.query(pkce, more)}`)).status).toBe(400);
      expectProblem(
        await client.patch(`${portal.path}/oauth-clients/${body.client_id}`, { name: "Other" }),
        409,
        "oauth_client_fixed",
      );
    });

    test("clients that are not the operator's are no open redirect: errors are shown on a page", async () => {
      await portal.set({ registration: "open" });
      const evil = "https://evil.example/phish";
      const { body: registered } = await register({ client_name: "Evil", redirect_uris: [evil] });
      const browser = await portal.browser("acme");
      const { body: own } = await browser.post("/oauth-clients", { name: "Evil", redirectUris: [evil] });
      for (const client_id of [registered.client_id, own.clientId])
        for (const fault of [
          { code_challenge_method: "plain" },
          { response_type: "token" },
          { resource: "https://evil.example/" },
          { request_uri: "https://evil.example/" },
        ]) {
          const query = portal.query(newPkce(), { client_id, redirect_uri: evil, ...fault });
          const page = await portal.send(`/oauth/authorize?${query}`);
          expect([page.status, page.headers.get("location")]).toEqual([400, null]);
          expect(page.headers.get("content-type")).toBe("text/plain; charset=utf-8");
          expectProblem(await browser.post("/oauth/request", { query }), 400, "oauth_request_invalid");
        }
      const query = portal.query(newPkce(), { client_id: own.clientId, redirect_uri: evil, scope: "other" });
      expectProblem(await browser.post("/oauth/request", { query }), 400, "oauth_request_invalid");
      await browser.delete(`/oauth-clients/${own.id}`);
    });

    test("invalid registrations are rejected with the errors of RFC 7591", async () => {
      await portal.set({ registration: "open" });
      for (const [body, error] of [
        ["{", "invalid_client_metadata"],
        [{}, "invalid_redirect_uri"],
        [{ redirect_uris: [] }, "invalid_redirect_uri"],
        [{ redirect_uris: ["http://app.example/"] }, "invalid_redirect_uri"],
        [{ redirect_uris: ["myapp:/callback"] }, "invalid_redirect_uri"],
        [{ redirect_uris: [redirectUri], client_name: "a\u202eb" }, "invalid_client_metadata"],
        [{ redirect_uris: [redirectUri], client_name: "\u200b" }, "invalid_client_metadata"],
        [{ redirect_uris: [redirectUri], client_name: "\u3164" }, "invalid_client_metadata"],
        [{ redirect_uris: [redirectUri], client_name: "Cl\u00adaude" }, "invalid_client_metadata"],
        [{ redirect_uris: [redirectUri], grant_types: ["client_credentials"] }, "invalid_client_metadata"],
        [{ redirect_uris: [redirectUri], response_types: ["token"] }, "invalid_client_metadata"],
      ] as const)
        expectOAuthError(await register(body), 400, error);
    });

    test("registrations are limited by network and in total", async () => {
      clock.advance(day);
      await portal.set({ registration: "open" });
      for (let index = 0; index < 20; index++)
        expect((await register({ redirect_uris: [redirectUri] })).status).toBe(201);
      const before = await total();
      const limited = await register({ redirect_uris: [redirectUri] });
      expectOAuthError(limited, 429, "temporarily_unavailable");
      expect(limited.headers.get("retry-after")).toBe("3600");
      expect(await total()).toBe(before);
      // A network is a /64 of IPv6, so other addresses of it do not help.
      const from = (network: number, host = 1) =>
        register(
          { redirect_uris: [redirectUri] },
          { "x-forwarded-for": `2001:db8:0:${network.toString(16)}::${host}` },
        );
      for (let index = 0; index < 180; index++) expect((await from(Math.floor(index / 20), index)).status).toBe(201);
      expectOAuthError(await from(99), 429, "temporarily_unavailable");
      expect(await total()).toBe(before + 180);
      clock.advance(60 * 60 * 1000);
      expect((await register({ redirect_uris: [redirectUri] })).status).toBe(201);
    });
  });

  describe("a client with a metadata document", () => {
    let requests = 0;
    let respond: (url: URL) => Response | Promise<Response>;
    const site = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: (request) => {
        requests += 1;
        return respond(new URL(request.url));
      },
    });
    const urlOf = (path: string) => `http://127.0.0.1:${site.port}${path}`;
    const document = (url: URL, more: object = {}) =>
      Response.json({ client_id: url.href, client_name: "Agent", redirect_uris: [redirectUri], ...more });
    afterAll(() => site.stop(true));

    test("is authorized by its document, fetched for signed-in customers only", async () => {
      await portal.set({ registration: "metadata" });
      respond = (url) => document(url);
      const client_id = urlOf("/client.json");
      const pkce = newPkce();
      const query = portal.query(pkce, { client_id });
      const before = requests;
      expect((await portal.send(`/oauth/authorize?${query}`)).status).not.toBe(400);
      expect(requests).toBe(before);
      const browser = await portal.browser("acme");
      const asked = await browser.post("/oauth/request", { query });
      expect(asked.body).toMatchObject({ client: { name: "Agent", type: "document" }, host: `127.0.0.1:${site.port}` });
      const code = await portal.code(browser, pkce, { client_id });
      expect(requests).toBe(before + 1);
      const { body } = await portal.exchange(code, pkce, { client_id });
      expect(decodeJwt(body.access_token).client_id).toBe(client_id);
      expect((await portal.refresh(body.refresh_token, { client_id })).status).toBe(200);
      const [stored] = (await client.get(`${portal.path}/oauth-clients?limit=1000`)).body.data.filter(
        ({ type }: { type: string }) => type === "document",
      );
      expect(stored).toMatchObject({ clientId: client_id, name: "Agent" });
      // Its id is not its client_id.
      expectOAuthError(await portal.refresh(body.refresh_token, { client_id: stored.id }), 401, "invalid_client");
    });

    test("a customer makes at most 20 documents known, and those without authorizations are removed", async () => {
      await portal.set({ registration: "metadata" });
      await server.runTasks();
      respond = (url) => document(url);
      const known = async () =>
        (await client.get(`${portal.path}/oauth-clients?limit=1000`)).body.data.flatMap(
          ({ type, clientId }: { type: string; clientId: string }) => (type === "document" ? [clientId] : []),
        );
      const before = await known();
      const browser = await portal.browser("many");
      const { id: consumerId } = (await client.get(`${consumers}/many`)).body;
      const decide = (index: number, pkce = newPkce(), from = browser, customer = consumerId) => {
        const query = portal.query(pkce, { client_id: urlOf(`/many/${index}.json`) });
        return from.post("/oauth/decision", { query, consumerId: customer, isApproved: true });
      };
      for (let index = 0; index < 20; index++) expect((await decide(index)).status).toBe(200);
      expectProblem(await decide(20), 409, "oauth_client_limit_reached");
      expect(await known()).toHaveLength(before.length + 20);
      // One that is known already does not count, nor do those of other customers.
      const pkce = newPkce();
      const { body } = await decide(0, pkce);
      const other = await portal.browser("globex");
      const { id: otherId } = (await client.get(`${consumers}/globex`)).body;
      expect((await decide(20, newPkce(), other, otherId)).status).toBe(200);
      const more = { client_id: urlOf("/many/0.json") };
      const code = new URL(body.redirectTo).searchParams.get("code")!;
      const issued = await portal.exchange(code, pkce, more);
      expect(issued.status).toBe(200);
      clock.advance(2 * 60_000);
      await server.runTasks();
      expect(await known()).toEqual([...before, more.client_id]);
      expect((await portal.refresh(issued.body.refresh_token, more)).status).toBe(200);
      expect((await decide(21)).status).toBe(200);
    });

    test("a customer has two documents fetched at a time, and other customers are not kept waiting", async () => {
      await portal.set({ registration: "metadata" });
      const held = Promise.withResolvers<void>();
      respond = async (url) => {
        if (url.pathname.startsWith("/held")) await held.promise;
        return document(url);
      };
      const ask = (from: PortalBrowser, path: string) =>
        from.post("/oauth/request", { query: portal.query(newPkce(), { client_id: urlOf(path) }) });
      const [browser, other] = [await portal.browser("acme"), await portal.browser("globex")];
      const before = requests;
      const waiting = [ask(browser, "/held/1.json"), ask(browser, "/held/2.json")];
      await until(() => requests === before + 2);
      expectProblem(await ask(browser, "/held/3.json"), 429, "concurrency_exceeded");
      expect(requests).toBe(before + 2);
      expect((await ask(other, "/quick.json")).status).toBe(200);
      held.resolve();
      for (const { status } of await Promise.all(waiting)) expect(status).toBe(200);
      expect((await ask(browser, "/held/3.json")).status).toBe(200);
    });

    for (const [name, broken] of [
      ["redirects", () => Response.redirect(urlOf("/client.json"))],
      ["is huge", (url: URL) => document(url, { padding: "x".repeat(70_000) })],
      ["names another client", () => document(new URL(urlOf("/other.json")))],
      ["is not JSON", () => new Response("<p>", { headers: { "content-type": "text/html" } })],
      ["is missing", () => new Response("", { status: 404 })],
      [
        "has long redirects",
        (url: URL) =>
          document(url, { redirect_uris: ["a", "b", "c"].map((one) => `https://x.example/${one.repeat(1500)}`) }),
      ],
      ["has no redirects", (url: URL) => document(url, { redirect_uris: [] })],
      ["redirects to a script", (url: URL) => document(url, { redirect_uris: ["javascript:alert(1)"] })],
      ["needs a secret", (url: URL) => document(url, { token_endpoint_auth_method: "client_secret_basic" })],
    ] as [string, (url: URL) => Response][])
      test(`a client is rejected if its document ${name}`, async () => {
        await portal.set({ registration: "metadata" });
        respond = broken;
        const client_id = urlOf(`/${name.replaceAll(" ", "-")}.json`);
        const browser = await portal.browser("acme");
        const query = portal.query(newPkce(), { client_id });
        const problem = await browser.post("/oauth/request", { query });
        expectProblem(problem, 400, "oauth_request_invalid");
        expect(problem.body.detail).toBe("The metadata document of the client is not available or not valid.");
        const { id: consumerId } = (await client.get(`${consumers}/acme`)).body;
        const decision = { query, consumerId, isApproved: true };
        expectProblem(await browser.post("/oauth/decision", decision), 400, "oauth_request_invalid");
      });

    test("a client is rejected if its document is slow", async () => {
      await portal.set({ registration: "metadata" });
      respond = () => new Promise(() => {});
      const query = portal.query(newPkce(), { client_id: urlOf("/slow.json") });
      const browser = await portal.browser("acme");
      expectProblem(await browser.post("/oauth/request", { query }), 400, "oauth_request_invalid");
      // The failure is repeated, and the document is not fetched again at once.
      const before = requests;
      expectProblem(await browser.post("/oauth/request", { query }), 400, "oauth_request_invalid");
      expect(requests).toBe(before);
    });

    test("a document at an internal address is not fetched, with the same error as other failures", async () => {
      await portal.set({ registration: "metadata" });
      const browser = await portal.browser("acme");
      for (const client_id of [
        "http://169.254.169.254/latest",
        "https://169.254.169.254/latest",
        "http://example.com/x",
      ]) {
        const problem = await browser.post("/oauth/request", { query: portal.query(newPkce(), { client_id }) });
        expectProblem(problem, 400, "oauth_request_invalid");
      }
      expect(
        (await portal.send(`/oauth/authorize?${portal.query(newPkce(), { client_id: "http://example.com/x" })}`))
          .status,
      ).toBe(400);
    });

    test("a portal with closed registration rejects clients with metadata documents", async () => {
      await portal.set();
      const query = portal.query(newPkce(), { client_id: urlOf("/client.json") });
      expect((await portal.send(`/oauth/authorize?${query}`)).status).toBe(400);
      expectProblem(
        await (await portal.browser("acme")).post("/oauth/request", { query }),
        400,
        "oauth_request_invalid",
      );
    });
  });
});
