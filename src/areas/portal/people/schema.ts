import { z } from "zod";
import { dateTime, email } from "../../../core/schemas/schemas.ts";
import { managerScopes } from "../../consumer-managers/schema.ts";
import { scopes } from "../schema.ts";

const grantedScopes = z.array(z.enum(scopes));

export const portalPerson = z
  .object({
    id: z.string(),
    name: z.string().meta({ description: "The address, or the subject at the identity provider." }),
    scopes: grantedScopes,
    isSelf: z.boolean().meta({ description: "Whether this is the person of the session." }),
    createdOn: dateTime,
  })
  .meta({
    id: "PortalPerson",
    examples: [
      {
        id: "mngr_0QGzNqW81Kx8VhTb3mPcRdZu",
        name: "jo@acme.example",
        scopes: [...scopes],
        isSelf: true,
        createdOn: "2026-01-31T10:00:00.000Z",
      },
    ],
  });

export const portalInvite = z
  .object({
    id: z.string(),
    email: z.string(),
    scopes: grantedScopes,
    createdOn: dateTime,
    expiresOn: dateTime,
  })
  .meta({
    id: "PortalInvite",
    examples: [
      {
        id: "mngi_0QGzNqW81Kx8VhTb3mPcRdZu",
        email: "sam@acme.example",
        scopes: ["usage:read"],
        createdOn: "2026-01-31T10:00:00.000Z",
        expiresOn: "2026-02-07T10:00:00.000Z",
      },
    ],
  });

export const portalPeople = z
  .object({ data: z.array(portalPerson), invites: z.array(portalInvite) })
  .meta({ id: "PortalPeople", examples: [{ data: [], invites: [] }] });

export const portalInviteInput = z
  .strictObject({ email, scopes: managerScopes.optional() })
  .meta({ id: "PortalInviteCreate", examples: [{ email: "sam@acme.example", scopes: ["usage:read"] }] });

export const personPatch = z
  .strictObject({ scopes: managerScopes.nullable().optional() })
  .meta({ id: "PortalPersonUpdate", examples: [{ scopes: ["usage:read"] }] });
