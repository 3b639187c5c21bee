import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { eachEngine, sqlite } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { IdentityProvider, newSigningKey, type SigningKey } from "../../../../test/support/identity-provider.ts";
import { allScopes, PortalBrowser, portalPath, setPortal } from "../../../../test/support/portal.ts";
import {
  atProvider,
  begin,
  finish,
  oidcOf,
  portalClientId,
  registerPortal,
  signInWithProvider,
} from "../../../../test/support/portal-provider.ts";
import { runSql } from "../../../../test/support/run-sql.ts";
import { startServer, type TestServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";
import { tableContent } from "../../../../test/support/table-content.ts";

const bucket = `/v1/accounts/${account}/key-buckets/main`;
const consumers = `${bucket}/consumers`;

let count = 0;

eachEngine((engine) => {
  let provider: IdentityProvider;
  let key: SigningKey;
  let server: TestServer;
  let url: string;
  beforeAll(async () => {
    key = await newSigningKey("one");
    provider = await IdentityProvider.start([key]);
    server = await startServer(engine);
    const { client } = server;
    for (const name of ["acme", "globex"]) await client.post(consumers, { name });
    await client.post("/v1/metering", { name: "plans" });
    const plan = { label: "Free", planExternalId: "free", meters: { requests: { max: 100 } } };
    await client.post("/v1/metering/plans/plans", plan);
    await open({});
    registerPortal(provider, url);
    await provider.publish([key]);
  });
  afterAll(async () => {
    await server.stop();
    await provider.stop();
  });
  beforeEach(async () => {
    // The provider uses the clock of the machine.
    server.clock.set(new Date().toISOString());
    provider.isDown = false;
    provider.people.idTokenSeconds = 3600;
    await open({});
  });

  const open = async (settings: object) => {
    const oidc = oidcOf(provider);
    url = (await setPortal(server.client, { meteringBucket: "plans", signUpPlan: "free", oidc, ...settings })).url;
  };
  const newBrowser = () => new PortalBrowser(server, url);
  /** The person who signs in next. */
  const person = (claims: Record<string, unknown> = {}) => {
    const email = `person-${++count}-${engine.name}@acme.example`;
    const sub = `sub-${count}-${engine.name}`;
    provider.people.claims = { sub, email, email_verified: true, ...claims };
    return { email, sub };
  };
  const addManager = async (input: object, consumer = "acme") => {
    const { status, body } = await server.client.post(`${consumers}/${consumer}/managers`, input);
    expect(status).toBe(200);
    return body.id as string;
  };
  const managerOf = async (id: string, consumer = "acme") =>
    (await server.client.get(`${consumers}/${consumer}/managers/${id}`)).body;
  const signIn = (browser = newBrowser()) => signInWithProvider(browser);
  const changes = async (limit: number) =>
    (await server.client.get(`/v1/accounts/${account}/audit-log?limit=${limit}`)).body.data as { action: string }[];

  describe("a known manager", () => {
    test("is identified by the provider's sub, and gets a session", async () => {
      const { sub, email } = person();
      const id = await addManager({ sub });
      const browser = newBrowser();
      expect((await browser.get("/site")).body.signIn).toEqual({
        mail: false,
        provider: new URL(provider.issuer).host,
      });
      const { status, body, headers } = await signInWithProvider(browser, "/keys");
      expect(status).toBe(200);
      expect(body).toEqual({
        session: {
          consumer: { name: "acme" },
          subject: email,
          scopes: [...allScopes, "people:write"],
          isManager: true,
          isByProvider: true,
          isView: false,
          expiresOn: server.clock.iso(12 * 60 * 60_000),
        },
        to: "/keys",
      });
      expect(headers.get("set-cookie")).toMatch(/^tollgate-portal=tgps_\w+; Path=\/; HttpOnly; SameSite=Lax/);
      expect((await browser.get("/keys")).status).toBe(200);
      expect((await changes(1))[0]).toMatchObject({
        action: "portal-session.created",
        actor: { type: "manager", id, name: email },
      });
    });

    test("without an address, or with one that is not verified, keeps the address from before", async () => {
      const { sub, email } = person({ email: undefined, email_verified: undefined });
      const id = await addManager({ sub, email });
      expect((await signIn()).body.session).toMatchObject({ subject: email, isByProvider: true });
      person({ sub, email: "other@evil.example", email_verified: false });
      expect((await signIn()).body.session).toMatchObject({ subject: email });
      expect(await managerOf(id)).toMatchObject({ sub, email });
    });

    test("has the new address after it changed at the provider, unless another manager has it", async () => {
      const { sub, email } = person();
      const id = await addManager({ sub, email });
      const browser = newBrowser();
      await signIn(browser);
      const moved = `moved-${email}`;
      person({ sub, email: moved });
      expect((await signIn()).body.session).toMatchObject({ subject: moved });
      expect(await managerOf(id)).toMatchObject({ sub, email: moved });
      expect((await changes(2)).map(({ action }) => action)).toEqual(["portal-session.created", "manager.updated"]);
      expect((await browser.get("/session")).body).toMatchObject({ subject: moved });
      const taken = `taken-${email}`;
      await addManager({ sub: `taken ${sub}`, email: taken }, "globex");
      person({ sub, email: taken });
      await signIn();
      expect(await managerOf(id)).toMatchObject({ sub, email: moved });
    });

    test("who is removed has no session, and does not come back", async () => {
      const { sub, email } = person();
      const id = await addManager({ sub, email });
      const browser = newBrowser();
      await signIn(browser);
      await server.client.delete(`${consumers}/acme/managers/${id}`);
      expectProblem(await browser.get("/session"), 401, "session_required");
      expectProblem(await signIn(), 403, "no_portal_access");
    });

    test("of several customers chooses one, and switches", async () => {
      const { sub, email } = person();
      await addManager({ sub });
      await server.client.post(`${consumers}/globex/manager-invites`, { email });
      const browser = newBrowser();
      const { body } = await signIn(browser);
      expect(body).toMatchObject({ email, customers: [{ name: "acme" }, { name: "globex" }] });
      const chosen = await browser.post("/sign-in/customer", { proof: body.proof, id: body.customers[1].id });
      expect(chosen.body.session).toMatchObject({ consumer: { name: "globex" }, isByProvider: true });
      const { data } = (await browser.get("/customers")).body;
      expect(data).toMatchObject([{ name: "acme" }, { name: "globex", isCurrent: true }]);
      const switched = await browser.post(`/customers/${data[0].id}/$open`);
      expect(switched.body).toMatchObject({ consumer: { name: "acme" }, isByProvider: true });
      // Without an address, the customers are those of the sub.
      person({ sub, email: undefined, email_verified: undefined });
      const again = (await signIn()).body;
      expect(again.email).toBeUndefined();
      expect(again.customers).toHaveLength(2);
    });
  });

  describe("a first sign-in", () => {
    test("links the manager with the verified address, whose sub is then the provider's", async () => {
      const { sub, email } = person();
      const id = await addManager({ sub: `old ${sub}`, email: email.toUpperCase(), scopes: ["usage:read"] });
      expect((await signIn()).body.session).toMatchObject({ scopes: ["usage:read"], consumer: { name: "acme" } });
      expect(await managerOf(id)).toMatchObject({ sub, scopes: ["usage:read"] });
      // The provider has given the address to another person.
      person({ sub: `next ${sub}`, email });
      expectProblem(await signIn(), 403, "no_portal_access");
      expect(await managerOf(id)).toMatchObject({ sub });
    });

    test("accepts an invite of the verified address", async () => {
      const { sub, email } = person();
      await server.client.post(`${consumers}/acme/manager-invites`, { email, scopes: ["keys:read"] });
      expect((await signIn()).body.session).toMatchObject({ subject: email, scopes: ["keys:read"] });
      const { data } = (await server.client.get(`${consumers}/acme/managers?limit=1000`)).body;
      expect(data.find((each: { email: string }) => each.email === email)).toMatchObject({ sub });
    });

    test("links and creates nothing with an address that is not verified", async () => {
      await open({ signUp: "open" });
      const { sub, email } = person();
      const id = await addManager({ sub: `old ${sub}`, email });
      const invited = person();
      await server.client.post(`${consumers}/acme/manager-invites`, { email: invited.email });
      const before = await tableContent(server.database, "managers");
      for (const address of [email, invited.email, "new@acme.example", undefined])
        for (const email_verified of [false, "no", null, undefined]) {
          provider.people.claims = { sub: `new ${sub}`, email: address, email_verified };
          expectProblem(await signIn(), 403, "address_unverified");
        }
      expect(await tableContent(server.database, "managers")).toEqual(before);
      expect(await managerOf(id)).toMatchObject({ sub: `old ${sub}` });
    });

    test("with open sign-up creates a customer, once", async () => {
      await open({ signUp: "open" });
      const { sub, email } = person();
      const browser = newBrowser();
      const { body } = await signIn(browser);
      expect(body).toEqual({ proof: expect.stringMatching(/^tgpp_/), email, signUp: "open" });
      const { body: created } = await browser.post("/sign-up", { proof: body.proof, name: "Initech" });
      expect(created).toMatchObject({
        session: { consumer: { name: "Initech" }, isByProvider: true },
        isRequested: false,
      });
      expect(created.key).toMatch(/^tg_/);
      const { data } = (await server.client.get(`${consumers}?include-managers=true&manager-email=${email}`)).body;
      expect(data).toMatchObject([{ description: "Initech", managers: [{ sub, email }] }]);
      expect((await signIn()).body.session).toMatchObject({ consumer: { name: "Initech" } });
    });

    test("with sign-up for domains needs an address of one of them", async () => {
      await open({ signUp: "domains", allowedDomains: ["initech.example"] });
      person();
      expectProblem(await signIn(), 403, "no_portal_access");
      person({ email: `${count}@initech.example` });
      expect((await signIn()).body).toMatchObject({ signUp: "open" });
    });

    test("with approval requests access, and an approval lets the person in", async () => {
      await open({ signUp: "approval" });
      const { sub } = person();
      const browser = newBrowser();
      const { proof } = (await signIn(browser)).body;
      expect((await browser.post("/sign-up", { proof, name: "Hooli" })).body).toEqual({ isRequested: true });
      expect((await signIn()).body).toMatchObject({ signUp: "pending" });
      const requests = `${portalPath()}/access-requests`;
      const { data } = (await server.client.get(`${requests}?state=pending&limit=1000`)).body;
      const { consumerName } = (await server.client.post(`${requests}/${data.at(-1).id}/$approve`)).body;
      expect((await signIn()).body.session).toMatchObject({ consumer: { name: "Hooli" } });
      const { data: managers } = (await server.client.get(`${consumers}/${consumerName}/managers`)).body;
      expect(managers).toMatchObject([{ sub }]);
    });
  });

  describe("rejected:", () => {
    const failed = async (browser: PortalBrowser, query: string) => {
      expectProblem(await finish(browser, query), 401, "sign_in_failed");
      expect(browser.cookie).toBeUndefined();
    };

    test("an answer with another state, code or issuer, in another browser, or of another portal", async () => {
      const { sub } = person();
      await addManager({ sub });
      const browser = newBrowser();
      const query = await atProvider(browser, await begin(browser));
      await failed(browser, query.replace(/state=[^&]+/, "state=another"));
      await failed(browser, query.replace(/code=[^&]+/, "code=another"));
      expect(query).toContain("iss=");
      await failed(browser, query.replace(/iss=[^&]+/, "iss=https%3A%2F%2Fevil.example"));
      await failed(browser, `error=access_denied&state=${new URLSearchParams(query).get("state")}`);
      await failed(browser, "");
      await failed(newBrowser(), query);
      const other = newBrowser();
      await begin(other);
      await failed(other, query);
      await server.client.post(`/v1/accounts/${account}/key-buckets`, { name: "second" });
      const second = await setPortal(server.client, { oidc: oidcOf(provider) }, portalPath("second"));
      const elsewhere = new PortalBrowser(server, second.url);
      elsewhere.signInCookie = browser.signInCookie;
      await failed(elsewhere, query);
      expect(server.log).not.toContain(new URLSearchParams(query).get("code")!);
    });

    test("a nonce of another browser", async () => {
      person();
      const browser = newBrowser();
      const location = await begin(browser);
      const replaced = location.replace(/nonce=[^&]+/, `nonce=${"x".repeat(43)}`);
      await failed(browser, await atProvider(browser, replaced));
    });

    test("an answer after 10 minutes, or after the portal got another provider", async () => {
      person();
      const browser = newBrowser();
      const query = await atProvider(browser, await begin(browser));
      server.clock.advance(10 * 60_000);
      await failed(browser, query);
      server.clock.set(new Date().toISOString());
      await open({ oidc: { ...oidcOf(provider), issuer: "https://id.acme.example" } });
      await failed(browser, query);
    });

    test("a portal without a provider, and pages of other origins", async () => {
      await open({ oidc: undefined });
      expectProblem(await newBrowser().post("/sign-in/provider", {}), 409, "provider_not_configured");
      expectProblem(await finish(newBrowser(), "code=x"), 409, "provider_not_configured");
      expect((await newBrowser().get("/site")).body.signIn).toEqual({ mail: false });
      const headers = { origin: "https://evil.example" };
      expectProblem(await newBrowser().post("/sign-in/provider", {}, headers), 403, "origin_mismatch");
      expectProblem(await newBrowser().post("/sign-in/provider", { to: 1 }), 400, "validation_failed", {
        pointer: "/to",
      });
    });
  });

  test("only paths of the portal are opened afterwards", async () => {
    const { sub } = person();
    await addManager({ sub });
    for (const to of ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)", "keys"])
      expect((await signInWithProvider(newBrowser(), to)).body.to).toBeUndefined();
    expect((await signInWithProvider(newBrowser(), "/docs/a?b=c#d")).body.to).toBe("/docs/a?b=c#d");
  });

  test("clocks may differ by a minute", async () => {
    const { sub } = person();
    await addManager({ sub });
    provider.people.idTokenSeconds = 30;
    server.clock.advance(75_000);
    expect((await signIn()).body.session).toBeDefined();
    server.clock.advance(60_000);
    expectProblem(await signIn(), 401, "sign_in_failed");
  });

  test("sessions continue while the provider is down", async () => {
    const { sub } = person();
    await addManager({ sub });
    const browser = newBrowser();
    await signIn(browser);
    const other = newBrowser();
    const query = await atProvider(other, await begin(other));
    provider.isDown = true;
    expect((await browser.get("/keys")).status).toBe(200);
    expectProblem(await finish(other, query), 502, "provider_unavailable");
    // Changed settings need the provider again.
    await open({ title: "Down" });
    expectProblem(await newBrowser().post("/sign-in/provider", {}), 502, "provider_unavailable");
    const signOut = await newBrowser().fetch("/sign-in/provider/sign-out");
    expect(signOut.headers.get("location")).toBe(`${url}/`);
    expect((await browser.get("/session")).status).toBe(200);
    provider.isDown = false;
    expect((await signIn()).body.session).toBeDefined();
  });

  test("the provider must name the issuer exactly as the settings do", async () => {
    await open({ oidc: { ...oidcOf(provider), issuer: `${provider.issuer}/` } });
    expectProblem(await newBrowser().post("/sign-in/provider", {}), 502, "provider_unavailable");
  });

  test("signing out ends the session, and leads to the provider's own", async () => {
    const { sub } = person();
    await addManager({ sub });
    const browser = newBrowser();
    await signIn(browser);
    const { cookie } = browser;
    expect((await browser.delete("/session")).status).toBe(204);
    expectProblem(await newBrowser().get("/session", { cookie: cookie! }), 401, "session_required");
    const response = await browser.fetch("/sign-in/provider/sign-out");
    expect(response.status).toBe(302);
    const location = new URL(response.headers.get("location")!);
    expect(location.origin).toBe(provider.issuer);
    expect(Object.fromEntries(location.searchParams)).toEqual({
      client_id: portalClientId,
      post_logout_redirect_uri: `${url}/`,
    });
  });

  test("after a change of the provider, a sub of the one before is not known, and a verified address links again", async () => {
    const { sub, email } = person();
    const id = await addManager({ sub, email });
    const confirmed = `UPDATE managers SET issuer = 'https://old.example' WHERE id = '${id}'`;
    await runSql(server.database, confirmed);
    person({ sub, email: `other-${email}` });
    expectProblem(await signIn(), 403, "no_portal_access");
    person({ sub: `new ${sub}`, email });
    expect((await signIn()).body.session).toMatchObject({ subject: email });
    expect(await managerOf(id)).toMatchObject({ sub: `new ${sub}` });
  });
});

test("a provider that accepts secrets only in a header gets it there", async () => {
  const key = await newSigningKey("one");
  const provider = await IdentityProvider.start([key]);
  const server = await startServer(sqlite);
  server.clock.set(new Date().toISOString());
  const managers = [{ sub: "jo" }];
  await server.client.post(consumers, { name: "acme", managers });
  const { url } = await setPortal(server.client, { oidc: oidcOf(provider) });
  registerPortal(provider, url);
  provider.people.authMethods = ["client_secret_basic"];
  for (const each of provider.people.clients) each.token_endpoint_auth_method = "client_secret_basic";
  await provider.publish([key]);
  provider.people.claims = { sub: "jo" };
  const { body } = await signInWithProvider(new PortalBrowser(server, url));
  expect(body.session).toMatchObject({ consumer: { name: "acme" }, subject: "jo" });
  await server.stop();
  await provider.stop();
});

test("a provider that the egress rules deny is not contacted", async () => {
  const provider = await IdentityProvider.start([await newSigningKey("one")]);
  const server = await startServer(sqlite, { environment: { TOLLGATE_EGRESS: "public" } });
  await server.client.post(`/v1/accounts/${account}/key-buckets`, { name: "main" });
  const { url } = await setPortal(server.client, { oidc: oidcOf(provider) });
  const browser = new PortalBrowser(server, url);
  expectProblem(await browser.post("/sign-in/provider", {}), 502, "provider_unavailable");
  expect(server.log).toContain("TOLLGATE_EGRESS");
  expect(provider.requests).toBe(0);
  await server.stop();
  await provider.stop();
});
