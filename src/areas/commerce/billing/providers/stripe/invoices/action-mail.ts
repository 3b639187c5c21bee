import { minorDigits } from "../../../../../../lib/currencies.ts";
import { formatMinor } from "../../../../../../lib/text/minor-units.ts";
import type { Compose, MailQueue } from "../../../../../common/mail/mail-queue.ts";
import { composed } from "../../../../../common/mail/message.ts";
import type { BucketContext } from "../../../../metering-buckets/metering-buckets.ts";
import { findCustomer } from "../../../customers/customers.ts";
import { invoiceOfAccount } from "../../../invoices/invoice-store.ts";
import type { Invoice } from "../../../invoices/invoices.ts";

export const actionMailKind = "payment-action";

/** Banks let a customer confirm a payment for about a day; the page of the invoice begins another one. */
const validMilliseconds = 3 * 24 * 60 * 60 * 1000;

export type NotifyAction = (context: BucketContext, invoice: Invoice) => Promise<void>;

/** Queues a mail to the customer whose bank requires a second step. Mail of test buckets is not sent. */
export function actionMailer(mail: MailQueue): NotifyAction {
  return async ({ transaction, act, bucket }, invoice) => {
    const { email: recipient } = await findCustomer(transaction, bucket, invoice.customer_key);
    if (recipient === null || bucket.test_clock !== null || !mail.isEnabled) return;
    const about = { kind: actionMailKind, recipient, subjectId: invoice.id, accountSeq: act.account.seq };
    await mail.add(transaction, { ...about, expiresOn: act.now + validMilliseconds }, act.now);
  };
}

/** Writes the mail. Undefined if the invoice was paid or voided in the meantime. */
export function actionMail(): Compose {
  return async (transaction, { account_seq, subject_id }) => {
    const invoice = await invoiceOfAccount(transaction, account_seq!, subject_id);
    if (invoice?.collection_state !== "needs_action" || invoice.collection_url === null) return undefined;
    const { legalName } = JSON.parse(invoice.seller!) as { legalName: string };
    const { currency, amount_due, number } = invoice;
    const amount = `${formatMinor(BigInt(amount_due), minorDigits(currency)!)} ${currency}`;
    return composed(legalName, {
      subject: `Confirm your payment of ${amount}`,
      lines: [
        `Your bank asks you to confirm the payment of ${amount} for the invoice ${number ?? ""} of ${legalName}.`,
      ],
      link: { label: "Confirm the payment", url: invoice.collection_url },
      notes: ["Nothing is charged until you do."],
    });
  };
}
