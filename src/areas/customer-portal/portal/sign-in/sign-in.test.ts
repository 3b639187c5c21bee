import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { ClientResponse } from "../../../../../test/support/client.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { useMailServer } from "../../../../../test/support/mail-server.ts";
import { allScopes, handOff, PortalBrowser, portalPath, setPortal } from "../../../../../test/support/portal.ts";
import { startServer, type TestServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";
import { holdText, tableContent } from "../../../../../test/support/table-content.ts";

const minute = 60_000;
const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;

let count = 0;
const address = () => `person-${++count}@acme.example`;

eachEngine((engine) => {
  const { server: smtp, environment: mail } = useMailServer();
  let server: TestServer;
  let url: string;
  beforeAll(async () => {
    server = await startServer(engine, { environment: mail() });
    for (const name of ["acme", "globex"]) await server.client.post(consumers, { name });
  });
  afterAll(() => server.stop());
  // The limit per client address counts all tests.
  beforeEach(async () => {
    server.clock.advance(20 * minute);
    smtp.rejectWith = undefined;
    url = (await setPortal(server.client)).url;
  });

  const newBrowser = () => new PortalBrowser(server, url);
  const manager = async (consumer = "acme", input: object = {}) => {
    const email = address();
    const body = { sub: `sub of ${email}`, email, ...input };
    const { body: added, status } = await server.client.post(`${consumers}/${consumer}/managers`, body);
    expect(status).toBe(200);
    return { email, id: added.id as string };
  };
  const signIn = (browser: PortalBrowser, email: string) => browser.signInByMail(smtp, email, () => server.catchUp());
  const signedIn = async (email: string) => {
    const browser = newBrowser();
    const { body } = await signIn(browser, email);
    expect(body.session).toBeDefined();
    return browser;
  };

  describe("a manager signs in by mail", () => {
    test("with the code, in the browser that started it, once", async () => {
      const { email, id } = await manager();
      const browser = newBrowser();
      const started = await browser.post("/sign-in", { email: email.toUpperCase().replace("@ACME", "@acme") });
      expect(started.status).toBe(202);
      expect(started.headers.get("set-cookie")).toMatch(
        /^tollgate-portal-sign-in=tgb_[0-9a-f_]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=900$/,
      );
      await server.catchUp();
      const mail = smtp.mails.at(-1)!;
      expect(mail).toMatchObject({ subject: "Sign in to Weather", from: "Weather <gate@tollgate.example>" });
      expect(mail.url).toMatch(new RegExp(`^${url}/sign-in/link#tgl_`));
      expectProblem(await newBrowser().post("/sign-in/code", { code: mail.code }), 401, "code_invalid");
      const { body, headers } = await browser.post("/sign-in/code", { code: mail.code });
      expect(body).toEqual({
        session: {
          consumer: { name: "acme" },
          subject: email,
          scopes: [...allScopes, "people:write"],
          pages: ["keys", "people"],
          isManager: true,
          isByProvider: false,
          isView: false,
          expiresOn: server.clock.iso(12 * 60 * minute),
        },
      });
      expect(headers.get("set-cookie")).toMatch(/^tollgate-portal=tgps_\w+; Path=\/; HttpOnly; SameSite=Lax/);
      expect((await browser.get("/session")).body).toEqual(body.session);
      expectProblem(await browser.post("/sign-in/code", { code: mail.code }), 401, "code_invalid");
      const { body: log } = await server.client.get(`/v1/accounts/${account}/audit-log?limit=1`);
      expect(log.data).toMatchObject([
        {
          action: "portal-session.created",
          actor: { type: "manager", id, name: email },
          resource: { type: "portal-session" },
        },
      ]);
      const listed = (await server.client.get(`/v1/accounts/${account}/mails?limit=1`)).body.data;
      expect(listed).toMatchObject([{ kind: "portal-sign-in", state: "sent" }]);
    });

    test("with the link in any browser, once; not at another portal, and not at the console", async () => {
      const { email } = await manager();
      await newBrowser().post("/sign-in", { email });
      await server.catchUp();
      const link = smtp.to(email).at(-1)!.url.split("#")[1];
      await server.client.post(`/v1/accounts/${account}/key-buckets`, { name: "second" });
      const second = await setPortal(server.client, {}, portalPath("second"));
      expectProblem(await new PortalBrowser(server, second.url).post("/sign-in/link", { link }), 404, "link_invalid");
      const headers = { origin: server.url, "content-type": "application/json" };
      expectProblem(await server.client.anonymous().post("/v1/sign-in/link", { link }, headers), 404, "link_invalid");
      const responses = await Promise.all([1, 2].map(() => newBrowser().post("/sign-in/link", { link })));
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 404]);
    });

    test("the link continues on the page where sign-in was started, in that browser only", async () => {
      const { email } = await manager();
      const page = "/oauth/authorize?client_id=oac_1&state=a%26b";
      const linkFor = async (to: string | undefined) => {
        const browser = newBrowser();
        expect((await browser.post("/sign-in", { email, to })).status).toBe(202);
        await server.catchUp();
        const { url } = smtp.to(email).at(-1)!;
        // Who has the mail alone does not learn the page, and cannot choose it.
        expect(url).toMatch(/\/sign-in\/link#tgl_[0-9a-f_]+$/);
        return { browser, link: url.split("#")[1] };
      };
      const own = await linkFor(page);
      expect((await own.browser.post("/sign-in/link", { link: own.link })).body).toMatchObject({ to: page });
      const others = await linkFor(page);
      const elsewhere = await newBrowser().post("/sign-in/link", { link: others.link });
      expect(elsewhere.body).toEqual({ session: expect.anything() });
      const { browser: another } = await linkFor("/keys");
      const third = await linkFor(page);
      expect((await another.post("/sign-in/link", { link: third.link })).body).toEqual({ session: expect.anything() });
      for (const to of ["https://evil.example/", "//evil.example/", "/\\evil.example/"]) {
        const { browser, link } = await linkFor(to);
        expect((await browser.post("/sign-in/link", { link })).body).toEqual({ session: expect.anything() });
        server.clock.advance(16 * minute);
      }
      expectProblem(await newBrowser().post("/sign-in", { email, to: 1 }), 400, "validation_failed");
    });

    test("who was invited, and becomes a manager with the scopes of the invite", async () => {
      const email = address();
      const invite = { email, scopes: ["usage:read", "keys:read"] };
      await server.client.post(`${consumers}/acme/manager-invites`, invite);
      const browser = await signedIn(email);
      expect((await browser.get("/session")).body).toMatchObject({ scopes: ["keys:read", "usage:read"] });
      expectProblem(await browser.post("/keys", {}), 403, "portal_scope_missing");
      const { data } = (await server.client.get(`${consumers}/acme/managers?limit=1000`)).body;
      const joined = data.find((each: { email: string }) => each.email === email);
      expect(joined).toMatchObject({ scopes: ["keys:read", "usage:read"], sub: expect.stringMatching(/^mail\|/) });
      // Changed scopes apply to the next request.
      await server.client.patch(`${consumers}/acme/managers/${joined.id}`, { scopes: null });
      expect((await browser.get("/keys")).status).toBe(200);
      expect((await browser.get("/session")).body.scopes).toEqual([...allScopes, "people:write"]);
      await server.client.delete(`${consumers}/acme/managers/${joined.id}`);
      expectProblem(await browser.get("/session"), 401, "session_required");
    });

    test("who manages several customers, chooses one, and switches", async () => {
      const { email } = await manager("acme");
      await server.client.post(`${consumers}/globex/manager-invites`, { email });
      const browser = newBrowser();
      const { body } = await signIn(browser, email);
      expect(body).toMatchObject({ email, customers: [{ name: "acme" }, { name: "globex" }] });
      expect(body.session).toBeUndefined();
      expectProblem(await browser.get("/session"), 401, "session_required");
      const { proof, customers } = body;
      const stranger = await manager("globex");
      const wrong = await newBrowser().post("/sign-in/customer", { proof, id: stranger.id });
      expectProblem(wrong, 403, "no_portal_access");
      const chosen = await browser.post("/sign-in/customer", { proof, id: customers[1].id });
      expect(chosen.body.session).toMatchObject({ consumer: { name: "globex" }, subject: email });
      expectProblem(await browser.post("/sign-in/customer", { proof, id: customers[0].id }), 401, "proof_invalid");
      const { data } = (await browser.get("/customers")).body;
      expect(data).toMatchObject([
        { name: "acme", isCurrent: false },
        { name: "globex", isCurrent: true },
      ]);
      const former = browser.cookie!;
      const switched = await browser.post(`/customers/${data[0].id}/$open`);
      expect(switched.body).toMatchObject({ consumer: { name: "acme" } });
      expect((await browser.get("/session")).body.consumer.name).toBe("acme");
      expectProblem(await newBrowser().get("/session", { cookie: former }), 401, "session_required");
      expectProblem(await browser.post(`/customers/${stranger.id}/$open`), 403, "no_portal_access");
    });
  });

  describe("nothing shows whether an address is known", () => {
    const shape = ({ status, body, headers }: ClientResponse) => ({
      status,
      body,
      cookie: headers.get("set-cookie")!.replace(/tgb_[0-9a-f_]+/, ""),
    });

    test("the response and the stored rows are the same, and no mail is sent", async () => {
      const { email } = await manager();
      const unknown = address();
      const responses = [
        await newBrowser().post("/sign-in", { email }),
        await newBrowser().post("/sign-in", { email: unknown }),
      ];
      expect(shape(responses[1]!)).toEqual(shape(responses[0]!));
      const rows = await tableContent(server.database, "sign_ins ORDER BY seq DESC");
      // Link and code are created when the mail is sent, which may have happened.
      const own = ["id", "seq", "email_key", "browser_hash", "link_hash", "code_hash"];
      const stored = (row: Record<string, unknown>) =>
        Object.fromEntries(Object.entries(row).filter(([name]) => !own.includes(name)));
      expect(stored(rows[0]!)).toEqual(stored(rows[1]!));
      const sent = smtp.mails.length;
      await server.catchUp();
      expect(smtp.mails.slice(sent).map(({ to }) => to)).toEqual([email]);
      expect(smtp.to(unknown)).toEqual([]);
    });

    test("limits are the same, per mailbox and per client address", async () => {
      const { email } = await manager();
      for (const each of [email, address()]) {
        for (let attempt = 0; attempt < 5; attempt += 1)
          expect((await newBrowser().post("/sign-in", { email: each })).status).toBe(202);
        expectProblem(await newBrowser().post("/sign-in", { email: each }), 429, "too_many_sign_ins");
      }
      for (let attempt = 0; attempt < 10; attempt += 1)
        expect((await newBrowser().post("/sign-in", { email: address() })).status).toBe(202);
      expectProblem(await newBrowser().post("/sign-in", { email: address() }), 429, "too_many_sign_ins");
    });
  });

  test("sign-in ends after 15 minutes, and after 5 attempts", async () => {
    const { email } = await manager();
    const browser = newBrowser();
    await browser.post("/sign-in", { email });
    await server.catchUp();
    const { code } = smtp.to(email).at(-1)!;
    const wrong = String((Number(code) + 1) % 1e8).padStart(8, "0");
    for (let attempt = 0; attempt < 5; attempt += 1)
      expectProblem(await browser.post("/sign-in/code", { code: wrong }), 401, "code_invalid");
    expectProblem(await browser.post("/sign-in/code", { code }), 401, "code_invalid");
    await browser.post("/sign-in", { email });
    await server.catchUp();
    server.clock.advance(15 * minute);
    const late = smtp.to(email).at(-1)!;
    expectProblem(await browser.post("/sign-in/code", { code: late.code }), 401, "code_invalid");
    expectProblem(await browser.post("/sign-in/link", { link: late.url.split("#")[1] }), 404, "link_invalid");
  });

  test("a manager who was removed after the mail was sent does not get in", async () => {
    const { email, id } = await manager();
    const browser = newBrowser();
    await browser.post("/sign-in", { email });
    await server.catchUp();
    await server.client.delete(`${consumers}/acme/managers/${id}`);
    const link = smtp.to(email).at(-1)!.url.split("#")[1];
    expectProblem(await browser.post("/sign-in/link", { link }), 403, "no_portal_access");
  });

  test("a hand-off is for one customer, and cannot switch", async () => {
    const browser = newBrowser();
    await browser.signIn(await handOff(server.client, "acme"));
    expect((await browser.get("/customers")).body.data).toMatchObject([{ name: "acme", isCurrent: true }]);
    const { id } = await manager("globex");
    expectProblem(await browser.post(`/customers/${id}/$open`), 403, "no_portal_access");
  });

  test("bad input and other origins are rejected, and no secret is stored or logged", async () => {
    const browser = newBrowser();
    const bad = await browser.post("/sign-in", { email: "nobody" });
    expectProblem(bad, 400, "validation_failed", { pointer: "/email" });
    for (const [path, body] of [
      ["/sign-in", { email: address() }],
      ["/sign-in/code", { code: "12345678" }],
      ["/sign-in/link", { link: "tgl_1" }],
      ["/sign-in/customer", { proof: "tgpp_1", id: "mngr_1" }],
      ["/sign-up", { proof: "tgpp_1" }],
    ] as const)
      expectProblem(await browser.post(path, body, { origin: server.url }), 403, "origin_mismatch");
    const { email } = await manager("acme");
    await server.client.post(`${consumers}/globex/manager-invites`, { email });
    const { body } = await signIn(browser, email);
    const mail = smtp.to(email).at(-1)!;
    const secrets = [browser.signInCookie!.split("=")[1]!, mail.url.split("#")[1]!, mail.code!, body.proof as string];
    for (const table of ["sign_ins", "mails", "changes", "portal_proofs"] as const) {
      const rows = await tableContent(server.database, table);
      for (const secret of secrets) expect([table, holdText(rows, secret)]).toEqual([table, false]);
    }
    for (const secret of secrets) expect(server.log).not.toContain(secret);
  });
});

test("without a mail server, the portal has no sign-in by mail", async () => {
  const { sqlite } = await import("../../../../../test/support/engines.ts");
  const server = await startServer(sqlite);
  await server.client.post(consumers, { name: "acme" });
  const { url } = await setPortal(server.client);
  const browser = new PortalBrowser(server, url);
  expect((await browser.get("/site")).body).toMatchObject({ signIn: { mail: false }, signUp: "closed" });
  expectProblem(await browser.post("/sign-in", { email: address() }), 409, "mail_not_configured");
  await server.stop();
});
