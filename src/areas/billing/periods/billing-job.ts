import type { Cause } from "../../../core/access.ts";
import { Problem } from "../../../core/problems/problem.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import type { Storage, WriteTransaction } from "../../../platform/storage/storage.ts";
import { findMeteringBucket, type MeteringBucket, timeIn } from "../../metering-buckets/metering-buckets.ts";
import { type DueGrantCustomer, dueChecks, dueExpiries, nextGrantCheck } from "../credit-grants/grant-store.ts";
import { lockCustomerBilling } from "../credit-grants/wallet.ts";
import { type WaitingDraft, waitingDrafts } from "../invoices/invoice-store.ts";
import { expiredPurchases } from "../packs/purchase-store.ts";
import { expirePurchase } from "../packs/purchases.ts";
import { dueSubscriptions } from "../plan-terms/segment-store.ts";
import { settleCredits } from "../spending/credit-settlement.ts";
import { settleBillingInPart, systemAct } from "./billing-steps.ts";
import { expireAt } from "./grant-actions.ts";
import { finalizeNow } from "./invoice-drafts.ts";
import { Piece, type Stopwatch } from "./piece.ts";

const pageSize = 100;
/** Customers that a node bills at the same time. The number of an invoice, and its commit, are one after the other. */
const customersAtOnce = 4;
/** In one run: the next one has the rest. */
const maxCustomers = 1000;
const hourMilliseconds = 60 * 60 * 1000;

/**
 * Bills every subscription with a due step, and then finalizes drafts that waited for a billing profile. Any number of
 * nodes may do so at the same time: each piece is a transaction that locks the billing of a customer.
 */
export async function billDue(
  storage: Storage,
  clock: Clock,
  failed: (error: unknown) => void,
  signal?: AbortSignal,
  elapsed?: Stopwatch,
): Promise<void> {
  const now = clock.now();
  await inPieces({
    due: (limit) => dueSubscriptions(storage.reads, now, limit),
    orderedBy: ({ bucket_id, customer_key }) => `${bucket_id} ${customer_key}`,
    // A subscription that is many periods overdue is due again until it is up to date.
    perform: ({ id, ...place }) =>
      inBucket(storage, now, place, (transaction, act, bucket) =>
        settleBillingInPart(transaction, act, bucket, id, now, new Piece(elapsed)),
      ),
    failed,
    signal,
  });
  await inPieces({
    due: (limit) => waitingDrafts(storage.reads, limit),
    orderedBy: () => "",
    perform: ({ id, ...place }) =>
      inBucket(storage, now, place, (transaction, act, bucket) =>
        finalizeNow(transaction, systemAct(act, timeIn(bucket, now)), bucket, id),
      ),
    failed,
    signal,
  });
}

interface Pieces<Due> {
  due(limit: number): Promise<Due[]>;
  orderedBy(due: Due): string;
  perform(due: Due): Promise<unknown>;
  failed(error: unknown): void;
  signal?: AbortSignal | undefined;
}

/**
 * Performs what is due until nothing is left. What is ordered by the same text is performed in order; several texts at the same
 * time and in any order, so that nodes rarely wait for each other. A piece that fails does not stop the others.
 */
async function inPieces<Due extends { id: string }>(pieces: Pieces<Due>): Promise<void> {
  const { due, orderedBy, perform, failed, signal } = pieces;
  const broken = new Set<string>();
  const performInOrder = async (ordered: Due[]) => {
    for (const each of ordered) {
      if (signal?.aborted) return;
      try {
        await perform(each);
      } catch (error) {
        broken.add(each.id);
        // Deleted, or finalized by another node, in the meantime.
        if (!(error instanceof Problem && ["not_found", "invoice_not_draft"].includes(error.code))) failed(error);
      }
    }
  };
  while (!signal?.aborted) {
    const page = (await due(pageSize + broken.size)).filter(({ id }) => !broken.has(id));
    if (page.length === 0) return;
    const next = shuffled([...Map.groupBy(page, orderedBy).values()]).values();
    const performNext = async () => {
      for (const ordered of next) await performInOrder(ordered);
    };
    await Promise.all(Array.from({ length: customersAtOnce }, performNext));
  }
}

function shuffled<Item>(items: Item[]): Item[] {
  return items
    .map((item) => ({ item, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}

type Place = Omit<WaitingDraft, "id">;

function inBucket(
  storage: Storage,
  now: number,
  { bucket_id, account_seq: seq, account_id: id, account_name: name }: Place,
  work: (transaction: WriteTransaction, act: Cause, bucket: MeteringBucket) => Promise<unknown>,
): Promise<unknown> {
  return storage.write(async (transaction) =>
    work(transaction, { account: { seq, id, name }, now }, await findMeteringBucket(transaction, seq, bucket_id)),
  );
}

/** Expires grants and unpaid purchases of credit packs, and compares usage with credits at the end of each hour. Any number of nodes may do so. */
export async function settleDueCredits(
  storage: Storage,
  clock: Clock,
  failed: (error: unknown) => void,
  signal?: AbortSignal,
): Promise<void> {
  const now = clock.now();
  const run = async <Due extends DueGrantCustomer>(due: Due[], work: Work<Due>): Promise<void> => {
    for (const each of due) {
      if (signal?.aborted) return;
      const account = { seq: each.account_seq, id: each.account_id, name: each.account_name };
      try {
        await storage.write(async (transaction) =>
          work(transaction, { account, now }, await findMeteringBucket(transaction, account.seq, each.bucket_id), each),
        );
      } catch (error) {
        if (!(error instanceof Problem && error.code === "not_found")) failed(error);
      }
    }
  };
  await run(await dueExpiries(storage.reads, now, maxCustomers), (transaction, act, bucket, due) =>
    expireAt(transaction, act, bucket, due, now),
  );
  await run(await expiredPurchases(storage.reads, now, maxCustomers), expirePurchase);
  await run(await dueChecks(storage.reads, now, maxCustomers), async (transaction, act, bucket, due) => {
    await lockCustomerBilling(transaction, bucket, due.customer_key);
    // Another node may have done it in the meantime.
    const checksOn = await nextGrantCheck(transaction, bucket.seq, due.customer_key);
    if (checksOn === null || checksOn > now) return;
    // The usage of the last hour, which has just ended, and what was used since.
    const at = Math.max(checksOn - 1, now - hourMilliseconds);
    await settleCredits(transaction, systemAct(act, at), bucket, due.customer_key, { until: now });
  });
}

type Work<Due> = (transaction: WriteTransaction, act: Cause, bucket: MeteringBucket, due: Due) => Promise<unknown>;
