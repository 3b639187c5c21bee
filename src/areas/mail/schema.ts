import { z } from "zod";
import { dateTime } from "../../core/schemas/schemas.ts";

export const mail = z
  .object({
    id: z.string(),
    kind: z.string().meta({
      description:
        "`invitation`, `sign-in`, `leaked-key`, `portal-sign-in`, `portal-invitation`, `portal-access`, `payment-action`, or `billing-` and what it is about.",
    }),
    to: z.string(),
    state: z.enum(["queued", "sent", "failed", "expired"]).meta({
      description:
        "`sent`: the mail server has accepted it. `failed`: it was rejected, or too many attempts failed. `expired`: what it is about has ended.",
    }),
    attempts: z.int(),
    createdOn: dateTime,
    nextAttemptOn: dateTime.optional(),
    endedOn: dateTime.optional(),
    error: z.string().optional().meta({ description: "Of the last attempt, if it failed." }),
  })
  .meta({
    id: "Mail",
    description: "A mail, without its text.",
    examples: [
      {
        id: "mail_0QGzNqW81Kx8VhTb3mPcRdZu",
        kind: "invitation",
        to: "ada@acme.example",
        state: "sent",
        attempts: 1,
        createdOn: "2026-01-31T10:00:00.000Z",
        endedOn: "2026-01-31T10:00:01.000Z",
      },
    ],
  });
