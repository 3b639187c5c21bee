import { type Amount, amountFromParts, numberOf } from "../../../lib/amount.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { allowancesIn } from "../../subscriptions/allowance-history.ts";
import { periodOf } from "../../subscriptions/period.ts";
import { findSubscription } from "../../subscriptions/subscriptions.ts";
import { MessageQueue } from "../deliveries/messages.ts";
import { messageIdOf } from "./message-id.ts";
import {
  type CounterKey,
  isWanted,
  setChecked,
  type UncheckedCounterRow,
  uncheckedCounters,
} from "./threshold-store.ts";

const type = "quota.threshold";
const thresholds = [100, 80, 50] as const;
const pageSize = 200;
/** Thresholds of a period that ended longer ago are not announced. */
const lateMilliseconds = 24 * 60 * 60 * 1000;

/**
 * Compares written counters with their maximum, and announces the highest threshold that each has reached. A counter
 * stores its last announcement, so each threshold is sent once for a period and maximum, on any number of nodes.
 */
export async function announceThresholds(storage: Storage, now: number, signal: AbortSignal): Promise<void> {
  // No webhook subscribes to it: counters stay marked, and marks cost nothing.
  if (!(await isWanted(storage.reads, type))) return;
  let after: CounterKey = { subscription_seq: 0, period_start: 0, meter: "" };
  while (!signal.aborted) {
    if ((await uncheckedCounters(storage.reads, after, 1)).length === 0) return;
    const rows = await storage.write(async (transaction) => {
      if (!(await transaction.tryLock(`webhooks ${type}`))) return [];
      const page = await uncheckedCounters(transaction, after, pageSize);
      const queue = new MessageQueue(transaction, now);
      for (const row of inWritingOrder(page)) await compare(queue, row, now);
      return page;
    });
    const last = rows.at(-1);
    if (!last || rows.length < pageSize) return;
    after = last;
  }
}

/** In the same order as metering, so that two transactions with several counters in common cannot deadlock. */
function inWritingOrder(rows: UncheckedCounterRow[]): UncheckedCounterRow[] {
  const keyOf = (counterKey: CounterKey) =>
    `${counterKey.subscription_seq} ${counterKey.period_start} ${counterKey.meter}`;
  return rows.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

async function compare(queue: MessageQueue, row: UncheckedCounterRow, now: number): Promise<void> {
  const { transaction } = queue;
  const before = { percent: row.announced_percent, max: row.announced_max };
  if (!(await queue.isWanted(row.account_seq, type))) return setChecked(transaction, row, before);
  const subscription = await findSubscription(transaction, { seq: row.bucket_seq }, row.subscription_id);
  const period = periodOf(subscription, row.period_start);
  if (period.end + lateMilliseconds <= now) return setChecked(transaction, row, before);
  const allowed = await allowancesIn(transaction, subscription, period);
  const max = allowed.get(row.meter)?.max ?? 0n;
  const used = usedOf(row);
  const percent = thresholds.find((each) => isReached(each, used, max));
  const known = row.announced_max === String(max) ? row.announced_percent : 0;
  if (percent === undefined || percent <= known) return setChecked(transaction, row, before);
  const data = {
    subscriptionId: row.subscription_id,
    customerKey: subscription.row.customer_key,
    meter: row.meter,
    threshold: percent,
    used: numberOf(used),
    max: numberOf(max),
    periodStart: formatDateTime(period.start),
    periodEnd: formatDateTime(period.end),
  };
  const cause = `${type} ${row.subscription_id} ${row.meter} ${period.start} ${max} ${percent}`;
  const messageId = messageIdOf(row.account_id, cause, period.start);
  await queue.add({ accountSeq: row.account_seq, messageId, type, time: now, data });
  await setChecked(transaction, row, { percent, max: String(max) });
}

/** A maximum of zero has no thresholds. */
function isReached(percent: number, used: Amount, max: Amount): boolean {
  return max > 0n && used * 100n >= max * BigInt(percent);
}

function usedOf(uncheckedCounter: UncheckedCounterRow): Amount {
  return (
    amountFromParts(uncheckedCounter.whole, uncheckedCounter.billionths) +
    amountFromParts(uncheckedCounter.consumed_whole, uncheckedCounter.consumed_billionths)
  );
}
