import { z } from "zod";
import { dateTime, email, secret, text } from "../../core/schemas/schemas.ts";

export const signInMethods = z
  .object({
    mail: z.boolean().meta({ description: "Whether people sign in by mail." }),
    hasMembers: z.boolean().meta({
      description: "Whether any account has a member or an invitation. Without one, only tokens sign in.",
    }),
    provider: z.string().optional().meta({ description: "The host of the identity provider, if there is one." }),
  })
  .meta({ id: "SignInMethods", examples: [{ mail: true, hasMembers: true, provider: "login.acme.example" }] });

export const consoleSignInInput = z.strictObject({ email }).meta({ id: "SignInStart" });

export const startedConsoleSignIn = z
  .object({ expiresOn: dateTime })
  .meta({ id: "StartedSignIn", examples: [{ expiresOn: "2026-01-31T10:15:00.000Z" }] });

export const consoleCodeInput = z
  .strictObject({
    code: secret(text(20).meta({ description: "The code of the mail: 8 digits; spaces are ignored." })),
  })
  .meta({ id: "SignInCode" });

export const consoleLinkInput = z
  .strictObject({
    link: secret(text(100).min(1, "must not be empty").meta({ description: "What follows `#` in the link." })),
  })
  .meta({ id: "SignInLink" });
