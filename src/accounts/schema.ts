import { z } from "zod";
import type { TokenRole } from "../access/access.ts";
import { dateTime, dateTimeInput, name, secret, text } from "../http/schemas.ts";

export const account = z
  .object({ id: z.string(), name: z.string(), createdOn: dateTime, updatedOn: dateTime })
  .meta({ id: "Account", description: "A customer of this installation; everything else belongs to one." });

export const accountInput = z.strictObject({ name }).meta({ id: "AccountCreate" });

const roles = ["admin", "editor", "reader", "verifier"] as const satisfies TokenRole[];

export const token = z
  .object({
    id: z.string(),
    name: z.string().optional(),
    role: z.enum(roles),
    createdOn: dateTime,
    expiresOn: dateTime.optional(),
    lastUsedOn: dateTime.optional().meta({ description: "Known to the minute." }),
  })
  .meta({ id: "Token", description: "A credential of this interface. Its value is shown once, when it is made." });

export const createdToken = token
  .extend({ token: secret(z.string().meta({ description: "The value. It is not shown again." })) })
  .meta({ id: "CreatedToken" });

export const tokenInput = z
  .strictObject({
    role: z.enum(roles).meta({
      description:
        "`admin`: everything. `editor`: all but tokens. `reader`: GET, keys masked. `verifier`: verify-key and usage.",
    }),
    name: text(128).optional(),
    expiresOn: dateTimeInput.optional(),
  })
  .meta({ id: "TokenCreate" });

export const identity = z
  .object({ sub: z.string(), account: z.string().optional(), role: z.enum([...roles, "operator"]) })
  .meta({ id: "Identity", description: "Who the credential belongs to." });
