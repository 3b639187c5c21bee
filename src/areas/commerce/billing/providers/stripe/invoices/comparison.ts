import type { Stripe } from "stripe";
import { notFound, Problem } from "../../../../../../core/problems/problem.ts";
import { allWith } from "../../../../../../platform/storage/query.ts";
import type { Reads } from "../../../../../../platform/storage/storage.ts";
import { presentAmount } from "../../../credit-grants/present-grant.ts";
import type { InvoiceRow } from "../../../invoices/invoice-store.ts";
import type { ProviderMode } from "../../../payments/interface.ts";
import { toStripe } from "../amounts.ts";
import { describeError, failureOf, metadata, type StripeAccounts } from "../api.ts";
import type { StripeInvoiceRow } from "../stripe.ts";
import { expectedAmount, owedAt } from "./remote-invoice.ts";
import { hasFailed } from "./remote-refunds.ts";

/** The maximum number of invoices on each side. */
const maximum = 10_000;
const second = 1000;
const hour = 60 * 60 * second;
const day = 24 * hour;

/** Something that is not the same on both sides. Amounts are in the units of Stripe. */
interface Difference {
  kind: "missing" | "unknown" | "twice" | "status" | "amount" | "refund" | "failing" | "used";
  invoiceId?: string;
  bucketId?: string;
  number?: string;
  stripeId?: string;
  ours?: { status: string; amount: number };
  stripe?: { status: string; amount: number };
  detail?: string;
}

export interface ComparisonOptions {
  accounts: StripeAccounts;
  reads: Reads;
  accountSeq: number;
  mode: ProviderMode;
  since: number;
}

/**
 * Compares the invoices that Stripe collects with those that Stripe has. If one side has too many, the newest are
 * compared, and the returned `since` is later. Throws 404 if the account does not use Stripe.
 */
export async function compareInvoices(options: ComparisonOptions) {
  const { accounts, reads, accountSeq, mode } = options;
  const api = await accounts.api(reads, accountSeq, mode);
  if (!api) throw notFound("comparison, because the payment provider is not Stripe");
  const found = await collectedSince(reads, options, maximum + 1);
  const { remotes, completeSince } = await remotesSince(api, options.since);
  // Of the oldest one that fits, others of the same time may not fit.
  const ourSince = found.length > maximum ? found.at(-1)!.created_on + 1 : options.since;
  const refunds = await refundsSince(api, options.since);
  const since = Math.max(options.since, ourSince, completeSince, refunds.completeSince);
  const ours = found.filter(({ created_on }) => created_on >= since);
  // An invoice at Stripe may be younger than ours, which is then not among those that are compared.
  const compared = new Set(ours.map(({ id }) => id));
  const others = [...remotes.keys()].filter((id) => !compared.has(id));
  const known = compared.union(await knownInvoices(reads, accountSeq, others));
  const differences = ours.flatMap((invoice): Difference[] => {
    const its = differencesOf(invoice, remotes.get(invoice.id) ?? []);
    // The payment of an invoice that is void here became a grant, which a refund at Stripe leaves.
    const mayDiffer = its.length === 0 || invoice.status === "void";
    return [...its, ...(mayDiffer ? refundDifferenceOf(invoice, refunds.amounts) : []), ...usedCreditOf(invoice)];
  });
  for (const [id, copies] of remotes)
    if (!known.has(id))
      for (const remote of copies)
        differences.push({ kind: "unknown", invoiceId: id, stripeId: remote.id, stripe: shown(remote) });
  return { since, isTruncated: since > options.since, compared: ours.length, differences };
}

/**
 * By the ids of our invoices. Those of other programs are not ours to compare, but count: Stripe lists all of them, the
 * newest first. All that belong to invoices of ours since `completeSince` are found.
 */
