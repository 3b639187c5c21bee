import type { Minor } from "../../../lib/money.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { carriedAmount, setCarriedAmount } from "./carried-store.ts";
import { collectable } from "./stripe-amounts.ts";

interface CarriedOptions {
  customerKey: string;
  currency: string;
  /** The sum of the lines with taxes. */
  total: Minor;
  /** What other money of the customer will pay. */
  prepaid: Minor;
  /** The time of the lines. */
  at: number;
  /** Whether the provider has a minimum; otherwise everything is due now. */
  hasMinimum: boolean;
}

/**
 * The lines that add what earlier invoices carried over, and carry over what the provider cannot collect yet. They come
 * after taxes, which the carried amount includes already.
 */
export async function carriedLines(
  transaction: WriteTransaction,
  bucket: MeteringBucket,
  { customerKey, currency, total, prepaid, at, hasMinimum }: CarriedOptions,
) {
  await transaction.lock(`carried ${bucket.seq} ${customerKey}`);
  const before = await carriedAmount(transaction, bucket.seq, customerKey, currency);
  const due = total + before > prepaid ? total + before - prepaid : 0n;
  const after = hasMinimum ? due - collectable(due, currency) : 0n;
  if (after !== before) await setCarriedAmount(transaction, bucket.seq, customerKey, currency, after);
  const line = (kind: "manual" | "credit", description: string, amount: Minor) => ({
    kind,
    description,
    quantity: 1,
    amount,
    periodStart: at,
    periodEnd: at,
  });
  return {
    lines: [
      ...(before === 0n ? [] : [line("manual", "Carried over", before)]),
      ...(after === 0n ? [] : [line("credit", "Carried over to the next invoice", -after)]),
    ],
    /** What the provider will collect. */
    due: due - after,
  };
}
