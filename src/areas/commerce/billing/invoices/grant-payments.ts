import type { Minor } from "../../../../lib/text/minor-units.ts";
import type { BucketContext } from "../../metering-buckets/metering-buckets.ts";
import { creditsChanged } from "../credit-grants/grants.ts";
import { beforeTaxIn } from "../credit-grants/money-terms.ts";
import { grantAgain, moneyOfInvoice } from "../credit-grants/returned-credits.ts";
import { lockCustomerBilling, lockEndedPeriods, Wallet } from "../credit-grants/wallet.ts";
import { creditLine, type DraftLine, invoiceLinesOf } from "../plan-terms/lines.ts";
import type { InvoiceRow } from "./invoice-store.ts";

type Payable = Pick<InvoiceRow, "id" | "customer_key" | "currency" | "created_on" | "from_credits">;

async function openWallet({ transaction, act, bucket }: BucketContext, customerKey: string) {
  await lockEndedPeriods(transaction, bucket, customerKey);
  const wallet = await Wallet.read(transaction, bucket.seq, customerKey, act.now);
  // What is left of money depends on all usage.
  if (wallet.grants.length > 0) await lockCustomerBilling(transaction, bucket, customerKey);
  return wallet;
}

/** Money that pays an invoice is no longer there for prepaid usage. */
async function save(context: BucketContext, customerKey: string, wallet: Wallet): Promise<void> {
  if (!wallet.hasChanged) return;
  await wallet.save(context);
  await creditsChanged(context, customerKey);
}

/**
 * Pays an invoice that is being finalized with what is left of money grants, in order: promotional and prepaid money
 * reduces it before tax, paid money pays it after tax. `paid` includes what grants paid as usage occurred, `left` is what is left of
 * paid grants.
 */
export async function payWithGrants(
  context: BucketContext,
  draft: Payable & Pick<InvoiceRow, "subscription_id" | "lines">,
  subtotal: Minor,
  taxOn: (subtotal: Minor) => Minor,
): Promise<{ lines: DraftLine[]; paid: Minor; left: Minor }> {
  const { transaction, bucket } = context;
  const wallet = await openWallet(context, draft.customer_key);
  const totalOf = (net: Minor) => net + taxOn(net);
  let paid = BigInt(draft.from_credits);
  let net = subtotal;
  let prepaid = 0n;
  const purpose = { invoiceId: draft.id };
  for (const grant of wallet.usable({ currency: draft.currency })) {
    if (totalOf(net) <= paid) break;
    if (grant.funding === "paid") paid += wallet.take([grant], totalOf(net) - paid, purpose).paid;
    else {
      const taken = wallet.take([grant], largestReduction(net, paid, totalOf), purpose);
      net -= beforeTaxIn(taken);
      prepaid += taken.prepaid;
    }
  }
  await save(context, draft.customer_key, wallet);
  // A customer without tax pays less than prices that include it, and credits of a plan change reduce an invoice.
  const total = totalOf(net);
  if (paid > total) {
    const meters = new Set(invoiceLinesOf(draft).flatMap(({ meter }) => meter ?? []));
    const reason = "Returned: grants paid more than the total of an invoice";
    for (const money of await moneyOfInvoice(transaction, bucket.seq, draft, meters, "paid", paid - total))
      await grantAgain(context, draft, money, reason);
    paid = total;
  }
  const period = { periodStart: draft.created_on, periodEnd: draft.created_on };
  const promotional = subtotal - net - prepaid;
  const lines = [
    ...(promotional === 0n ? [] : [creditLine("promotional", promotional, period)]),
    ...(prepaid === 0n ? [] : [creditLine("prepaid", prepaid, period)]),
  ];
  const left = wallet
    .usable({ currency: draft.currency }, "paid")
    .reduce((sum, each) => sum + BigInt(each.balance), 0n);
  return { lines, paid, left };
}

/** The largest amount by which a subtotal can be reduced so that the total covers what was paid. */
function largestReduction(net: Minor, paid: Minor, totalOf: (net: Minor) => Minor): Minor {
  let low = 0n;
  let high = net > 0n ? net : 0n;
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if (totalOf(net - middle) >= paid) low = middle;
    else high = middle - 1n;
  }
  return low;
}

/** Pays as much of an open invoice as paid grants have. Returns what remains due. */
export async function payFromGrants(
  context: BucketContext,
  { id, customer_key, currency, amount_due }: Payable & Pick<InvoiceRow, "amount_due">,
): Promise<Minor> {
  const due = BigInt(amount_due);
  if (due <= 0n) return due;
  const wallet = await openWallet(context, customer_key);
  const { paid } = wallet.take(wallet.usable({ currency }, "paid"), due, { invoiceId: id });
  await save(context, customer_key, wallet);
  return due - paid;
}
