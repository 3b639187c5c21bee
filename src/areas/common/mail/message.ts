import { escapeHtml } from "../../../lib/text/html.ts";

/** The mail to customers, which the business may edit and switch off. */
export const customerMailKinds = [
  "welcome",
  "account-deleted",
  "plan-changed",
  "invoice",
  "receipt",
  "refund",
  "payment-failed",
  "card-expires",
  "access-ending",
  "access-ended",
  "access-restored",
  "spending",
  "top-up-failed",
  "top-up-action",
] as const;
export type CustomerMailKind = (typeof customerMailKinds)[number];

/** How a business changes a mail. */
export interface MailText {
  isEnabled?: boolean | undefined;
  /** `{subject}` stands for the usual one. */
  subject?: string | undefined;
  greeting?: string | undefined;
}
export type MailTexts = { [Kind in CustomerMailKind]?: MailText | undefined };

/** A mail with at most one link, and with a code if it is for signing in. */
export interface MailMessage {
  subject: string;
  /** Sentences before the link. */
  lines: string[];
  link?: { label: string; url: string } | undefined;
  code?: string | undefined;
  /** Sentences at the end, such as how long it is valid. */
  notes: string[];
}

export interface ComposedMail {
  /** The name of the sender. */
  fromName: string;
  subject: string;
  text: string;
  html: string;
  /** The recipient, if it is a person. */
  personSeq?: number | undefined;
  /** The account in whose list the mail is. */
  accountSeq?: number | undefined;
  attachments?: { filename: string; content: Buffer }[] | undefined;
}

/** The colours of links. */
export interface MailColors {
  accent: string;
  onAccent: string;
}

/** The message with the texts of the business. */
export function edited(message: MailMessage, { subject, greeting }: MailText = {}): MailMessage {
  return {
    ...message,
    subject: subject?.replaceAll("{subject}", () => message.subject) ?? message.subject,
    lines: [...(greeting ? [greeting] : []), ...message.lines],
  };
}

/** Mail programs that ignore it show the light colours. */
const darkTheme =
  "<style>@media(prefers-color-scheme:dark){body{background:#10161d!important;color:#e4eaf0!important}.note{color:#9fabb8!important}}</style>";

/** The plain text and the HTML of a message. It loads nothing from any server. */
export function composed(
  fromName: string,
  { subject, lines, link, code, notes }: MailMessage,
  { accent, onAccent }: MailColors = { accent: "#0f5f5c", onAccent: "#ffffff" },
): Omit<ComposedMail, "personSeq" | "accountSeq"> {
  const shownCode = code && `${code.slice(0, 4)} ${code.slice(4)}`;
  const codeLine = "Or enter this code where you started to sign in:";
  const text = [
    ...lines,
    ...(link ? [`${link.label}:\n${link.url}`] : []),
    ...(shownCode ? [`${codeLine}\n${shownCode}`] : []),
    ...notes,
  ].join("\n\n");
  const paragraph = (content: string) => `<p style="margin:0 0 16px">${content.replaceAll("\n", "<br>")}</p>`;
  const button = `display:inline-block;padding:10px 16px;border-radius:6px;background:${accent};color:${onAccent};text-decoration:none`;
  const html = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<meta name="color-scheme" content="light dark"><title>${escapeHtml(subject)}</title>${darkTheme}</head>`,
    '<body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif;color:#17212b;background:#ffffff">',
    ...lines.map((line) => paragraph(escapeHtml(line))),
    ...(link ? [paragraph(`<a href="${escapeHtml(link.url)}" style="${button}">${escapeHtml(link.label)}</a>`)] : []),
    ...(shownCode
      ? [paragraph(escapeHtml(codeLine)), paragraph(`<strong style="font:600 24px monospace">${shownCode}</strong>`)]
      : []),
    ...notes.map((note) => paragraph(`<span class="note" style="color:#52606d">${escapeHtml(note)}</span>`)),
    "</body></html>",
  ].join("\n");
  return { fromName, subject, text: `${text}\n`, html };
}
