import { z } from "zod";
import { portalScopes } from "../../../core/portal-scopes.ts";
import { dateTime, email, someOf, text } from "../../../core/schemas/schemas.ts";

const sub = text(256).min(1).meta({ description: "The person's subject at your identity provider." });

/** At least one: a manager without any could do nothing. */
export const managerScopes = someOf(portalScopes).meta({
  description: "What the manager may do in the portal. Everything, if it is left out.",
});

const shownScopes = z
  .array(z.enum(portalScopes))
  .optional()
  .meta({ description: "What the manager may do in the portal. Left out if that is everything." });

export const manager = z
  .object({
    id: z.string(),
    createdOn: dateTime,
    email: z.string().optional(),
    sub: z.string(),
    scopes: shownScopes,
  })
  .meta({
    id: "Manager",
    description: "A person who manages a consumer's keys.",
    examples: [
      {
        id: "mngr_0QGzNqW81Kx8VhTb3mPcRdZu",
        createdOn: "2026-01-31T10:00:00.000Z",
        email: "jo@acme.example",
        sub: "auth0|5f7c8ec7c33c6c004bbafe82",
      },
    ],
  });

export const managerInvite = z
  .object({ id: z.string(), email: z.string(), createdOn: dateTime, expiresOn: dateTime, scopes: shownScopes })
  .meta({
    id: "ManagerInvite",
    description: "An email address that may become a manager.",
    examples: [
      {
        id: "mngi_0QGzNqW81Kx8VhTb3mPcRdZu",
        email: "jo@acme.example",
        createdOn: "2026-01-31T10:00:00.000Z",
        expiresOn: "2026-02-07T10:00:00.000Z",
      },
    ],
  });

export const managerInput = z
  .strictObject({ sub, email: email.optional(), scopes: managerScopes.optional() })
  .meta({ id: "ManagerCreate" });
export const managerPatch = z
  .strictObject({ scopes: managerScopes.nullable().optional() })
  .meta({ id: "ManagerUpdate", examples: [{ scopes: ["usage:read"] }] });
export const managerInviteInput = z
  .strictObject({ email, scopes: managerScopes.optional() })
  .meta({ id: "ManagerInviteCreate" });
export const acceptInput = z.strictObject({ sub }).meta({ id: "ManagerInviteAccept" });

/**
 * Managers within a consumer: email addresses become invites, objects become managers, and read-only members are
 * ignored.
 */
export const nestedManagerInput = z.union(
  [
    email,
    z
      .strictObject({
        sub,
        email: email.optional(),
        scopes: managerScopes.optional(),
        id: z.unknown().optional(),
        createdOn: z.unknown().optional(),
        updatedOn: z.unknown().optional(),
      })
      .transform(({ sub: who, email: address, scopes }) => ({ sub: who, email: address, scopes })),
  ],
  "must be an email address, or an object with a sub",
);
