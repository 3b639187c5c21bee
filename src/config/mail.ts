import type { EnvironmentReader } from "./environment-reader.ts";

export interface MailConfig {
  smtpUrl: string;
  /** The address of the sender. */
  from: string;
}

/** Reads the settings of the SMTP server. Undefined if no mail is sent. */
export function readMailConfig(reader: EnvironmentReader): MailConfig | undefined {
  const { given, errors } = reader;
  const smtpUrl = reader.url("TOLLGATE_SMTP_URL", ["smtp:", "smtps:"]);
  const from = given("TOLLGATE_MAIL_FROM");
  if (from !== undefined && !/^[^\s@<>"]+@[^\s@<>"]+$/.test(from))
    errors.push("TOLLGATE_MAIL_FROM must be an e-mail address, such as no-reply@acme.example.");
  if (smtpUrl === undefined) return undefined;
  if (from !== undefined) return { smtpUrl, from };
  errors.push("TOLLGATE_SMTP_URL needs TOLLGATE_MAIL_FROM, the address of the sender.");
  return undefined;
}
