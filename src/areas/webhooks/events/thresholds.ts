import { type Amount, amountFromParts, numberOf } from "../../../lib/amount.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { allowancesOfMany } from "../../subscriptions/allowance-history.ts";
import { KnownPlans } from "../../subscriptions/known-plans.ts";
import { periodOf } from "../../subscriptions/period.ts";
import { subscriptionRowsWithSeqs } from "../../subscriptions/subscription-rows.ts";
import { MessageQueue, type WebhookEvent } from "../deliveries/messages.ts";
import { messageIdOf } from "./message-id.ts";
import { hasUnchecked, isWanted, lockUnchecked, setChecked, type UncheckedCounterRow } from "./threshold-store.ts";

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
      await announce(new MessageQueue(transaction, now), counters, knownPlans, now);
      return counters;
    });
    if (page.length < pageSize) return;
    after = page.at(-1)!;
  }
}

async function announce(
  queue: MessageQueue,
  counters: UncheckedCounterRow[],
  knownPlans: KnownPlans,
  now: number,
): Promise<void> {
  const { transaction } = queue;
  const wanted = [];
  for (const counter of counters) if (await queue.isWanted(counter.account_seq, type)) wanted.push(counter);
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
  await queue.add(...events);
  await setChecked(transaction, counters);
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
