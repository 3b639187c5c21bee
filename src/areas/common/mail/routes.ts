import { z } from "zod";
import type { Area, AreaContext } from "../../../api/area.ts";
import { list, routeScope } from "../../../api/endpoint.ts";
import { presentPage } from "../../../api/presented.ts";
import { dateTime } from "../../../core/schemas/schemas.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import { listMails, type MailQueue, type QueuedMail } from "./mail-queue.ts";

const mail = z
  .object({
    id: z.string(),
    kind: z.string().meta({
      description:
        "`invitation`, `sign-in`, `leaked-key`, `portal-sign-in`, `portal-invitation`, `portal-access`, `portal-welcome`, `portal-account-deleted`, `payment-action`, or `billing-` and what it is about.",
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

/** The maximum delay of a mail. Not woken by requests, whose timing must not show whether an address is known. */
const lookSeconds = 1;

export function mailArea({ clock, lifecycle }: AreaContext, queue: MailQueue) {
  lifecycle.onClose("mail", () => queue.stop());
  lifecycle.every(lookSeconds, "mail", async () => queue.wake());
  const endpoints = routeScope({ area: "People" }, [
    list({
      operationId: "listMails",
      path: "/v1/accounts/{accountName}/mails",
      summary: "List the mail of an account",
      description:
        "In its name or to its members, the newest first. Kept for 30 days. Texts, links and codes are not stored.",
      access: "administer",
      item: mail,
      listName: "MailList",
      handle: async ({ reads, account, query }) => presentPage(await listMails(reads, account.seq, query), present),
    }),
  ]);
  const removals = [(signal: AbortSignal) => queue.removeOld(clock.now(), signal)];
  return { endpoints, removals, catchUp: () => queue.sendDue() } satisfies Area;
}

function present(queuedMail: QueuedMail) {
  return {
    id: queuedMail.id,
    kind: queuedMail.kind,
    to: queuedMail.recipient,
    state: queuedMail.state as "queued" | "sent" | "failed" | "expired",
    attempts: queuedMail.attempts,
    createdOn: formatDateTime(queuedMail.created_on),
    ...(queuedMail.state === "queued" ? { nextAttemptOn: formatDateTime(queuedMail.due_on) } : {}),
    ...(queuedMail.ended_on === null ? {} : { endedOn: formatDateTime(queuedMail.ended_on) }),
    ...(queuedMail.last_error === null ? {} : { error: queuedMail.last_error }),
  };
}
