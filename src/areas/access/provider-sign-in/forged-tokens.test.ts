import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { decodeJwt, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { casesFor, eachEngine, sqlite } from "../../../../test/support/engines.ts";
import { IdentityProvider, newSigningKey, type SigningKey, sign } from "../../../../test/support/identity-provider.ts";
import {
  clientSecret,
  failure,
  ProviderBrowser,
  registerClient,
  settingsFor,
} from "../../../../test/support/provider-sign-in.ts";
import { startServer, type TestServer } from "../../../../test/support/server.ts";
import { tableContent } from "../../../../test/support/table-content.ts";

const members = "/v1/accounts/default/members";

let count = 0;

eachEngine((engine) => {
  let provider: IdentityProvider;
  let key: SigningKey;
  let otherKey: SigningKey;
  let server: TestServer;
  beforeAll(async () => {
    // The key of the forger has the same id.
    [key, otherKey] = await Promise.all([newSigningKey("one"), newSigningKey("one")]);
    provider = await IdentityProvider.start([key]);
    server = await startServer(engine, {
      environment: {
        ...settingsFor(provider),
        TOLLGATE_OIDC_ROLE_CLAIM: "/access/roles",
        TOLLGATE_OIDC_ROLE_MAP: JSON.stringify({ staff: { account: "default", role: "reader" } }),
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
    const email = `person-${++count}-${engine.name}@acme.example`;
    provider.people.claims = { sub: `sub-${count}`, email, email_verified: true };
  });

  const visitor = new ProviderBrowser(() => server);
  /** Signs in with a token that has other claims, by default with the provider's signature. */
  const signInWith = (
    changes: Record<string, unknown>,
    forge: (claims: JWTPayload, token: string) => string | Promise<string> = (claims) =>
      sign(key, provider.issuer, server.clock.now(), { claims }),
  ) => {
    provider.people.replaceIdToken = (token) => forge({ ...decodeJwt(token), ...changes }, token);
    return visitor.signIn();
  };
  const staff = { access: { roles: ["staff"] } };
  const seconds = (offset: number) => Math.floor(server.clock.now() / 1000) + offset;
  const rejected = { location: failure("sign_in_failed"), browser: undefined };

  describe("an id token", () => {
    test.each(
      casesFor<[string, (claims: JWTPayload, token: string) => string | Promise<string>]>(engine, [
        [
          "with the signature of another key",
          (claims) => sign(otherKey, provider.issuer, server.clock.now(), { claims }),
        ],
        [
          "with the signature of other claims",
          (claims, token) => {
            const [header, , signature] = token.split(".");
            return [header, Buffer.from(JSON.stringify(claims)).toString("base64url"), signature].join(".");
          },
        ],
        ["without a signature", (claims) => new UnsecuredJWT(claims).encode()],
        [
          "signed with the client secret",
          (claims) => new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).sign(Buffer.from(clientSecret)),
        ],
      ]),
    )("%s is rejected, and nothing is stored", async (_, forge) => {
      const before = await tableContent(server.database, "people");
      expect(await signInWith(staff, forge)).toEqual(rejected);
      expect(await tableContent(server.database, "people")).toEqual(before);
      // The same claims with the provider's signature.
      expect((await signInWith(staff)).location).toContain("signedIn");
    });

    test.each(
      casesFor<[string, () => Record<string, unknown>]>(engine, [
        ["of another issuer", () => ({ iss: "https://evil.example" })],
        ["of an issuer with another spelling", () => ({ iss: `${provider.issuer}/` })],
        ["for another client", () => ({ aud: "another" })],
        ["with another nonce", () => ({ nonce: "x".repeat(43) })],
        ["without a nonce", () => ({ nonce: undefined })],
        ["without a person", () => ({ sub: undefined })],
        ["of another person than the one at the userinfo endpoint", () => ({ sub: "another" })],
        ["without an expiry", () => ({ exp: undefined })],
        ["that expired more than a minute ago", () => ({ exp: seconds(-61) })],
        ["that is valid more than a minute from now", () => ({ nbf: seconds(62) })],
        ["that was issued two hours from now", () => ({ iat: seconds(7200), exp: seconds(9000) })],
      ]),
    )("%s is rejected", async (_, changes) => {
      expect(await signInWith({ ...staff, ...changes() })).toEqual(rejected);
    });

    test("may be a minute too old or too new", async () => {
      expect((await signInWith({ ...staff, exp: seconds(-58) })).location).toContain("signedIn");
      expect((await signInWith({ ...staff, nbf: seconds(58) })).location).toContain("signedIn");
    });
  });

  test.each<[string, unknown]>([
    ["no claim", undefined],
    ["null", null],
    ["a number", { roles: 1 }],
    ["an object", { roles: { staff: true } }],
    ["a list of other values", { roles: ["Staff", "staff ", 1, null, ["staff"], { staff: true }] }],
    ["a value of Object.prototype", { roles: ["constructor", "__proto__"] }],
    ["a text that contains a value", { roles: "staff,owners" }],
  ])("gives no access for %s, and removes the role that an earlier claim gave", async (_, access) => {
    const { browser } = await signInWith({ access: { roles: "staff" } });
    expect((await browser!.get("/v1/who-am-i")).body).toMatchObject({ role: "reader" });
    expect(await signInWith({ access })).toEqual({ location: failure("no_access"), browser: undefined });
    expect((await browser!.get("/v1/who-am-i")).status).toBe(401);
  });

  describe("an address", () => {
    test("an address that is not verified does not link a member", async () => {
      const { claims } = provider.people;
      const { body } = await server.client.post(members, { email: claims.email, role: "admin" });
      // `xms_edov` counts for Entra ID alone.
      for (const email_verified of [false, "false", 0, null, undefined, "yes"]) {
        provider.people.claims = { ...claims, email_verified };
        const entered = await signInWith({ ...staff, xms_edov: true });
        expect(entered).toEqual({ location: failure("address_unverified"), browser: undefined });
      }
      expect((await server.client.get(`${members}/${body.id}`)).body).toMatchObject({ state: "invited" });
    });

    test("is verified only by the document that has it", async () => {
      const victim = `victim-${count}-${engine.name}@acme.example`;
      const { body } = await server.client.post(members, { email: victim, role: "admin" });
      // The userinfo endpoint has another address, which is verified.
      const entered = await signInWith({ ...staff, email: victim, email_verified: undefined });
      expect(entered).toEqual({ location: failure("address_unverified"), browser: undefined });
      expect((await server.client.get(`${members}/${body.id}`)).body).toMatchObject({ state: "invited" });
      expect((await signInWith({ ...staff, email: victim, email_verified: true })).location).toContain("signedIn");
    });

    test("an address that is not verified is not followed, nor one that another member has", async () => {
      const { claims } = provider.people;
      const { browser } = await signInWith(staff);
      const { sub, email } = (await browser!.get("/v1/who-am-i")).body;
      const free = `free-${count}-${engine.name}@acme.example`;
      const taken = `taken-${count}-${engine.name}@acme.example`;
      const other = await server.client.post(members, { email: taken, role: "admin" });
      provider.people.claims = { ...claims, email: free, email_verified: false };
      await signInWith(staff);
      provider.people.claims = { ...claims, email: taken };
      const again = await signInWith(staff);
      expect((await again.browser!.get("/v1/who-am-i")).body).toMatchObject({ sub, email, role: "reader" });
      expect((await server.client.get(`${members}/${other.body.id}`)).body).toMatchObject({
        state: "invited",
        email: taken,
      });
    });
  });
});

test("an issuer must be spelled as the provider spells it", async () => {
  const provider = await IdentityProvider.start([await newSigningKey("one")]);
  const server = await startServer(sqlite, { environment: settingsFor({ issuer: `${provider.issuer}/` }) });
  const { location } = await new ProviderBrowser(() => server).begin();
  expect(location).toBe(failure("provider_unavailable"));
  await server.stop();
  await provider.stop();
});
