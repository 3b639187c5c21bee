import { accountOf, type Cause } from "../../../../core/access.ts";
import { Problem } from "../../../../core/problems/problem.ts";
import { Pace } from "../../../../lib/tasks/pace.ts";
import { Slice } from "../../../../lib/tasks/slices.ts";
import type { Clock } from "../../../../lib/time/clock.ts";
import { StorageUnavailable } from "../../../../platform/storage/errors.ts";
import type { CountsInMemory } from "../../../../platform/storage/run-again.ts";
import type { Storage, WriteTransaction } from "../../../../platform/storage/storage.ts";
import {
  asSystem,
  type BucketContext,
  findMeteringBucket,
  type OfBucket,
  timeIn,
} from "../../metering-buckets/metering-buckets.ts";
import { savingBook } from "../book/book.ts";
import {
  type DueCustomer,
  type DueExpiry,
  type DueInBook,
  dueChecks,
  dueExpiries,
  nextGrantCheck,
} from "../credit-grants/grant-store.ts";
import { lockCustomerBilling, tryLockCustomers } from "../credit-grants/wallet.ts";
import { waitingDrafts } from "../invoices/invoice-store.ts";
import { expiredPurchases } from "../packs/pack-purchases.ts";
import { expirePurchase } from "../packs/purchases.ts";
import { settleCredits } from "../spending/credit-settlement.ts";
import { settleBillingInPart } from "./billing-steps.ts";
import { type DueSubscription, dueSubscriptions, Piece, type Stopwatch, stopwatch } from "./due.ts";
import { expireAt } from "./grant-actions.ts";
import { finalizeNow } from "./invoice-drafts.ts";
import { finishDeletion } from "./subscription-hooks.ts";

/** Due steps that are read at once. */
const pageSize = 400;
/** Transactions of a node at the same time on PostgreSQL: one is loaded and computed while another is saved. */
const transactionsAtOnce = 2;
/** On SQLite, requests wait for a transaction: it bills no further customer after this time. */
const sqliteMilliseconds = 30;
/** Customers that one transaction bills: on PostgreSQL, a statement for all of them costs little more than one for one of them. */
const customersTogether = 100;
/** What is large of these customers is in memory at the same time. The plans of one subscription may be 15 MB. */
const bytesTogether = 2_000_000;
/** One customer that is later than this has several renewals: in a book, they take as many statements as one. */
const lateMilliseconds = 31 * 24 * 60 * 60 * 1000;
/** Other work of one run: the next one has the rest. */
const maxCustomers = 1000;
const hourMilliseconds = 60 * 60 * 1000;

/** Reports a step that failed, or a transaction of several customers: fewer of them are then billed at once. */
export type BillingFailed = (error: unknown, failure: "step" | "batch") => void;

/**
 * Bills every subscription with a due step, and then finalizes drafts that waited for a billing profile. Any number of
 * nodes may do so at the same time: each transaction locks the billing of its customers.
 */
export async function billDue(
  storage: Storage,
  clock: Clock,
  failed: BillingFailed,
  signal?: AbortSignal,
  elapsed?: Stopwatch,
): Promise<void> {
  const run = { storage, times: { now: clock.now(), clock }, failed, signal };
  await settleDue(run, elapsed);
  await performEach(
    run,
    await waitingDrafts(storage.reads, maxCustomers),
    (context, { id }) => finalizeNow(asSystem(context, timeIn(context.bucket, context.act.now)), id),
    new Pace(),
  );
}

/** A run of the job. */
interface Run {
  storage: Storage;
  times: Times;
  failed: BillingFailed;
  signal: AbortSignal | undefined;
}

interface Times {
  /** Steps that are due by then are performed. */
  now: number;
  /** A run may take minutes: what it writes has the time of writing. */
  clock: Clock;
}

/** A subscription that is many periods overdue is due again until it is up to date. */
function settle(transaction: WriteTransaction, times: Times, due: DueSubscription, piece: Piece): Promise<void> {
  return inBucket(transaction, times, due, (context) =>
    due.is_deleted === 1 ? finishDeletion(context, due) : settleBillingInPart(context, due.id, times.now, piece),
  );
}

/** What became of customers. Those that are left out are still due: another node bills them, or the next run. */
interface Outcome<Each> {
  isAnyDone: boolean;
  /** Those that must be billed one by one. */
  alone: Each[][];
}

/** Bills customers in one transaction until a time has passed. */
async function settleWithin(
  { storage, times }: Run,
  lists: DueSubscription[][],
  elapsed: Stopwatch = stopwatch,
): Promise<Outcome<DueSubscription>> {
  await storage.write(async (transaction) => {
    const until = elapsed() + sqliteMilliseconds;
    for (const [index, dues] of lists.entries()) {
      if (index > 0 && elapsed() >= until) return;
      const piece = new Piece(elapsed);
      for (const due of dues) await settle(transaction, times, due, piece);
    }
  });
  return { isAnyDone: true, alone: [] };
}

