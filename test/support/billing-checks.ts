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
