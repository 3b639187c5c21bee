import { argument } from "../../arguments/values.ts";
import { listCommand } from "../../connection/remote.ts";

export const command = listCommand({
  summary: "List the mail of a test bucket, which is never sent",
  arguments: { bucket: argument("the test bucket, by id or name") },
  options: {},
  examples: [{ command: "tollgate metering mails sandbox --json", text: "With the texts." }],
  things: "mails",
  columns: ["createdOn", "kind", "to", "subject"],
  list: (client, { bucket, limit, offset }) => client.metering.testMails(bucket, { limit, offset }),
});
