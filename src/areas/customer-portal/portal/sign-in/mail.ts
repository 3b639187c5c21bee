import type { Act } from "../../../../core/access.ts";
import { ifFound } from "../../../../core/problems/problem.ts";
import type { Clock } from "../../../../lib/time/clock.ts";
import type { WriteTransaction } from "../../../../platform/storage/storage.ts";
import { MailSignIns } from "../../../access/mail-sign-in/mail-sign-ins.ts";
import { invitesOfMailbox } from "../../../api-keys/consumer-managers/managers.ts";
import { storeTestMail } from "../../../commerce/billing/invoices/billing-mails.ts";
import { linkOf, sampleBillingMessage } from "../../../commerce/billing/invoices/mail-messages.ts";
import { actIn, findMeteringBucket } from "../../../commerce/metering-buckets/metering-buckets.ts";
import { addMail, type Compose, type MailQueue } from "../../../common/mail/mail-queue.ts";
import {
  type CustomerMailKind,
  composed,
  edited,
  type MailMessage,
  type MailText,
} from "../../../common/mail/message.ts";
import type { PortalSite } from "../hosts/portal-hosts.ts";
import { lightColorsOf } from "../settings/accent.ts";
import { type PortalSettings, settingsOf } from "../settings/present.ts";
import { findSite } from "../store.ts";
import { portalMembershipsOf, signUpModeOf } from "./memberships.ts";
import * as store from "./store.ts";

export const portalInvitationMailKind = "portal-invitation";
export const accessMailKind = "portal-access";

const audiencePrefix = "portal ";

/** Sign-ins of portals are separate: a code of one is not valid at another. */
export const audienceOf = ({ id }: Pick<PortalSite, "id">): string => `${audiencePrefix}${id}`;

/** Later, the mail is outdated. */
const validMilliseconds = 7 * 24 * 60 * 60 * 1000;

/** Queues a mail about the account of a customer. That of a test bucket is stored instead, and has no link. */
export async function mailAccount(
  transaction: WriteTransaction,
  act: Act,
  mail: { kind: AccountMailKind; recipient: string; portalId: string; consumerId: string },
): Promise<void> {
  const { kind, recipient, portalId, consumerId } = mail;
  const subjectId = `${portalId} ${consumerId}`;
  const site = await findSite(transaction, portalId);
  const { meteringBucket } = site ? settingsOf(site) : {};
  const bucket = meteringBucket && (await ifFound(findMeteringBucket(transaction, act.account.seq, meteringBucket)));
  if (bucket && bucket.test_clock !== null) {
    const message = accountMail(site!, kind);
    const context = { transaction, act: actIn(bucket, act), bucket };
    if (message) await storeTestMail(context, { kind, recipient, subjectId }, message);
    return;
  }
  const expiresOn = act.now + validMilliseconds;
  await addMail(
    transaction,
    { kind: `portal-${kind}`, recipient, subjectId, accountSeq: act.account.seq, expiresOn },
    act.now,
  );
}

interface PortalMailOptions {
  clock: Clock;
  /** The origin of a portal. */
  originOf(site: Pick<PortalSite, "name" | "host">): string;
}

/** All mail of portals, in the name of the business. */
export function openPortalMail(queue: MailQueue, { clock, originOf }: PortalMailOptions): MailSignIns {
  queue.register(portalInvitationMailKind, invitation({ clock, originOf }));
  queue.register(accessMailKind, approval({ clock, originOf }));
  for (const kind of ["welcome", "account-deleted"] as const)
    queue.register(`portal-${kind}`, async (transaction, { subject_id }) => {
      const site = await findSite(transaction, subject_id.split(" ")[0]!);
      return site && accountMail(site, kind, originOf(site));
    });
  return new MailSignIns(
    {
      mailKind: "portal-sign-in",
      async recipientOf(transaction, mailbox, audience) {
        const site = await findSite(transaction, audience.slice(audiencePrefix.length));
        if (!site) return undefined;
        const settings = settingsOf(site);
        const isKnown = (await portalMembershipsOf(transaction, site.bucket_seq, { mailbox }, clock.now())).length > 0;
        if (!isKnown && !signUpModeOf(settings, mailbox)) return undefined;
        return {
          fromName: settings.title,
          linkPage: `${originOf(site)}/sign-in/link`,
          accountSeq: site.account_seq,
          isSignUp: !isKnown,
        };
      },
    },
    queue,
  );
}

