import type { Act } from "../../../../core/access.ts";
import { type PortalScope, portalScopes, scopesFrom } from "../../../../core/portal-scopes.ts";
import { Problem } from "../../../../core/problems/problem.ts";
import type { Precondition } from "../../../../lib/http/etag.ts";
import { emailKey } from "../../../../lib/text/email.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { ConsumerReference } from "../../../api-keys/consumer-addresses/consumer-address.ts";
import {
  deleteInvite,
  deleteManager,
  findInvite,
  findManager,
  type Invite,
  inviteManager,
  listInvites,
  listManagers,
  type Manager,
  requireAnotherUnlimitedManager,
  updateManager,
} from "../../../api-keys/consumer-managers/managers.ts";
import type { MailQueue } from "../../../common/mail/mail-queue.ts";
import { recordLeft, signUpMailbox } from "../sign-in/former-customers.ts";
import { portalInvitationMailKind } from "../sign-in/mail.ts";
import { earlierInviteMail } from "../store.ts";

/** Not paged: customers have a few people. */
const all = { limit: 1000, offset: 0 };

/**
 * The customer of the portal session that sends the request. A person of the portal is a manager of its consumer. A
 * session grants only its own scopes, and cannot change or remove a person or an invite with further scopes.
 */
interface ActingCustomer {
  portalId: string;
  consumer: ConsumerReference;
  scopes: readonly string[];
  /** Undefined in a session that began with a hand-off: it belongs to no manager. */
  managerId?: string | undefined;
}

export async function listPeople(reads: Reads, customer: ActingCustomer, now: number) {
  const managers = await listManagers(reads, customer.consumer, all);
  const invites = await listInvites(reads, customer.consumer, now, all);
  return {
    data: managers.data.map((row) => presentPerson(row, customer)),
    invites: invites.data.map(presentPortalInvite),
  };
}

/** The consumer's row must be locked, so that concurrent requests do not exceed the limits. */
export async function invitePerson(
  transaction: WriteTransaction,
  act: Act,
  mail: MailQueue,
  customer: ActingCustomer,
  { email, scopes }: { email: string; scopes?: PortalScope[] | undefined },
): Promise<Invite> {
  const { consumer, portalId } = customer;
  requireScopes(customer, scopes ?? portalScopes);
  await limitOpenInvites(transaction, act, consumer);
  const invite = await inviteManager(transaction, act, consumer, email, scopes);
  if (mail.isEnabled) {
    await countInviteMail(transaction, act, { portalId, consumer, email });
    await mail.add(
      transaction,
      {
        kind: portalInvitationMailKind,
        recipient: email,
        subjectId: `${portalId} ${invite.id}`,
        accountSeq: act.account.seq,
        expiresOn: invite.expires_on,
      },
      act.now,
    );
  }
  return invite;
}

/** The consumer's row must be locked. Otherwise two concurrent requests could limit the last two managers with all scopes. */
export async function changePerson(
  transaction: WriteTransaction,
  act: Act,
  customer: ActingCustomer,
  id: string,
  { scopes }: { scopes?: PortalScope[] | null | undefined },
  precondition: Precondition,
): Promise<Manager> {
  const manager = await findManager(transaction, customer.consumer, id);
  requireScopes(customer, scopesFrom(manager.scopes));
  if (scopes !== undefined) requireScopes(customer, scopes ?? portalScopes);
  const isLimited = scopes && !portalScopes.every((scope) => scopes.includes(scope));
  if (isLimited) await requireAnotherUnlimitedManager(transaction, manager);
  return updateManager(transaction, act, customer.consumer, id, { scopes }, precondition);
}

/**
 * Their sessions end too: the database deletes them with the manager's row. The consumer's row must be locked. Otherwise
 * two concurrent requests could remove the last two managers with all scopes.
 */
