import { type Act, serverTimeOf } from "../../../../core/access.ts";
import { newId } from "../../../../lib/ids.ts";
import type { Paging } from "../../../../lib/paging.ts";
import { insertRow, readPage } from "../../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { RowOf } from "../../../../platform/storage/tables.ts";
import { accountNameOf } from "../../../access/accounts/accounts.ts";
import { addMail, type Compose } from "../../../common/mail/mail-queue.ts";
import type { ComposedMail, CustomerMailKind, MailTexts } from "../../../common/mail/message.ts";
import {
  type BucketContext,
  findMeteringBucket,
  type MeteringBucket,
} from "../../metering-buckets/metering-buckets.ts";
import type { Subscription } from "../../subscriptions/subscriptions.ts";
import { findCustomer } from "../customers/customers.ts";
import type { InvoiceRow } from "./invoice-store.ts";
import {
  type BillingMailKind,
  type MailSite,
  messageFor,
  type ReachedSpending,
  spendingSubject,
} from "./mail-messages.ts";

const dayMilliseconds = 24 * 60 * 60 * 1000;
/** Later, the mail is outdated. */
const validMilliseconds = 7 * dayMilliseconds;

interface Mail {
  kind: BillingMailKind;
  customerKey: string;
  /** The id of the invoice, of the subscription and the end of its access, or what was spent. */
  about: string;
  dueOn?: number;
}

/**
 * Queues a mail to a customer, in the transaction of what it is about, so that it is sent once, by any node. The mail of
 * a test bucket is stored instead. A customer without an address gets none.
 */
async function queueMail(
  { transaction, act, bucket }: BucketContext,
  { kind, customerKey, about, dueOn = act.now }: Mail,
): Promise<void> {
  const { email: recipient } = await findCustomer(transaction, bucket, customerKey);
  if (recipient === null) return;
  const isTest = bucket.test_clock !== null;
  const subjectId = `${bucket.id} ${about}`;
  const mailKind = `billing-${kind}`;
  if (await isQueued(transaction, isTest ? bucket.seq : undefined, isTest ? kind : mailKind, subjectId)) return;
  if (!isTest) {
    const { seq: accountSeq } = act.account;
    const expiresOn = dueOn + validMilliseconds;
    await addMail(
      transaction,
      { kind: mailKind, recipient, subjectId, accountSeq, expiresOn, dueOn },
      serverTimeOf(act),
    );
    return;
  }
  const row = await insertRow(transaction, "test_mails", {
    id: newId("mail", serverTimeOf(act)),
    bucket_seq: bucket.seq,
    kind,
    recipient,
    subject_id: subjectId,
    due_on: dueOn,
    is_written: 0,
    subject: null,
    body_text: null,
    body_html: null,
  });
  if (dueOn <= act.now) await writeTestMail(transaction, act, bucket, row);
}

/** Stores a mail to a customer of a test bucket, which is not sent. */
export async function storeTestMail(
  { transaction, act, bucket }: BucketContext,
  { kind, recipient, subjectId }: { kind: CustomerMailKind; recipient: string; subjectId: string },
  { subject, text, html }: ComposedMail,
): Promise<void> {
  await insertRow(transaction, "test_mails", {
    id: newId("mail", serverTimeOf(act)),
    bucket_seq: bucket.seq,
    kind,
    recipient,
    subject_id: subjectId,
    due_on: act.now,
    is_written: 1,
    subject,
    body_text: text,
    body_html: html,
  });
}

/** Writes a mail of a test bucket that is due, unless it does not apply any more. */
export async function writeTestMail(
  transaction: WriteTransaction,
  act: Pick<Act, "account">,
  bucket: MeteringBucket,
  testMail: TestMailRow,
): Promise<void> {
  const about = testMail.subject_id.slice(bucket.id.length + 1);
  const message = await messageFor(
    transaction,
    bucket,
    testMail.kind as BillingMailKind,
    about,
    act.account.name,
    testMail.due_on,
    await siteOfTestBucket(transaction, bucket),
  );
  await transaction.delete("test_mails", testMail.seq);
  if (!message) return;
  const { seq: _, ...waiting } = testMail;
  const texts = { subject: message.subject, body_text: message.text, body_html: message.html };
  // Inserted again, so that the list is in the order of time.
  await insertRow(transaction, "test_mails", { ...waiting, ...texts, is_written: 1 });
}

