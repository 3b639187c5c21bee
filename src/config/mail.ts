export interface MailConfig {
  smtpUrl: string;
  /** The address of the sender. */
  from: string;
}

/** Undefined if no mail is sent. */
export function readMailConfig(
  given: (name: string) => string | undefined,
  smtpUrl: string | undefined,
  errors: string[],
): MailConfig | undefined {
  const from = given("TOLLGATE_MAIL_FROM");
  if (from !== undefined && !/^[^\s@<>"]+@[^\s@<>"]+$/.test(from))
    errors.push("TOLLGATE_MAIL_FROM must be an e-mail address, such as no-reply@acme.example.");
  if (smtpUrl === undefined) return undefined;
  if (from !== undefined) return { smtpUrl, from };
  errors.push("TOLLGATE_SMTP_URL needs TOLLGATE_MAIL_FROM, the address of the sender.");
  return undefined;
}
