import type { Act } from "../../../core/access.ts";
import { invalid, notFound, Problem } from "../../../core/problems/problem.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import { findBucketForUpdate, type MeteringBucket, setClock } from "../../metering/buckets.ts";
import { firstDueIn } from "./segment-store.ts";
import { settle } from "./steps.ts";

/** The maximum number of steps in one move: it is one transaction. */
const maxSteps = 5_000;

/** Moves the time of a test bucket forward, and performs each due step at its time, in order. */
export async function moveClock(
  transaction: WriteTransaction,
  act: Act,
  idOrName: string,
  now: number,
): Promise<MeteringBucket> {
  let bucket = await findBucketForUpdate(transaction, act.account.seq, idOrName);
  if (!bucket) throw notFound("metering bucket");
  if (bucket.test_clock === null) throw new Problem("not_a_test_bucket");
  if (now < bucket.test_clock) throw invalid("/now", `must not be before ${formatDateTime(bucket.test_clock)}`);
  for (let steps = 0; ; steps += 1) {
    const due = await firstDueIn(transaction, bucket.seq, now);
    if (!due) break;
    if (steps === maxSteps) throw invalid("/now", `takes more than ${maxSteps} steps: move the clock less far`);
    bucket = { ...bucket, test_clock: Math.max(bucket.test_clock!, due.bills_on) };
    await settle(transaction, act, bucket, due.id, due.bills_on);
  }
  return setClock(transaction, act, bucket, now);
}
