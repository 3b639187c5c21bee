import type { Act } from "../../../core/access.ts";
import { Problem } from "../../../core/problems/problem.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import type { Storage, WriteTransaction } from "../../../platform/storage/storage.ts";
import { findBucket, type MeteringBucket } from "../../metering/buckets.ts";
import { type DueCustomer, dueChecks, dueExpiries, nextCheck } from "../credits/grant-store.ts";
import { lockCredits } from "../credits/wallet.ts";
import { settleCredits } from "./credit-settlement.ts";
import { expireAt } from "./grant-actions.ts";
import { dueSubscriptions } from "./segment-store.ts";
import { settle, systemAct } from "./steps.ts";

const pageSize = 100;
/** In one run: the next one has the rest. */
const maxCustomers = 1000;
const hourMilliseconds = 60 * 60 * 1000;

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

/** Expires grants, and compares usage with credits at the end of each hour. Any number of nodes may do so. */
export async function settleDueCredits(
  storage: Storage,
  clock: Clock,
  failed: (error: unknown) => void,
  signal?: AbortSignal,
): Promise<void> {
  const now = clock.now();
  const run = async <Due extends DueCustomer>(due: Due[], work: Work<Due>): Promise<void> => {
    for (const each of due) {
      if (signal?.aborted) return;
      const account = { seq: each.account_seq, id: each.account_id, name: each.account_name };
      try {
        await storage.write(async (transaction) =>
          work(transaction, { account }, await findBucket(transaction, account.seq, each.bucket_id), each),
        );
      } catch (error) {
        if (!(error instanceof Problem && error.code === "not_found")) failed(error);
      }
    }
  };
  await run(await dueExpiries(storage.reads, now, maxCustomers), (transaction, act, bucket, due) =>
    expireAt(transaction, act, bucket, due, now),
  );
  await run(await dueChecks(storage.reads, now, maxCustomers), async (transaction, act, bucket, due) => {
    await lockCredits(transaction, bucket, due.customer_key);
    // Another node may have done it in the meantime.
    const checksOn = await nextCheck(transaction, bucket.seq, due.customer_key);
    if (checksOn === null || checksOn > now) return;
    // The usage of the last hour, which has just ended, and what was used since.
    const at = Math.max(checksOn - 1, now - hourMilliseconds);
    await settleCredits(transaction, systemAct(act, at), bucket, due.customer_key, { until: now });
  });
}

type Work<Due> = (
  transaction: WriteTransaction,
  act: Pick<Act, "account">,
  bucket: MeteringBucket,
  due: Due,
) => Promise<unknown>;
