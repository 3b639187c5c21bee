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

/** Fees without those that were returned: by lines of invoices, by credit notes, and as promotional money. */
export async function feesOf(client: Client, bucket: string, documents: Body[]): Promise<bigint> {
  const [notes, invoices] = split(documents, ({ type }) => type === "credit-note");
  let fees = sumOf(invoices, ["plan", "proration"]) - sumOf(notes, ["proration"]);
  for (const { invoiceId, funding, reason, amount } of (await ok(client.get(`${bucket}/customers/acme/grants`))).data)
    if (funding === "promotional" && reason === returnedFee && documents.some(({ id }) => id === invoiceId))
      fees -= cents(amount);
  return fees;
}

export const returnedFee = "The unused rest of a fee";

export function split<Item>(items: Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
