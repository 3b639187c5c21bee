import type { Paging } from "../../../../lib/paging.ts";
import { readPage } from "../../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { RowOf } from "../../../../platform/storage/tables.ts";
import type { MailTexts } from "../../../common/mail/message.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";

export type TestMailRow = RowOf<"test_mails">;

export async function insertTestMail(
  transaction: WriteTransaction,
  testMail: Omit<TestMailRow, "seq">,
): Promise<TestMailRow> {
  return { seq: await transaction.insert("test_mails", testMail), ...testMail };
}

export async function deleteTestMail(transaction: WriteTransaction, seq: number): Promise<void> {
  await transaction.run("DELETE FROM test_mails WHERE seq = ?", [seq]);
}

/** The first mail of a bucket that waits and is due before a time, or at it. */
export function firstMailIn(reads: Reads, bucketSeq: number, until: number): Promise<TestMailRow | undefined> {
  return reads.one(
    "SELECT * FROM test_mails WHERE bucket_seq = ? AND is_written = 0 AND due_on <= ? ORDER BY due_on, seq LIMIT 1",
    [bucketSeq, until],
  );
}

export function listTestMails(reads: Reads, bucketSeq: number, paging: Paging) {
  const query = reads.query.selectFrom("test_mails").where("bucket_seq", "=", bucketSeq).where("is_written", "=", 1);
  return readPage(query, paging, { large: ["body_text", "body_html"] });
}

/** The title and the mail texts of the portal of a bucket. Portals are an area above this one. */
export async function siteOfTestBucket(
  reads: Reads,
  { id, name, account_seq }: MeteringBucket,
): Promise<{ title: string; mails?: MailTexts } | undefined> {
  const rows = await reads.all<{ settings: string }>(
    "SELECT settings FROM portals WHERE account_seq = ? AND is_enabled = 1 ORDER BY seq",
    [account_seq],
  );
  const all = rows.map(({ settings }) => JSON.parse(settings) as { title: string; meteringBucket?: string });
  return all.find(({ meteringBucket }) => meteringBucket !== undefined && [id, name].includes(meteringBucket));
}

/** The bucket of an invoice or a subscription that a queued mail is about. */
export function bucketOf(
  reads: Reads,
  accountSeq: number,
  bucketId: string,
): Promise<{ seq: number; id: string } | undefined> {
  return reads.one("SELECT seq, id FROM metering_buckets WHERE account_seq = ? AND id = ?", [accountSeq, bucketId]);
}

/** Whether a mail about something is queued, or was sent recently. */
export async function isQueued(
  reads: Reads,
  bucketSeq: number | undefined,
  kind: string,
  subjectId: string,
): Promise<boolean> {
  const row =
    bucketSeq === undefined
      ? await reads.one("SELECT seq FROM mails WHERE kind = ? AND subject_id = ? LIMIT 1", [kind, subjectId])
      : await reads.one("SELECT seq FROM test_mails WHERE bucket_seq = ? AND kind = ? AND subject_id = ? LIMIT 1", [
          bucketSeq,
          kind,
          subjectId,
        ]);
  return row !== undefined;
}
