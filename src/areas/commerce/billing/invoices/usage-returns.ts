import { smaller } from "../../../../lib/money.ts";
import type { Minor } from "../../../../lib/text/minor-units.ts";
import type { BucketContext } from "../../metering-buckets/metering-buckets.ts";
import { defaultTerms, isBeforeTax, type Money, noMoney, plus } from "../credit-grants/money-terms.ts";
import { grantUsageReturn, moneyOf, moneyUsedFor } from "../credit-grants/returned-credits.ts";
import { type DraftLine, invoiceLinesOf, type LineReference, sumOf } from "../plan-terms/lines.ts";
import { credited, nettedOf, reduceDraft } from "./fee-returns.ts";
import { unpaid } from "./invoice-actions.ts";
import * as store from "./invoice-store.ts";
import type { Invoice } from "./invoices.ts";
import { divided, owedOf, usageFundsOf } from "./received.ts";

/**
 * Returns what was billed too much of a segment's usage, by the rules of returned fees: not more than it has received, and
 * first as a reduction of what is due on its invoices, the newest first. No part of an invoice is returned twice.
 * @param line the amount without tax, negative, and what was `billed` before
 * @param room how much of it the invoice of the draft can credit, which is done if it has the same taxes
 * @returns the lines of that invoice, and what is returned of the money that grants paid as the usage occurred
 */
export async function returnUsage(
  context: BucketContext,
  draft: Invoice,
  { line, billed }: { line: DraftLine; billed: Minor },
  room: Minor,
): Promise<ReturnedUsage> {
  const { transaction, bucket } = context;
  const lines: DraftLine[] = [];
  let rest = -line.amount;
  let left = room;
  let used = noMoney;
  const invoices = await store.allInvoicesOf(transaction, bucket.seq, draft.subscription_id!);
  const places = invoices.reverse().flatMap(({ id, ...row }) => {
    const all = invoiceLinesOf(row);
    return [...all.keys()]
      .filter((index) => id !== draft.id && isSameUsage(all[index]!, line))
      .map((index) => ({ id, index, owed: owedOf({ id }, all, index) }));
  });
  // What former corrections returned: those of the newest invoices.
  let former = places.reduce((sum, { owed }) => sum + owed, 0n) - billed;
  for (const { id, index, owed } of places) {
    const skipped = former > 0n ? smaller(owed, former) : 0n;
    former -= skipped;
    const amount = smaller(rest, owed - skipped);
    if (amount <= 0n) continue;
    rest -= amount;
    const invoice = (await store.findInvoiceForUpdate(transaction, bucket.seq, id))!;
    const place = { invoice, line: index };
    const returned = await returnLine(context, place, { ...line, amount: -amount }, left, draft);
    const { credit } = returned;
    used = plus(used, returned.used);
    if (!credit) continue;
    lines.push(credit);
    left += credit.amount;
  }
  return { lines, used };
}

interface ReturnedUsage {
  lines: DraftLine[];
  used: Money;
}

function isSameUsage({ kind, meter, amount, periodStart }: DraftLine, line: DraftLine): boolean {
  return kind === "overage" && amount > 0n && meter === line.meter && periodStart === line.periodStart;
}

/** Returns a part of a line's amount. */
async function returnLine(
  context: BucketContext,
  { invoice, line }: { invoice: Invoice; line: number },
  correction: DraftLine,
  room: Minor,
  draft: Invoice,
): Promise<{ used: Money; credit?: DraftLine }> {
  const { transaction, act, bucket } = context;
  const amount = -correction.amount;
  const reference: LineReference = { invoiceId: invoice.id, line };
  const { planId, meter, description, periodStart, periodEnd } = correction;
  const credit = {
    ...({ kind: "proration", planId, meter, description, quantity: 1 } as const),
    ...{ amount: -amount, periodStart, periodEnd, credits: reference },
  };
  if (invoice.status === "draft") {
    await reduceDraft(transaction, act, invoice, line, credit);
    return { used: noMoney };
  }
  const { tax, funds, prepaid, used, left } = await usageFundsOf(transaction, bucket, invoice, line);
  const wanted = smaller(tax.withTax(amount), left);
  const due = unpaid.includes(invoice.status) ? BigInt(invoice.amount_due) : 0n;
  const reduced = smaller(wanted, due);
  const asUsed = [
    { ...defaultTerms, amount: prepaid },
    { ...defaultTerms, funding: "promotional" as const, amount: used },
  ];
  const all = [...funds, ...asUsed];
  const parts = divided(all, smaller(wanted - reduced, sumOf(all)));
  const [prepaidPart, usedPart] = parts.splice(-2);
  const [plain] = parts;
  const netted = await nettedOf(context, invoice, { tax }, plain?.amount ?? 0n, room, draft);
  if (plain) plain.amount -= netted.gross;
  const promotional = sumOf(parts.filter(isBeforeTax));
  const money = sumOf(parts) - promotional + prepaidPart!.amount;
  await credited(context, invoice, credit, reduced + money, {
    netted: netted.gross,
    promotional,
    prepaid: prepaidPart!.amount,
    used: usedPart!.amount,
  });
  const ofGrants = [...(await moneyUsedFor(transaction, bucket.seq, invoice, meter!, usedPart!))];
  const ofPaidGrants = await moneyUsedFor(transaction, bucket.seq, invoice, meter!, prepaidPart!);
  for (const part of [...parts, ...ofPaidGrants, ...ofGrants]) {
    const value = isBeforeTax(part) ? tax.withoutTax(part.amount) : part.amount;
    if (value > 0n) await grantUsageReturn(context, invoice, { ...part, amount: value });
  }
  const ofPacks = tax.withoutTax(moneyOf(ofGrants).prepaid);
  const back = {
    promotional: tax.withoutTax(usedPart!.amount) - ofPacks,
    prepaid: ofPacks,
    paid: tax.takenFor(prepaidPart!.amount),
  };
  return { used: back, ...(netted.net > 0n ? { credit: { ...credit, amount: -netted.net } } : {}) };
}
