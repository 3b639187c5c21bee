import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { IdentityProvider, newSigningKey, type SigningKey } from "../../../../test/support/identity-provider.ts";
import { useMailServer } from "../../../../test/support/mail-server.ts";
import { ownHeaders } from "../../../../test/support/people.ts";
import {
  clientId,
  failure,
  ProviderBrowser,
  registerClient,
  settingsFor,
} from "../../../../test/support/provider-sign-in.ts";
import { startServer, type TestServer } from "../../../../test/support/server.ts";

const members = "/v1/accounts/default/members";

let count = 0;

eachEngine((engine) => {
  let provider: IdentityProvider;
  let key: SigningKey;
  let server: TestServer;
  const { server: smtp, environment: mail } = useMailServer();
  beforeAll(async () => {
    key = await newSigningKey("one");
    provider = await IdentityProvider.start([key]);
    server = await startServer(engine, {
      environment: {
        ...settingsFor(provider),
        TOLLGATE_OIDC_ROLE_CLAIM: "groups",
        TOLLGATE_OIDC_ROLE_MAP: JSON.stringify({
          owners: { account: "default", role: "admin" },
          staff: { account: "default", role: "reader" },
          elsewhere: { account: "missing", role: "admin" },
        }),
        TOLLGATE_OIDC_ALLOWED_DOMAINS: "acme.example",
        ...mail(),
      },
    });
    registerClient(provider, server);
    await provider.publish([key]);
  });
  afterAll(async () => {
    await server.stop();
    await provider.stop();
  });
  beforeEach(() => {
    // The provider uses the clock of the machine.
    server.clock.set(new Date().toISOString());
    provider.isDown = false;
    provider.people.idTokenSeconds = 3600;
  });

  const email = () => `person-${++count}-${engine.name}@acme.example`;
  const person = (claims: Record<string, unknown> = {}) => {
    const address = email();
    provider.people.claims = { sub: `sub-${count}`, email: address, email_verified: true, ...claims };
    return address;
  };

  const visitor = new ProviderBrowser(() => server);
  const begin = (path?: string) => visitor.begin(path);
  const atProvider = (location: string) => visitor.atProvider(location);
  const callback = (url: string, cookie: string | undefined) => visitor.callback(url, cookie);
  const signIn = (path?: string) => visitor.signIn(path);

  describe("sign-in with OpenID Connect", () => {
    test("uses PKCE, state and nonce, and opens only own paths", async () => {
      const { location } = await begin("/sign-in/provider?to=//evil.example");
      const { searchParams, origin } = new URL(location);
      expect(origin).toBe(provider.issuer);
      expect(Object.fromEntries(searchParams)).toMatchObject({
        client_id: clientId,
        redirect_uri: `${server.url}/sign-in/provider/callback`,
        response_type: "code",
        code_challenge_method: "S256",
      });
      for (const name of ["state", "nonce", "code_challenge"]) expect(searchParams.get(name)).toMatch(/^[\w-]{43}$/);
      person({ groups: ["staff"] });
      expect((await signIn("/sign-in/provider?to=//evil.example")).location).toBe("/console/sign-in?signedIn=true");
      expect((await signIn("/sign-in/provider?to=/keys")).location).toBe("/console/sign-in?signedIn=true&to=%2Fkeys");
      const methods = await server.client.anonymous().get("/v1/sign-in");
      expect(methods.body).toEqual({ mail: true, hasMembers: true, provider: new URL(provider.issuer).host });
    });

    test("admits a person by the role of a claim, and follows it at each sign-in", async () => {
      // Another admin: the last one would keep the role.
      person({ groups: ["owners"] });
      await signIn();
      const address = person({ groups: ["other", "staff"], name: "Ada" });
      const { browser } = await signIn();
      const identity = (await browser!.get("/v1/who-am-i")).body;
      expect(identity).toMatchObject({
        type: "person",
        email: address,
        name: "Ada",
        account: "default",
        role: "reader",
      });
      expect((await server.client.get(`${members}/${identity.sub}`)).body).toMatchObject({
        roleSource: "claim",
        state: "active",
      });
      expectProblem(
        await server.client.patch(`${members}/${identity.sub}`, { role: "editor" }),
        409,
        "role_from_claim",
      );
      provider.people.claims.groups = ["staff", "owners"];
      await signIn();
      // The first entry of the map wins, for the session from before too.
      expect((await browser!.get("/v1/who-am-i")).body.role).toBe("admin");
      provider.people.claims.groups = [];
      expect((await signIn()).location).toBe(failure("no_access"));
      expectProblem(await browser!.get("/v1/who-am-i"), 401, "unauthenticated");
      provider.people.claims.groups = ["staff"];
      expect((await (await signIn()).browser!.get("/v1/who-am-i")).body.sub).toBe(identity.sub);
      const log = await server.client.get(`/v1/accounts/default/audit-log?resource=${identity.sub}`);
      expect(log.body.data.map(({ action }: { action: string }) => action)).toEqual([
        "member.joined",
        "member.removed",
        "member.updated",
        "member.joined",
      ]);
    });

    test("gives no access without a role or an invitation", async () => {
      person({ groups: ["other"] });
      expect(await signIn()).toEqual({ location: failure("no_access"), browser: undefined });
      person({ groups: ["elsewhere"] });
      expect(await signIn()).toEqual({ location: failure("no_access"), browser: undefined });
    });

    test("links an invited person by their verified address only", async () => {
      const address = person({ email_verified: false });
      const { body } = await server.client.post(members, { email: address, role: "editor" });
      // An unverified address is no address of an allowed domain either.
      expect((await signIn()).location).toBe(failure("domain_not_allowed"));
      expect((await server.client.get(`${members}/${body.id}`)).body.state).toBe("invited");
      provider.people.claims.email_verified = true;
      const { browser } = await signIn();
      const identity = (await browser!.get("/v1/who-am-i")).body;
      expect(identity).toMatchObject({ sub: body.id, accounts: [] });
      expect(identity.account).toBeUndefined();
      expect((await server.client.get(`${members}/${body.id}`)).body.state).toBe("invited");
      expect((await browser!.post("/v1/invitations/default/$accept", {})).body.role).toBe("editor");
      expect((await browser!.get("/v1/who-am-i")).body).toMatchObject({ sub: body.id, role: "editor" });
      expect((await server.client.get(`${members}/${body.id}`)).body).toMatchObject({
        state: "active",
        roleSource: "invitation",
      });
      // The same address of another person at the provider.
      provider.people.claims.sub = "somebody-else";
      expect((await signIn()).location).toBe(failure("address_taken"));
    });

    test("identifies a person by issuer and sub: a changed address is followed", async () => {
      const before = person({ groups: ["staff"] });
      const { browser } = await signIn();
      const { sub } = (await browser!.get("/v1/who-am-i")).body;
      const after = email();
      provider.people.claims.email = after;
      const again = await signIn();
      expect((await again.browser!.get("/v1/who-am-i")).body).toMatchObject({ sub, email: after });
      expect((await server.client.get(`${members}/${sub}`)).body.email).toBe(after);
      // The address is free for another person.
      expect((await server.client.post(members, { email: before, role: "reader" })).body.id).not.toBe(sub);
    });

    test("does not readmit a removed member by a claim until they are invited again", async () => {
      const address = person({ groups: ["staff"] });
      const { browser } = await signIn();
      const { sub } = (await browser!.get("/v1/who-am-i")).body;
      await server.client.delete(`${members}/${sub}`);
      expectProblem(await browser!.get("/v1/who-am-i"), 401, "unauthenticated");
      expect((await signIn()).location).toBe(failure("no_access"));
      await server.client.post(members, { email: address, role: "editor" });
      expect((await (await signIn()).browser!.get("/v1/who-am-i")).body).toMatchObject({ sub, role: "reader" });
    });

    test("rejects addresses of other domains", async () => {
      person({ groups: ["owners"], email: `x-${count}@evil.example` });
      expect((await signIn()).location).toBe(failure("domain_not_allowed"));
    });

    test("rejects a callback with another state, without its cookie, or with one of another browser", async () => {
      person({ groups: ["staff"] });
      const { location, cookie } = await begin();
      const url = await atProvider(location);
      const other = await begin();
      for (const [address, sent] of [
        [url.replace(/state=[^&]+/, "state=another"), cookie],
        [url.replace(/code=[^&]+/, "code=another"), cookie],
        [`${url.split("?")[0]}?error=access_denied&state=${new URL(url).searchParams.get("state")}`, cookie],
        [url, undefined],
        [url, other.cookie],
        [url, `${cookie.slice(0, -4)}AAAA`],
      ] as const) {
        const rejected = await callback(address, sent);
        expect(rejected).toEqual({ status: 302, location: failure("sign_in_failed"), session: undefined });
      }
    });

    test("rejects an issuer, a nonce or a key that is not the provider's", async () => {
      person({ groups: ["staff"] });
      // A response that names another issuer (RFC 9207).
      const first = await begin();
      const url = await atProvider(first.location);
      expect(url).toContain("iss=");
      const mixed = await callback(url.replace(/iss=[^&]+/, "iss=https%3A%2F%2Fevil.example"), first.cookie);
      expect(mixed.location).toBe(failure("sign_in_failed"));
      // A nonce that was not the browser's.
      const second = await begin();
      const replaced = second.location.replace(/nonce=[^&]+/, `nonce=${"x".repeat(43)}`);
      expect((await callback(await atProvider(replaced), second.cookie)).location).toBe(failure("sign_in_failed"));
      expect(server.log).not.toContain(new URL(url).searchParams.get("code")!);
    });

    test("a role of a claim counts only in sessions of the provider, not in those by mail", async () => {
      const address = person({ groups: ["staff"] });
      const { browser } = await signIn();
      expect((await browser!.get("/v1/who-am-i")).body).toMatchObject({ role: "reader" });
      const byMail = async (email: string) => {
        await server.client.anonymous().post("/v1/sign-in", { email }, ownHeaders(server));
        await server.catchUp();
        return smtp.to(email);
      };
      // The provider may have removed the group: only a sign-in with it shows that.
      expect(await byMail(address)).toEqual([]);
      // A session by mail of a person with another role does not get the role of the claim either.
      const invited = person({ groups: [] });
      await server.client.post(members, { email: invited, role: "billing" });
      const link = (await byMail(invited)).at(-1)!.url!.split("#")[1]!;
      const entered = await server.client.anonymous().post("/v1/sign-in/link", { link }, ownHeaders(server));
      const mailBrowser = server.client.withCookie(entered.headers.get("set-cookie")!.split(";")[0]!);
      expect((await mailBrowser.post("/v1/invitations/default/$accept", {})).status).toBe(200);
      expect((await mailBrowser.get("/v1/who-am-i")).body).toMatchObject({ role: "billing" });
      provider.people.claims = { ...provider.people.claims, groups: ["owners"] };
      const { browser: owner } = await signIn();
      expect((await owner!.get("/v1/who-am-i")).body).toMatchObject({ role: "admin" });
      expect((await mailBrowser.get("/v1/who-am-i")).status).toBe(401);
    });

    test("a cookie finishes one sign-in, and other callbacks do not reach the provider", async () => {
      person({ groups: ["staff"] });
      const { location, cookie } = await begin();
      const url = await atProvider(location);
      expect((await callback(url, cookie)).session).toBeDefined();
      const { requests } = provider;
      expect((await callback(url, cookie)).location).toBe(failure("sign_in_failed"));
      expect(provider.requests).toBe(requests);
    });

    test("ends after 10 minutes", async () => {
      person({ groups: ["staff"] });
      const { location, cookie } = await begin();
      const url = await atProvider(location);
      server.clock.advance(10 * 60_000);
      expect((await callback(url, cookie)).location).toBe(failure("sign_in_failed"));
    });

    test("allows a minute of clock skew", async () => {
      person({ groups: ["staff"] });
      provider.people.idTokenSeconds = 30;
      server.clock.advance(75_000);
      expect((await signIn()).location).toContain("signedIn");
      server.clock.advance(60_000);
      expect((await signIn()).location).toBe(failure("sign_in_failed"));
    });

    test("continues existing sessions while the provider is down", async () => {
      person({ groups: ["staff"] });
      const { browser } = await signIn();
      const { location, cookie } = await begin();
      const url = await atProvider(location);
      provider.isDown = true;
      expect((await browser!.get("/v1/who-am-i")).status).toBe(200);
      expect((await callback(url, cookie)).location).toBe(failure("provider_unavailable"));
      await server.restart();
      expect((await begin()).location).toBe(failure("provider_unavailable"));
      expect((await browser!.get("/v1/who-am-i")).status).toBe(200);
    });
  });

  test("signing out ends the session, and leads to the provider's own", async () => {
    person({ groups: ["staff"] });
    // The server has another address since its restart.
    provider.people.clients[0]!.redirect_uris = [`${server.url}/sign-in/provider/callback`];
    await provider.publish([key]);
    const { browser } = await signIn();
    expect((await browser!.delete("/v1/sessions/current")).status).toBe(204);
    expectProblem(await browser!.get("/v1/who-am-i"), 401, "unauthenticated");
    const response = await fetch(`${server.url}/sign-in/provider/sign-out`, { redirect: "manual" });
    const location = new URL(response.headers.get("location")!);
    expect(location.origin).toBe(provider.issuer);
    expect(Object.fromEntries(location.searchParams)).toEqual({
      client_id: clientId,
      post_logout_redirect_uri: `${server.url}/console/sign-in`,
    });
  });
});
