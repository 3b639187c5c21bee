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

function present(row: QueuedMail) {
  return {
    id: row.id,
    kind: row.kind,
    to: row.recipient,
    state: row.state as "queued" | "sent" | "failed" | "expired",
    attempts: row.attempts,
    createdOn: formatDateTime(row.created_on),
    ...(row.state === "queued" ? { nextAttemptOn: formatDateTime(row.due_on) } : {}),
    ...(row.ended_on === null ? {} : { endedOn: formatDateTime(row.ended_on) }),
    ...(row.last_error === null ? {} : { error: row.last_error }),
  };
}
