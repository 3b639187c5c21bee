import { type Act, systemAct } from "../../../../core/access.ts";
import { invalid, Problem } from "../../../../core/problems/problem.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import { locking } from "../../../../platform/storage/query.ts";
import type { Storage, WriteTransaction } from "../../../../platform/storage/storage.ts";
import { recordArrivals } from "../../metering/usage/usage.ts";
import { findMeteringBucket, type MeteringBucket, setMeteringClock } from "../../metering-buckets/metering-buckets.ts";
import { checkedCustomersIn, firstExpiryIn } from "../credit-grants/grant-store.ts";
import { firstMailIn, writeTestMail } from "../invoices/billing-mails.ts";
import { firstPurchaseExpiryIn } from "../packs/pack-purchases.ts";
import { expirePurchase } from "../packs/purchases.ts";
import { settleCredits } from "../spending/credit-settlement.ts";
import { settleBilling } from "./billing-steps.ts";
import { firstDueIn, Piece, renewalsUntil, type Stopwatch, stopwatch } from "./due.ts";
import { expireAt } from "./grant-actions.ts";
import { finishDeletion } from "./subscription-hooks.ts";

/** The maximum number of renewals in one move. */
const maxRenewals = 5_000;

/**
 * Moves the time of a test bucket forward, and performs each due step at its time, in order. It takes several
 * transactions: after a failure, the bucket has the time of its last step, and the same move continues there.
 */
export async function moveClock(
  storage: Storage,
  act: Act,
  idOrName: string,
  now: number,
  elapsed: Stopwatch = stopwatch,
): Promise<void> {
  const bucket = await findMeteringBucket(storage.reads, act.account.seq, idOrName);
  requireLater(bucket, now);
  if ((await renewalsUntil(storage.reads, bucket.seq, now)) > maxRenewals)
    throw invalid("/now", `takes more than ${maxRenewals} renewals: move the clock less far`);
  const inTransaction = <Result>(work: (move: Move) => Promise<Result>) =>
    storage.write(async (transaction) => {
      const found = await findMeteringBucket(locking(transaction), act.account.seq, bucket.id);
      await recordArrivals(transaction, found);
      return work({ transaction, act, bucket: found, piece: new Piece(elapsed) });
    });
  // Once for the usage before the move: a step settles its own customer, and the others use nothing while the clock moves.
  for (let customers = await checkedCustomersIn(storage.reads, bucket.seq); customers.length > 0; ) {
    const settled = await inTransaction((move) => settleSome(move, customers));
    customers = customers.slice(settled);
  }
  while (!(await inTransaction((move) => moveTowards(move, now))));
}

/** One transaction of a move. */
interface Move {
  transaction: WriteTransaction;
  act: Act;
  bucket: MeteringBucket;
  piece: Piece;
}

function requireLater({ test_clock }: MeteringBucket, now: number): void {
  if (test_clock === null) throw new Problem("not_a_test_bucket");
  if (now < test_clock) throw invalid("/now", `must not be before ${formatDateTime(test_clock)}`);
}

/** Whether another customer begins: two transactions that lock several of them in a different order would deadlock. */
function isNext(transaction: WriteTransaction, customer: string | undefined, next: string): boolean {
  return transaction.locksRows && customer !== undefined && customer !== next;
}

/** Settles the credits of the first customers. Returns how many. */
async function settleSome({ transaction, act, bucket, piece }: Move, customers: string[]): Promise<number> {
  let settled = 0;
  for (const customer of customers) {
    if (isNext(transaction, customers[settled - 1], customer) || !piece.begins()) break;
    await settleCredits({ transaction, act: systemAct(act, bucket.test_clock!), bucket }, customer);
    settled += 1;
  }
  return settled;
}

/** Performs the next steps. Returns whether the time is reached, also by another request. */
async function moveTowards({ transaction, act, bucket: before, piece }: Move, now: number): Promise<boolean> {
  if (before.test_clock! > now) return true;
  let bucket = before;
  let customer: string | undefined;
  while (piece.begins()) {
    const due = await firstDueIn(transaction, bucket.seq, now);
    const expiry = await firstExpiryIn(transaction, bucket.seq, due?.bills_on ?? now);
    const before = expiry?.expires_on ?? due?.bills_on ?? now + 1;
    const purchase = await firstPurchaseExpiryIn(transaction, bucket.seq, before - 1);
    const mail = await firstMailIn(transaction, bucket.seq, (purchase?.expires_on ?? before) - 1);
    if (!due && !expiry && !mail && !purchase) {
      await setMeteringClock({ transaction, act, bucket }, now);
      return true;
    }
    const next = mail ? undefined : (purchase ?? expiry ?? due!).customer_key;
    if (next !== undefined && isNext(transaction, customer, next)) break;
    customer = next ?? customer;
    const time = mail?.due_on ?? purchase?.expires_on ?? expiry?.expires_on ?? due!.bills_on;
    bucket = { ...bucket, test_clock: Math.max(bucket.test_clock!, time) };
    if (mail) await writeTestMail(transaction, act, bucket, mail);
    else if (purchase) await expirePurchase({ transaction, act, bucket }, purchase);
    else if (expiry) await expireAt({ transaction, act, bucket }, expiry);
    else if (due?.is_deleted === 1) await finishDeletion({ transaction, act, bucket }, due);
    else if (due) await settleBilling({ transaction, act, bucket }, due.id, due.bills_on);
  }
  await setMeteringClock({ transaction, act, bucket }, bucket.test_clock!);
  return false;
}
