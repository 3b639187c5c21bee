import { type Act, accountOf } from "../../../../core/access.ts";
import { invalid, notFound, Problem } from "../../../../core/problems/problem.ts";
import { type CounterChange, periodKey } from "../../../../counting/counters/counter-store.ts";
import { raiseCounters } from "../../../../counting/counters/raise-counters.ts";
import { recordTotals } from "../../../../counting/counters/totals.ts";
import { addHour } from "../../../../counting/counters/usage-hours.ts";
import type { Amount } from "../../../../lib/amount.ts";
import { locking } from "../../../../platform/storage/query.ts";
import { removeInPieces } from "../../../../platform/storage/removal.ts";
import type { Storage, WriteTransaction } from "../../../../platform/storage/storage.ts";
import { findMeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { lockSubscriptions, type Subscription, subscriptionsWithSeqs } from "../../subscriptions/subscriptions.ts";
import { raiseMarks } from "../counters/usage-marks.ts";
import { type Usage, usageAt } from "../usage/usage.ts";
import {
  amountsIn,
  type ExpiredHold,
  expiredHolds,
  findHold,
  type HoldRow,
  lockOpenHolds,
  removeHoldsBefore,
  updateHolds,
} from "./hold-store.ts";

const dayMilliseconds = 24 * 60 * 60 * 1000;
/** How long after its expiry a hold can be settled, and is kept. */
const settleMilliseconds = dayMilliseconds;
const keptMilliseconds = 7 * dayMilliseconds;
const expiredAtOnce = 200;

/**
 * Holds of verify-key. The counters include what is held: every node knows it with the total, and it survives restarts.
 * Ending a hold changes the counters by the difference.
 */

/** Counts what was used instead of what was held. Returns the usage of the hold's period. */
export async function settleHold(
  transaction: WriteTransaction,
  act: Act,
  address: HoldAddress,
  used: ReadonlyMap<string, Amount>,
): Promise<Usage> {
  const { bucket, hold, subscription } = await lockHold(transaction, act, address);
  const amounts = new Map([...used].filter(([, amount]) => amount > 0n));
  if (hold.state === "settled") {
    if (!isSame(amountsIn(hold.counted), amounts)) throw new Problem("hold_settled");
  } else {
    if (hold.state === "released") throw new Problem("hold_released");
    requireTime(hold, act.now);
    const { meters } = await usageAt(transaction, subscription, hold.time);
    for (const meter of used.keys())
      if (!Object.hasOwn(meters, meter))
        throw invalid(`/meters/${meter}`, "is not a meter of the subscription's plans");
    await endHolds(transaction, "settled", [{ act, bucketId: bucket.id, hold, counts: amounts }]);
  }
  return usageAt(transaction, subscription, hold.time);
}

/** Returns all that was held. */
export async function releaseHold(transaction: WriteTransaction, act: Act, address: HoldAddress): Promise<void> {
  const { bucket, hold } = await lockHold(transaction, act, address);
  if (hold.state === "released") return;
  if (hold.state === "settled") throw new Problem("hold_settled");
  requireTime(hold, act.now);
  await endHolds(transaction, "released", [{ act, bucketId: bucket.id, hold, counts: nothing }]);
}

/** Ends the holds that have expired: returns what they hold, or counts it. */
export async function expireHolds(storage: Storage, now: number, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const expired = await expiredHolds(storage.reads, now, expiredAtOnce);
    if (expired.length > 0) await storage.write((transaction) => expireSome(transaction, expired, now));
    if (expired.length < expiredAtOnce || signal?.aborted) return;
  }
}

async function expireSome(transaction: WriteTransaction, expired: ExpiredHold[], now: number): Promise<void> {
  const seqs = new Set(expired.map(({ subscription_seq }) => subscription_seq));
  await lockSubscriptions(transaction, [...seqs]);
  const owners = new Map(expired.map((each) => [each.id, each]));
  // Another node or a request may have been faster.
  const open = await lockOpenHolds(transaction, [...owners.keys()]);
  const ended = open.map((hold) => {
    const { bucket_id: bucketId, ...account } = owners.get(hold.id)!;
    const act: Act = { account: accountOf(account), actor: "system", actorType: "system", now };
    return { act, bucketId, hold, counts: hold.on_expiry === "count" ? amountsIn(hold.counted) : nothing };
  });
  await endHolds(transaction, "expired", ended);
}

