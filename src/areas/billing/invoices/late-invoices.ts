import { minorDigits } from "../../../lib/currencies.ts";
import { yieldToEventLoop } from "../../../lib/tasks/slices.ts";
import { formatMinor, type Minor } from "../../../lib/text/minor-units.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { lateInvoicesAfter } from "./invoice-store.ts";

interface LateSum {
  currency: string;
  amount: string;
  invoices: number;
}

/**
 * What is due of open invoices that are late, by currency: those whose payment failed before the due date, and those
 * that were not paid by it.
 */
export async function lateInvoices(reads: Reads, bucketSeqs: number[]) {
  const sums = { failed: new Map<string, LateTotal>(), overdue: new Map<string, LateTotal>() };
  for (const bucketSeq of bucketSeqs)
    for (let after = 0; ; ) {
      const rows = await lateInvoicesAfter(reads, bucketSeq, after);
      for (const { currency, amount_due, failed_on, due_on } of rows) {
        const kind = due_on !== null && failed_on < due_on ? sums.failed : sums.overdue;
        const sum = kind.get(currency) ?? { amount: 0n, invoices: 0 };
        kind.set(currency, { amount: sum.amount + BigInt(amount_due), invoices: sum.invoices + 1 });
      }
      if (rows.length === 0) break;
      after = rows.at(-1)!.seq;
      await yieldToEventLoop();
    }
  return { failed: present(sums.failed), overdue: present(sums.overdue) };
}

interface LateTotal {
  amount: Minor;
  invoices: number;
}

function present(sums: Map<string, LateTotal>): LateSum[] {
  return [...sums]
    .map(([currency, { amount, invoices }]) => ({
      currency,
      amount: formatMinor(amount, minorDigits(currency)!),
      invoices,
    }))
    .sort((one, other) => one.currency.localeCompare(other.currency));
}
