import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { callerWithRole } from "../../../../test/support/callers.ts";
import type { ClientResponse } from "../../../../test/support/client.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { useMailServer } from "../../../../test/support/mail-server.ts";
import { cookieOf, ownHeaders } from "../../../../test/support/people.ts";
import { startServer, type TestServer } from "../../../../test/support/server.ts";
import { operatorToken } from "../../../../test/support/server-settings.ts";
import { holdText, tableContent } from "../../../../test/support/table-content.ts";

const minute = 60_000;
const members = "/v1/accounts/default/members";
const mails = "/v1/accounts/default/mails";

let count = 0;
const address = () => `person-${++count}@acme.example`;

eachEngine((engine) => {
  const { server: smtp, environment: mailSettings } = useMailServer();
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer(engine, { environment: mailSettings() });
  });
  afterAll(() => server.stop());
  // The limit per client address counts all tests.
  beforeEach(() => {
    server.clock.advance(20 * minute);
    smtp.rejectWith = undefined;
  });

  const visitor = () => server.client.anonymous();
  const post = (path: string, body: unknown, cookie?: string): Promise<ClientResponse> =>
    visitor().post(path, body, { ...ownHeaders(server), ...(cookie ? { cookie } : {}) });
  const start = async (email: string) => {
    const response = await post("/v1/sign-in", { email });
    expect(response.status).toBe(202);
    await server.catchUp();
    return { response, cookie: cookieOf(response), mail: smtp.to(email).at(-1)! };
  };
  const member = async (role = "reader") => {
    const email = address();
    expect((await server.client.post(members, { email, role })).status).toBe(200);
    await server.catchUp();
    const invitation = smtp.to(email).at(-1)!.url.split("#")[1];
    expect((await post("/v1/invitations/$accept", { invitation })).status).toBe(200);
    return email;
  };
  const identity = (response: ClientResponse) => visitor().get("/v1/who-am-i", { cookie: cookieOf(response) });

  describe("an invitation by mail", () => {
    test("is sent in the account's name, without the link in the response", async () => {
      const email = address();
      const { body } = await server.client.post(members, { email, role: "editor" });
      expect(body.invitationUrl).toBeUndefined();
      await server.catchUp();
      const [mail, ...more] = smtp.to(email);
      expect(more).toEqual([]);
      expect(mail).toMatchObject({ subject: "Join default", from: "default <gate@tollgate.example>" });
      expect(mail!.url).toMatch(new RegExp(`^${server.url}/console/join#tgi_`));
      for (const content of [mail!.text, mail!.html]) {
        expect(content).toContain("You are invited to default, with the role editor.");
        expect(content.match(/https?:\/\//g)).toHaveLength(1);
        expect(content).not.toMatch(/<img|<script|<link/);
      }
      const accepted = await post("/v1/invitations/$accept", { invitation: mail!.url.split("#")[1] });
      expect(accepted.body.caller).toMatchObject({ email, role: "editor" });
      const listed = (await server.client.get(mails)).body.data[0];
      expect(listed).toMatchObject({ kind: "invitation", to: email, state: "sent", attempts: 1 });
    });

    test("is sent again with another link, and the first no longer works", async () => {
      const email = address();
      const { body } = await server.client.post(members, { email, role: "editor" });
      await server.catchUp();
      await server.client.post(`${members}/${body.id}/$invite`);
      await server.catchUp();
      const [first, second] = smtp.to(email).map(({ url }) => url.split("#")[1]);
      expectProblem(await post("/v1/invitations/$accept", { invitation: first }), 404, "invitation_invalid");
      expect((await post("/v1/invitations/$accept", { invitation: second })).status).toBe(200);
    });

    test("is not sent if the member was removed", async () => {
      const email = address();
      smtp.rejectWith = 450;
      const { body } = await server.client.post(members, { email, role: "editor" });
      await server.catchUp();
      await server.client.delete(`${members}/${body.id}`);
      smtp.rejectWith = undefined;
      server.clock.advance(5 * minute);
      await server.catchUp();
      expect(smtp.to(email)).toEqual([]);
    });
  });

  describe("sign-in by mail", () => {
    test("works with the code in the browser that started it, once", async () => {
      const email = await member();
      const { response, cookie, mail } = await start(email.toUpperCase().replace("@ACME.EXAMPLE", "@acme.example"));
      expect(response.headers.get("set-cookie")).toMatch(
        /^tollgate-sign-in=tgb_[0-9a-f_]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=900$/,
      );
      expect(mail).toMatchObject({ subject: "Sign in to default" });
      expect(mail.code).toMatch(/^\d{8}$/);
      expect(mail.html).toContain(`${mail.code!.slice(0, 4)} ${mail.code!.slice(4)}`);
      expectProblem(await post("/v1/sign-in/code", { code: mail.code }), 401, "code_invalid");
      const signedIn = await post(
        "/v1/sign-in/code",
        { code: `${mail.code!.slice(0, 4)} ${mail.code!.slice(4)}` },
        cookie,
      );
      expect(signedIn.body.caller).toMatchObject({ type: "person", email, role: "reader", account: "default" });
      expect((await identity(signedIn)).status).toBe(200);
      expectProblem(await post("/v1/sign-in/code", { code: mail.code }, cookie), 401, "code_invalid");
      expectProblem(await post("/v1/sign-in/link", { link: mail.url.split("#")[1] }), 404, "link_invalid");
      const listed = await server.client.get("/v1/accounts/default/sessions?limit=1000");
      const session = listed.body.data.find(({ id }: { id: string }) => id === signedIn.body.id);
      expect(session).toMatchObject({ method: "mail", owner: { type: "person", name: email } });
    });

    test("works with the link in any browser, once, and the code not after it", async () => {
      const email = await member();
      const { cookie, mail } = await start(email);
      expect(mail.url).toMatch(new RegExp(`^${server.url}/console/link#tgl_`));
      const link = mail.url.split("#")[1];
      const responses = await Promise.all([1, 2].map(() => post("/v1/sign-in/link", { link })));
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 404]);
      expectProblem(await post("/v1/sign-in/code", { code: mail.code }, cookie), 401, "code_invalid");
    });

    test("accepts no invitation by itself; after the person accepts, it is valid in all of their accounts", async () => {
      const email = await member();
      const operator = server.client.as(operatorToken);
      const name = `second-${engine.name}`;
      await operator.post("/v1/accounts", { name });
      await operator.post(`/v1/accounts/${name}/members`, { email, role: "admin" });
      await server.catchUp();
      const { mail } = await start(email);
      expect(mail.subject).toBe("Sign in to Tollgate");
      const signedIn = await post("/v1/sign-in/link", { link: mail.url.split("#")[1] });
      const browser = server.client.withCookie(cookieOf(signedIn));
      expect((await browser.get("/v1/who-am-i")).body.accounts).toEqual([{ account: "default", role: "reader" }]);
      expectProblem(await browser.get(`/v1/accounts/${name}/members`), 404, "not_found");
      expect((await operator.get(`/v1/accounts/${name}/sessions`)).body.total).toBe(0);
      const invitation = { account: name, role: "admin", invitedBy: "operator", expiresOn: expect.any(String) };
      expect((await browser.get("/v1/invitations")).body.data).toEqual([invitation]);
      expect((await browser.post(`/v1/invitations/${name}/$accept`, {})).body).toEqual(invitation);
      expect((await browser.get("/v1/invitations")).body.data).toEqual([]);
      expectProblem(await browser.post(`/v1/invitations/${name}/$accept`, {}), 404, "not_found");
      expect((await browser.get("/v1/who-am-i")).body.accounts).toEqual([
        { account: "default", role: "reader" },
        { account: name, role: "admin" },
      ]);
      expectProblem(await browser.get("/v1/deployments"), 400, "validation_failed", { pointer: "?accountName" });
      expect((await browser.get(`/v1/deployments?accountName=${name}`)).status).toBe(200);
      expect((await browser.get(`/v1/accounts/${name}/members`)).status).toBe(200);
      expectProblem(await browser.get(members), 403, "forbidden");
      const log = await server.client.get("/v1/accounts/default/audit-log?action=session.created&limit=1");
      expect(log.body.data).toMatchObject([{ actor: { type: "person" }, resource: { id: signedIn.body.id } }]);
    });

    test("does the same for an unknown address, and sends nothing", async () => {
      const email = await member();
      await server.catchUp();
      const sent = smtp.mails.length;
      const known = await post("/v1/sign-in", { email });
      const unknown = await post("/v1/sign-in", { email: "nobody@acme.example" });
      expect(unknown.status).toBe(202);
      expect(unknown.body).toEqual(known.body);
      const shape = ({ headers }: ClientResponse) => headers.get("set-cookie")!.replace(/tgb_[0-9a-f_]+/, "");
      expect(shape(unknown)).toBe(shape(known));
      await server.catchUp();
      expect(smtp.mails.slice(sent).map(({ to }) => to)).toEqual([email]);
      const [row] = await tableContent(server.database, "sign_ins ORDER BY seq DESC");
      expect(row).toMatchObject({ link_hash: null, code_hash: null });
      const cookie = cookieOf(unknown);
      expectProblem(await post("/v1/sign-in/code", { code: "00000000" }, cookie), 401, "code_invalid");
    });

    test("ends after 15 minutes", async () => {
      const { cookie, mail } = await start(await member());
      server.clock.advance(15 * minute);
      expectProblem(await post("/v1/sign-in/code", { code: mail.code }, cookie), 401, "code_invalid");
      expectProblem(await post("/v1/sign-in/link", { link: mail.url.split("#")[1] }), 404, "link_invalid");
    });

    test("ends after 5 attempts, also concurrent ones", async () => {
      const { cookie, mail } = await start(await member());
      const wrong = String((Number(mail.code) + 1) % 1e8).padStart(8, "0");
      const attempts = await Promise.all(
        Array.from({ length: 5 }, () => post("/v1/sign-in/code", { code: wrong }, cookie)),
      );
      for (const attempt of attempts) expectProblem(attempt, 401, "code_invalid");
      expectProblem(await post("/v1/sign-in/code", { code: mail.code }, cookie), 401, "code_invalid");
      expectProblem(await post("/v1/sign-in/link", { link: mail.url.split("#")[1] }), 404, "link_invalid");
    });

    test("is limited per mailbox and per client address", async () => {
      const email = await member();
      for (let each = 0; each < 5; each += 1) expect((await post("/v1/sign-in", { email })).status).toBe(202);
      for (const limited of [email, email.toUpperCase().replace("@ACME.EXAMPLE", "@acme.example")]) {
        const response = await post("/v1/sign-in", { email: limited });
        expectProblem(response, 429, "too_many_sign_ins");
        expect(response.headers.get("retry-after")).toBe("900");
      }
      for (let each = 0; each < 15; each += 1)
        expect((await post("/v1/sign-in", { email: address() })).status).toBe(202);
      expectProblem(await post("/v1/sign-in", { email: address() }), 429, "too_many_sign_ins");
      server.clock.advance(15 * minute);
      expect((await post("/v1/sign-in", { email })).status).toBe(202);
    });

    test("is not possible after the member was removed", async () => {
      const email = await member();
      const { mail } = await start(email);
      const { data } = (await server.client.get(`${members}?limit=1000`)).body;
      const { id } = data.find((each: { email: string }) => each.email === email);
      await server.client.delete(`${members}/${id}`);
      expectProblem(await post("/v1/sign-in/link", { link: mail.url.split("#")[1] }), 403, "no_access");
    });

    test("stores and logs no secret", async () => {
      const { cookie, mail } = await start(await member());
      const secrets = [cookie.split("=")[1]!, mail.url.split("#")[1]!, mail.code!];
      for (const table of ["sign_ins", "mails", "changes"] as const) {
        const rows = await tableContent(server.database, table);
        for (const secret of secrets) expect([table, holdText(rows, secret)]).toEqual([table, false]);
      }
      for (const secret of secrets) expect(server.log).not.toContain(secret);
    });

    test("is for pages of the server itself", async () => {
      const headers = { origin: "https://evil.example", "content-type": "application/json" };
      for (const [path, body] of [
        ["/v1/sign-in", { email: address() }],
        ["/v1/sign-in/code", { code: "12345678" }],
        ["/v1/sign-in/link", { link: "tgl_1" }],
      ] as const)
        expectProblem(await visitor().post(path, body, headers), 403, "origin_mismatch");
      expectProblem(await post("/v1/sign-in", { email: "nobody" }), 400, "validation_failed", { pointer: "/email" });
      expect((await visitor().get("/v1/sign-in")).body).toEqual({ mail: true, hasMembers: true });
    });
  });

  describe("the queue", () => {
    test("repeats what failed, with a new link, and shows the error", async () => {
      const email = address();
      smtp.rejectWith = 450;
      await server.client.post(members, { email, role: "reader" });
      await server.catchUp();
      const newest = async () => (await server.client.get(`${mails}?limit=1`)).body.data[0];
      expect(await newest()).toMatchObject({
        to: email,
        state: "queued",
        attempts: 1,
        error: expect.stringContaining("rejected by the test"),
        nextAttemptOn: server.clock.iso(10_000),
      });
      smtp.rejectWith = undefined;
      await server.catchUp();
      expect(smtp.to(email)).toEqual([]);
      server.clock.advance(10_000);
      await server.catchUp();
      expect(await newest()).toMatchObject({ to: email, state: "sent", attempts: 2, endedOn: server.clock.iso() });
      const [mail] = smtp.to(email);
      expect((await post("/v1/invitations/$accept", { invitation: mail!.url.split("#")[1] })).status).toBe(200);
    });

    test("gives up what the mail server rejects for good", async () => {
      const email = address();
      smtp.rejectWith = 550;
      await server.client.post(members, { email, role: "reader" });
      await server.catchUp();
      expect((await server.client.get(`${mails}?limit=1`)).body.data[0]).toMatchObject({ to: email, state: "failed" });
    });

    test("does not send sign-in mail that is no longer valid", async () => {
      const email = await member();
      // The account sees the sign-in mail of people who have accepted.
      const { mail } = await start(email);
      expect((await post("/v1/sign-in/link", { link: mail.url.split("#")[1] })).status).toBe(200);
      smtp.rejectWith = 450;
      await post("/v1/sign-in", { email });
      await server.catchUp();
      smtp.rejectWith = undefined;
      server.clock.advance(15 * minute);
      const sent = smtp.to(email).length;
      await server.catchUp();
      expect(smtp.to(email)).toHaveLength(sent);
      expect((await server.client.get(`${mails}?limit=1`)).body.data[0]).toMatchObject({
        kind: "sign-in",
        to: email,
        state: "expired",
      });
    });

    test("is shown to admins of the account only", async () => {
      for (const role of ["editor", "reader", "billing", "verifier"] as const)
        expectProblem(await (await callerWithRole(server.client, role)).get(mails), 403, "forbidden");
      expectProblem(await visitor().get(mails), 401, "unauthenticated");
    });
  });

  test("can be turned off, also for links that were sent before", async () => {
    const email = address();
    await server.client.post(members, { email, role: "reader" });
    const { mail } = await start(email);
    const link = mail.url!.split("#")[1]!;
    await server.restart({ ...mailSettings(), TOLLGATE_MAIL_SIGN_IN: "off" });
    const sent = smtp.mails.length;
    expect((await visitor().get("/v1/sign-in")).body).toEqual({ mail: false, hasMembers: true });
    expectProblem(await post("/v1/sign-in", { email }), 409, "mail_not_configured");
    expectProblem(await post("/v1/sign-in/link", { link }), 409, "mail_not_configured");
    expectProblem(await post("/v1/sign-in/code", { code: "1234 5678" }), 409, "mail_not_configured");
    await server.catchUp();
    expect(smtp.mails.length).toBe(sent);
    await server.restart({ ...mailSettings(), TOLLGATE_MAIL_SIGN_IN: "on" });
    expect((await post("/v1/sign-in/link", { link })).status).toBe(200);
  });
});

describe("without a mail server", () => {
  test("sign-in by mail is rejected", async () => {
    const { sqlite } = await import("../../../../test/support/engines.ts");
    const server = await startServer(sqlite);
    const response = await server.client.anonymous().post("/v1/sign-in", { email: address() }, ownHeaders(server));
    expectProblem(response, 409, "mail_not_configured");
    expect((await server.client.anonymous().get("/v1/sign-in")).body).toEqual({ mail: false, hasMembers: false });
    await server.stop();
  });
});
