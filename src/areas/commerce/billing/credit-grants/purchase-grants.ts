import { smaller } from "../../../../lib/money.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import type { BucketContext } from "../../metering-buckets/metering-buckets.ts";
import { limitsChanged } from "../../subscriptions/state.ts";
import * as store from "./grant-store.ts";
import { expireGrant, type Grant, nextHour, voidGrant } from "./grants.ts";
import { recordGrant } from "./present-grant.ts";

/** A purchase of a credit pack. Credit of it that was used and returned is a grant of its own. */
interface Purchased {
  purchaseId: string;
  /** The first grant of the purchase. */
  grantId: string;
}

/** Returns the credit of a purchase that can be used now. */
export async function remainingCredit(reads: Reads, bucketSeq: number, purchaseId: string, now: number) {
  return (await usableGrants(reads, bucketSeq, purchaseId, now)).reduce((sum, each) => sum + BigInt(each.balance), 0n);
}

async function usableGrants(reads: Reads, bucketSeq: number, purchaseId: string, now: number): Promise<Grant[]> {
  const grants = await store.grantsOfPurchase(reads, bucketSeq, purchaseId);
  return grants.filter(
    ({ balance, ended_on, expires_on }) =>
      balance !== "0" && ended_on === null && (expires_on === null || now < expires_on),
  );
}

/** Returns the credit of a purchase that was used and not returned. */
export async function usedCredit(reads: Reads, bucketSeq: number, { purchaseId, grantId }: Purchased) {
  let used = 0n;
  for (const grant of await store.grantsOfPurchase(reads, bucketSeq, purchaseId)) {
    for (const amount of await store.entryAmounts(reads, grant.seq, "consumed")) used -= BigInt(amount);
    if (grant.id !== grantId) used -= BigInt(grant.amount);
  }
  return used > 0n ? used : 0n;
}

/** Removes the remaining credit of a purchase that a credit note refunds. */
export async function reduceForRefund(context: BucketContext, purchaseId: string, noteId: string): Promise<void> {
  const { transaction, act, bucket } = context;
  for (const grant of await usableGrants(transaction, bucket.seq, purchaseId, act.now)) {
    const balance = BigInt(grant.balance);
    await change(context, grant, "refunded", -balance, noteId);
  }
}

/**
 * Grants again what was taken for a refund that failed, on the same grants. What has expired in the meantime expires at once.
 * @param failed the part of `whole` that was not returned
 */
export async function restoreAfterRefund(
  context: BucketContext,
  purchaseId: string,
  noteId: string,
  { failed, whole }: { failed: bigint; whole: bigint },
): Promise<void> {
  const { transaction, act, bucket } = context;
  for (const grant of await store.grantsOfPurchase(transaction, bucket.seq, purchaseId)) {
    let taken = 0n;
    for (const amount of await store.entryAmounts(transaction, grant.seq, "refunded", noteId)) taken -= BigInt(amount);
    const amount = smaller((taken * failed) / whole, taken);
    if (amount <= 0n || grant.voided_on !== null) continue;
    const restored = await change(context, grant, "restored", amount, noteId);
    const isOver = grant.expires_on !== null && grant.expires_on <= act.now;
    if (isOver) await expireGrant(context, { ...restored, ended_on: null });
  }
}

/** Voids all that is left of a purchase. */
export async function voidPurchaseGrants(context: BucketContext, purchaseId: string): Promise<void> {
  const { transaction, act, bucket } = context;
  for (const { customer_key, id } of await usableGrants(transaction, bucket.seq, purchaseId, act.now))
    await voidGrant(context, customer_key, id);
}

async function change(
  context: BucketContext,
  before: Grant,
  kind: "refunded" | "restored",
  amount: bigint,
  noteId: string,
): Promise<Grant> {
  const { transaction, act, bucket } = context;
  const balance = String(BigInt(before.balance) + amount);
  const changed = { balance, version: before.version + 1, updated_on: act.now };
  await store.updateGrant(transaction, before.seq, changed);
  const after = { ...before, ...changed };
  await store.insertEntry(context, after, kind, amount, { invoiceId: noteId });
  recordGrant(context, `grant.${kind}`, after, before);
  await store.reviseCredits(transaction, bucket.seq, before.customer_key, nextHour(act.now));
  await limitsChanged(context, before.customer_key);
  return after;
}
