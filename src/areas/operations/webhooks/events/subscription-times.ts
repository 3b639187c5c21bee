import type { RecordedChange } from "../../../../core/changes/recorded-change.ts";
import { formatDateTime, parseDateTime } from "../../../../lib/time/time.ts";
import type { Reads, Storage } from "../../../../platform/storage/storage.ts";
import { presentSubscription } from "../../../commerce/subscriptions/present-subscription.ts";
import { allowsUsage, periodOf, statusAt } from "../../../commerce/subscriptions/state.ts";
import {
  type ListedSubscription,
  listedSubscriptions,
  lockSubscriptions,
} from "../../../commerce/subscriptions/subscriptions.ts";
import { MessageQueue, type WebhookEvent } from "../deliveries/messages.ts";
import { messageIdOf } from "./message-id.ts";
import { isWanted } from "./threshold-store.ts";
import {
  accountIdsOf,
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
  async events(reads, rows, now) {
    const type = "subscription.trial_ending";
    return (await withSubscriptions(reads, rows)).flatMap(({ due, found }) => {
      if (now >= due.time || statusAt(found.row, found.plans, now) !== "trialing") return [];
      const messageId = trialEndingId(due.account_id, due.id, due.time);
      const time = due.time - trialLeadMilliseconds;
      return { accountSeq: due.account_seq, messageId, type, time, data: dataOf(due, found, now) };
    });
  },
};

/** Returns the announcements of trials that are shorter than the notice, with the changes that set their ends. */
export async function shortTrials(
  reads: Reads,
  changed: readonly { change: RecordedChange; event: WebhookEvent }[],
  now: number,
): Promise<WebhookEvent[]> {
  const short = changed.flatMap(({ change, event }) => {
    const { status, trialEndDate } = change.shown as { status: string; trialEndDate?: string };
    const trialEnd = trialEndDate === undefined ? undefined : parseDateTime(trialEndDate);
    if (status !== "trialing" || trialEnd === undefined) return [];
    if (now >= trialEnd || trialEnd - trialLeadMilliseconds > event.time) return [];
    return { event, id: change.details.resource.id, trialEnd };
  });
  const accountIds = await accountIdsOf(
    reads,
    short.map(({ event }) => event.accountSeq),
  );
  return short.flatMap(({ event, id, trialEnd }) => {
    const accountId = accountIds.get(event.accountSeq);
    if (accountId === undefined) return [];
    return { ...event, type: "subscription.trial_ending", messageId: trialEndingId(accountId, id, trialEnd) };
  });
}

const pageSize = 500;
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
      const rows = await subscriptionsToRenew(transaction, now, pageSize);
      const accountSeqs = rows.map(({ account_seq }) => account_seq);
      const queue = await MessageQueue.open(transaction, accountSeqs, now);
      const since = (row: RenewingSubscription) =>
        (queue.wantedSince(row.account_seq, renewed) ?? Infinity) - changeMilliseconds;
      // In the order in which all transactions lock subscriptions.
      await lockSubscriptions(
        transaction,
        rows.map(({ seq }) => seq),
      );
      await setRenewals(
        transaction,
        rows.map((row) => [row.seq, nextRenewal(row, Math.min(now, since(row)), now)]),
      );
      const announced = rows.filter((row) => row.time > 0 && row.time > since(row));
      await queue.add((await withSubscriptions(transaction, announced)).flatMap(renewalOf));
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

function renewalOf({ due, found }: DueSubscription): WebhookEvent[] {
  const { time, account_seq: accountSeq } = due;
  if (!allowsUsage(statusAt(found.row, found.plans, time))) return [];
  const { start, end } = periodOf(found, time);
  const messageId = messageIdOf(due.account_id, `${renewed} ${due.id} ${start}`, start);
  const periods = { periodStart: formatDateTime(start), periodEnd: formatDateTime(end) };
  return [{ accountSeq, messageId, type: renewed, time: start, data: { ...dataOf(due, found, time), ...periods } }];
}

interface DueSubscription {
  due: TimedSubscriptionRow;
  found: ListedSubscription;
}

/** Without subscriptions that were deleted in the meantime. */
async function withSubscriptions(reads: Reads, rows: readonly TimedSubscriptionRow[]): Promise<DueSubscription[]> {
  const seqs = rows.map(({ seq }) => seq);
  const found = new Map((await listedSubscriptions(reads, seqs)).map((each) => [each.row.seq, each]));
  return rows.flatMap((due) => {
    const each = found.get(due.seq);
    return each ? { due, found: each } : [];
  });
}

function dataOf(timedSubscription: TimedSubscriptionRow, found: ListedSubscription, at: number) {
  const bucket = {
    id: timedSubscription.bucket_id,
    ...(timedSubscription.bucket_name === null ? {} : { name: timedSubscription.bucket_name }),
  };
  return { ...presentSubscription(found, at), bucket };
}