/** Customers whose usage is not settled: a request of them may be counted at any time. */
const rejectsStops: CountsInMemory = {
  stop() {
    throw new Error("Billing in a book needs usage that is not settled");
  },
};

/** Performs what is due of customers of a bucket that no other transaction is billing, in a book that is saved with one statement per table. */
function settleInBook<Each extends DueInBook>(
  { storage, times }: Run,
  lists: Each[][],
  perform: (context: BucketContext<Cause>, dues: Each[]) => Promise<void>,
  computed = () => {},
): Promise<Outcome<Each>> {
  const duesOf = new Map(lists.map((dues) => [dues[0]!.customer_key, dues]));
  const hasCredits = (key: string) => duesOf.get(key)!.some(({ has_credits }) => has_credits === 1);
  return storage.write((transaction) =>
    inBucket(transaction, times, lists[0]![0]!, async (context) => {
      const { bucket } = context;
      const customerKeys = await tryLockCustomers(transaction, bucket, [...duesOf.keys()], hasCredits);
      if (customerKeys.length === 0) return { isAnyDone: false, alone: [] };
      const alone: Each[][] = [];
      const slice = new Slice();
      await savingBook(storage, transaction, { ...context, customerKeys }, async (book) => {
        for (const key of customerKeys) {
          const dues = duesOf.get(key)!;
          if (hasCredits(key)) book.countsInMemory.delete(rejectsStops);
          else book.countsInMemory.add(rejectsStops);
          // Whatever fails here is done without a book, which shows whether it is an error.
          await book
            .part(transaction, (own) => perform({ ...context, transaction: own }, dues))
            .catch(() => alone.push(dues));
          if (slice.isOver) await slice.next();
        }
        computed();
      });
      return { isAnyDone: true, alone };
    }),
  );
}

/**
 * Performs due steps until none is left: of a customer in order, of several customers at the same time and in any order, so
 * that nodes rarely wait for each other. A step that fails does not stop the others.
 */
async function settleDue(run: Run, elapsed: Stopwatch | undefined): Promise<void> {
  const { storage, times, failed, signal } = run;
  const { isShared } = storage;
  const pace = new Pace();
  const broken = new Set<string>();
  let together = customersTogether;
  const settleInPart = async (context: BucketContext<Cause>, dues: DueSubscription[]) => {
    const piece = new Piece(elapsed);
    for (const { id } of dues) await settleBillingInPart(context, id, times.now, piece);
  };
  const settleInOrder = async (dues: DueSubscription[]) => {
    for (const due of dues) {
      if (signal?.aborted) return;
      try {
        await storage.write((transaction) => settle(transaction, times, due, new Piece(elapsed)));
      } catch (error) {
        broken.add(due.id);
        if (!isDoneMeanwhile(error)) failed(error, "step");
      }
    }
  };
  // Two that compute at the same time would be idle for PostgreSQL, which ends such transactions.
  let lastComputed: Promise<void> = Promise.resolve();
  /** Returns whether anything was done. */
  const settleBatch = async (lists: DueSubscription[][]): Promise<boolean> => {
    const isLate =
      isShared && lists[0]!.every((due) => due.is_deleted === 0 && due.bills_on < times.now - lateMilliseconds);
    if (lists.length > 1 || isLate) {
      const before = lastComputed;
      const { promise, resolve: computed } = Promise.withResolvers<void>();
      lastComputed = promise;
      await before;
      try {
        const settled = isShared ? settleInBook(run, lists, settleInPart, computed) : settleWithin(run, lists, elapsed);
        const { isAnyDone, alone } = await settled.finally(computed);
        for (const dues of alone) await settleInOrder(dues);
        return isAnyDone;
      } catch (error) {
        if (!isDoneMeanwhile(error)) failed(error, "batch");
        // A transaction with too many for an overloaded machine: one by one they would take much longer still.
        if (error instanceof StorageUnavailable && lists.length > 1) {
          together = Math.min(together, lists.length >> 1);
          return true;
        }
      }
    }
    for (const dues of lists) await settleInOrder(dues);
    return true;
  };
  while (!signal?.aborted) {
    const page = await dueSubscriptions(storage.reads, times.now, pageSize + broken.size);
    const wanted = page.filter(({ id }) => !broken.has(id));
    if (wanted.length === 0) return;
    const lists = [...Map.groupBy(wanted, (due) => `${due.bucket_id} ${due.customer_key}`).values()];
    // On SQLite, usage with credits is settled, which its transactions prepare one after the other.
    const isAlone = ({ has_credits, is_deleted }: DueSubscription) => (isShared ? is_deleted === 1 : has_credits === 1);
    const { true: alone = [], false: rest = [] } = Object.groupBy(lists, (dues) => `${dues.some(isAlone)}`);
    // The batches of nodes that read the same page are equal: one that another node has begun is skipped as a whole.
    const batches = shuffled([...alone.map((dues) => [dues]), ...batchesOf(rest, together)]);
    let isAnyDone = false;
    const settleSome = async () => {
      const some = batches.splice(0, !isShared || pace.isBusy ? 1 : transactionsAtOnce);
      if ((await Promise.all(some.map(settleBatch))).includes(true)) isAnyDone = true;
    };
    while (batches.length > 1 && !signal?.aborted) await pace.run(settleSome);
    if (!signal?.aborted) await settleSome();
    // Other nodes are billing all of them. Waits for one, instead of reading the same page again at once.
    if (!isAnyDone) await settleInOrder(lists[0]!);
  }
}

