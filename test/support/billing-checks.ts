import { expect } from "bun:test";
import { ok } from "./billing.ts";
import type { Client, ClientResponse } from "./client.ts";

type Body = ClientResponse["body"];

export const cents = (amount: string) => BigInt(amount.replace(".", ""));

/** Each entry has the balance after it, no balance is negative, and what was consumed is in invoices or returned. */
export async function expectLedger(client: Client, bucket: string, invoices: Body[]): Promise<void> {
  const path = `${bucket}/customers/acme/grants`;
  let consumed = 0n;
  let returned = 0n;
  for (const { id, meter, amount, balance, reason } of (await ok(client.get(path))).data) {
    if (meter !== undefined) continue;
    if (reason?.startsWith("Returned")) returned += cents(amount);
    let sum = 0n;
    for (const entry of (await ok(client.get(`${path}/${id}/entries`))).data) {
      sum += cents(entry.amount);
      expect(cents(entry.balance)).toBe(sum);
      expect(sum >= 0n).toBe(true);
      if (entry.kind === "consumed") consumed -= cents(entry.amount);
    }
    expect(cents(balance)).toBe(sum);
  }
  let applied = 0n;
  for (const { fromCredits = "0.00", lines } of invoices) {
    applied += cents(fromCredits);
    for (const { funding, amount } of lines) if (funding === "promotional") applied -= cents(amount);
  }
  expect(consumed - returned).toBe(applied);
}

export function sumOf(invoices: Body[], kinds: string[]): bigint {
  const lines = invoices.flatMap((invoice) => invoice.lines).filter(({ kind }) => kinds.includes(kind));
  return lines.reduce((sum: bigint, { amount }: Body) => sum + cents(amount), 0n);
}

/** The lines of documents of some kinds, of fees or of usage that was corrected. */
const withoutMeter = (documents: Body[]) =>
  documents.map((each) => ({ ...each, lines: each.lines.filter(({ meter }: Body) => meter === undefined) }));

/** The cost of usage without what was returned of it because it turned out to cost less, and without what caps removed. */
export async function usageCostOf(client: Client, bucket: string, documents: Body[]): Promise<bigint> {
  const [notes, invoices] = split(documents, ({ type }) => type === "credit-note");
  const ofUsage = (its: Body[]) => sumOf(its, ["proration"]) - sumOf(withoutMeter(its), ["proration"]);
  let cost = sumOf(invoices, ["overage"]) + ofUsage(invoices) - ofUsage(notes);
  for (const { writtenOff = "0.00" } of invoices) cost -= cents(writtenOff);
  return cost - (await promotionalReturned(client, bucket, documents, returnedUsage));
}

async function promotionalReturned(client: Client, bucket: string, documents: Body[], why: string): Promise<bigint> {
  let sum = 0n;
  for (const { invoiceId, funding, reason, amount } of (await ok(client.get(`${bucket}/customers/acme/grants`))).data)
    if (funding === "promotional" && reason === why && documents.some(({ id }) => id === invoiceId))
      sum += cents(amount);
  return sum;
}

/** Fees without those that were returned: by lines of invoices, by credit notes, and as promotional money. */
export async function feesOf(client: Client, bucket: string, documents: Body[]): Promise<bigint> {
  const [notes, invoices] = split(documents, ({ type }) => type === "credit-note");
  const fees = sumOf(withoutMeter(invoices), ["plan", "proration"]) - sumOf(withoutMeter(notes), ["proration"]);
  return fees - (await promotionalReturned(client, bucket, documents, returnedFee));
}

export const returnedFee = "The unused rest of a fee";
const returnedUsage = "Usage costs less than what was billed";

export function split<Item>(items: Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
