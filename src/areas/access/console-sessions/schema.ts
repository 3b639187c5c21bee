import { z } from "zod";
import { dateTime, secret, text } from "../../../core/schemas/schemas.ts";
import { identity } from "../accounts/schema.ts";

const example = {
  id: "sess_0QGzNqW81Kx8VhTb3mPcRdZu",
  createdOn: "2026-01-31T10:00:00.000Z",
  lastUsedOn: "2026-01-31T11:30:00.000Z",
  expiresOn: "2026-02-07T10:00:00.000Z",
};

export const consoleSessionInput = z
  .strictObject({
    token: secret(text(512).min(1).meta({ description: "A token of this server." })),
  })
  .meta({ id: "SessionCreate" });

export const createdSession = z.object({ id: z.string(), expiresOn: dateTime, caller: identity }).meta({
  id: "CreatedSession",
  description: "The session. Its secret is only in the cookie.",
  examples: [
    {
      id: example.id,
      expiresOn: example.expiresOn,
      caller: { sub: "tokn_0QGzNqW81Kx8VhTb3mPcRdZu", account: "default", role: "admin" },
    },
  ],
});

export const session = z
  .object({
    id: z.string(),
    owner: z.object({ type: z.enum(["token", "person", "operator"]), id: z.string(), name: z.string().optional() }),
    method: z.enum(["token", "invitation", "mail", "oidc"]).meta({ description: "How the browser was signed in." }),
    ip: z.string().optional().meta({ description: "The client address of the sign-in." }),
    createdOn: dateTime,
    lastUsedOn: dateTime.meta({ description: "Known to the minute." }),
    expiresOn: dateTime.meta({
      description: "The latest end; the session ends earlier after 12 hours without a request.",
    }),
    isCurrent: z.boolean().meta({ description: "Whether it is the session of this request." }),
  })
  .meta({
    id: "Session",
    description: "A browser that is signed in.",
    examples: [
      {
        ...example,
        owner: { type: "person", id: "prsn_0QGzNqW81Kx8VhTb3mPcRdZu", name: "ada@acme.example" },
        method: "invitation",
        ip: "192.0.2.7",
        isCurrent: true,
      },
    ],
  });
