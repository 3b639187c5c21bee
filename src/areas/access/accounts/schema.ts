import { z } from "zod";
import { environmentTypes, memberRoles, tokenRoles } from "../../../core/access.ts";
import { dateTime, dateTimeInput, name, secret, text } from "../../../core/schemas/schemas.ts";

export const account = z.object({ id: z.string(), name: z.string(), createdOn: dateTime, updatedOn: dateTime }).meta({
  id: "Account",
  description: "A tenant of this installation. Every other resource belongs to one account.",
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
    role: z.enum(tokenRoles),
    createdOn: dateTime,
    createdBy: z.string().optional().meta({ description: "The id of the person who created it, if a person did." }),
    expiresOn: dateTime.optional(),
    lastUsedOn: dateTime.optional().meta({ description: "Known to the minute." }),
    trustedIssuer: z
      .string()
      .optional()
      .meta({ description: "Of an exchanged token: the id of the trusted issuer. Its name is the subject." }),
    project: z.string().optional().meta({ description: "Of an exchanged token: the only project." }),
    environments: z
      .array(z.enum(environmentTypes))
      .optional()
      .meta({ description: "Of an exchanged token: the environments of the deployments that it may change." }),
    branch: z.string().optional().meta({ description: "Of an exchanged token: the only branch." }),
  })
  .meta({
    id: "Token",
    description: "A credential of this API. Its value is shown only when it is created.",
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
    role: z.enum(tokenRoles).meta({
      description:
        "`admin`: everything. `editor`: everything except tokens and members. `reader`: GET, keys masked. `billing`: as " +
        "reader, and changes to plans and subscriptions. `verifier`: verify-key and usage.",
    }),
    name: text(128).optional(),
    expiresOn: dateTimeInput.optional(),
  })
  .meta({ id: "TokenCreate" });

const projectRoles = z.array(z.object({ project: z.string(), role: z.enum(["editor", "reader"]) }));

export const identity = z
  .object({
    sub: z.string().meta({ description: "The id of the token or the person, or `operator`." }),
    type: z.literal("person").optional().meta({ description: "Of a person. Tokens have none." }),
    account: z.string().optional(),
    role: z.enum([...tokenRoles, "operator"]),
    email: z.string().optional().meta({ description: "Of a person." }),
    name: z.string().optional().meta({ description: "Of a person, if it has one." }),
    projects: projectRoles
      .optional()
      .meta({ description: "Of a person or an exchanged token whose role is limited to these projects." }),
    environments: z
      .array(z.enum(environmentTypes))
      .optional()
      .meta({ description: "Of an exchanged token that is limited to deployments of these environments." }),
    branch: z.string().optional().meta({ description: "Of an exchanged token that is limited to this branch." }),
    accounts: z
      .array(z.object({ account: z.string(), role: z.enum(memberRoles), projects: projectRoles.optional() }))
      .optional()
      .meta({ description: "All accounts of a person. With several, name one with `?accountName=`." }),
  })
  .meta({ id: "Identity", description: "The account and role of a credential." });
