import { Problem } from "../../../core/problems/problem.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { findBucket } from "../../metering/buckets.ts";
import { dueSubscriptions } from "./segment-store.ts";
import { settle } from "./steps.ts";

const pageSize = 100;

/**
 * Bills every subscription with a due step. Any number of nodes may do so at the same time: a step is part of the
 * transaction that locks the subscription and stores when the next one is due.
 */
export async function billDue(
  storage: Storage,
  clock: Clock,
  failed: (error: unknown) => void,
  signal?: AbortSignal,
): Promise<void> {
  const now = clock.now();
  const broken = new Set<string>();
  while (!signal?.aborted) {
    const due = (await dueSubscriptions(storage.reads, now, pageSize + broken.size)).filter(
      ({ id }) => !broken.has(id),
    );
    if (due.length === 0) return;
    for (const { id, bucket_id, account_seq, account_id, account_name } of due) {
      if (signal?.aborted) return;
      const account = { seq: account_seq, id: account_id, name: account_name };
      try {
        await storage.write(async (transaction) => {
          const bucket = await findBucket(transaction, account_seq, bucket_id);
          await settle(transaction, { account }, bucket, id, now);
        });
      } catch (error) {
        broken.add(id);
        // Deleted in the meantime.
        if (!(error instanceof Problem && error.code === "not_found")) failed(error);
      }
    }
  }
}
