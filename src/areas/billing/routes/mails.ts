import { list, routeScope } from "../../../api/endpoint.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import { findMeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { bucketPath } from "../../metering-buckets/paths.ts";
import { listTestMails } from "../invoices/billing-mails.ts";
import { testMail } from "../schemas/customer-schema.ts";

export function testMailRoutes() {
  return routeScope({ inAccountOfCaller: true }, [
    list({
      operationId: "listTestMails",
      path: `${bucketPath}/mails`,
      summary: "List the mail of a test bucket",
      description: "It is stored for inspection, and never sent. Other buckets have none here.",
      access: "bill",
      notForAssistants: "Mail contains addresses that sign in or pay.",
      item: testMail,
      listName: "TestMailList",
      handle: async ({ reads, act, params, query }) => {
        const bucket = await findMeteringBucket(reads, act.account.seq, params.bucketId);
        const { data, total } = await listTestMails(reads, bucket.seq, query);
        const shown = data.map(({ id, kind, recipient, subject, body_text, body_html, due_on }) => ({
          id,
          kind,
          to: recipient,
          subject: subject!,
          text: body_text!,
          html: body_html!,
          createdOn: formatDateTime(due_on),
        }));
        return { data: shown, total };
      },
    }),
  ]);
}
