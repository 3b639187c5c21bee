import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Client } from "../../../test/support/client.ts";
import { eachEngine } from "../../../test/support/engines.ts";
import { expectProblem } from "../../../test/support/expect-problem.ts";
import { MailServer } from "../../../test/support/mail-server.ts";
import { cookieOf, ownHeaders } from "../../../test/support/people.ts";
import { startServer, type TestServer } from "../../../test/support/server.ts";
import { operatorToken } from "../../../test/support/server-settings.ts";

const minute = 60_000;

let count = 0;
const address = () => `person-${++count}@acme.example`;

eachEngine((engine) => {
  const smtp = new MailServer();
  let server: TestServer;
  let operator: Client;
  beforeAll(async () => {
    await smtp.start();
    const environment = { TOLLGATE_SMTP_URL: smtp.url, TOLLGATE_MAIL_FROM: "gate@tollgate.example" };
    server = await startServer(engine, { environment });
    operator = server.client.as(operatorToken);
  });
  afterAll(async () => {
    await server.stop();
    await smtp.stop();
  });
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
  const idsOf = async (client: Client, path: string) =>
    (await client.get(`${path}?limit=1000`)).body.data.map(({ id }: { id: string }) => id) as string[];

  describe("an account whose invitation a person has not accepted", () => {
    test("neither sees nor ends their sessions, and does not see their sign-ins or mail", async () => {
      const [own, other] = [await newAccount(), await newAccount()];
      const email = address();
      await invite(own, email);
      const session = await signIn(email);
      const { id } = await invite(other, email);
      expect(await idsOf(operator, `${own}/sessions`)).toContain(session.id);
      expect(await idsOf(operator, `${other}/sessions`)).toEqual([]);
      expectProblem(await operator.delete(`${other}/sessions/${session.id}`), 404, "not_found");
      const { body: member } = await operator.get(`${other}/members/${id}`);
      expect(member.state).toBe("invited");
      expect(member.signedInOn).toBeUndefined();
      const kinds = (await operator.get(`${other}/mails`)).body.data.map(({ kind }: { kind: string }) => kind);
      expect(kinds).toEqual(["invitation"]);
      expect((await operator.delete(`${other}/members/${id}`)).body.sessions).toBe(0);
      expect((await session.browser.get("/v1/who-am-i")).status).toBe(200);
      expect((await operator.get(`${own}/members/${id}`)).body.signedInOn).toBe(server.clock.iso());
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