async function remotesSince(api: Stripe, since: number) {
  const remotes = new Map<string, Stripe.Invoice[]>();
  const completeSince = await readSince(api.invoices, since, (invoice) => {
    const id = invoice.metadata?.[metadata.invoice];
    if (id !== undefined) remotes.set(id, [...(remotes.get(id) ?? []), invoice]);
  });
  return { remotes, completeSince };
}

interface RefundedAmounts {
  succeeded: bigint;
  /** Our refunds have succeeded here already when Stripe has accepted them. */
  pending: bigint;
}

/** What Stripe has refunded of each payment. An invoice is older than its refunds, so those of newer ones are complete. */
async function refundsSince(api: Stripe, since: number) {
  const amounts = new Map<string, RefundedAmounts>();
  const completeSince = await readSince(api.refunds, since, (refund) => {
    const { payment_intent, amount, status } = refund;
    if (typeof payment_intent !== "string" || hasFailed(refund)) return;
    const sums = amounts.get(payment_intent) ?? { succeeded: 0n, pending: 0n };
    sums[status === "succeeded" ? "succeeded" : "pending"] += BigInt(amount);
    amounts.set(payment_intent, sums);
  });
  return { amounts, completeSince };
}

/** Reads what was created since a time, the newest first, up to the maximum. Returns since when it is complete. */
async function readSince<Item extends { created: number }>(
  resource: { list(parameters: { created: { gte: number }; limit: number }): AsyncIterable<Item> },
  since: number,
  each: (item: Item) => void,
): Promise<number> {
  // A day earlier, because the clocks differ.
  const created = { gte: Math.floor((since - day) / second) };
  try {
    let count = 0;
    for await (const item of resource.list({ created, limit: 100 })) {
      if (count === maximum) return item.created * second + hour;
      count += 1;
      each(item);
    }
    return since;
  } catch (error) {
    if (!failureOf(error)) throw error;
    throw new Problem("payment_provider_unavailable", { detail: describeError(error) });
  }
}

function differencesOf(invoice: CollectedInvoice, remotes: Stripe.Invoice[]): Difference[] {
  const { status, error, failures } = invoice;
  const expected = status === "open" ? expectedAmount(invoice) : BigInt(invoice.amount ?? 0);
  const about = { ...placeOf(invoice), ours: { status, amount: Number(expected) } };
  const finalized = remotes.filter((remote) => remote.status !== "draft");
  const [remote] = finalized;
  if (finalized.length > 1)
    return finalized.map((each) => ({ ...about, kind: "twice", stripeId: each.id, stripe: shown(each) }));
  if (!remote) {
    if (failures > 0) return [{ ...about, kind: "failing", ...(error === null ? {} : { detail: error }) }];
    // A draft is in progress; a draft that was deleted belonged to an invoice that was voided before.
    const isGone = invoice.stripe_id !== null && remotes.length === 0 && status !== "void";
    return isGone ? [{ ...about, kind: "missing" }] : [];
  }
  const there = { stripeId: remote.id, stripe: shown(remote) };
  if (!isSameStatus(status, remote.status)) return [{ ...about, ...there, kind: "status" }];
  return owedAt(remote) === expected ? [] : [{ ...about, ...there, kind: "amount" }];
}

/** A refund that was made at one side only, unless the other one is about to follow. */
function refundDifferenceOf(invoice: CollectedInvoice, refunded: Map<string, RefundedAmounts>): Difference[] {
  const { status, payment_intent, failures, next_on } = invoice;
  const isInProgress = next_on !== null && failures === 0;
  if (payment_intent === null || (status !== "paid" && status !== "void") || isInProgress) return [];
  const ours = toStripe(BigInt(invoice.refunded), invoice.currency);
  const { succeeded, pending } = refunded.get(payment_intent) ?? { succeeded: 0n, pending: 0n };
  if (ours >= succeeded && ours <= succeeded + pending) return [];
  const both = { ours: { status, amount: Number(ours) }, stripe: { status: "paid", amount: Number(succeeded) } };
  return [{ kind: "refund", ...placesOf(invoice), ...both }];
}

