import { resolve } from "node:path";
import type { EnvironmentReader } from "./environment-reader.ts";

interface MailOptions {
  /** The address of the sender. */
  from: string;
  /** Whether members can sign in to the console by mail. */
  hasSignIn: boolean;
}

/** An SMTP server, or a folder that mail is written to instead. */
export type MailConfig = MailOptions & ({ smtpUrl: string } | { folder: string });

/** Reads the settings of mail. Undefined if no mail is sent. */
export function readMailConfig(reader: EnvironmentReader): MailConfig | undefined {
  const { given, errors } = reader;
  const smtpUrl = reader.url("TOLLGATE_SMTP_URL", ["smtp:", "smtps:"]);
  const folder = given("TOLLGATE_MAIL_FOLDER");
  const from = given("TOLLGATE_MAIL_FROM");
  if (from !== undefined && !/^[^\s@<>"]+@[^\s@<>"]+$/.test(from))
    errors.push("TOLLGATE_MAIL_FROM must be an email address, such as no-reply@acme.example.");
  const hasSignIn = reader.choice("TOLLGATE_MAIL_SIGN_IN", ["on", "off"], "on") === "on";
  if (folder !== undefined) {
    if (given("TOLLGATE_SMTP_URL") !== undefined)
      errors.push("TOLLGATE_MAIL_FOLDER cannot be combined with TOLLGATE_SMTP_URL.");
    return { folder: resolve(folder), from: from ?? "no-reply@localhost", hasSignIn };
  }
  if (smtpUrl === undefined) return undefined;
  if (from !== undefined) return { smtpUrl, from, hasSignIn };
  errors.push("TOLLGATE_SMTP_URL needs TOLLGATE_MAIL_FROM, the address of the sender.");
  return undefined;
}
