import type { Act } from "../../../core/access.ts";
import { invalid, notFound, Problem } from "../../../core/problems/problem.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { Storage, WriteTransaction } from "../../../platform/storage/storage.ts";
import {
  findMeteringBucket,
  findMeteringBucketForUpdate,
  type MeteringBucket,
  setMeteringClock,
} from "../../metering/metering-buckets.ts";
import { checkedCustomersIn, firstExpiryIn } from "../credit-grants/grant-store.ts";
import { firstMailIn, writeTestMail } from "../invoices/billing-mails.ts";
import { firstDueIn, renewalsUntil } from "../plan-terms/segment-store.ts";
import { settleCredits } from "../spending/credit-settlement.ts";
import { settleBilling, systemAct } from "./billing-steps.ts";
import { expireAt } from "./grant-actions.ts";

/** The maximum number of renewals in one move. */
const maxRenewals = 5_000;
/** The steps of one transaction. On a busy PostgreSQL, a step takes tens of milliseconds. */
const stepsAtOnce = 50;

/**
 * Moves the time of a test bucket forward, and performs each due step at its time, in order. It takes several
 * transactions: after a failure, the bucket has the time of its last step, and the same move continues there.
 */
export async function moveClock(storage: Storage, act: Act, idOrName: string, now: number): Promise<void> {
  const bucket = await findMeteringBucket(storage.reads, act.account.seq, idOrName);
  requireLater(bucket, now);
  if ((await renewalsUntil(storage.reads, bucket.seq, now)) > maxRenewals)
    throw invalid("/now", `takes more than ${maxRenewals} renewals: move the clock less far`);
  const move = (isFirst: boolean) =>
    storage.write((transaction) => moveTowards(transaction, act, bucket.id, now, isFirst));
  for (let isReached = await move(true); !isReached; ) isReached = await move(false);
}

function requireLater({ test_clock }: MeteringBucket, now: number): void {
  if (test_clock === null) throw new Problem("not_a_test_bucket");
  if (now < test_clock) throw invalid("/now", `must not be before ${formatDateTime(test_clock)}`);
}

/** Performs the next steps. Returns whether the time is reached, also by another request. */
async function moveTowards(
  transaction: WriteTransaction,
  act: Act,
  id: string,
  now: number,
  isFirst: boolean,
): Promise<boolean> {
  let bucket = await findMeteringBucketForUpdate(transaction, act.account.seq, id);
  if (!bucket) throw notFound("metering bucket");
  const from = bucket.test_clock!;
  if (from > now) return true;
  // Once for the usage before the move: a step settles its own customer, and the others use nothing while the clock moves.
  if (isFirst)
    for (const customerKey of await checkedCustomersIn(transaction, bucket.seq))
      await settleCredits(transaction, systemAct(act, from), bucket, customerKey);
  for (let steps = 0; steps < stepsAtOnce; steps += 1) {
    const due = await firstDueIn(transaction, bucket.seq, now);
    const expiry = await firstExpiryIn(transaction, bucket.seq, due?.bills_on ?? now);
    const mail = await firstMailIn(transaction, bucket.seq, (expiry?.expires_on ?? due?.bills_on ?? now + 1) - 1);
    if (!due && !expiry && !mail) {
      await setMeteringClock(transaction, act, bucket, now);
      return true;
    }
    const time = mail?.due_on ?? expiry?.expires_on ?? due!.bills_on;
    bucket = { ...bucket, test_clock: Math.max(bucket.test_clock!, time) };
    if (mail) await writeTestMail(transaction, act, bucket, mail);
    else if (expiry) await expireAt(transaction, act, bucket, expiry);
    else if (due) await settleBilling(transaction, act, bucket, due.id, due.bills_on);
  }
  await setMeteringClock(transaction, act, bucket, bucket.test_clock!);
  return false;
}