export function removeOldHolds(storage: Storage, now: number, signal?: AbortSignal): Promise<void> {
  const before = now - keptMilliseconds;
  return removeInPieces(storage, (transaction, rows) => removeHoldsBefore(transaction, before, rows), { signal });
}

interface HoldAddress {
  bucketId: string;
  holdId: string;
}

const nothing: ReadonlyMap<string, Amount> = new Map();

async function lockHold(transaction: WriteTransaction, act: Act, { bucketId, holdId }: HoldAddress) {
  const bucket = await findMeteringBucket(transaction, act.account.seq, bucketId);
  const locked = await lock(transaction, bucket.seq, holdId);
  if (!locked) throw notFound("hold");
  return { bucket, hold: locked.row, subscription: locked.subscription };
}

/** Locks the subscription first, like all that changes its counters. */
async function lock(
  transaction: WriteTransaction,
  bucketSeq: number,
  id: string,
): Promise<{ row: HoldRow; subscription: Subscription } | undefined> {
  const found = await findHold(transaction, bucketSeq, id);
  if (!found) return undefined;
  await lockSubscriptions(transaction, [found.subscription_seq]);
  const row = await findHold(locking(transaction), bucketSeq, id);
  const [subscription] = await subscriptionsWithSeqs(transaction, [found.subscription_seq]);
  return row && subscription && { row, subscription };
}

function requireTime({ expires_on }: HoldRow, now: number): void {
  if (now >= expires_on + settleMilliseconds) throw new Problem("hold_expired");
}

/** A hold that ends, and what the counters include of it from then on. */
interface EndedHold {
  act: Act;
  bucketId: string;
  hold: HoldRow;
  counts: ReadonlyMap<string, Amount>;
}

/** Changes what the counters include of holds, whose subscriptions are locked. */
async function endHolds(transaction: WriteTransaction, state: HoldRow["state"], ended: EndedHold[]): Promise<void> {
  const changes = new Map<string, CounterChange>();
  const events = [];
  for (const { hold, counts } of ended) {
    const { subscription_seq: subscriptionSeq, period_start: periodStart, time } = hold;
    const counted = amountsIn(hold.counted);
    const amounts = new Map<string, Amount>();
    for (const meter of new Set([...counted.keys(), ...counts.keys()])) {
      const consumed = (counts.get(meter) ?? 0n) - (counted.get(meter) ?? 0n);
      if (consumed === 0n) continue;
      amounts.set(meter, consumed);
      const key = `${periodKey(subscriptionSeq, periodStart)} ${meter}`;
      const none = { events: 0, amount: 0n, consumed: 0n, hours: new Map() };
      const change = changes.get(key) ?? { subscriptionSeq, periodStart, meter, ...none };
      change.consumed += consumed;
      addHour(change.hours, time, consumed);
      changes.set(key, change);
    }
    if (amounts.size > 0) events.push({ subscriptionSeq, periodStart, time, amounts });
  }
  const totals = await raiseCounters(transaction, [...changes.values()]);
  // Usage belongs to the plan at the time of the hold, also if the plan has changed since.
  const periods = Map.groupBy(events, ({ subscriptionSeq, periodStart }) => periodKey(subscriptionSeq, periodStart));
  await raiseMarks(transaction, [...periods.values()], "consumed");
  const owners = ended.map(({ act, bucketId, hold }) => [hold.subscription_seq, { act, bucketId }] as const);
  await recordTotals(transaction, totals, new Map(owners));
  const rows = ended.map(({ hold: { id }, counts }) => ({ id, counts }));
  await updateHolds(transaction, state, rows);
}

function isSame(one: ReadonlyMap<string, Amount>, other: ReadonlyMap<string, Amount>): boolean {
  return one.size === other.size && [...one].every(([meter, amount]) => other.get(meter) === amount);
}
