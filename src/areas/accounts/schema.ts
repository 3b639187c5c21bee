import { z } from "zod";
import type { TokenRole } from "../../core/access.ts";
import { dateTime, dateTimeInput, name, secret, text } from "../../core/schemas/schemas.ts";

export const account = z.object({ id: z.string(), name: z.string(), createdOn: dateTime, updatedOn: dateTime }).meta({
  id: "Account",
  description: "A customer of this installation; everything else belongs to one.",
  examples: [
    {
      id: "acct_0QGzNqW81Kx8VhTb3mPcRdZu",
      name: "acme",
      createdOn: "2026-01-31T10:00:00.000Z",
      updatedOn: "2026-01-31T10:00:00.000Z",
    },
  ],
});

export const accountInput = z.strictObject({ name }).meta({ id: "AccountCreate" });

const roles = ["admin", "editor", "reader", "verifier"] as const satisfies TokenRole[];

const tokenExample = {
  id: "tokn_0QGzNqW81Kx8VhTb3mPcRdZu",
  name: "gateway in Frankfurt",
  role: "verifier" as const,
  createdOn: "2026-01-31T10:00:00.000Z",
};

export const token = z
  .object({
    id: z.string(),
    name: z.string().optional(),
    role: z.enum(roles),
    createdOn: dateTime,
    expiresOn: dateTime.optional(),
    lastUsedOn: dateTime.optional().meta({ description: "Known to the minute." }),
  })
  .meta({
    id: "Token",
    description: "A credential of this interface. Its value is shown once, when it is made.",
    examples: [{ ...tokenExample, lastUsedOn: "2026-02-28T10:00:00.000Z" }],
  });

export const createdToken = token
  .extend({ token: secret(z.string().meta({ description: "The value. It is not shown again." })) })
  .meta({
    id: "CreatedToken",
    examples: [{ ...tokenExample, token: "tgt_0123456789abcdef0123456789abcdef_7759b50e" }],
  });

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
