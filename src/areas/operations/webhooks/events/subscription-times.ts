import type { RecordedChange } from "../../../../core/changes/recorded-change.ts";
import { formatDateTime, parseDateTime } from "../../../../lib/time/time.ts";
import { findRow } from "../../../../platform/storage/rows.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import { presentSubscription } from "../../../commerce/subscriptions/present-subscription.ts";
import { allowsUsage, periodOf, statusAt } from "../../../commerce/subscriptions/state.ts";
import {
  findSubscription,
  lockSubscriptions,
  type Subscription,
} from "../../../commerce/subscriptions/subscriptions.ts";
import { MessageQueue, type WebhookEvent } from "../deliveries/messages.ts";
import { messageIdOf } from "./message-id.ts";
import { isWanted } from "./threshold-store.ts";
import {
  type RenewingSubscription,
  setRenewals,
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
  const account = await findRow(queue.transaction, "accounts", { seq: event.accountSeq });
  if (account) await queue.add({ ...event, type, messageId: trialEndingId(account.id, id, trialEnd) });
}

const pageSize = 500;
/** Reading the plans of those that are announced may take 15 MB each. */
const announcedAtOnce = 50;
/** It existed before renewals were announced, so past renewals are not announced. */
const fromNowOn = -1;
/** Periods that began this long before a webhook changed may not have been announced before. */
const changeMilliseconds = 10 * 60 * 1000;

/**
 * Announces periods that have begun, each once, and stores when the next one begins: while no webhook subscribes, the ends
 * of periods write nothing. Those before a webhook subscribed are not announced.
 */
export async function announceRenewals(storage: Storage, now: number, signal: AbortSignal): Promise<void> {
  if (!(await isWanted(storage.reads, renewed))) return;
  while (!signal.aborted) {
    if ((await subscriptionsToRenew(storage.reads, now, 1)).length === 0) return;
    const isLocked = await storage.write(async (transaction) => {
      if (!(await transaction.tryLock("webhooks subscription.renewed"))) return true;
      const queue = new MessageQueue(transaction, now);
      const rows: RenewingSubscription[] = [];
      const renewals: [seq: number, renewsOn: number][] = [];
      const announced: RenewingSubscription[] = [];
      for (const row of await subscriptionsToRenew(transaction, now, pageSize)) {
        const wantedSince = ((await queue.wantedSince(row.account_seq, renewed)) ?? Infinity) - changeMilliseconds;
        const isAnnounced = row.time > 0 && row.time > wantedSince;
        if (isAnnounced && announced.length === announcedAtOnce) break;
        rows.push(row);
        if (isAnnounced) announced.push(row);
        renewals.push([row.seq, nextRenewal(row, Math.min(now, wantedSince), now)]);
      }
      // In the order in which all transactions lock subscriptions.
      await lockSubscriptions(
        transaction,
        rows.map(({ seq }) => seq),
      );
      await setRenewals(transaction, renewals);
      for (const row of announced) await announceRenewal(queue, row);
      return false;
    });
    if (isLocked) return;
  }
}

const renewed = "subscription.renewed";

function nextRenewal(row: RenewingSubscription, wantedSince: number, now: number): number {
  const since = row.time > 0 ? row.time : row.time === fromNowOn ? now : row.created_on;
  return periodOf({ row }, Math.max(since, wantedSince)).end;
}

async function announceRenewal(queue: MessageQueue, row: RenewingSubscription): Promise<void> {
  const found = await findSubscription(queue.transaction, { seq: row.bucket_seq }, row.id);
  const { time, account_seq: accountSeq } = row;
  if (!allowsUsage(statusAt(found.row, found.plans, time))) return;
  const { start, end } = periodOf({ row }, time);
  const messageId = messageIdOf(row.account_id, `${renewed} ${row.id} ${start}`, start);
  const data = {
    ...dataOf(row, found, time),
    periodStart: formatDateTime(start),
    periodEnd: formatDateTime(end),
  };
  await queue.add({ accountSeq, messageId, type: renewed, time: start, data });
}

function dataOf(timedSubscription: TimedSubscriptionRow, found: Subscription, at: number) {
  const bucket = {
    id: timedSubscription.bucket_id,
    ...(timedSubscription.bucket_name === null ? {} : { name: timedSubscription.bucket_name }),
  };
  return { ...presentSubscription(found, at), bucket };
}
