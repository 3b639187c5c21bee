import type { EnvironmentReader } from "./environment-reader.ts";

export interface MailConfig {
  smtpUrl: string;
  /** The address of the sender. */
  from: string;
  /** Whether members can sign in to the console by mail. */
  hasSignIn: boolean;
}

/** Reads the settings of the SMTP server. Undefined if no mail is sent. */
export function readMailConfig(reader: EnvironmentReader): MailConfig | undefined {
  const { given, errors } = reader;
  const smtpUrl = reader.url("TOLLGATE_SMTP_URL", ["smtp:", "smtps:"]);
  const from = given("TOLLGATE_MAIL_FROM");
  if (from !== undefined && !/^[^\s@<>"]+@[^\s@<>"]+$/.test(from))
    errors.push("TOLLGATE_MAIL_FROM must be an e-mail address, such as no-reply@acme.example.");
  const hasSignIn = reader.choice("TOLLGATE_MAIL_SIGN_IN", ["on", "off"], "on") === "on";
  if (smtpUrl === undefined) return undefined;
  if (from !== undefined) return { smtpUrl, from, hasSignIn };
  errors.push("TOLLGATE_SMTP_URL needs TOLLGATE_MAIL_FROM, the address of the sender.");
  return undefined;
}