export async function removePerson(
  transaction: WriteTransaction,
  act: Act,
  customer: ActingCustomer,
  id: string,
  precondition: Precondition,
): Promise<void> {
  const { consumer, portalId } = customer;
  const manager = await findManager(transaction, consumer, id);
  requireScopes(customer, scopesFrom(manager.scopes));
  await requireAnotherUnlimitedManager(transaction, manager);
  await deleteManager(transaction, act, consumer, id, precondition);
  // The person who signed up must wait before signing up again: each sign-up gets a new quota, perhaps a trial.
  const mailbox = await signUpMailbox(transaction, consumer.seq);
  if (mailbox !== undefined && manager.email_key === mailbox)
    await recordLeft(transaction, { portalId, mailbox }, act.now);
}

export async function withdrawInvite(
  transaction: WriteTransaction,
  act: Act,
  customer: ActingCustomer,
  id: string,
  precondition: Precondition,
): Promise<void> {
  const invite = await findInvite(transaction, customer.consumer, id);
  requireScopes(customer, scopesFrom(invite.scopes));
  await deleteInvite(transaction, act, customer.consumer, id, precondition);
}

function requireScopes({ scopes: own }: ActingCustomer, needed: readonly PortalScope[]): void {
  if (!needed.every((scope) => own.includes(scope))) throw new Problem("scopes_exceeded");
}

export function presentPerson(manager: Manager, { managerId }: Pick<ActingCustomer, "managerId">) {
  return {
    id: manager.id,
    name: manager.email ?? manager.sub,
    scopes: scopesFrom(manager.scopes),
    isSelf: manager.id === managerId,
    createdOn: formatDateTime(manager.created_on),
  };
}

export function presentPortalInvite(invite: Invite) {
  return {
    id: invite.id,
    email: invite.email,
    scopes: scopesFrom(invite.scopes),
    createdOn: formatDateTime(invite.created_on),
    expiresOn: formatDateTime(invite.expires_on),
  };
}

const dayMilliseconds = 24 * 60 * 60 * 1000;
const maxOpen = 50;
/** The maximum numbers of invite mails within a day. */
const maxMailsPerCustomer = 20;
const maxMailsPerMailbox = 3;

/** Throws if the customer has too many open invites. The consumer's row must be locked. */
export async function limitOpenInvites(transaction: WriteTransaction, { now }: Act, consumer: ConsumerReference) {
  const { data, total } = await listInvites(transaction, consumer, now, { limit: 1, offset: 0 });
  if (total < maxOpen) return;
  const detail = `The customer has ${maxOpen} open invites. Withdraw one first.`;
  throw tooMany(detail, data[0]!.expires_on, now);
}

/**
 * Counts a mail to a mailbox, and throws if there were too many in a day: the mail of a portal must not be a way to send
 * mail to arbitrary addresses. The consumer's row must be locked.
 */
export async function countInviteMail(
  transaction: WriteTransaction,
  { now }: Act,
  { portalId, consumer, email }: { portalId: string; consumer: ConsumerReference; email: string },
): Promise<void> {
  const mailbox = emailKey(email);
  await transaction.lock(`portal invite ${portalId} ${mailbox}`);
  const ofCustomer = await earlierInviteMail(transaction, { consumer_seq: consumer.seq }, now, maxMailsPerCustomer);
  if (ofCustomer)
    throw tooMany(`The customer sent ${maxMailsPerCustomer} invitations in a day.`, ofCustomer.expires_on, now);
  const ofMailbox = await earlierInviteMail(transaction, { portal_id: portalId, mailbox }, now, maxMailsPerMailbox);
  if (ofMailbox)
    throw tooMany(`This address got ${maxMailsPerMailbox} invitations in a day.`, ofMailbox.expires_on, now);
  await transaction.insert("portal_invite_mails", {
    portal_id: portalId,
    consumer_seq: consumer.seq,
    mailbox,
    created_on: now,
    expires_on: now + dayMilliseconds,
  });
}

const tooMany = (detail: string, retryOn: number, now: number) =>
  new Problem("too_many_invites", { detail, retryAfterSeconds: Math.ceil((retryOn - now) / 1000) });
