import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { callerWithRole, strangerOf } from "../../../../../test/support/callers.ts";
import { casesFor, eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import {
  allScopes,
  codeIn,
  customerBrowser,
  handOff,
  PortalBrowser,
  portalPath,
  setPortal,
} from "../../../../../test/support/portal.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";
import { tableContent } from "../../../../../test/support/table-content.ts";

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;
  const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;
  const sessionsPath = `${portalPath()}/sessions`;
  const returnOrigins = ["https://app.acme.example"];
  let url: string;
  const newBrowser = () => new PortalBrowser(server, url);

  beforeAll(async () => {
    for (const name of ["acme", "globex"]) await client.post(consumers, { name });
  });
  beforeEach(async () => {
    url = (await setPortal(client, { returnOrigins })).url;
  });

  test("a hand-off opens a session once: the code is in the fragment, and the cookie is for the portal's host only", async () => {
    const returnUrl = "https://app.acme.example/settings?tab=api";
    const given = { consumerName: "acme", subject: "user-1", scopes: allScopes, returnUrl };
    const { body, headers } = await client.post(sessionsPath, given);
    expect(headers.get("cache-control")).toBe("no-store");
    const { origin, pathname, search } = new URL(body.url);
    expect({ origin, pathname, search }).toEqual({ origin: url, pathname: "/sign-in", search: "" });
    expect(Date.parse(body.expiresOn)).toBe(clock.now() + 120_000);
    const browser = newBrowser();
    expectProblem(await browser.get("/session"), 401, "session_required");
    const code = codeIn(body.url);
    const show = (from: PortalBrowser) => from.post("/hand-off", { code });
    expect(await show(browser)).toMatchObject({ status: 200, body: { consumer: { name: "acme" }, session: "none" } });
    expect((await show(await customerBrowser(server, url, "acme"))).body.session).toBe("same");
    expect((await show(await customerBrowser(server, url, "globex"))).body.session).toBe("other");
    expectProblem(await browser.post("/hand-off", { code: "tgh_none" }), 401, "handoff_invalid");
    expectProblem(await browser.get("/session"), 401, "session_required");
    const signedIn = await browser.signIn(codeIn(body.url));
    expect(signedIn.body).toEqual({
      consumer: { name: "acme" },
      subject: "user-1",
      scopes: allScopes,
      pages: ["keys"],
      isManager: false,
      isByProvider: false,
      isView: false,
      returnUrl,
      expiresOn: clock.iso(12 * 60 * 60 * 1000),
    });
    expect(signedIn.headers.get("set-cookie")).toMatch(
      /^tollgate-portal=tgps_\w+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200$/,
    );
    expect((await browser.get("/session")).body).toEqual(signedIn.body);
    expectProblem(await newBrowser().signIn(codeIn(body.url)), 401, "handoff_invalid");
    expectProblem(await show(browser), 401, "handoff_invalid");
    const stored = [
      ...(await tableContent(server.database, "portal_handoffs")),
      ...(await tableContent(server.database, "portal_sessions")),
    ];
    expect(JSON.stringify(stored)).not.toContain(browser.cookie!.split("=")[1]!);
  });

  test("of two browsers with one code, one is signed in", async () => {
    const code = await handOff(client, "acme");
    const responses = await Promise.all([newBrowser().signIn(code), newBrowser().signIn(code)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  test("a code is valid for two minutes, and a session for twelve hours", async () => {
    const code = await handOff(client, "acme");
    clock.advance(120_000);
    expectProblem(await newBrowser().signIn(code), 401, "handoff_invalid");
    const browser = await customerBrowser(server, url, "acme");
    clock.advance(12 * 60 * 60 * 1000 - 1);
    expect((await browser.get("/session")).status).toBe(200);
    clock.advance(1);
    expectProblem(await browser.get("/session"), 401, "session_required");
    await server.runTasks();
    expect(await tableContent(server.database, "portal_sessions")).toEqual([]);
    expect(await tableContent(server.database, "portal_handoffs")).toEqual([]);
  });

  test("replacing the session of another customer needs confirmation, and the code stays valid until then", async () => {
    const browser = await customerBrowser(server, url, "acme");
    const code = await handOff(client, "globex");
    expectProblem(await browser.signIn(code), 409, "session_replaced");
    expect((await browser.get("/session")).body.consumer.name).toBe("acme");
    const former = browser.cookie!;
    expect((await browser.signIn(code, { replacesSession: true })).status).toBe(200);
    expect((await browser.get("/session")).body.consumer.name).toBe("globex");
    expectProblem(await newBrowser().get("/session", { cookie: former }), 401, "session_required");
    // Of the same customer it needs none.
    expect((await browser.signIn(await handOff(client, "globex", { subject: "user-2" }))).status).toBe(200);
    expect((await browser.get("/session")).body.subject).toBe("user-2");
  });

  test("a session ends when it is signed out, the consumer or the portal is deleted, or the portal is disabled", async () => {
    const browser = await customerBrowser(server, url, "acme");
    const former = browser.cookie!;
    const out = await browser.delete("/session");
    expect([out.status, out.headers.get("set-cookie")]).toEqual([204, expect.stringContaining("Max-Age=0")]);
    expectProblem(await newBrowser().get("/session", { cookie: former }), 401, "session_required");

    const other = await customerBrowser(server, url, "acme");
    await setPortal(client, { isEnabled: false });
    expectProblem(await other.get("/session"), 404, "portal_not_found");
    await setPortal(client);
    expect((await other.get("/session")).status).toBe(200);

    await client.post(consumers, { name: "brief" });
    const brief = await customerBrowser(server, url, "brief");
    const unused = await handOff(client, "brief");
    await client.delete(`${consumers}/brief`);
    expectProblem(await brief.get("/session"), 401, "session_required");
    expectProblem(await newBrowser().signIn(unused), 401, "handoff_invalid");
    // A new consumer of the name is another customer.
    await client.post(consumers, { name: "brief" });
    expectProblem(await brief.get("/session"), 401, "session_required");

    await client.delete(portalPath());
    await setPortal(client);
    expect((await other.fetch("/portal/api/session")).status).toBe(404);
  });

  describe("a hand-off is rejected:", () => {
    const valid = { consumerName: "acme", subject: "user-1", scopes: ["keys:read"] };
    test.each(
      casesFor(engine, [
        ["no consumer", { consumerName: undefined }, "/consumerName"],
        ["another consumer", { consumerName: "none" }, "/consumerName"],
        ["no subject", { subject: "" }, "/subject"],
        ["no scopes", { scopes: [] }, "/scopes"],
        ["a scope twice", { scopes: ["keys:read", "keys:read"] }, "/scopes"],
        ["a scope that does not exist yet", { scopes: ["models:read"] }, "/scopes/0"],
        ["a return URL elsewhere", { returnUrl: "https://evil.example/" }, "/returnUrl"],
        ["one whose host only begins like ours", { returnUrl: "https://app.acme.example.evil.example/" }, "/returnUrl"],
        ["one with our host as its user", { returnUrl: "https://app.acme.example@evil.example/" }, "/returnUrl"],
        ["a script", { returnUrl: "javascript:alert(1)" }, "/returnUrl"],
        ["an unknown field", { account: "x" }, "/account"],
      ]),
    )("%s", async (_, input, pointer) => {
      expectProblem(await client.post(sessionsPath, { ...valid, ...input }), 400, "validation_failed", { pointer });
      const rows = await tableContent(server.database, "portal_handoffs");
      expect(rows.filter(({ subject }) => subject === "")).toEqual([]);
    });

    test("scopes beyond the role, callers without permission, other accounts, disabled and missing portals", async () => {
      const reader = await callerWithRole(client, "reader");
      const beyond = await reader.post(sessionsPath, { ...valid, scopes: ["keys:read", "keys:write"] });
      expectProblem(beyond, 403, "forbidden");
      expect(beyond.body.detail).toContain("keys:write");
      expect((await reader.post(sessionsPath, valid)).status).toBe(200);
      expectProblem(await client.anonymous().post(sessionsPath, valid), 401, "unauthenticated");
      const verifier = await callerWithRole(client, "verifier");
      expectProblem(await verifier.post(sessionsPath, valid), 403, "forbidden");
      const stranger = await strangerOf(client, `portal-sessions-${engine.name}`);
      expectProblem(await stranger.post(sessionsPath, valid), 404, "not_found");
      await setPortal(client, { isEnabled: false });
      expectProblem(await client.post(sessionsPath, valid), 409, "portal_disabled");
      await client.delete(portalPath());
      expectProblem(await client.post(sessionsPath, valid), 404, "not_found");
    });
  });

  test("every write needs the portal's own Origin, and JSON", async () => {
    const browser = await customerBrowser(server, url, "acme");
    const { host } = new URL(url);
    for (const origin of ["null", server.url, `https://${host}`, `${url}.evil.example`, `${url}/`])
      expectProblem(await browser.post("/keys", {}, { origin }), 403, "origin_mismatch");
    const without = await browser.fetch("/portal/api/keys", { method: "POST", body: "{}" });
    expect([without.status, ((await without.json()) as { code: string }).code]).toEqual([403, "origin_mismatch"]);
    const form = await browser.post("/keys", {}, { "content-type": "text/plain" });
    expectProblem(form, 415, "unsupported_media_type");
    expect((await browser.get("/keys")).body.data).toEqual([]);
    expectProblem(await newBrowser().post("/session", { code: "x" }, { origin: server.url }), 403, "origin_mismatch");
  });

  test("a session at one portal is none at another", async () => {
    await client.post(`/v1/accounts/${account}/key-buckets`, { name: "other" });
    const { url: otherUrl } = await setPortal(client, {}, portalPath("other"));
    const code = await handOff(client, "acme");
    const other = new PortalBrowser(server, otherUrl);
    expectProblem(await other.signIn(code), 401, "handoff_invalid");
    const browser = await customerBrowser(server, url, "acme");
    expectProblem(await other.get("/session", { cookie: browser.cookie! }), 401, "session_required");
  });

  test("a scope that the session lacks is rejected, and nothing changes", async () => {
    const browser = await customerBrowser(server, url, "acme", { scopes: ["usage:read"] });
    for (const path of ["/keys", "/requests"]) expectProblem(await browser.get(path), 403, "portal_scope_missing");
    expectProblem(await browser.post("/keys", {}), 403, "portal_scope_missing");
    expect((await browser.get("/usage")).status).toBe(200);
    const reading = await customerBrowser(server, url, "acme", { scopes: ["keys:read"] });
    expectProblem(await reading.post("/keys", {}), 403, "portal_scope_missing");
    expect((await reading.get("/keys")).body.data).toEqual([]);
    expectProblem(await reading.get("/usage"), 403, "portal_scope_missing");
  });

  test("a user views the portal as a customer: nothing can be changed, and the audit log shows who viewed it", async () => {
    const reader = await callerWithRole(client, "reader");
    const { body } = await reader.post(`${portalPath()}/$view`, { consumerName: "acme" });
    const browser = newBrowser();
    const { body: session } = await browser.signIn(codeIn(body.url));
    expect(session).toMatchObject({
      isView: true,
      scopes: ["keys:read", "usage:read", "requests:read", "invoices:read"],
    });
    expectProblem(await browser.post("/keys", {}), 403, "portal_scope_missing");
    const { body: me } = await reader.get("/v1/who-am-i");
    const { body: log } = await client.get(`/v1/accounts/${account}/audit-log?limit=2`);
    expect(log.data).toMatchObject([
      {
        action: "portal-session.created",
        actor: { type: "token", id: me.sub },
        resource: { parent: { name: "acme" } },
      },
      { action: "portal.viewed", actor: { type: "token", id: me.sub }, resource: { parent: { name: "acme" } } },
    ]);
    expectProblem(await client.post(`${portalPath()}/$view`, { consumerName: "none" }), 400, "validation_failed");
  });

  test("what a manager does is in the audit log, with the subject as the actor", async () => {
    const browser = await customerBrowser(server, url, "acme", { subject: "jo@acme.example" });
    const { body: key } = await browser.post("/keys", { description: "laptop" });
    await browser.delete(`/keys/${key.id}`);
    await browser.delete("/session");
    const { body: log } = await client.get(`/v1/accounts/${account}/audit-log?limit=5`);
    const actor = { type: "manager", id: "jo@acme.example" };
    expect(log.data).toMatchObject([
      { action: "portal-session.deleted", actor },
      { action: "key.deleted", actor, resource: { id: key.id } },
      { action: "key.created", actor },
      { action: "portal-session.created", actor },
      { action: "portal.handed_off", actor: { type: "token" }, resource: { parent: { name: "acme" } } },
    ]);
  });
});

test("over https the cookie is bound to the host", async () => {
  // Browsers reject `__Host-` cookies without Secure or with a Domain.
  const { portalCookies } = await import("./cookie.ts");
  expect(portalCookies.session.set("v", true, 9)).toBe(
    "__Host-tollgate-portal=v; Path=/; HttpOnly; SameSite=Lax; Max-Age=9; Secure",
  );
});
