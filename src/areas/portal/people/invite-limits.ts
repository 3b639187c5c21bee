import type { Act } from "../../../core/access.ts";
import { Problem } from "../../../core/problems/problem.ts";
import { emailKey } from "../../../lib/text/email.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import type { ConsumerReference } from "../../consumer-addresses/consumer-address.ts";
import { listInvites } from "../../consumer-managers/managers.ts";
import * as store from "./store.ts";

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
  const ofCustomer = await store.earlierOfConsumer(transaction, consumer.seq, now, maxMailsPerCustomer);
  if (ofCustomer)
    throw tooMany(`The customer sent ${maxMailsPerCustomer} invitations in a day.`, ofCustomer.expires_on, now);
  const ofMailbox = await store.earlierOfMailbox(transaction, portalId, mailbox, now, maxMailsPerMailbox);
  if (ofMailbox)
    throw tooMany(`This address got ${maxMailsPerMailbox} invitations in a day.`, ofMailbox.expires_on, now);
  await store.insertInviteMail(transaction, {
    portal_id: portalId,
    consumer_seq: consumer.seq,
    mailbox,
    created_on: now,
    expires_on: now + dayMilliseconds,
  });
}

const tooMany = (detail: string, retryOn: number, now: number) =>
  new Problem("too_many_invites", { detail, retryAfterSeconds: Math.ceil((retryOn - now) / 1000) });
