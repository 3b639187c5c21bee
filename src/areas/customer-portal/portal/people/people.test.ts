import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { useMailServer } from "../../../../../test/support/mail-server.ts";
import { allScopes, customerBrowser, PortalBrowser, setPortal } from "../../../../../test/support/portal.ts";
import { startServer, type TestServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";
import { tableContent } from "../../../../../test/support/table-content.ts";

const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;
const everything = [...allScopes, "people:write"];

eachEngine((engine) => {
  const { server: smtp, environment: mail } = useMailServer();
  let server: TestServer;
  let url: string;
  let number = 0;
  let consumer: string;
  beforeAll(async () => {
    server = await startServer(engine, { environment: mail() });
    await server.client.post(consumers, { name: "other" });
    url = (await setPortal(server.client)).url;
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    server.clock.advance(20 * 60_000);
    consumer = `acme-${++number}`;
    await server.client.post(consumers, { name: consumer });
  });

  /** A manager of the consumer, signed in by mail. */
  const manager = async (name: string, scopes?: string[], consumerName = consumer) => {
    const email = `${name}@${consumer}.example`;
    const input = { sub: `sub-${name}`, email, ...(scopes ? { scopes } : {}) };
    const { body } = await server.client.post(`${consumers}/${consumerName}/managers`, input);
    const browser = new PortalBrowser(server, url);
    expect((await browser.signInByMail(smtp, email, () => server.catchUp())).status).toBe(200);
    return { id: body.id as string, email, browser };
  };
  const managersNow = async () =>
    (await tableContent(server.database, "managers")).map(({ id, scopes, version }) => [id, scopes, version]);

  test("a manager invites a person, who joins by signing in with the address", async () => {
    const jo = await manager("jo");
    const email = `sam@${consumer}.example`;
    const { body: invite } = await jo.browser.post("/invites", { email, scopes: ["usage:read"] });
    expect(invite).toMatchObject({ email, scopes: ["usage:read"], expiresOn: server.clock.iso(7 * 86_400_000) });
    await server.catchUp();
    expect(smtp.to(email)).toMatchObject([
      { subject: "You are invited to Weather", from: "Weather <gate@tollgate.example>", url: `${url}/sign-in` },
    ]);
    expectProblem(await jo.browser.post("/invites", { email }), 409, "invite_exists");
    const { body: listed } = await jo.browser.get("/people");
    expect(listed.data).toMatchObject([{ id: jo.id, name: jo.email, scopes: everything, isSelf: true }]);
    expect(listed.invites).toMatchObject([{ id: invite.id, email }]);
    const sam = new PortalBrowser(server, url);
    expect((await sam.signInByMail(smtp, email, () => server.catchUp())).body.session).toMatchObject({
      consumer: { name: consumer },
      scopes: ["usage:read"],
    });
    expect((await jo.browser.get("/people")).body).toMatchObject({
      data: [{ name: jo.email }, { name: email, scopes: ["usage:read"], isSelf: false }],
      invites: [],
    });
    expectProblem(await sam.get("/people"), 403, "portal_scope_missing");
    const { body: log } = await server.client.get(
      `/v1/accounts/${account}/audit-log?action=manager-invite.created&limit=1`,
    );
    expect(log.data).toMatchObject([{ actor: { type: "manager", id: jo.id, name: jo.email } }]);
  });

  test("invitations are limited per customer and per address, also concurrent and withdrawn ones", async () => {
    const jo = await manager("jo");
    const email = `sam@${consumer}.example`;
    for (let sent = 0; sent < 3; sent += 1) {
      const { status, body } = await jo.browser.post("/invites", { email: email.toUpperCase() });
      expect(status).toBe(200);
      await jo.browser.delete(`/invites/${body.id}`);
    }
    const limited = await jo.browser.post("/invites", { email });
    expectProblem(limited, 429, "too_many_invites");
    expect(limited.headers.get("retry-after")).toBe("86400");
    expectProblem(
      await (await manager("ed", undefined, "other")).browser.post("/invites", { email }),
      429,
      "too_many_invites",
    );
    const send = (from: number, count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, at) =>
          jo.browser.post("/invites", { email: `person-${from + at}@${consumer}.example` }),
        ),
      );
    const statuses = (await send(0, 20)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(17);
    expect(statuses.filter((status) => status === 429)).toHaveLength(3);
    expect((await jo.browser.get("/people")).body.invites).toHaveLength(17);
    // A day later there may be more, up to the number of open ones.
    for (const more of [20, 13]) {
      server.clock.advance(24 * 60 * 60_000);
      jo.browser = await customerBrowser(server, url, consumer, { scopes: everything });
      expect((await send(100 * more, more)).every(({ status }) => status === 200)).toBe(true);
    }
    server.clock.advance(24 * 60 * 60_000);
    jo.browser = await customerBrowser(server, url, consumer, { scopes: everything });
    const [full] = await send(9000, 1);
    expectProblem(full!, 429, "too_many_invites");
    expect(full!.headers.get("retry-after")).toBe(String(4 * 86_400));
    expect((await jo.browser.get("/people")).body.invites).toHaveLength(50);
  });

  test("an invite that was withdrawn cannot be used, and its mail is not sent", async () => {
    const jo = await manager("jo");
    const email = `sam@${consumer}.example`;
    // Mail is sent at once, so the first attempt fails for now.
    smtp.rejectWith = 451;
    const { body: invite } = await jo.browser.post("/invites", { email });
    await server.catchUp();
    expect((await jo.browser.delete(`/invites/${invite.id}`)).status).toBe(204);
    smtp.rejectWith = undefined;
    await new PortalBrowser(server, url).post("/sign-in", { email });
    server.clock.advance(60 * 60_000);
    await server.catchUp();
    expect(smtp.to(email)).toEqual([]);
    expectProblem(await jo.browser.delete(`/invites/${invite.id}`), 404, "not_found");
  });

  test("removing a person ends their sessions at once; keys keep working", async () => {
    const jo = await manager("jo");
    const sam = await manager("sam");
    const { body: key } = await sam.browser.post("/keys", {});
    expect((await jo.browser.delete(`/people/${sam.id}`)).status).toBe(204);
    expectProblem(await sam.browser.get("/session"), 401, "session_required");
    const path = `/v1/accounts/${account}/key-buckets/main/verify-key`;
    expect((await server.client.post(path, { key: key.key })).body.valid).toBe(true);
    expectProblem(await jo.browser.delete(`/people/${sam.id}`), 404, "not_found");
  });

  test("one person with all scopes always remains, also with concurrent requests", async () => {
    const jo = await manager("jo");
    const before = await managersNow();
    expectProblem(await jo.browser.delete(`/people/${jo.id}`), 409, "last_manager");
    expectProblem(await jo.browser.patch(`/people/${jo.id}`, { scopes: ["people:write"] }), 409, "last_manager");
    expect(await managersNow()).toEqual(before);
    const sam = await manager("sam");
    const left = await Promise.all([jo.browser.delete(`/people/${jo.id}`), sam.browser.delete(`/people/${sam.id}`)]);
    expect(left.map(({ status }) => status).sort()).toEqual([204, 409]);
  });

  test("scopes can be changed, and apply to the next request", async () => {
    const jo = await manager("jo");
    const sam = await manager("sam");
    const { body, headers } = await jo.browser.patch(`/people/${sam.id}`, { scopes: ["usage:read", "keys:read"] });
    expect(body).toMatchObject({ id: sam.id, scopes: ["keys:read", "usage:read"] });
    expect(headers.get("etag")).not.toBeNull();
    expectProblem(await sam.browser.post("/keys", {}), 403, "portal_scope_missing");
    expect((await sam.browser.get("/keys")).status).toBe(200);
    const stale = await jo.browser.send("PATCH", `/people/${sam.id}`, { scopes: null }, { "if-match": '"x"' });
    expectProblem(stale, 412, "precondition_failed");
    expect((await jo.browser.patch(`/people/${sam.id}`, { scopes: null })).body.scopes).toEqual(everything);
    expect((await sam.browser.post("/keys", {})).status).toBe(200);
    for (const scopes of [[], ["keys:read", "keys:read"], ["all"]])
      expectProblem(await jo.browser.patch(`/people/${sam.id}`, { scopes }), 400, "validation_failed");
    const { body: log } = await server.client.get(`/v1/accounts/${account}/audit-log?action=manager.updated&limit=1`);
    expect(log.data).toMatchObject([{ actor: { type: "manager", id: jo.id }, resource: { id: sam.id } }]);
  });

  test("a manager grants no more scopes than they have, and cannot change a manager with more", async () => {
    const jo = await manager("jo");
    const sam = await manager("sam", ["people:write", "usage:read"]);
    const before = await managersNow();
    expectProblem(await sam.browser.post("/invites", { email: "a@acme.example" }), 403, "scopes_exceeded");
    const more = { email: "a@acme.example", scopes: ["keys:write"] };
    expectProblem(await sam.browser.post("/invites", more), 403, "scopes_exceeded");
    expectProblem(await sam.browser.patch(`/people/${sam.id}`, { scopes: null }), 403, "scopes_exceeded");
    expectProblem(await sam.browser.patch(`/people/${jo.id}`, { scopes: ["usage:read"] }), 403, "scopes_exceeded");
    expectProblem(await sam.browser.delete(`/people/${jo.id}`), 403, "scopes_exceeded");
    const { body: invite } = await jo.browser.post("/invites", { email: "b@acme.example" });
    expectProblem(await sam.browser.delete(`/invites/${invite.id}`), 403, "scopes_exceeded");
    expect(await managersNow()).toEqual(before);
    expect((await sam.browser.post("/invites", { email: "a@acme.example", scopes: ["usage:read"] })).status).toBe(200);
  });

  test("a hand-off manages people only with the scope", async () => {
    const browser = await customerBrowser(server, url, consumer);
    expectProblem(await browser.get("/people"), 403, "portal_scope_missing");
    const granted = await customerBrowser(server, url, consumer, { scopes: everything });
    expect((await granted.post("/invites", { email: "c@acme.example" })).status).toBe(200);
    expectProblem(await granted.post("/invites", { email: "c" }), 400, "validation_failed", { pointer: "/email" });
  });

  test("a manager with all scopes deletes the account: keys and sign-in are rejected", async () => {
    const jo = await manager("jo");
    const sam = await manager("sam", ["people:write"]);
    const { body: key } = await jo.browser.post("/keys", {});
    const verify = () =>
      server.client.post(`/v1/accounts/${account}/key-buckets/main/verify-key`, { key: key.key as string });
    expectProblem(await sam.browser.delete("/account"), 403, "portal_scope_missing");
    expect((await verify()).body.valid).toBe(true);
    expect((await jo.browser.delete("/account")).status).toBe(204);
    expect((await verify()).body.valid).toBe(false);
    expect((await server.client.get(`${consumers}/${consumer}`)).status).toBe(404);
    for (const { browser } of [jo, sam]) expectProblem(await browser.get("/keys"), 401, "session_required");
    const { body: log } = await server.client.get(`/v1/accounts/${account}/audit-log?action=consumer.deleted&limit=1`);
    expect(log.data).toMatchObject([{ actor: { type: "manager", name: jo.email } }]);
  });

  test("the business may remove every manager", async () => {
    const jo = await manager("jo");
    expect((await server.client.delete(`${consumers}/${consumer}/managers/${jo.id}`)).status).toBe(204);
    expectProblem(await jo.browser.get("/session"), 401, "session_required");
  });
});
