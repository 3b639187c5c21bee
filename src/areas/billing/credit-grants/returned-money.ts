import type { Act } from "../../../core/access.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { lastTakenFor } from "./grant-store.ts";
import { grantAgain } from "./invoice-money.ts";
import { defaultPriority } from "./money-terms.ts";

const reason = "Returned: usage is no longer beyond the maximum";
/** Entries of the ledger in which the grants that paid are looked for: there is one for each hour and grant. */
const maxEntries = 1_000;

interface Returned {
  subscriptionId: string;
  meter: string;
  currency: string;
  funding: "promotional" | "paid";
  amount: bigint;
}

/** Grants money again that paid for a cost that no longer exists, with the expiry and priority of what it was taken from. */
export async function returnMoney(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  customerKey: string,
  { amount, ...use }: Returned,
): Promise<void> {
  const taken = await lastTakenFor(transaction, { bucketSeq: bucket.seq, customerKey, ...use }, maxEntries);
  const parts = new Map<string, { priority: number; expiresOn: number | null; amount: bigint }>();
  let rest = amount;
  const add = (priority: number, expiresOn: number | null, part: bigint) => {
    const key = `${priority} ${expiresOn}`;
    parts.set(key, { priority, expiresOn, amount: (parts.get(key)?.amount ?? 0n) + part });
    rest -= part;
  };
  for (const { priority, expires_on, amount: entry } of taken) {
    if (rest === 0n) break;
    const consumed = -BigInt(entry);
    add(priority, expires_on, consumed < rest ? consumed : rest);
  }
  if (rest > 0n) add(defaultPriority, null, rest);
  const source = { id: use.subscriptionId, customer_key: customerKey, currency: use.currency };
  for (const part of parts.values())
    await grantAgain(transaction, act, bucket, source, { funding: use.funding, ...part }, reason);
}
