import type { RecordedChange } from "../../../core/changes/recorded-change.ts";
import { formatDateTime, parseDateTime } from "../../../lib/time/time.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { periodOf } from "../../subscriptions/period.ts";
import { presentSubscription } from "../../subscriptions/present-subscription.ts";
import { allowsUsage, statusAt } from "../../subscriptions/status.ts";
import { findSubscription, type Subscription } from "../../subscriptions/subscriptions.ts";
import { MessageQueue, type WebhookEvent } from "../deliveries/messages.ts";
import { webhookAccountOf } from "../store.ts";
import { messageIdOf } from "./message-id.ts";
import {
  setRenewal,
  subscriptionsByTrialEnd,
  subscriptionsToRenew,
  type TimedSubscriptionRow,
} from "./timed-event-store.ts";
import type { TimedScan } from "./timed-scan.ts";

const day = 24 * 60 * 60 * 1000;

/** How long before its end a trial is announced. */
const trialLeadMilliseconds = 3 * day;

/**
 * If it is found by the scan and by the change that set the end, it is one message, because both derive the same id.
 */
function trialEndingId(accountId: string, subscriptionId: string, trialEnd: number): string {
  const cause = `subscription.trial_ending ${subscriptionId} ${trialEnd}`;
  return messageIdOf(accountId, cause, trialEnd - trialLeadMilliseconds);
}

export const trialScan: TimedScan<TimedSubscriptionRow> = {
  name: "subscription.trial_ending",
  leadMilliseconds: trialLeadMilliseconds,
  page: subscriptionsByTrialEnd,
  async emit(queue, row, now) {
    const type = "subscription.trial_ending";
    const found = await findSubscription(queue.transaction, { seq: row.bucket_seq }, row.id);
    if (now >= row.time || statusAt(found.row, found.plans, now) !== "trialing") return;
    const messageId = trialEndingId(row.account_id, row.id, row.time);
    const time = row.time - trialLeadMilliseconds;
    const data = dataOf(row, found, now);
    await queue.add({ accountSeq: row.account_seq, messageId, type, time, data });
  },
};

/** Announces a trial that is shorter than the notice, with the change that set its end. */
export async function announceShortTrial(
  queue: MessageQueue,
  change: RecordedChange,
  event: WebhookEvent,
  now: number,
): Promise<void> {
  const { id } = change.details.resource;
  const { status, trialEndDate } = change.shown as { status: string; trialEndDate?: string };
  const trialEnd = trialEndDate === undefined ? undefined : parseDateTime(trialEndDate);
  if (status !== "trialing" || trialEnd === undefined) return;
  if (now >= trialEnd || trialEnd - trialLeadMilliseconds > event.time) return;
  const type = "subscription.trial_ending";
  if (!(await queue.isWanted(event.accountSeq, type))) return;
  const account = await webhookAccountOf(queue.transaction, event.accountSeq);
  if (account) await queue.add({ ...event, type, messageId: trialEndingId(account.id, id, trialEnd) });
}

const pageSize = 100;
/** It existed before renewals were announced, so past renewals are not announced. */
const fromNowOn = -1;

/** Announces periods that have begun, each once, and stores when the next one begins. */
export async function announceRenewals(storage: Storage, now: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if ((await subscriptionsToRenew(storage.reads, now, 1)).length === 0) return;
    const isLocked = await storage.write(async (transaction) => {
      if (!(await transaction.tryLock("webhooks subscription.renewed"))) return true;
      const queue = new MessageQueue(transaction, now);
      const rows = await subscriptionsToRenew(transaction, now, pageSize);
      // In the order in which all transactions lock subscriptions.
      for (const row of rows.sort((one, other) => one.seq - other.seq)) await renew(queue, row, now);
      return false;
    });
    if (isLocked) return;
  }
}

async function renew(queue: MessageQueue, timedSubscription: TimedSubscriptionRow, now: number): Promise<void> {
  const { transaction } = queue;
  const found = await findSubscription(transaction, { seq: timedSubscription.bucket_seq }, timedSubscription.id);
  if (timedSubscription.time <= 0) {
    const since = timedSubscription.time === fromNowOn ? now : found.row.created_on;
    await setRenewal(transaction, timedSubscription.seq, periodOf(found, since).end);
    return;
  }
  const period = periodOf(found, timedSubscription.time);
  await setRenewal(transaction, timedSubscription.seq, period.end);
  if (!allowsUsage(statusAt(found.row, found.plans, timedSubscription.time))) return;
  const type = "subscription.renewed";
  const messageId = messageIdOf(
    timedSubscription.account_id,
    `${type} ${timedSubscription.id} ${period.start}`,
    period.start,
  );
  const data = {
    ...dataOf(timedSubscription, found, timedSubscription.time),
    periodStart: formatDateTime(period.start),
    periodEnd: formatDateTime(period.end),
  };
  await queue.add({ accountSeq: timedSubscription.account_seq, messageId, type, time: period.start, data });
}

function dataOf(timedSubscription: TimedSubscriptionRow, found: Subscription, at: number) {
  const bucket = {
    id: timedSubscription.bucket_id,
    ...(timedSubscription.bucket_name === null ? {} : { name: timedSubscription.bucket_name }),
  };
  return { ...presentSubscription(found, at), bucket };
}
