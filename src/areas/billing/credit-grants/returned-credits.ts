import type { Act } from "../../../core/access.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { type CreditSource, lastTakenFor } from "./grant-store.ts";
import { expireGrant, grantUnits } from "./grants.ts";
import { grantAgain, type MoneyAmount } from "./invoice-money.ts";
import { defaultPriority, type MoneyTerms } from "./money-terms.ts";

/** Entries of the ledger in which the grants that paid are looked for: there is one for each hour and grant. */
const maxEntries = 1_000;

interface Returned {
  subscriptionId: string;
  meter: string;
  amount: bigint;
}

/** Grants money again that paid for a cost that no longer exists, with the expiry and priority of what it was taken from. */
export async function returnMoney(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  customerKey: string,
  { amount, currency, funding, ...use }: Returned & { currency: string; funding: MoneyTerms["funding"] },
): Promise<void> {
  const from = { bucketSeq: bucket.seq, customerKey, ...use, currency, funding };
  const source = { id: use.subscriptionId, customer_key: customerKey, currency };
  const reason = "Returned: usage is no longer beyond the maximum";
  for (const part of await partsOf(transaction, from, amount, funding))
    await grantAgain(transaction, act, bucket, source, part, reason);
}

/** Grants units again that covered usage which has moved, with the funding, expiry and priority of what they were taken from. */
export async function returnUnits(
  transaction: WriteTransaction,
  act: Act,
  bucket: MeteringBucket,
  customerKey: string,
  { amount, ...use }: Returned,
): Promise<void> {
  const from = { bucketSeq: bucket.seq, customerKey, ...use };
  const reason = "Returned: usage counts elsewhere";
  for (const { amount: part, ...terms } of await partsOf(transaction, from, amount, "paid")) {
    const grant = await grantUnits(transaction, act, bucket, customerKey, use.meter, part, { reason, ...terms });
    if (terms.expiresOn !== null && terms.expiresOn <= act.now) await expireGrant(transaction, act, bucket, grant);
  }
}

/** The parts of an amount by the grants that it was taken from last. */
async function partsOf(
  transaction: WriteTransaction,
  from: CreditSource,
  amount: bigint,
  otherwise: MoneyTerms["funding"],
): Promise<Iterable<MoneyAmount>> {
  const parts = new Map<string, MoneyAmount>();
  let rest = amount;
  const add = (part: MoneyAmount) => {
    const key = `${part.funding} ${part.priority} ${part.expiresOn}`;
    parts.set(key, { ...part, amount: (parts.get(key)?.amount ?? 0n) + part.amount });
    rest -= part.amount;
  };
  for (const { funding, priority, expires_on, amount: entry } of await lastTakenFor(transaction, from, maxEntries)) {
    if (rest === 0n) break;
    const consumed = -BigInt(entry);
    const part = consumed < rest ? consumed : rest;
    add({ funding: funding as MoneyTerms["funding"], priority, expiresOn: expires_on, amount: part });
  }
  if (rest > 0n) add({ funding: otherwise, priority: defaultPriority, expiresOn: null, amount: rest });
  return parts.values();
}
