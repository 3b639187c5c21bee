import type { Act } from "../access/access.ts";
import { type Amount, amountOf, partsOf } from "../lib/amount.ts";
import { parseDateTime } from "../lib/time.ts";
import type { WriteTransaction } from "../storage/storage.ts";
import { allowances } from "./allowance.ts";
import type { MeteringBucket } from "./buckets.ts";
import { currentSubscription, periodOf, type Subscription } from "./subscriptions.ts";
import { type CounterChange, type EventRow, insertEvents, raiseCounters } from "./usage-store.ts";

/** What is wrong with an event, and where in it. */
export interface EventMistake {
  pointer: string;
  detail: string;
}

export interface Rejection extends EventMistake {
  index: number;
}

export interface Ingested {
  accepted: number;
  duplicates: number;
  rejected: Rejection[];
}

interface UsageEvent {
  index: number;
  id: string;
  source: string;
  subject: string;
  time: number;
  amounts: Map<string, Amount>;
}

/**
 * Stores the events that are new and counts them, in one transaction: what is accepted is stored, and what is stored is
 * counted. An item that is wrong is left out whole, by its index; the others go on.
 */
export async function ingest(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  items: unknown[],
): Promise<Ingested> {
  const rejected: Rejection[] = [];
  const subscriptions = new Map<string, Subscription | undefined>();
  const rows: EventRow[][] = [];
  const events: UsageEvent[] = [];

  for (const [index, item] of items.entries()) {
    const event = readEvent(item, index, act.now);
    if ("detail" in event) {
      rejected.push({ index, ...event });
      continue;
    }
    if (!subscriptions.has(event.subject))
      subscriptions.set(event.subject, await currentSubscription(transaction, bucket, event.subject, act.now));
    const subscription = subscriptions.get(event.subject);
    const mistake = subscription ? unknownMeter(subscription, event) : noSubscription;
    if (!subscription || mistake) {
      rejected.push({ index, ...mistake! });
      continue;
    }
    events.push(event);
    rows.push(rowsOf(act, bucket, subscription, event));
  }

  const isNew = await insertEvents(transaction, rows);
  await raiseCounters(transaction, countNew(rows, events, isNew));
  const accepted = isNew.filter(Boolean).length;
  if (accepted > 0) {
    transaction.record({
      accountSeq: act.account.seq,
      actor: act.actor,
      kind: "usage.recorded",
      subject: bucket.id,
      data: { events: accepted },
    });
  }
  return { accepted, duplicates: isNew.length - accepted, rejected };
}

const noSubscription: EventMistake = { pointer: "/subject", detail: "has no active subscription here" };
const longestText = 512;

/** The event, or what is wrong with it. */
function readEvent(item: unknown, index: number, now: number): UsageEvent | EventMistake {
  if (typeof item !== "object" || item === null || Array.isArray(item))
    return { pointer: "", detail: "must be an object" };
  const { specversion, id, source, type, subject, time, data } = item as Record<string, unknown>;
  if (specversion !== "1.0") return { pointer: "/specversion", detail: 'must be "1.0"' };
  for (const [name, value] of Object.entries({ id, source, type, subject })) {
    if (value === undefined) return { pointer: `/${name}`, detail: "is required" };
    if (typeof value !== "string" || value === "" || value.length > longestText || !isStorable(value))
      return { pointer: `/${name}`, detail: `must be text of 1 to ${longestText} characters, none of them NUL` };
  }
  const at = time === undefined ? now : typeof time === "string" ? parseDateTime(time) : undefined;
  if (at === undefined) return { pointer: "/time", detail: "must be an RFC 3339 date-time" };
  const amounts = readAmounts(data);
  if ("detail" in amounts) return amounts;
  return { index, id: id as string, source: source as string, subject: subject as string, time: at, amounts };
}

function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

function readAmounts(data: unknown): Map<string, Amount> | EventMistake {
  if (typeof data !== "object" || data === null || Array.isArray(data))
    return { pointer: "/data", detail: "must be an object of meters" };
  const amounts = new Map<string, Amount>();
  for (const [meter, value] of Object.entries(data)) {
    const amount = typeof value === "number" ? amountOf(value) : undefined;
    if (amount === undefined || amount <= 0n)
      return meterMistake(meter, "must be a number greater than 0 with at most 9 decimals");
    amounts.set(meter, amount);
  }
  return amounts.size === 0 ? { pointer: "/data", detail: "must name at least one meter" } : amounts;
}

function meterMistake(meter: string, detail: string): EventMistake {
  return { pointer: `/data/${meter.slice(0, 64).replaceAll("~", "~0").replaceAll("/", "~1")}`, detail };
}

function unknownMeter(subscription: Subscription, event: UsageEvent): EventMistake | undefined {
  const meters = metersOf(subscription);
  const unknown = [...event.amounts.keys()].find((meter) => !meters.has(meter));
  return unknown === undefined ? undefined : meterMistake(unknown, "is not a meter of the subscription's plans");
}

const knownMeters = new WeakMap<Subscription, Set<string>>();

function metersOf(subscription: Subscription): Set<string> {
  const known = knownMeters.get(subscription) ?? new Set(allowances(subscription.row, subscription.plans, 0).keys());
  knownMeters.set(subscription, known);
  return known;
}

function rowsOf(act: Act, bucket: MeteringBucket, subscription: Subscription, event: UsageEvent): EventRow[] {
  const periodStart = periodOf(subscription, event.time).start;
  return [...event.amounts].map(([meter, amount], part) => {
    const { whole, billionths } = partsOf(amount);
    return {
      bucket_seq: bucket.seq,
      source: event.source,
      event_id: event.id,
      part,
      subscription_seq: subscription.row.seq,
      time: event.time,
      period_start: periodStart,
      received_on: act.now,
      meter,
      whole: Number(whole),
      billionths: Number(billionths),
    };
  });
}

function countNew(rows: EventRow[][], events: UsageEvent[], isNew: boolean[]): CounterChange[] {
  const changes = new Map<string, CounterChange>();
  for (const [index, event] of events.entries()) {
    if (!isNew[index]) continue;
    const { subscription_seq: subscriptionSeq, period_start: periodStart } = rows[index]![0]!;
    for (const [meter, amount] of event.amounts) {
      const key = `${subscriptionSeq} ${periodStart} ${meter}`;
      const change = changes.get(key);
      if (change) {
        change.events += 1;
        change.amount += amount;
      } else {
        changes.set(key, { subscriptionSeq, periodStart, meter, events: 1, amount, consumed: 0n });
      }
    }
  }
  return [...changes.values()];
}
