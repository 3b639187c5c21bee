import { z } from "zod";
import { memberRoles } from "../../../core/access.ts";
import { dateTime, email, secret, text } from "../../../core/schemas/schemas.ts";
import { token } from "../accounts/schema.ts";

const project = text(128).min(1);
const projects = z
  .array(z.strictObject({ project, role: z.enum(["editor", "reader"]) }))
  .min(1)
  .max(100, "must have at most 100 items")
  .meta({
    description:
      "Limits an `editor` or `reader` to deployments, variables, requests, logs and analytics of these projects.",
  });

const role = z.enum(memberRoles).meta({
  description:
    "`admin`: everything. `editor`: all but tokens and members. `reader`: GET, keys masked. `billing`: as reader, and changes " +
    "to plans and subscriptions.",
});

const example = {
  id: "prsn_0QGzNqW81Kx8VhTb3mPcRdZu",
  email: "ada@acme.example",
  name: "Ada",
  role: "editor" as const,
  state: "invited" as const,
  roleSource: "invitation" as const,
  createdOn: "2026-01-31T10:00:00.000Z",
  updatedOn: "2026-01-31T10:00:00.000Z",
  invitationExpiresOn: "2026-02-07T10:00:00.000Z",
};

export const member = z
  .object({
    id: z.string().meta({
      description:
        "The person's id, as in the audit log. An invited person may have another one until they accept, which then still finds them.",
    }),
    email: z.string(),
    name: z.string().optional(),
    role: z.enum(memberRoles),
    projects: z.array(z.object({ project: z.string(), role: z.enum(["editor", "reader"]) })).optional(),
    state: z.enum(["invited", "active"]).meta({ description: "`invited` until the person has accepted." }),
    roleSource: z
      .enum(["invitation", "claim"])
      .meta({ description: "`claim`: the identity provider decides the role at each sign-in." }),
    createdOn: dateTime,
    updatedOn: dateTime,
    invitationExpiresOn: dateTime.optional().meta({ description: "Until it is accepted." }),
    signedInOn: dateTime.optional().meta({ description: "The last sign-in." }),
  })
  .meta({ id: "Member", description: "A person with a role in an account.", examples: [example] });

export const invitedMember = member
  .extend({
    invitationUrl: secret(z.string()).optional().meta({
      "x-secret": true,
      description: "The link to accept the invitation, if this server sends no mail. It is not shown again.",
    }),
  })
  .meta({
    id: "InvitedMember",
    examples: [
      {
        ...example,
        invitationUrl: "https://gate.example/console/join#tgi_0123456789abcdef0123456789abcdef_7759b50e",
      },
    ],
  });

export const memberInput = z
  .strictObject({ email, name: text(128).min(1).optional(), role, projects: projects.optional() })
  .meta({ id: "MemberInvite" });

export const memberPatch = z
  .strictObject({
    name: text(128).min(1).nullable().optional(),
    role: role.optional(),
    projects: projects.nullable().optional(),
  })
  .meta({ id: "MemberUpdate" });

export const removedMember = z
  .object({
    sessions: z.int().meta({ description: "How many sessions ended." }),
    tokens: z
      .array(token)
      .meta({ description: "Tokens that the person created. They still work; delete them one by one." }),
  })
  .meta({ id: "RemovedMember", examples: [{ sessions: 1, tokens: [] }] });

export const invitationInput = z
  .strictObject({
    invitation: secret(text(100).min(1).meta({ description: "What follows `#` in the link." })),
  })
  .meta({ id: "InvitationAccept" });

export const invitation = z
  .object({
    account: z.string(),
    email: z.string(),
    name: z.string().optional(),
    role: z.enum(memberRoles),
    expiresOn: dateTime,
  })
  .meta({
    id: "Invitation",
    examples: [
      {
        account: "acme",
        email: example.email,
        name: example.name,
        role: example.role,
        expiresOn: example.invitationExpiresOn,
      },
    ],
  });

const ownInvitationExample = {
  account: "acme",
  role: example.role,
  invitedBy: "Grace",
  expiresOn: example.invitationExpiresOn,
};

export const ownInvitation = z
  .object({
    account: z.string(),
    role: z.enum(memberRoles),
    projects: member.shape.projects,
    invitedBy: z.string().optional().meta({ description: "The name of the person or the token that sent it." }),
    expiresOn: dateTime,
  })
  .meta({
    id: "OwnInvitation",
    description: "An invitation of the caller. It has no effect until they accept it.",
    examples: [ownInvitationExample],
  });

export const ownInvitations = z
  .object({ data: z.array(ownInvitation) })
  .meta({ id: "OwnInvitations", examples: [{ data: [ownInvitationExample] }] });
