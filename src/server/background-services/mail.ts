import { accountNameOf } from "../../areas/access/accounts/accounts.ts";
import { MailSignIns } from "../../areas/access/mail-sign-in/mail-sign-ins.ts";
import { invitationMail, invitationMailKind } from "../../areas/access/members/invitation-mail.ts";
import { findInvitedOrMember } from "../../areas/access/members/members.ts";
import { leakMail, leakMailKind } from "../../areas/api-keys/consumer-managers/leak-mail.ts";
import { InvoicePdfs, pdfOf } from "../../areas/commerce/billing/invoice-documents/invoice-response.ts";
import { composeBillingMail } from "../../areas/commerce/billing/invoices/billing-mails.ts";
import { findInvoice } from "../../areas/commerce/billing/invoices/invoices.ts";
import { billingMailKinds } from "../../areas/commerce/billing/invoices/mail-messages.ts";
import type { MeteringBucket } from "../../areas/commerce/metering-buckets/metering-buckets.ts";
import { MailFolder } from "../../areas/common/mail/mail-folder.ts";
import { MailQueue } from "../../areas/common/mail/mail-queue.ts";
import { Mailer } from "../../areas/common/mail/mailer.ts";
import { lightColorsOf } from "../../areas/customer-portal/portal/settings/accent.ts";
import { findEnabledPortal, portalOfMeteringBucket } from "../../areas/customer-portal/portal/settings/portals.ts";
import { settingsOf } from "../../areas/customer-portal/portal/settings/present.ts";
import type { Reads } from "../../platform/storage/storage.ts";
import type { Foundation } from "../foundation/foundation.ts";
import type { OwnAddress } from "../foundation/own-address.ts";

/** The queue of mail, and sign-in to the console by mail. */
export function openMail({ config, clock, log, metrics, storage }: Foundation, address: OwnAddress) {
  const mail = new MailQueue({
    storage,
    clock,
    log,
    mailer: config.mail && ("folder" in config.mail ? new MailFolder(config.mail) : new Mailer(config.mail)),
    onAttempt: (hasSucceeded) => metrics.delivery("mail", hasSucceeded),
  });
  mail.register(
    invitationMailKind,
    invitationMail({
      clock,
      linkOf: (secret) => `${address.publicUrl}/console/join#${secret}`,
      accountName: (seq) => accountNameOf(storage.reads, seq),
    }),
  );
  mail.register(
    leakMailKind,
    leakMail({
      accountName: (seq) => accountNameOf(storage.reads, seq),
      portalUrl: async (transaction, accountSeq, bucketName) => {
        const portal = await findEnabledPortal(transaction, accountSeq, bucketName);
        return portal && address.portalUrlOf(portal);
      },
    }),
  );
  const pdfs = new InvoicePdfs();
  const billing = {
    async siteOf(reads: Reads, bucket: MeteringBucket) {
      const site = await portalOfMeteringBucket(reads, bucket);
      if (!site) return undefined;
      const settings = settingsOf(site);
      const { title, mails } = settings;
      return { title, mails, origin: address.portalUrlOf(site), colors: lightColorsOf(settings) };
    },
    pdfOf: async (reads: Reads, bucket: MeteringBucket, id: string) =>
      pdfOf(reads, bucket, await findInvoice(reads, bucket, id), pdfs),
  };
  for (const kind of billingMailKinds) mail.register(`billing-${kind}`, composeBillingMail(kind, billing));
  const signIns = new MailSignIns(
    {
      mailKind: "sign-in",
      async recipientOf(transaction, mailbox) {
        const found = await findInvitedOrMember(transaction, mailbox, clock.now());
        if (!found) return undefined;
        const { person, accounts } = found;
        return {
          personSeq: person.seq,
          fromName: accounts.length === 1 ? accounts[0]! : "Tollgate",
          linkPage: `${address.publicUrl}/console/link`,
        };
      },
    },
    mail,
  );
  return { mail, signIns };
}
