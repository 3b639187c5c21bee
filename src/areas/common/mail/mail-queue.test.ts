import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SMTPServer } from "smtp-server";
import { eachEngine } from "../../../../test/support/engines.ts";
import { started, stopped } from "../../../../test/support/left-running.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import { Log } from "../../../platform/telemetry/log.ts";
import { MailQueue } from "./mail-queue.ts";
import { Mailer } from "./mailer.ts";
import { composed } from "./message.ts";

/** A mail server that needs a login, which it can reject. */
class LoginServer {
  rejectsLogin = false;
  recipients: string[] = [];
  readonly #server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth: (_, __, done) => (this.rejectsLogin ? done(new Error("Invalid login")) : done(null, { user: "gate" })),
    onData: (stream, session, done) => {
      stream.resume();
      stream.on("end", () => {
        this.recipients.push(...session.envelope.rcptTo.map(({ address }) => address));
        done();
      });
    },
  });
  #port = 0;

  get url(): string {
    return `smtp://gate:secret@127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.#port = (this.#server.server.address() as { port: number }).port;
    started(this, "a mail server with a login");
  }

  async stop(): Promise<void> {
    stopped(this);
    await new Promise<void>((resolve) => this.#server.close(resolve));
  }
}

eachEngine((engine) => {
  const storage = useStorage(engine);
  const smtp = new LoginServer();
  const lines: string[] = [];
  let queue: MailQueue;
  let isBroken = false;
  beforeAll(async () => {
    await smtp.start();
    const log = new Log({ level: "info", readable: false, sink: { write: (text) => lines.push(text) } });
    const mailer = new Mailer({ smtpUrl: smtp.url, from: "gate@tollgate.example" });
    queue = new MailQueue({ storage: storage.open, clock: storage.clock, log, mailer });
    const message = composed("Tollgate", { subject: "Hello", lines: ["Hello."], notes: [] });
    queue.register("plain", async () => message);
    queue.register("broken", async () => {
      if (isBroken) throw new Error("cannot be written");
      return message;
    });
  });
  afterAll(async () => {
    await queue.stop();
    await smtp.stop();
  });

  const add = (kind: string, recipient: string) =>
    storage.open.write((transaction) =>
      queue.add(transaction, { kind, recipient, subjectId: "x" }, storage.clock.now()),
    );
  const mailTo = (recipient: string) =>
    storage.open.reads.one<{ state: string; attempts: number; last_error: string | null }>(
      "SELECT state, attempts, last_error FROM mails WHERE recipient = ?",
      [recipient],
    );

  describe("a mail", () => {
    test("a mail of a kind that this version does not know waits for a later one", async () => {
      await add("of-a-later-version", "later@acme.example");
      await add("plain", "behind-later@acme.example");
      await queue.sendDue();
      expect(smtp.recipients).toContain("behind-later@acme.example");
      expect(await mailTo("later@acme.example")).toMatchObject({ state: "queued", attempts: 0 });
    });

    test("a mail that cannot be written is tried again later, and does not block the others", async () => {
      isBroken = true;
      await add("broken", "broken@acme.example");
      await add("plain", "behind-broken@acme.example");
      await queue.sendDue();
      expect(smtp.recipients).toContain("behind-broken@acme.example");
      expect(await mailTo("broken@acme.example")).toMatchObject({
        state: "queued",
        attempts: 1,
        last_error: "cannot be written",
      });
      expect(lines.join("")).toContain("a mail could not be written");
      isBroken = false;
      storage.clock.advance(10_000);
      await queue.sendDue();
      expect(smtp.recipients).toContain("broken@acme.example");
    });

    test("is not given up because the login fails", async () => {
      smtp.rejectsLogin = true;
      await add("plain", "login@acme.example");
      await queue.sendDue();
      expect(await mailTo("login@acme.example")).toMatchObject({
        state: "queued",
        attempts: 1,
        last_error: expect.stringContaining("535"),
      });
      smtp.rejectsLogin = false;
      storage.clock.advance(10_000);
      await queue.sendDue();
      expect(await mailTo("login@acme.example")).toMatchObject({ state: "sent", attempts: 2 });
    });
  });
});
