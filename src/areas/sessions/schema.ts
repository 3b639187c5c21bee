import { z } from "zod";
import { dateTime, secret, text } from "../../core/schemas/schemas.ts";
import { identity } from "../accounts/schema.ts";

const example = {
  id: "sess_0QGzNqW81Kx8VhTb3mPcRdZu",
  createdOn: "2026-01-31T10:00:00.000Z",
  lastUsedOn: "2026-01-31T11:30:00.000Z",
  expiresOn: "2026-02-07T10:00:00.000Z",
};

export const sessionInput = z
  .strictObject({
    token: secret(text(512).min(1, "must not be empty").meta({ description: "A token of this service." })),
  })
  .meta({ id: "SessionCreate" });

export const createdSession = z.object({ id: z.string(), expiresOn: dateTime, caller: identity }).meta({
  id: "CreatedSession",
  description: "The session itself is in the cookie that comes with it.",
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
    createdOn: dateTime,
    lastUsedOn: dateTime.meta({ description: "Known to the minute." }),
    expiresOn: dateTime.meta({ description: "At the latest; after 12 hours without a request it ends before." }),
    isCurrent: z.boolean().meta({ description: "Whether this request came with it." }),
  })
  .meta({
    id: "Session",
    description: "A browser that is signed in with a token.",
    examples: [{ ...example, isCurrent: true }],
  });
