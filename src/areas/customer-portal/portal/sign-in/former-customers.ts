import { Problem } from "../../../../core/problems/problem.ts";
import { secretHash } from "../../../../lib/crypto/secret-text.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import * as store from "./store.ts";

const dayMilliseconds = 24 * 60 * 60 * 1000;
/** As long as a monthly quota. */
const waitMilliseconds = 31 * dayMilliseconds;
/** How long there is no second trial. */
const keptMilliseconds = 365 * dayMilliseconds;

interface PortalMailbox {
  portalId: string;
  /** In lower case. */
  mailbox: string;
}

/** The address is stored as a hash: it outlives the account. */
const hashOf = ({ portalId, mailbox }: PortalMailbox) => secretHash(`former customer ${portalId} ${mailbox}`);

/** Whether the person left an account in the last year. Throws if that was in the last 31 days. */
export async function rejectRecentlyLeft(reads: Reads, person: PortalMailbox, now: number): Promise<boolean> {
  const former = await store.findFormer(reads, hashOf(person), now);
  if (!former) return false;
  const mayReturnOn = former.left_on + waitMilliseconds;
  if (now >= mayReturnOn) return true;
  throw new Problem("account_deleted_recently", {
    detail: `An account of this address was deleted. A new one can be created on ${formatDateTime(mayReturnOn)}.`,
  });
}

export async function recordLeft(transaction: WriteTransaction, person: PortalMailbox, now: number): Promise<void> {
  const times = { left_on: now, expires_on: now + keptMilliseconds };
  await store.recordFormer(transaction, { hash: hashOf(person), ...times });
}

/** The address that created the customer's account. Undefined if the business created it. */
export async function signUpMailbox(reads: Reads, consumerSeq: number): Promise<string | undefined> {
  return (await store.findSignUp(reads, consumerSeq))?.email;
}

/** Whether the customer's account was created by a person who had left one: then there is no trial. */
export async function isReturning(reads: Reads, consumerSeq: number): Promise<boolean> {
  return (await store.findSignUp(reads, consumerSeq))?.is_returning === 1;
}
