import { afterAll, beforeAll, expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { MailServer } from "../../../../test/support/mail-server.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import { MailQueue } from "../../common/mail/mail-queue.ts";
import { Mailer } from "../../common/mail/mailer.ts";
import { MailSignIns } from "../mail-sign-in/mail-sign-ins.ts";

const known = "known@acme.example";
const audience = "console";

eachEngine((engine) => {
  const storage = useStorage(engine);
  const smtp = new MailServer();
  /** The addresses that were looked up. */
  const lookedUp: string[] = [];
  let queue: MailQueue;
  let signIns: MailSignIns;
  beforeAll(async () => {
    await smtp.start();
    const mailer = new Mailer({ smtpUrl: smtp.url, from: "gate@tollgate.example" });
    const log = { info() {}, warn() {}, error() {} };
    queue = new MailQueue({ storage: storage.open, clock: storage.clock, log: log as never, mailer });
    const sites = {
      mailKind: "sign-in",
      async recipientOf(_: unknown, mailbox: string) {
        lookedUp.push(mailbox);
        return mailbox === known ? { fromName: "Acme", linkPage: "https://acme.example/link" } : undefined;
      },
    };
    signIns = new MailSignIns(sites, queue);
  });
  afterAll(async () => {
    await queue.stop();
    await smtp.stop();
  });

  /** Runs a part of a sign-in, and returns its statements. */
  async function statementsOf<Result>(work: (transaction: WriteTransaction) => Promise<Result>) {
    const statements: string[] = [];
    const result = await storage.open.write((transaction) => work(recorded(transaction, statements)));
    return { result, statements };
  }
  const at = () => ({ ip: "192.0.2.1", now: storage.clock.now() });

  test("the statements of a sign-in do not depend on whether the address is known", async () => {
    const start = (email: string) => statementsOf((transaction) => signIns.start(transaction, audience, email, at()));
    const [first, second] = [await start(known), await start("nobody@acme.example")];
    expect(first.statements.length).toBeGreaterThan(3);
    expect(second.statements).toEqual(first.statements);
    // Only the background decides, after the response.
    expect(lookedUp).toEqual([]);
    await queue.sendDue();
    expect(lookedUp.sort()).toEqual([known, "nobody@acme.example"]);
    expect(smtp.mails.map(({ to }) => to)).toEqual([known]);

    const attempt = ({ result }: { result: { browser: string } }) =>
      statementsOf((transaction) => signIns.useCode(transaction, audience, result.browser, "00000000", at().now));
    const attempts = [await attempt(first), await attempt(second)];
    expect(attempts[1]).toEqual(attempts[0]!);
    expect(attempts[0]!.statements.length).toBeGreaterThan(1);
  });
});

/** A transaction whose statements are recorded, with the tables of those that Kysely builds. */
function recorded(transaction: WriteTransaction, statements: string[]): WriteTransaction {
  return {
    ...transaction,
    get query() {
      statements.push("query");
      return transaction.query;
    },
    one: (sql, parameters) => {
      statements.push(sql);
      return transaction.one(sql, parameters);
    },
    all: (sql, parameters) => {
      statements.push(sql);
      return transaction.all(sql, parameters);
    },
    insert: (table, row) => {
      statements.push(`insert ${table}`);
      return transaction.insert(table, row);
    },
    update: (table, seq, values) => {
      statements.push(`update ${table}`);
      return transaction.update(table, seq, values);
    },
    run: (sql, parameters) => {
      statements.push(sql);
      return transaction.run(sql, parameters);
    },
    lock: (name) => {
      statements.push("lock");
      return transaction.lock(name);
    },
  };
}