function placeOf({ id, bucket_id, number }: CollectedInvoice) {
  return { invoiceId: id, bucketId: bucket_id, ...(number === null ? {} : { number }) };
}

function placesOf(invoice: CollectedInvoice) {
  const { stripe_id } = invoice;
  return { ...placeOf(invoice), ...(stripe_id === null ? {} : { stripeId: stripe_id }) };
}

/** Credit of a pack that was used before its payment was refunded or disputed at Stripe. */
function usedCreditOf(invoice: CollectedInvoice): Difference[] {
  const { reversed_used: used, granted, granted_meter: meter, granted_currency: currency } = invoice;
  if (used === null || used === "0" || granted === null) return [];
  const show = (amount: string) => `${presentAmount({ meter, currency }, amount)} ${meter ?? currency}`;
  const detail = `${show(used)} of ${show(granted)} were used before the payment was refunded or disputed`;
  return [{ kind: "used", ...placesOf(invoice), detail }];
}

/** An invoice that is given up at one side may still be paid. */
function isSameStatus(ours: string, stripe: string | null): boolean {
  const open = ["open", "uncollectible"];
  return ours === stripe || (open.includes(ours) && open.includes(stripe ?? ""));
}

function shown(remote: Stripe.Invoice) {
  return { status: remote.status ?? "draft", amount: Number(owedAt(remote)) };
}

/** An invoice with its state at Stripe, and the credit pack that it sells. */
interface CollectedInvoice
  extends StripeInvoiceRow,
    Pick<InvoiceRow, "id" | "number" | "status" | "currency" | "amount_due" | "refunded"> {
  bucket_id: string;
  /** Of a credit pack whose payment was refunded or disputed at Stripe: what was used of it by then. */
  reversed_used: string | null;
  granted: string | null;
  granted_currency: string | null;
  granted_meter: string | null;
}

/** Invoices that Stripe collects, finalized since a time, the newest first. */
function collectedSince(
  reads: Reads,
  { accountSeq, mode, since }: Pick<ComparisonOptions, "accountSeq" | "mode" | "since">,
  limit: number,
): Promise<CollectedInvoice[]> {
  return reads.all(
    `SELECT stripe_invoices.*, invoices.id, invoices.number, invoices.status, invoices.currency, invoices.amount_due,
       invoices.refunded, metering_buckets.id AS bucket_id, pack_purchases.reversed_used,
       pack_purchases.grant_amount AS granted, pack_purchases.grant_currency AS granted_currency,
       pack_purchases.grant_meter AS granted_meter
     FROM stripe_invoices JOIN invoices ON invoices.seq = stripe_invoices.invoice_seq
     JOIN metering_buckets ON metering_buckets.seq = invoices.bucket_seq
     LEFT JOIN pack_purchases ON pack_purchases.id = invoices.purchase_id
     WHERE stripe_invoices.account_seq = ? AND stripe_invoices.mode = ? AND stripe_invoices.created_on >= ?
     ORDER BY stripe_invoices.created_on DESC, invoices.seq DESC LIMIT ?`,
    [accountSeq, mode, since, limit],
  );
}

/** Which of these ids are of invoices of the account, also of earlier ones. */
async function knownInvoices(reads: Reads, accountSeq: number, ids: string[]): Promise<Set<string>> {
  const ofAccount = ids.map((id) => [accountSeq, id]);
  const query = (held: string) => `SELECT invoices.id FROM invoices JOIN ${held} AS held ON held.column2 = invoices.id
    JOIN metering_buckets ON metering_buckets.seq = invoices.bucket_seq AND metering_buckets.account_seq = held.column1`;
  const rows = await allWith<{ id: string }>(reads, ["bigint", "text"], ofAccount, query);
  return new Set(rows.map(({ id }) => id));
}