/** The customer, the business or the end of a period changed the plans of a subscription. */
export async function mailPlanChange(context: BucketContext, { row, plans }: Subscription): Promise<void> {
  const about = `${row.id} ${plans.map(({ seq }) => seq).join()} ${context.act.now}`;
  await queueMail(context, { kind: "plan-changed", customerKey: row.customer_key, about });
}

/** Once for each invoice and kind. */
export async function mailAbout(
  context: BucketContext,
  kind: BillingMailKind,
  { id, customer_key }: Pick<InvoiceRow, "id" | "customer_key">,
): Promise<void> {
  await queueMail(context, { kind, customerKey: customer_key, about: id });
}

/** The card of a customer expires after a month, such as 2027-03. */
export async function mailExpiry(context: BucketContext, customerKey: string, month: string): Promise<void> {
  await queueMail(context, { kind: "card-expires", customerKey, about: `${month} ${customerKey}` });
}

/** Usage beyond the plan has cost a part of a cap: once for each period, threshold and cap. */
export async function mailSpending(
  context: BucketContext,
  customerKey: string,
  spending: ReachedSpending,
): Promise<void> {
  await queueMail(context, { kind: "spending", customerKey, about: spendingSubject(spending) });
}

interface AccessChange {
  id: string;
  customer_key: string;
  /** When access ends, as it was and as it is. */
  before: number | null;
  after: number | null;
}

/** The day before access ends, its end, and its return. Mail about an end that does not come is not sent. */
export async function mailAccess(
  context: BucketContext,
  { id, customer_key: customerKey, before, after }: AccessChange,
): Promise<void> {
  const { act } = context;
  if (before === after) return;
  const endOfAccess = (end: number) => ({ customerKey, about: `${id} ${end}` });
  if (before !== null && before <= act.now && (after === null || after > act.now))
    await queueMail(context, { kind: "access-restored", ...endOfAccess(before) });
  if (after === null) return;
  const dayBefore = after - dayMilliseconds;
  if (dayBefore > act.now) await queueMail(context, { kind: "access-ending", ...endOfAccess(after), dueOn: dayBefore });
  await queueMail(context, {
    kind: "access-ended",
    ...endOfAccess(after),
    dueOn: Math.max(after, act.now),
  });
}

interface BillingMailOptions {
  /** The portal of the customers of a bucket, if there is one. */
  siteOf(reads: Reads, bucket: MeteringBucket): Promise<MailSite | undefined>;
  /** The PDF of an invoice. */
  pdfOf(reads: Reads, bucket: MeteringBucket, invoiceId: string): Promise<{ filename: string; content: Buffer }>;
}

const kindsWithInvoice: BillingMailKind[] = ["invoice", "receipt", "refund"];

/** Writes the queued mail of live buckets. */
export function composeBillingMail(kind: BillingMailKind, { siteOf, pdfOf }: BillingMailOptions): Compose {
  return async (transaction, { account_seq, subject_id, due_on }) => {
    const [bucketId = "", ...rest] = subject_id.split(" ");
    const account = await accountNameOf(transaction, account_seq!);
    if (account === undefined || !(await bucketOf(transaction, account_seq!, bucketId))) return undefined;
    const bucket = await findMeteringBucket(transaction, account_seq!, bucketId);
    const site = await siteOf(transaction, bucket);
    const message = await messageFor(transaction, bucket, kind, rest.join(" "), account, due_on, site);
    if (!message || !kindsWithInvoice.includes(kind)) return message;
    return { ...message, attachments: [await pdfOf(transaction, bucket, rest[0]!)] };
  };
}

export type TestMailRow = RowOf<"test_mails">;

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
