import type { Minor } from "../../../lib/text/minor-units.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import type { Subscription } from "../../subscriptions/subscriptions.ts";
import { newSpendPeriod, saveSpendPeriod, spendPeriodsOf } from "../credit-grants/spend-store.ts";
import { CreditUses } from "../credit-grants/use-store.ts";
import { readCaps } from "../customers/customers.ts";
import { type BilledOverage, billOverage, type UsageCorrection } from "../overage/overage-lines.ts";
import type { DraftLine } from "../plan-terms/lines.ts";
import { billingSegmentsOf } from "../plan-terms/segment-store.ts";
import { writtenOffOf } from "./spending.ts";

/** Takes the pending overage into an invoice. What is beyond a cap, or not covered by prepaid money, is shown and not billed. */
export async function billUnderCaps(
  transaction: WriteTransaction,
  bucket: MeteringBucket,
  { row, plans }: Subscription,
  at: number,
  currency: string,
): Promise<BilledOverage> {
  const billed = await billOverage(transaction, { row, plans }, at, currency);
  if (row.has_credits !== 1) return billed;
  const { lines, periods, corrections } = billed;
  const caps = await readCaps(transaction, bucket, row.customer_key);
  const segments = await billingSegmentsOf(transaction, row.seq);
  const spent = await spendPeriodsOf(transaction, row.seq);
  const uses = await CreditUses.read(transaction, row.seq);
  let sum = billed.writtenOff;
  for (const [start, currency] of periods) {
    let cost = 0n;
    for (const { seq, period_start, billed } of segments)
      if (period_start === start)
        for (const [meter, { amount }] of Object.entries(JSON.parse(billed) as Record<string, { amount: string }>))
          cost += BigInt(amount) - uses.of(start, seq, meter).shownWrittenOff;
    const spend = spent.get(start) ?? newSpendPeriod(row.seq, start);
    const writtenOff = writtenOffOf(cost, spend, caps, currency);
    if (writtenOff === spend.applied) continue;
    await saveSpendPeriod(transaction, { ...spend, applied: writtenOff });
    // Usage that costs less is beyond the cap by less: that part was never billed, so it is not returned.
    const more = offset(
      writtenOff - spend.applied,
      corrections.filter(({ periodStart }) => periodStart === start),
    );
    if (more === 0n) continue;
    const overage = lines.find(({ kind, periodStart }) => kind === "overage" && periodStart >= start);
    lines.push(writtenOffLine(more, overage?.periodStart ?? start, overage?.periodEnd ?? start));
    sum += more;
  }
  return { ...billed, writtenOff: sum };
}

/** Reduces corrections by what is no longer written off. Returns the rest. */
function offset(more: Minor, corrections: UsageCorrection[]): Minor {
  let rest = more;
  for (const { line } of corrections) {
    if (rest >= 0n) break;
    const part = rest > line.amount ? rest : line.amount;
    line.amount -= part;
    rest -= part;
  }
  return rest;
}

function writtenOffLine(amount: Minor, periodStart: number, periodEnd: number): DraftLine {
  const description = "Beyond the spending cap, not billed";
  return { kind: "credit", description, quantity: 1, amount: -amount, periodStart, periodEnd };
}
