import type { Minor } from "../../../lib/text/minor-units.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import type { PaymentProvider } from "../payments/interface/provider.ts";
import { carriedAmount, setCarriedAmount } from "./carried-store.ts";

interface CarriedOptions {
  customerKey: string;
  currency: string;
  /** The sum of the lines with taxes. */
  total: Minor;
  /** What other money of the customer will pay. */
  prepaid: Minor;
  /** The time of the lines. */
  at: number;
  provider: PaymentProvider;
}

/**
 * The lines that add what earlier invoices carried over, and carry over what the provider cannot charge yet. They come
 * after taxes, which the carried amount includes already.
 */
export async function carriedLines(
  transaction: WriteTransaction,
  bucket: MeteringBucket,
  { customerKey, currency, total, prepaid, at, provider }: CarriedOptions,
) {
  await transaction.lock(`carried ${bucket.seq} ${customerKey}`);
  const before = await carriedAmount(transaction, bucket.seq, customerKey, currency);
  const due = total + before > prepaid ? total + before - prepaid : 0n;
  const after = due - provider.payable(due, currency);
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
    /** What the provider will charge. */
    due: due - after,
  };
}
