import type { Transporter } from "nodemailer";
import type { ComposedMail } from "./message.ts";

/** Longer than a slow server takes, shorter than a node's lease. */
const timeoutMilliseconds = 20_000;

interface MailSettings {
  smtpUrl: string;
  /** The address of the sender. */
  from: string;
}

/** Rejected for good: another attempt would be rejected too. */
export class MailRejected extends Error {}

export interface MailSender {
  /** Throws `MailRejected` if the mail is rejected for good, and other errors if it may succeed later. */
  send(recipient: string, mail: ComposedMail, messageId: string): Promise<void>;
  close(): Promise<void>;
}

/** Sends mail to an SMTP server. */
export class Mailer implements MailSender {
  #transporter: Promise<Transporter> | undefined;

  constructor(private readonly settings: MailSettings) {}

  async send(
    recipient: string,
    { fromName, subject, text, html, attachments }: ComposedMail,
    messageId: string,
  ): Promise<void> {
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
        attachments,
        // The same in each attempt, so that mail servers drop a duplicate.
        messageId: `<${messageId}@${domain}>`,
        headers: { "Auto-Submitted": "auto-generated" },
        // Texts of a mail are never the path or URL of a file to attach.
        disableFileAccess: true,
        disableUrlAccess: true,
      });
    } catch (error) {
      throw isRejection(error as SmtpError) ? new MailRejected((error as SmtpError).message, { cause: error }) : error;
    }
  }

  async close(): Promise<void> {
    (await this.#transporter)?.close();
  }
}

interface SmtpError extends Error {
  /** The SMTP command that failed. */
  command?: string;
  responseCode?: number;
}

/** 530 and 535: the login is missing or wrong, which is no property of the mail. */
const loginCodes = [530, 535];

/** Whether the recipient or the content is rejected. Other failures concern all mail, and end when they are fixed. */
function isRejection({ command, responseCode = 0 }: SmtpError): boolean {
  return (command === "RCPT TO" || command === "DATA") && responseCode >= 500 && !loginCodes.includes(responseCode);
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
