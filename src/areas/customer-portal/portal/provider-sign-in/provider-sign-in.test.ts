import { describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { eachEngine, postgres, sqlite } from "../../../../../test/support/engines.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { IdentityProvider, newSigningKey } from "../../../../../test/support/identity-provider.ts";
import { allScopes, PortalBrowser, portalPath, setPortal } from "../../../../../test/support/portal.ts";
import {
  oidcOf,
  portalClientId,
  registerPortal,
  signInWithProvider,
} from "../../../../../test/support/portal-provider.ts";
import { useProviderPortal } from "../../../../../test/support/provider-portal.ts";
import { runSql } from "../../../../../test/support/run-sql.ts";
import { startServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";
import { tableContent } from "../../../../../test/support/table-content.ts";
import { until } from "../../../../../test/support/until.ts";

const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;

eachEngine((engine) => {
  const portal = useProviderPortal(engine);
  const { open, newBrowser, person, addManager, managerOf, signIn, changes } = portal;

  describe("a known manager", () => {
    test("is identified by the provider's sub, and gets a session", async () => {
      const { sub, email } = person();
      const id = await addManager({ sub });
      const browser = newBrowser();
      expect((await browser.get("/site")).body.signIn).toEqual({
        mail: false,
        provider: new URL(portal.provider.issuer).host,
      });
      const { status, body, headers } = await signInWithProvider(browser, "/keys");
      expect(status).toBe(200);
      expect(body).toEqual({
        session: {
          consumer: { name: "acme" },
          subject: email,
          scopes: [...allScopes, "people:write"],
          pages: ["keys", "usage", "people"],
          isManager: true,
          isByProvider: true,
          isView: false,
          expiresOn: portal.server.clock.iso(12 * 60 * 60_000),
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

    if (engine === postgres)
      test("keeps the scopes that were removed while they signed in", async () => {
        const { sub, email } = person();
        const id = await addManager({ sub, email });
        await signIn();
        person({ sub, email: `later-${email}` });
        const { database } = portal.server;
        await using connection = new SQL(database.environment.DATABASE_URL!, { max: 2 });
        let entering: ReturnType<typeof signIn> | undefined;
        await connection.begin(async (sql) => {
          await sql`UPDATE managers SET scopes = 'usage:read', version = version + 1 WHERE id = ${id}`;
          entering = signIn();
          // Until the sign-in waits for the row.
          await until(async () => (await connection`SELECT 1 FROM pg_locks WHERE NOT granted`).length > 0);
        });
        expect((await entering!).status).toBe(200);
        expect(await managerOf(id)).toMatchObject({ email: `later-${email}`, scopes: ["usage:read"] });
      });

    test("who is removed has no session, and does not come back", async () => {
      const { sub, email } = person();
      const id = await addManager({ sub, email });
      const browser = newBrowser();
      await signIn(browser);
      await portal.server.client.delete(`${consumers}/acme/managers/${id}`);
      expectProblem(await browser.get("/session"), 401, "session_required");
      expectProblem(await signIn(), 403, "no_portal_access");
    });

    test("a known manager of several customers chooses one, and switches", async () => {
      const { sub, email } = person();
      await addManager({ sub });
      await portal.server.client.post(`${consumers}/globex/manager-invites`, { email });
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
      // The portal.provider has given the address to another person.
      person({ sub: `next ${sub}`, email });
      expectProblem(await signIn(), 403, "no_portal_access");
      expect(await managerOf(id)).toMatchObject({ sub });
    });

    test("accepts an invite of the verified address", async () => {
      const { sub, email } = person();
      await portal.server.client.post(`${consumers}/acme/manager-invites`, { email, scopes: ["keys:read"] });
      expect((await signIn()).body.session).toMatchObject({ subject: email, scopes: ["keys:read"] });
      const { data } = (await portal.server.client.get(`${consumers}/acme/managers?limit=1000`)).body;
      expect(data.find((each: { email: string }) => each.email === email)).toMatchObject({ sub });
    });

    test("links and creates nothing with an address that is not verified", async () => {
      await open({ signUp: "open" });
      const { sub, email } = person();
      const id = await addManager({ sub: `old ${sub}`, email });
      const invited = person();
      await portal.server.client.post(`${consumers}/acme/manager-invites`, { email: invited.email });
      const before = await tableContent(portal.server.database, "managers");
      for (const address of [email, invited.email, "new@acme.example", undefined])
        for (const email_verified of [false, "no", null, undefined]) {
          portal.provider.people.claims = { sub: `new ${sub}`, email: address, email_verified };
          expectProblem(await signIn(), 403, "address_unverified");
        }
      expect(await tableContent(portal.server.database, "managers")).toEqual(before);
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
      const { data } = (await portal.server.client.get(`${consumers}?include-managers=true&manager-email=${email}`))
        .body;
      expect(data).toMatchObject([{ displayName: "Initech", managers: [{ sub, email }] }]);
      expect((await signIn()).body.session).toMatchObject({ consumer: { name: "Initech" } });
    });

    test("a first sign-in with sign-up for domains needs an address of one of them", async () => {
      await open({ signUp: "domains", allowedDomains: ["initech.example"] });
      person();
      expectProblem(await signIn(), 403, "no_portal_access");
      person({ email: `somebody-${engine.name}@initech.example` });
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
      const { data } = (await portal.server.client.get(`${requests}?state=pending&limit=1000`)).body;
      const { consumerName } = (await portal.server.client.post(`${requests}/${data.at(-1).id}/$approve`)).body;
      expect((await signIn()).body.session).toMatchObject({ consumer: { name: "Hooli" } });
      const { data: managers } = (await portal.server.client.get(`${consumers}/${consumerName}/managers`)).body;
      expect(managers).toMatchObject([{ sub }]);
    });
  });

  test("only paths of the portal are opened afterwards", async () => {
    const { sub } = person();
    await addManager({ sub });
    for (const to of ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)", "keys"])
      expect((await signInWithProvider(newBrowser(), to)).body.to).toBeUndefined();
    expect((await signInWithProvider(newBrowser(), "/docs/a?b=c#d")).body.to).toBe("/docs/a?b=c#d");
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
    expect(location.origin).toBe(portal.provider.issuer);
    expect(Object.fromEntries(location.searchParams)).toEqual({
      client_id: portalClientId,
      post_logout_redirect_uri: `${portal.url}/`,
    });
  });

  test("after a change of the provider, a sub of the one before is not known, and a verified address links again", async () => {
    const { sub, email } = person();
    const id = await addManager({ sub, email });
    const confirmed = `UPDATE managers SET issuer = 'https://old.example' WHERE id = '${id}'`;
    await runSql(portal.server.database, confirmed);
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
  await eventually(() => server.log).toContain("TOLLGATE_EGRESS");
  expect(provider.requests).toBe(0);
  await server.stop();
  await provider.stop();
});
