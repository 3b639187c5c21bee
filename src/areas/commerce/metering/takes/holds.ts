import { type Act, accountOf } from "../../../../core/access.ts";
import { invalid, notFound, Problem } from "../../../../core/problems/problem.ts";
import { raiseCounters } from "../../../../counting/counters/raise-counters.ts";
import { recordTotals } from "../../../../counting/counters/totals.ts";
import { addHour } from "../../../../counting/counters/usage-hours.ts";
import type { Amount } from "../../../../lib/amount.ts";
import { locking } from "../../../../platform/storage/query.ts";
import { removeInPieces } from "../../../../platform/storage/removal.ts";
import type { Storage, WriteTransaction } from "../../../../platform/storage/storage.ts";
import { findMeteringBucket, type MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { lockSubscriptions, type Subscription, subscriptionsWithSeqs } from "../../subscriptions/subscriptions.ts";
import { raiseMarks } from "../counters/usage-marks.ts";
import { type Usage, usageAt } from "../usage/usage.ts";
import { amountsIn, expiredHolds, findHold, type HoldRow, removeHoldsBefore, updateHold } from "./hold-store.ts";

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
    await count(transaction, act, bucket, hold, amounts);
    await updateHold(transaction, hold.id, "settled", amounts);
  }
  return usageAt(transaction, subscription, hold.time);
}

/** Returns all that was held. */
export async function releaseHold(transaction: WriteTransaction, act: Act, address: HoldAddress): Promise<void> {
  const { bucket, hold } = await lockHold(transaction, act, address);
  if (hold.state === "released") return;
  if (hold.state === "settled") throw new Problem("hold_settled");
  requireTime(hold, act.now);
  await count(transaction, act, bucket, hold, nothing);
  await updateHold(transaction, hold.id, "released", nothing);
}

/** Ends the holds that have expired: returns what they hold, or counts it. */
export async function expireHolds(storage: Storage, now: number, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const expired = await expiredHolds(storage.reads, now, expiredAtOnce);
    for (const { id, bucket_seq, bucket_id, ...account } of expired) {
      if (signal?.aborted) return;
      const act: Act = { account: accountOf(account), actor: "system", actorType: "system", now };
      await storage.write(async (transaction) => {
        const hold = await lock(transaction, bucket_seq, id);
        // Another node or a request was faster.
        if (hold?.row.state !== "open") return;
        const counted = hold.row.on_expiry === "count" ? amountsIn(hold.row.counted) : nothing;
        await count(transaction, act, { id: bucket_id }, hold.row, counted);
        await updateHold(transaction, id, "expired", counted);
      });
    }
    if (expired.length < expiredAtOnce) return;
  }
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

/** Changes what the counters include of a hold. */
async function count(
  transaction: WriteTransaction,
  act: Act,
  bucket: Pick<MeteringBucket, "id">,
  hold: HoldRow,
  next: ReadonlyMap<string, Amount>,
): Promise<void> {
  const counted = amountsIn(hold.counted);
  const { subscription_seq: subscriptionSeq, period_start: periodStart } = hold;
  const changes = [...new Set([...counted.keys(), ...next.keys()])].flatMap((meter) => {
    const consumed = (next.get(meter) ?? 0n) - (counted.get(meter) ?? 0n);
    if (consumed === 0n) return [];
    const hours = new Map<number, Amount>();
    addHour(hours, hold.time, consumed);
    return { subscriptionSeq, periodStart, meter, events: 0, amount: 0n, consumed, hours };
  });
  if (changes.length === 0) return;
  const totals = await raiseCounters(transaction, changes);
  // Usage belongs to the plan at the time of the hold, also if the plan has changed since.
  const amounts = new Map(changes.map(({ meter, consumed }) => [meter, consumed]));
  await raiseMarks(transaction, [[{ subscriptionSeq, periodStart, time: hold.time, amounts }]], "consumed");
  await recordTotals(transaction, totals, new Map([[subscriptionSeq, { act, bucketId: bucket.id }]]));
}

function isSame(one: ReadonlyMap<string, Amount>, other: ReadonlyMap<string, Amount>): boolean {
  return one.size === other.size && [...one].every(([meter, amount]) => other.get(meter) === amount);
}
