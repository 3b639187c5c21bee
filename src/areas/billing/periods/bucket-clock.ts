import type { Act } from "../../../core/access.ts";
import { invalid, notFound, Problem } from "../../../core/problems/problem.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import { findMeteringBucketForUpdate, type MeteringBucket, setMeteringClock } from "../../metering/metering-buckets.ts";
import { checkedCustomersIn, firstExpiryIn } from "../credit-grants/grant-store.ts";
import { firstMailIn, writeTestMail } from "../invoices/billing-mails.ts";
import { firstDueIn } from "../plan-terms/segment-store.ts";
import { settleCredits } from "../spending/credit-settlement.ts";
import { settle, systemAct } from "./billing-steps.ts";
import { expireAt } from "./grant-actions.ts";

/** The maximum number of steps in one move: it is one transaction. */
const maxSteps = 5_000;

/** Moves the time of a test bucket forward, and performs each due step at its time, in order. */
export async function moveClock(
  transaction: WriteTransaction,
  act: Act,
  idOrName: string,
  now: number,
): Promise<MeteringBucket> {
  let bucket = await findMeteringBucketForUpdate(transaction, act.account.seq, idOrName);
  if (!bucket) throw notFound("metering bucket");
  if (bucket.test_clock === null) throw new Problem("not_a_test_bucket");
  if (now < bucket.test_clock) throw invalid("/now", `must not be before ${formatDateTime(bucket.test_clock)}`);
  // Nothing is used while the clock moves.
  for (const customerKey of await checkedCustomersIn(transaction, bucket.seq))
    await settleCredits(transaction, systemAct(act, bucket.test_clock), bucket, customerKey);
  for (let steps = 0; ; steps += 1) {
    const due = await firstDueIn(transaction, bucket.seq, now);
    const expiry = await firstExpiryIn(transaction, bucket.seq, due?.bills_on ?? now);
    const mail = await firstMailIn(transaction, bucket.seq, (expiry?.expires_on ?? due?.bills_on ?? now + 1) - 1);
    if (!due && !expiry && !mail) break;
    if (steps === maxSteps) throw invalid("/now", `takes more than ${maxSteps} steps: move the clock less far`);
    const time = mail?.due_on ?? expiry?.expires_on ?? due!.bills_on;
    bucket = { ...bucket, test_clock: Math.max(bucket.test_clock!, time) };
    if (mail) await writeTestMail(transaction, act, bucket, mail);
    else if (expiry) await expireAt(transaction, act, bucket, expiry);
    else if (due) await settle(transaction, act, bucket, due.id, due.bills_on);
  }
  return setMeteringClock(transaction, act, bucket, now);
}
