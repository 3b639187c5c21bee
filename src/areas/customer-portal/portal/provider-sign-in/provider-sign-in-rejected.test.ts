import { describe, expect, test } from "bun:test";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { PortalBrowser, portalPath, setPortal } from "../../../../../test/support/portal.ts";
import { atProvider, begin, finish, oidcOf } from "../../../../../test/support/portal-provider.ts";
import { useProviderPortal } from "../../../../../test/support/provider-portal.ts";
import { account } from "../../../../../test/support/server-settings.ts";

eachEngine((engine) => {
  const portal = useProviderPortal(engine);
  const { open, newBrowser, person, addManager, signIn } = portal;

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
      await portal.server.client.post(`/v1/accounts/${account}/key-buckets`, { name: "second" });
      const second = await setPortal(portal.server.client, { oidc: oidcOf(portal.provider) }, portalPath("second"));
      const elsewhere = new PortalBrowser(portal.server, second.url);
      elsewhere.signInCookie = browser.signInCookie;
      await failed(elsewhere, query);
      expect(portal.server.log).not.toContain(new URLSearchParams(query).get("code")!);
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
      portal.server.clock.advance(10 * 60_000);
      await failed(browser, query);
      portal.server.clock.set(new Date().toISOString());
      await open({ oidc: { ...oidcOf(portal.provider), issuer: "https://id.acme.example" } });
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

  test("clocks may differ by a minute", async () => {
    const { sub } = person();
    await addManager({ sub });
    portal.provider.people.idTokenSeconds = 30;
    portal.server.clock.advance(75_000);
    expect((await signIn()).body.session).toBeDefined();
    portal.server.clock.advance(60_000);
    expectProblem(await signIn(), 401, "sign_in_failed");
  });

  test("sessions continue while the provider is down", async () => {
    const { sub } = person();
    await addManager({ sub });
    const browser = newBrowser();
    await signIn(browser);
    const other = newBrowser();
    const query = await atProvider(other, await begin(other));
    portal.provider.isDown = true;
    expect((await browser.get("/keys")).status).toBe(200);
    expectProblem(await finish(other, query), 502, "provider_unavailable");
    // Changed settings need the portal.provider again.
    await open({ title: "Down" });
    expectProblem(await newBrowser().post("/sign-in/provider", {}), 502, "provider_unavailable");
    const signOut = await newBrowser().fetch("/sign-in/provider/sign-out");
    expect(signOut.headers.get("location")).toBe(`${portal.url}/`);
    expect((await browser.get("/session")).status).toBe(200);
    portal.provider.isDown = false;
    expect((await signIn()).body.session).toBeDefined();
  });

  test("the provider must name the issuer exactly as the settings do", async () => {
    await open({ oidc: { ...oidcOf(portal.provider), issuer: `${portal.provider.issuer}/` } });
    expectProblem(await newBrowser().post("/sign-in/provider", {}), 502, "provider_unavailable");
  });
});
