import { list } from "../../api/endpoint.ts";
import { formatDateTime } from "../../lib/time/time.ts";
import { listMails, type QueuedMail } from "./mails.ts";
import { mail } from "./schema.ts";

export function mailRoutes() {
  return [
    list({
      operationId: "listMails",
      path: "/v1/accounts/{accountName}/mails",
      area: "People",
      summary: "List the mail of an account",
      description:
        "In its name or to its members, the newest first. Kept for 30 days. Texts, links and codes are not stored.",
      access: "administer",
      item: mail,
      listName: "MailList",
      handle: async ({ reads, account, query }) => {
        const { data, total } = await listMails(reads, account.seq, query);
        return { data: data.map(present), total };
      },
    }),
  ];
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
