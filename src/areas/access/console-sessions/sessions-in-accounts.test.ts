import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Client } from "../../../../test/support/client.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { useMailServer } from "../../../../test/support/mail-server.ts";
import { cookieOf, ownHeaders } from "../../../../test/support/people.ts";
import { startServer, type TestServer } from "../../../../test/support/server.ts";
import { operatorToken } from "../../../../test/support/server-settings.ts";

const minute = 60_000;

let count = 0;
const address = () => `person-${++count}@acme.example`;

eachEngine((engine) => {
  const { server: smtp, environment: mail } = useMailServer();
  let server: TestServer;
  let operator: Client;
  beforeAll(async () => {
    server = await startServer(engine, { environment: mail() });
    operator = server.client.as(operatorToken);
  });
  afterAll(() => server.stop());
  beforeEach(() => server.clock.advance(20 * minute));

  const post = (path: string, body: unknown) => server.client.anonymous().post(path, body, ownHeaders(server));
  const newAccount = async () => {
    const name = `account-${++count}-${engine.name}`;
    expect((await operator.post("/v1/accounts", { name })).status).toBe(200);
    return `/v1/accounts/${name}`;
  };
  /** Invites a person, and returns the member's id and the secret of the mail's link. */
  const invite = async (account: string, email: string) => {
    const { status, body } = await operator.post(`${account}/members`, { email, role: "reader" });
    expect(status).toBe(200);
    await server.catchUp();
    return { id: body.id as string, invitation: smtp.to(email).at(-1)!.url.split("#")[1]! };
  };
  const opened = (response: Awaited<ReturnType<typeof post>>) => {
    expect(response.status).toBe(200);
    return { id: response.body.id as string, browser: server.client.withCookie(cookieOf(response)) };
  };
  const accept = async (invitation: string) => opened(await post("/v1/invitations/$accept", { invitation }));
  const signIn = async (email: string) => {
    expect((await post("/v1/sign-in", { email })).status).toBe(202);
    await server.catchUp();
    return opened(await post("/v1/sign-in/link", { link: smtp.to(email).at(-1)!.url.split("#")[1] }));
  };
  const nameOf = (account: string) => account.split("/").at(-1)!;
  const acceptAs = async (browser: Client, account: string) =>
    expect((await browser.post(`/v1/invitations/${nameOf(account)}/$accept`, {})).status).toBe(200);
  const idsOf = async (client: Client, path: string) =>
    (await client.get(`${path}?limit=1000`)).body.data.map(({ id }: { id: string }) => id) as string[];

  describe("an account whose invitation a person has not accepted", () => {
    test("neither sees nor ends their sessions, and does not see their sign-ins or mail", async () => {
      const [own, other] = [await newAccount(), await newAccount()];
      const email = address();
      const { id: person } = await invite(own, email);
      const session = await signIn(email);
      await acceptAs(session.browser, own);
      const { id } = await invite(other, email);
      // The invitation is ignored at the next sign-in, too.
      const later = await signIn(email);
      expect(await idsOf(operator, `${own}/sessions`)).toEqual([session.id, later.id]);
      expect(await idsOf(operator, `${other}/sessions`)).toEqual([]);
      expectProblem(await operator.delete(`${other}/sessions/${session.id}`), 404, "not_found");
      const { body: member } = await operator.get(`${other}/members/${id}`);
      expect(member.state).toBe("invited");
      expect(member.signedInOn).toBeUndefined();
      const kinds = (await operator.get(`${other}/mails`)).body.data.map(({ kind }: { kind: string }) => kind);
      expect(kinds).toEqual(["invitation"]);
      expect((await operator.delete(`${other}/members/${id}`)).body.sessions).toBe(0);
      expect((await session.browser.get("/v1/who-am-i")).status).toBe(200);
      expect((await operator.get(`${own}/members/${person}`)).body.signedInOn).toBe(server.clock.iso());
    });
  });

  describe("a person who is only invited", () => {
    test("signs in, reads the invitation and nothing else, and accepts it", async () => {
      const account = await newAccount();
      const email = address();
      const { id } = await invite(account, email);
      const { browser } = await signIn(email);
      const identity = (await browser.get("/v1/who-am-i")).body;
      expect(identity).toMatchObject({ sub: id, type: "person", email, accounts: [] });
      expect(identity.account).toBeUndefined();
      for (const path of [account, `${account}/audit-log`, `${account}/key-buckets`])
        expectProblem(await browser.get(path), 404, "not_found");
      expectProblem(await browser.get("/v1/deployments"), 400, "validation_failed");
      expectProblem(await browser.get("/v1/system"), 403, "forbidden");
      expect((await browser.get("/v1/sessions")).body.total).toBe(1);
      await acceptAs(browser, account);
      expect((await browser.get("/v1/who-am-i")).body).toMatchObject({ account: nameOf(account), role: "reader" });
      expect((await browser.get(account)).status).toBe(200);
      const log = (await operator.get(`${account}/audit-log?action=member.joined`)).body.data;
      expect(log).toMatchObject([{ actor: { type: "person", id }, resource: { id } }]);
    });

    test("declines, which ends the session, and may be invited again", async () => {
      const account = await newAccount();
      const email = address();
      const { id, invitation } = await invite(account, email);
      const { browser } = await signIn(email);
      expect((await browser.post(`/v1/invitations/${nameOf(account)}/$decline`, {})).status).toBe(204);
      expectProblem(await browser.get("/v1/who-am-i"), 401, "unauthenticated");
      expectProblem(await operator.get(`${account}/members/${id}`), 404, "not_found");
      expectProblem(await post("/v1/invitations/$accept", { invitation }), 404, "invitation_invalid");
      await accept((await invite(account, email)).invitation);
    });

    test("loses the session when the invitation is withdrawn, or ends", async () => {
      const account = await newAccount();
      const email = address();
      const { id } = await invite(account, email);
      const { browser } = await signIn(email);
      await operator.delete(`${account}/members/${id}`);
      expectProblem(await browser.get("/v1/who-am-i"), 401, "unauthenticated");
      const again = address();
      await invite(account, again);
      server.clock.advance(7 * 24 * 60 * minute - 5 * minute);
      const late = await signIn(again);
      server.clock.advance(6 * minute);
      expectProblem(await late.browser.get("/v1/who-am-i"), 401, "unauthenticated");
      expectProblem(await late.browser.post(`/v1/invitations/${nameOf(account)}/$accept`, {}), 401, "unauthenticated");
    });

    test("cannot be accepted by others, or in a session that is limited to an account", async () => {
      const [own, other] = [await newAccount(), await newAccount()];
      const email = address();
      const limited = await accept((await invite(own, email)).invitation);
      const { id } = await invite(other, email);
      const stranger = await accept((await invite(own, address())).invitation);
      for (const client of [limited.browser, stranger.browser, operator]) {
        expect((await client.get("/v1/invitations")).body.data).toEqual([]);
        for (const action of ["$accept", "$decline"])
          expectProblem(await client.post(`/v1/invitations/${nameOf(other)}/${action}`, {}), 404, "not_found");
      }
      expect((await operator.get(`${other}/members/${id}`)).body.state).toBe("invited");
    });
  });

  describe("an account that a person has joined", () => {
    test("ends a session only for itself, and so does the removal of the member", async () => {
      const [own, other] = [await newAccount(), await newAccount()];
      const email = address();
      await invite(own, email);
      await invite(other, email);
      const sessions = [await signIn(email), await signIn(email)] as const;
      const [first, second] = sessions;
      for (const account of [own, other]) await acceptAs(first.browser, account);
      const ids = sessions.map(({ id }) => id);
      expect(await idsOf(operator, `${other}/sessions`)).toEqual(ids);
      expect((await operator.delete(`${other}/sessions/${first.id}`)).status).toBe(204);
      expectProblem(await operator.delete(`${other}/sessions/${first.id}`), 404, "not_found");
      expect(await idsOf(operator, `${other}/sessions`)).toEqual([second.id]);
      expect(await idsOf(operator, `${own}/sessions`)).toEqual(ids);
      expectProblem(await first.browser.get(other), 404, "not_found");
      expect((await first.browser.get(own)).status).toBe(200);
      expect((await second.browser.get(other)).status).toBe(200);

      const { sub } = (await second.browser.get("/v1/who-am-i")).body;
      expect((await operator.delete(`${other}/members/${sub}`)).body.sessions).toBe(1);
      expectProblem(await second.browser.get(other), 404, "not_found");
      expect((await second.browser.get(own)).status).toBe(200);
      expect(await idsOf(operator, `${own}/sessions`)).toEqual(ids);
      // The last account ends the rest.
      expect((await operator.delete(`${own}/members/${sub}`)).body.sessions).toBe(2);
      for (const { browser } of sessions) expectProblem(await browser.get("/v1/who-am-i"), 401, "unauthenticated");
    });
  });

  describe("a session from the link of an invitation", () => {
    test("neither lists nor ends the person's sessions in other accounts", async () => {
      const [own, other] = [await newAccount(), await newAccount()];
      const email = address();
      const first = await accept((await invite(own, email)).invitation);
      const all = await signIn(email);
      const limited = await accept((await invite(other, email)).invitation);
      expect(await idsOf(limited.browser, "/v1/sessions")).toEqual([limited.id]);
      for (const { id } of [first, all])
        expectProblem(await limited.browser.delete(`/v1/sessions/${id}`), 404, "not_found");
      // The admins of an account see those that are valid in it.
      expect(await idsOf(operator, `${own}/sessions`)).toEqual([first.id, all.id]);
      expect(await idsOf(operator, `${other}/sessions`)).toEqual([all.id, limited.id]);
      expect(await idsOf(all.browser, "/v1/sessions")).toEqual([first.id, all.id, limited.id]);
      expect((await all.browser.delete(`/v1/sessions/${first.id}`)).status).toBe(204);
      expectProblem(await first.browser.get("/v1/who-am-i"), 401, "unauthenticated");
      expect((await limited.browser.delete("/v1/sessions/current")).status).toBe(204);
    });
  });
});
