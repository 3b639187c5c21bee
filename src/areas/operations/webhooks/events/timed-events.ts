import { type Amount, amountFromParts, numberOf } from "../../../../lib/amount.ts";
import type { Clock } from "../../../../lib/time/clock.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { Storage, WriteTransaction } from "../../../../platform/storage/storage.ts";
import { KnownPlans } from "../../../commerce/subscriptions/allowance.ts";
import { allowancesOfMany } from "../../../commerce/subscriptions/allowance-history.ts";
import { periodOf } from "../../../commerce/subscriptions/state.ts";
import { subscriptionRowsWithSeqs } from "../../../commerce/subscriptions/subscriptions.ts";
import { MessageQueue, type WebhookEvent } from "../deliveries/messages.ts";
import { messageIdOf } from "./message-id.ts";
import { announceRenewals, trialScan } from "./subscription-times.ts";
import { hasUnchecked, isWanted, lockUnchecked, setChecked, type UncheckedCounterRow } from "./threshold-store.ts";
import { type ExpiringKeyRow, keysByExpiry } from "./timed-event-store.ts";
import { runScan, type TimedScan } from "./timed-scan.ts";

const day = 24 * 60 * 60 * 1000;

/** How long before the expiry `key.expiring` is sent. */
const leads = [7 * day, day];

function scanOf(type: "key.expiring" | "key.expired", lead: number): TimedScan<ExpiringKeyRow> {
  return {
    name: lead === 0 ? type : `${type} ${lead / day} days`,
    leadMilliseconds: lead,
    page: keysByExpiry,
    async events(_, rows, now) {
      const later = lead === 0 ? undefined : Math.max(0, ...leads.filter((other) => other < lead));
      return rows.flatMap((row) => {
        const time = row.time - lead;
        // The expiry was set after that moment: the change that set it has been sent.
        if (row.updated_on > time) return [];
        // After a downtime only events that are still true are sent: not that a key will expire which has expired.
        if (later !== undefined && now >= row.time - later) return [];
        const messageId = messageIdOf(row.account_id, `${type} ${row.id} ${row.time} ${lead}`, time);
        return { accountSeq: row.account_seq, messageId, type, time, data: dataOf(row) };
      });
    },
  };
}

const keyScans: TimedScan<ExpiringKeyRow>[] = [
  ...leads.map((lead) => scanOf("key.expiring", lead)),
  scanOf("key.expired", 0),
];

/** A key as returned by the API without its value, and its consumer. */
function dataOf(expiringKey: ExpiringKeyRow) {
  return {
    id: expiringKey.id,
    createdOn: formatDateTime(expiringKey.created_on),
    updatedOn: formatDateTime(expiringKey.updated_on),
    expiresOn: formatDateTime(expiringKey.time),
    ...(expiringKey.description === null ? {} : { description: expiringKey.description }),
    consumer: { id: expiringKey.consumer_id, name: expiringKey.consumer_name },
    bucket: { id: expiringKey.bucket_id, name: expiringKey.bucket_name },
  };
}

/** Finds events that are due to time, one kind after the other. */
export async function runTimedEvents(storage: Storage, clock: Clock, signal: AbortSignal): Promise<void> {
  const now = clock.now();
  for (const scan of keyScans) await runScan(storage, scan, now, signal);
  await runScan(storage, trialScan, now, signal);
  await announceRenewals(storage, now, signal);
  await announceThresholds(storage, now, signal);
}

const type = "quota.threshold";
const thresholds = [100, 80, 50] as const;
const pageSize = 1_000;
/** Thresholds of a period that ended longer ago are not announced. */
const lateMilliseconds = 24 * 60 * 60 * 1000;

/**
 * Compares written counters with their maximum, and announces the highest threshold that each has reached. A counter
 * stores its last announcement, so each threshold is sent once for a period and maximum, on any number of nodes.
 */
export async function announceThresholds(storage: Storage, now: number, signal: AbortSignal): Promise<void> {
  // No webhook subscribes to it: counters stay marked, and marks cost nothing.
  if (!(await isWanted(storage.reads, type)) || !(await hasUnchecked(storage.reads))) return;
  const knownPlans = new KnownPlans();
  let after = { subscription_seq: 0, period_start: 0, meter: "" };
  while (!signal.aborted) {
    const page = await storage.write(async (transaction) => {
      if (!(await transaction.tryLock(`webhooks ${type}`))) return [];
      const counters = await lockUnchecked(transaction, after, pageSize);
      await announce(transaction, counters, knownPlans, now);
      return counters;
    });
    if (page.length < pageSize) return;
    after = page.at(-1)!;
  }
}

async function announce(
  transaction: WriteTransaction,
  counters: UncheckedCounterRow[],
  knownPlans: KnownPlans,
  now: number,
): Promise<void> {
  const accountSeqs = counters.map(({ account_seq }) => account_seq);
  const queue = await MessageQueue.open(transaction, accountSeqs, now);
  const wanted = counters.filter(({ account_seq }) => queue.isWanted(account_seq, type));
  const seqs = new Set(wanted.map(({ subscription_seq }) => subscription_seq));
  const rows = new Map((await subscriptionRowsWithSeqs(transaction, [...seqs])).map((row) => [row.seq, row]));
  const compared = wanted
    .map((counter) => {
      const row = rows.get(counter.subscription_seq)!;
      return { counter, row, period: periodOf({ row }, counter.period_start) };
    })
    .filter(({ period }) => period.end + lateMilliseconds > now);
  const allowed = await allowancesOfMany(transaction, knownPlans, compared);
  const events: WebhookEvent[] = [];
  for (const [index, { counter, row, period }] of compared.entries()) {
    const max = allowed[index]!.get(counter.meter)?.max ?? 0n;
    const used = usedOf(counter);
    const percent = thresholds.find((each) => isReached(each, used, max));
    const known = counter.announced_max === String(max) ? counter.announced_percent : 0;
    if (percent === undefined || percent <= known) continue;
    const data = {
      subscriptionId: row.id,
      customerKey: row.customer_key,
      meter: counter.meter,
      threshold: percent,
      used: numberOf(used),
      max: numberOf(max),
      periodStart: formatDateTime(period.start),
      periodEnd: formatDateTime(period.end),
    };
    const cause = `${type} ${row.id} ${counter.meter} ${period.start} ${max} ${percent}`;
    const messageId = messageIdOf(counter.account_id, cause, period.start);
    events.push({ accountSeq: counter.account_seq, messageId, type, time: now, data });
    counter.announced_percent = percent;
    counter.announced_max = String(max);
  }
  await setChecked(transaction, counters);
  await queue.add(events);
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