/** The link has no secret: the person signs in, which proves the address. */
function invitation({ clock, originOf }: PortalMailOptions): Compose {
  return async (transaction, { subject_id, recipient }) => {
    const [portalId = "", inviteId] = subject_id.split(" ");
    const site = await findSite(transaction, portalId);
    if (!site) return undefined;
    const invites = await invitesOfMailbox(transaction, site.bucket_seq, recipient.toLowerCase(), clock.now());
    const invite = invites.find(({ row }) => row.id === inviteId);
    if (!invite) return undefined;
    const { title } = settingsOf(site);
    const names = await store.displayNamesOf(transaction, [invite.consumer.seq]);
    const customer = names.get(invite.consumer.seq) ?? invite.consumer.name;
    return composed(title, {
      // Without the name of the customer, who may have chosen it for this mail.
      subject: `You are invited to ${title}`,
      lines: [`You are invited to manage the API keys and usage of ${customer} at ${title}.`],
      link: { label: "Sign in", url: `${originOf(site)}/sign-in` },
      notes: [
        `Sign in with this address, ${recipient}, within 7 days. If you do not know ${customer}, ignore this mail.`,
      ],
    });
  };
}

type AccountMailKind = "welcome" | "account-deleted";

/** What these mails say, which the portal itself knows. */
const accountMessages: Record<AccountMailKind, (title: string, origin?: string) => MailMessage> = {
  welcome: (title, origin) => ({
    subject: `Welcome to ${title}`,
    lines: [`Your account at ${title} is ready, with a first key.`],
    ...(origin && { link: { label: "Send your first request", url: `${origin}/` } }),
    notes: ["Sign in with this address. The start page has a request to copy, your usage and your plan."],
  }),
  "account-deleted": (title) => ({
    subject: `Your account at ${title} is deleted`,
    lines: [`Your account at ${title} was deleted. Its keys no longer work, and its plan has ended.`],
    notes: ["An open invoice stays due. If you did not delete the account, reply to this mail."],
  }),
};

/** A mail to customers of a portal with these texts, with invented data. */
export function previewMail(
  settings: PortalSettings,
  kind: CustomerMailKind,
  text: MailText,
  origin: string,
  now: number,
) {
  const message =
    kind === "welcome" || kind === "account-deleted"
      ? accountMessages[kind](settings.title, origin)
      : { link: linkOf(kind, origin), ...sampleBillingMessage(kind, settings.title, now) };
  return composed(settings.title, edited(message, text), lightColorsOf(settings));
}

/** Undefined if it is switched off. */
function accountMail(site: Pick<PortalSite, "settings">, kind: AccountMailKind, origin?: string) {
  const settings = settingsOf(site);
  const text = settings.mails?.[kind];
  if (text?.isEnabled === false) return undefined;
  const message = accountMessages[kind](settings.title, origin);
  return composed(settings.title, edited(message, text), lightColorsOf(settings));
}

function approval({ originOf }: PortalMailOptions): Compose {
  return async (transaction, { subject_id }) => {
    const [portalId = "", requestId = ""] = subject_id.split(" ");
    const site = await findSite(transaction, portalId);
    const request = site && (await store.findAccessRequest(transaction, site.seq, requestId));
    if (!site || request?.state !== "approved") return undefined;
    const { title } = settingsOf(site);
    return composed(title, {
      subject: `You have access to ${title}`,
      lines: [`Your request for access to ${title} was approved.`],
      link: { label: "Sign in", url: `${originOf(site)}/sign-in` },
      notes: ["Sign in with this address, and create your first key."],
    });
  };
}