/** Whether what was due is deleted, or finalized by another node, in the meantime. */
function isDoneMeanwhile(error: unknown): boolean {
  return error instanceof Problem && ["not_found", "invoice_not_draft"].includes(error.code);
}

/** Of one bucket each: two transactions that lock the numbers of two accounts in a different order would deadlock. */
function batchesOf<Each extends DueInBook>(lists: Each[][], together: number): Each[][][] {
  const batches: Each[][][] = [];
  for (const ofBucket of Map.groupBy(lists, ([first]) => first!.bucket_id).values()) {
    let bytes = 0;
    let batch: Each[][] = [];
    for (const dues of ofBucket) {
      const more = Math.max(...dues.map((due) => due.bytes));
      if (batch.length === together || (batch.length > 0 && bytes + more > bytesTogether)) {
        batches.push(batch);
        bytes = 0;
        batch = [];
      }
      bytes += more;
      batch.push(dues);
    }
    batches.push(batch);
  }
  return batches;
}

function shuffled<Item>(items: Item[]): Item[] {
  return items
    .map((item) => ({ item, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}

async function inBucket<Result>(
  transaction: WriteTransaction,
  { now, clock }: Times,
  due: OfBucket,
  work: (context: BucketContext<Cause>) => Promise<Result>,
): Promise<Result> {
  const act = { account: accountOf(due), now, serverTime: clock.now() };
  return work({ transaction, act, bucket: await findMeteringBucket(transaction, due.account_seq, due.bucket_id) });
}

/** Performs each in a transaction of its own. One that fails does not stop the others. */
async function performEach<Due extends OfBucket>(
  { storage, times, failed, signal }: Run,
  all: Due[],
  work: (context: BucketContext<Cause>, due: Due) => Promise<unknown>,
  pace?: Pace,
): Promise<void> {
  for (const due of all) {
    if (signal?.aborted) return;
    const perform = () =>
      storage.write((transaction) => inBucket(transaction, times, due, (context) => work(context, due)));
    try {
      await (pace ? pace.run(perform) : perform());
    } catch (error) {
      if (!isDoneMeanwhile(error)) failed(error, "step");
    }
  }
}

/** Expires grants and unpaid purchases of credit packs, and compares usage with credits at the end of each hour. Any number of nodes may do so. */
export async function settleDueCredits(
  storage: Storage,
  clock: Clock,
  failed: BillingFailed,
  signal?: AbortSignal,
): Promise<void> {
  const now = clock.now();
  const { reads, isShared } = storage;
  const run = { storage, times: { now, clock }, failed, signal };
  const page = { now, limit: maxCustomers, withBytes: isShared };
  const expire = (context: BucketContext<Cause>, due: DueExpiry) => expireAt(context, due, now);
  await settleTogether(run, await dueExpiries(reads, page), expire);
  await performEach(run, await expiredPurchases(reads, now, maxCustomers), expirePurchase);
  await settleTogether(run, await dueChecks(reads, page), settleHour);
}

/** Performs what is due of customers with credits: on PostgreSQL, of many in one book. */
async function settleTogether<Each extends DueInBook>(
  run: Run,
  dues: Each[],
  perform: (context: BucketContext<Cause>, due: Each) => Promise<void>,
): Promise<void> {
  if (!run.storage.isShared) return performEach(run, dues, perform);
  const lists = [...Map.groupBy(dues, (due) => `${due.bucket_id} ${due.customer_key}`).values()];
  for (const batch of batchesOf(lists, customersTogether)) {
    if (run.signal?.aborted) return;
    let alone = batch;
    if (batch.length > 1)
      try {
        const settled = settleInBook(run, batch, async (context, its) => {
          for (const due of its) await perform(context, due);
        });
        ({ alone } = await settled);
      } catch (error) {
        run.failed(error, "batch");
      }
    await performEach(run, alone.flat(), perform);
  }
}

async function settleHour(context: BucketContext<Cause>, { customer_key }: DueCustomer): Promise<void> {
  const { transaction, act, bucket } = context;
  await lockCustomerBilling(transaction, bucket, customer_key);
  // Another node may have done it in the meantime.
  const checksOn = await nextGrantCheck(transaction, bucket.seq, customer_key);
  if (checksOn === null || checksOn > act.now) return;
  // The usage of the last hour, which has just ended, and what was used since.
  const at = Math.max(checksOn - 1, act.now - hourMilliseconds);
  await settleCredits(asSystem(context, at), customer_key, { until: act.now });
}
