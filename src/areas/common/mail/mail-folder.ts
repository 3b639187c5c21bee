import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { MailSender } from "./mailer.ts";
import type { ComposedMail } from "./message.ts";

/** Writes mail as text files instead of sending it, for development. */
export class MailFolder implements MailSender {
  constructor(private readonly settings: { folder: string; from: string }) {}

  async send(recipient: string, { fromName, subject, text }: ComposedMail, messageId: string): Promise<void> {
    const { folder, from } = this.settings;
    const head = [`From: ${fromName} <${from}>`, `To: ${recipient}`, `Subject: ${subject}`];
    // Links and codes in it sign in.
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(join(folder, `${messageId}.txt`), `${head.join("\n")}\n\n${text}`, { mode: 0o600 });
  }

  async close(): Promise<void> {}
}
