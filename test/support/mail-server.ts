import { afterAll, beforeAll } from "bun:test";
import { SMTPServer } from "smtp-server";
import { started, stopped } from "./left-running.ts";

export interface ReceivedMail {
  to: string;
  /** The head and both bodies, decoded. */
  raw: string;
  subject: string;
  from: string;
  text: string;
  html: string;
  /** The link, the only one of the mail. */
  url: string;
  /** The names of the files. */
  attachments: string[];
  /** The code, if there is one. */
  code: string | undefined;
}

/** The npm package `smtp-server`, which keeps what it receives, and can reject it. */
export class MailServer {
  mails: ReceivedMail[] = [];
  /** Rejects each mail with this SMTP status. */
  rejectWith: number | undefined;
  readonly #server = new SMTPServer({
    disabledCommands: ["AUTH", "STARTTLS"],
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        if (this.rejectWith !== undefined)
          return done(Object.assign(new Error("rejected by the test"), { responseCode: this.rejectWith }));
        const to = session.envelope.rcptTo.map(({ address }) => address).join(",");
        this.mails.push(parse(to, Buffer.concat(chunks).toString("utf8")));
        done();
      });
    },
  });
  #port = 0;

  get url(): string {
    return `smtp://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (this.#server.server.address() as { port: number }).port;
    started(this, "a mail server");
  }

  async stop(): Promise<void> {
    stopped(this);
    await new Promise<void>((resolve) => this.#server.close(resolve));
  }

  /** Mail to an address, the newest last. */
  to(address: string): ReceivedMail[] {
    return this.mails.filter((mail) => mail.to === address);
  }
}

/** One mail server for all tests of the file. Its address is known before it starts. */
export function useMailServer(): { server: MailServer; environment(): Record<string, string> } {
  const server = new MailServer();
  beforeAll(() => server.start());
  afterAll(() => server.stop());
  return {
    server,
    environment: () => ({ TOLLGATE_SMTP_URL: server.url, TOLLGATE_MAIL_FROM: "gate@tollgate.example" }),
  };
}

function parse(to: string, raw: string): ReceivedMail {
  const [head = "", ...rest] = raw.split("\r\n\r\n");
  const header = (name: string) =>
    new RegExp(`^${name}: (.*)$`, "im").exec(head.replaceAll(/\r\n[ \t]/g, " "))?.[1] ?? "";
  // A mail with attachments has one boundary within another.
  const boundaries = [...raw.matchAll(/boundary="([^"]+)"/g)].map(([, boundary]) => `--${RegExp.escape(boundary!)}`);
  const parts = rest.join("\r\n\r\n").split(new RegExp(boundaries.join("|")));
  const part = (type: string) => {
    const found = parts.find((each) => each.includes(`Content-Type: ${type}`)) ?? "";
    const body = found.slice(found.indexOf("\r\n\r\n") + 4);
    return (/quoted-printable/i.test(found) ? decoded(body) : body).replaceAll("\r\n", "\n");
  };
  const text = part("text/plain");
  const html = part("text/html");
  return {
    to,
    raw: `${head}\n${text}\n${html}`,
    subject: header("Subject"),
    from: header("From"),
    text,
    html,
    attachments: [...raw.matchAll(/filename=(\S+)/g)].map(([, name]) => name!),
    url: /https?:\/\/\S+/.exec(text)?.[0] ?? "",
    code: /^(\d{4} \d{4})$/m.exec(text)?.[1]?.replace(" ", ""),
  };
}

function decoded(text: string): string {
  const bytes = text
    .replaceAll("=\r\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
