import type { Stripe } from "stripe";
import { notFound, Problem } from "../../../core/problems/problem.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import type { ProviderMode } from "../settings/providers.ts";
import type { StripeAccounts } from "./accounts.ts";
import { owedAt } from "./apply.ts";
import { describeError, failureOf, metadata } from "./calls.ts";
import { type CollectedInvoice, collectedSince } from "./comparison-store.ts";
import { expectedAmount } from "./remote-invoice.ts";

/** The maximum number of invoices on each side. */
const maxInvoices = 10_000;
const dayMilliseconds = 24 * 60 * 60 * 1000;

/** Something that is not the same on both sides. Amounts are in the units of Stripe. */
export interface Difference {
  kind: "missing" | "unknown" | "twice" | "status" | "amount" | "failing";
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

/** Compares the invoices that Stripe collects with those that Stripe has. Throws 404 if the account does not use Stripe. */
export async function compareInvoices({ accounts, reads, accountSeq, mode, since }: ComparisonOptions) {
  const api = await accounts.api(reads, accountSeq, mode);
  if (!api) throw notFound("comparison, because the payment provider is not Stripe");
  const ours = await collectedSince(reads, { accountSeq, mode, since, limit: maxInvoices });
  const remotes = await remotesSince(api, since);
  const differences: Difference[] = [];
  const known = new Set(ours.map(({ id }) => id));
  for (const invoice of ours) differences.push(...differencesOf(invoice, remotes.get(invoice.id) ?? []));
  for (const [id, found] of remotes)
    if (!known.has(id))
      for (const remote of found)
        differences.push({ kind: "unknown", invoiceId: id, stripeId: remote.id, stripe: shown(remote) });
  return { compared: ours.length, differences };
}

/** By the ids of our invoices. Those of other programs are not ours to compare. */
async function remotesSince(api: Stripe, since: number): Promise<Map<string, Stripe.Invoice[]>> {
  const found = new Map<string, Stripe.Invoice[]>();
  // A day earlier: an invoice of ours may be created there before the time that is stored here.
  const created = { gte: Math.floor((since - dayMilliseconds) / 1000) };
  try {
    let count = 0;
    for await (const invoice of api.invoices.list({ created, limit: 100 })) {
      count += 1;
      const id = invoice.metadata?.[metadata.invoice];
      if (id !== undefined) found.set(id, [...(found.get(id) ?? []), invoice]);
      if (count === maxInvoices) break;
    }
    return found;
  } catch (error) {
    if (!failureOf(error)) throw error;
    throw new Problem("payment_provider_unavailable", { detail: describeError(error) });
  }
}

function differencesOf(invoice: CollectedInvoice, remotes: Stripe.Invoice[]): Difference[] {
  const { id, number, status, bucket_id, error, failures } = invoice;
  const expected = status === "open" ? expectedAmount(invoice) : BigInt(invoice.amount ?? 0);
  const about = {
    invoiceId: id,
    bucketId: bucket_id,
    ...(number === null ? {} : { number }),
    ours: { status, amount: Number(expected) },
  };
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

/** An invoice that is given up at one side may still be paid. */
function isSameStatus(ours: string, stripe: string | null): boolean {
  const open = ["open", "uncollectible"];
  return ours === stripe || (open.includes(ours) && open.includes(stripe ?? ""));
}

function shown(remote: Stripe.Invoice) {
  return { status: remote.status ?? "draft", amount: Number(owedAt(remote)) };
}
