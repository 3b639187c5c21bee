import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { IdentityProvider, newSigningKey, type SigningKey } from "../../../../test/support/identity-provider.ts";
import { joined } from "../../../../test/support/people.ts";
import { failure, ProviderBrowser, registerClient, settingsFor } from "../../../../test/support/provider-sign-in.ts";
import { startServer, type TestServer } from "../../../../test/support/server.ts";
import { operatorToken } from "../../../../test/support/server-settings.ts";

const members = "/v1/accounts/default/members";

eachEngine((engine) => {
  let key: SigningKey;
  let first: IdentityProvider;
  let second: IdentityProvider;
  let server: TestServer;
  const use = async (provider: IdentityProvider) => {
    await server.restart(settingsFor(provider));
    registerClient(provider, server);
    await provider.publish([key]);
  };
  beforeAll(async () => {
    key = await newSigningKey("one");
    first = await IdentityProvider.start([key]);
    second = await IdentityProvider.start([key]);
    server = await startServer(engine, {
      environment: {
        ...settingsFor(first),
        TOLLGATE_OIDC_ROLE_CLAIM: "groups",
        TOLLGATE_OIDC_ROLE_MAP: JSON.stringify({
          owners: { account: "default", role: "admin" },
          staff: { account: "default", role: "reader" },
        }),
      },
    });
    registerClient(first, server);
    await first.publish([key]);
  });
  afterAll(async () => {
    await server.stop();
    await first.stop();
    await second.stop();
  });
  // The provider uses the clock of the machine.
  beforeEach(() => void server.clock.set(new Date().toISOString()));

  const visitor = new ProviderBrowser(() => server);
  const identity = async () => (await (await visitor.signIn()).browser!.get("/v1/who-am-i")).body;

  test("the last active admin keeps the role when the claim no longer has it", async () => {
    const claims = { sub: "ada", email: `ada-${engine.name}@acme.example`, email_verified: true };
    first.people.claims = { ...claims, groups: ["owners"] };
    const { sub, role } = await identity();
    expect(role).toBe("admin");
    for (const groups of [["staff"], []]) {
      first.people.claims = { ...claims, groups };
      expect(await identity()).toMatchObject({ sub, role: "admin" });
    }
    await eventually(() => server.log).toContain("would remove the last admin");
    // With another admin the claim applies.
    await joined(server.client.as(operatorToken), { email: `bo-${engine.name}@acme.example`, role: "admin" });
    first.people.claims = { ...claims, groups: ["staff"] };
    expect(await identity()).toMatchObject({ sub, role: "reader" });
    first.people.claims = { ...claims, groups: [] };
    expect((await visitor.signIn()).location).toBe(failure("no_access"));
    expect((await server.client.get(`${members}/${sub}`)).status).toBe(404);
  });

  test("people of a former provider are linked to the new one by their verified address", async () => {
    const email = `cy-${engine.name}@acme.example`;
    first.people.claims = { sub: "cy", email, email_verified: true, groups: ["staff"] };
    const { sub } = await identity();
    await use(second);
    const claims = { sub: "cy-at-second", email, groups: ["staff"] };
    second.people.claims = { ...claims, email_verified: false };
    expect((await visitor.signIn()).location).toBe(failure("address_unverified"));
    second.people.claims = { ...claims, email_verified: true };
    expect((await identity()).sub).toBe(sub);
    // Another person at the new provider does not become them.
    second.people.claims = { ...claims, email_verified: true, sub: "another" };
    expect((await visitor.signIn()).location).toBe(failure("address_taken"));
  });
});
