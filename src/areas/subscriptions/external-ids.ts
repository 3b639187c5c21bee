import { Problem } from "../../core/problems/problem.ts";
import type { WriteTransaction } from "../../platform/storage/storage.ts";
import { statusAt } from "./status.ts";
import { planSummaries } from "./subscribed-plans-store.ts";
import * as store from "./subscription-store.ts";

/**
 * Throws 409 `subscription_exists` if a subscription of the bucket that is not canceled has the external id. No index
 * can enforce this: a trial becomes canceled by time alone, and older databases contain duplicates.
 */
export async function requireFreeExternalId(
  transaction: WriteTransaction,
  bucketSeq: number,
  externalId: string,
  now: number,
  except?: number,
): Promise<void> {
  // A concurrent transaction with the same id waits here, and then sees the result of this one.
  await transaction.lock(`subscription external id ${bucketSeq} ${externalId}`);
  for (const row of await store.uncanceledWithExternalId(transaction, bucketSeq, externalId)) {
    if (row.seq === except) continue;
    const plans = await planSummaries(transaction, [row.seq]);
    if (statusAt(row, plans.get(row.seq)!, now) !== "canceled") throw new Problem("subscription_exists");
    // A trial that has lapsed releases its id: it becomes permanently canceled, however its plan changes.
    await store.updateSubscription(transaction, row.seq, { status: "canceled" });
  }
}
