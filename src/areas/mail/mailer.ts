import type { Transporter } from "nodemailer";
import type { ComposedMail } from "./message.ts";

/** Longer than a slow server takes, shorter than a node's lease. */
const timeoutMilliseconds = 20_000;

export interface MailSettings {
  smtpUrl: string;
  /** The address of the sender. */
  from: string;
}

/** Rejected for good: another attempt would be rejected too. */
export class MailRejected extends Error {}

/** Sends mail to an SMTP server. */
export class Mailer {
  #transporter: Promise<Transporter> | undefined;

  constructor(private readonly settings: MailSettings) {}

  /** Throws `MailRejected` if the server rejects the mail for good, and other errors if it may succeed later. */
  async send(recipient: string, { fromName, subject, text, html }: ComposedMail, messageId: string): Promise<void> {
    this.#transporter ??= open(this.settings.smtpUrl);
    const { from } = this.settings;
    const domain = from.slice(from.lastIndexOf("@") + 1);
    try {
      await (await this.#transporter).sendMail({
        from: { name: fromName, address: from },
        to: recipient,
        subject,
        text,
        html,
        // The same in each attempt, so that mail servers drop a duplicate.
        messageId: `<${messageId}@${domain}>`,
        headers: { "Auto-Submitted": "auto-generated" },
        // Texts of a mail are never the path or URL of a file to attach.
        disableFileAccess: true,
        disableUrlAccess: true,
      });
    } catch (error) {
      const { responseCode, message } = error as { responseCode?: number; message: string };
      throw responseCode !== undefined && responseCode >= 500 ? new MailRejected(message, { cause: error }) : error;
    }
  }

  async close(): Promise<void> {
    (await this.#transporter)?.close();
  }
}

/** Imported on first use: it would slow down every start. */
async function open(smtpUrl: string): Promise<Transporter> {
  const { createTransport } = await import("nodemailer");
  return createTransport({
    url: smtpUrl,
    connectionTimeout: timeoutMilliseconds,
    greetingTimeout: timeoutMilliseconds,
    socketTimeout: timeoutMilliseconds,
  });
}
