import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { ownHeaders } from "../../../../test/support/people.ts";
import { startServer, type TestServer } from "../../../../test/support/server.ts";

let count = 0;
const address = () => `person-${++count}@acme.example`;

eachEngine((engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer(engine, {
      environment: {
        TOLLGATE_SMTP_URL: "smtp://127.0.0.1:1",
        TOLLGATE_MAIL_FROM: "gate@tollgate.example",
        TOLLGATE_TRUSTED_PROXIES: "127.0.0.1",
      },
    });
  });
  afterAll(() => server.stop());
  beforeEach(() => void server.clock.advance(20 * 60_000));

  const start = (email: string, ip: string) =>
    server.client.anonymous().post("/v1/sign-in", { email }, { ...ownHeaders(server), "x-forwarded-for": ip });

  describe("sign-ins by mail", () => {
    test("sign-ins of a mailbox are limited per client, so that one client does not keep its owner out", async () => {
      const email = address();
      for (let each = 0; each < 5; each += 1) expect((await start(email, "203.0.113.1")).status).toBe(202);
      expectProblem(await start(email, "203.0.113.1"), 429, "too_many_sign_ins");
      expect((await start(email, "203.0.113.2")).status).toBe(202);
      expect((await start(address(), "203.0.113.1")).status).toBe(202);
    });

    test("sign-ins by mail of a mailbox are limited for all clients together", async () => {
      const email = address();
      for (let each = 0; each < 20; each += 1)
        expect((await start(email, `203.0.113.${10 + Math.floor(each / 4)}`)).status).toBe(202);
      expectProblem(await start(email, "203.0.113.99"), 429, "too_many_sign_ins");
    });

    test("sign-ins by mail of a client are limited also if they are concurrent and for different mailboxes", async () => {
      const responses = await Promise.all(Array.from({ length: 30 }, () => start(address(), "203.0.113.200")));
      const statuses = responses.map(({ status }) => status);
      expect(statuses.filter((status) => status === 202)).toHaveLength(20);
      expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    });
  });
});
