import { z } from "zod";
import { text } from "../../../core/schemas/schemas.ts";
import { type CustomerMailKind, customerMailKinds } from "./message.ts";

/** Mails and pages show titles: line breaks and bidirectional controls would change how the text around them reads. */
export const lineBreaksAndControls = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

const oneLine = text(200).refine(
  (line) => !lineBreaksAndControls.test(line),
  "must be one line without control characters",
);

const mailText = z
  .strictObject({
    isEnabled: z.boolean().optional().meta({ description: "Whether it is sent.", default: true }),
    subject: oneLine
      .optional()
      .meta({ description: "`{subject}` stands for the usual subject, such as `Acme: {subject}`." }),
    greeting: oneLine.optional().meta({ description: "A line at the beginning." }),
  })
  .meta({ id: "PortalMailText" });

/** The texts of each kind. */
export const mailTexts = z
  .strictObject(
    Object.fromEntries(customerMailKinds.map((kind) => [kind, mailText.optional()])) as Record<
      CustomerMailKind,
      z.ZodOptional<typeof mailText>
    >,
  )
  .meta({ id: "PortalMails", description: "The mail to customers, by kind: its texts, and whether it is sent." });

export const mailPreviewInput = z
  .strictObject({ kind: z.enum(customerMailKinds), subject: oneLine.optional(), greeting: oneLine.optional() })
  .meta({ id: "PortalMailPreviewCreate", examples: [{ kind: "invoice", greeting: "Hello from Acme," }] });

export const mailPreview = z.object({ subject: z.string(), text: z.string(), html: z.string() }).meta({
  id: "PortalMailPreview",
  description: "A mail with invented data.",
  examples: [{ subject: "Welcome to Acme", text: "Your account is ready.\n", html: "<p>Your account is ready.</p>" }],
});

/** Without those about an account at a portal. */
export const billingMailTexts = mailTexts
  .omit({ welcome: true, "account-deleted": true })
  .meta({ id: "BillingMails", description: "The mail of metering buckets without a portal, whose own texts apply." });

export const billingMailPreviewInput = mailPreviewInput
  .extend({ kind: z.enum(customerMailKinds).exclude(["welcome", "account-deleted"]) })
  .meta({ id: "BillingMailPreviewCreate", examples: [{ kind: "invoice" as const, greeting: "Hello from Acme," }] });
