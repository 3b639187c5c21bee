import type { Amount } from "../../../../lib/amount.ts";
import { smaller } from "../../../../lib/money.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { type Rollover, unexpiredRollovers } from "../credit-grants/grant-store.ts";
import type { Wallet } from "../credit-grants/wallet.ts";
import { type HeldUsage, usedWithHeld } from "../overage/overage-lines.ts";

type Subscriptions = { seq: number; id: string }[];

/**
 * What each rollover carries over with the usage so far, by its seq: what its period left unused of the allowance, up to
 * its maximum. Several plans of a subscription share what is left of a meter. Without those of deleted subscriptions.
 */
export async function carriedOver(
  reads: Reads,
  rollovers: Rollover[],
  subscriptions: Subscriptions,
  held?: HeldUsage,
): Promise<Map<number, Amount>> {
  const amounts = new Map<number, Amount>();
  for (const { seq, id } of subscriptions) {
    const own = rollovers.filter(({ subscription_id }) => subscription_id === id);
    for (const [start, ofPeriod] of Map.groupBy(own, ({ period_start }) => period_start)) {
      const used = await usedWithHeld(reads, seq, start, held);
      for (const [meter, ofMeter] of Map.groupBy(ofPeriod, (each) => each.meter)) {
        let rest = BigInt(ofMeter[0]!.allowance) - (used.get(meter) ?? 0n);
        for (const { seq, maximum } of ofMeter) {
          const amount = rest > 0n ? smaller(rest, BigInt(maximum)) : 0n;
          amounts.set(seq, amount);
          rest -= amount;
        }
      }
    }
  }
  return amounts;
}

/** The rollovers of a customer, by their seq, if a grant of the wallet comes from one. */
export async function rolloversIn(
  reads: Reads,
  bucket: MeteringBucket,
  customerKey: string,
  wallet: Wallet,
  now: number,
): Promise<Map<number, Rollover>> {
  if (wallet.grants.every(({ rollover_seq }) => rollover_seq === null)) return new Map();
  const rollovers = await unexpiredRollovers(reads, bucket.seq, customerKey, now);
  return new Map(rollovers.map((rollover) => [rollover.seq, rollover]));
}

/**
 * Adjusts the grants of rollovers to the usage of their periods so far, but not below what was used of them: that is
 * written off. Nothing is written. Returns the rollovers that changed.
 */
export async function adjustRollovers(
  reads: Reads,
  wallet: Wallet,
  rollovers: Rollover[],
  subscriptions: Subscriptions,
  held: HeldUsage | undefined,
): Promise<Rollover[]> {
  const amounts = await carriedOver(reads, rollovers, subscriptions, held);
  return rollovers.flatMap((rollover) => {
    const amount = amounts.get(rollover.seq);
    const grants = wallet.grants.filter(({ rollover_seq }) => rollover_seq === rollover.seq);
    const first = grants.find(({ id }) => id === rollover.grant_id);
    // Without the first one, it was voided by the operator.
    if (rollover.ended_on !== null || amount === undefined || !first) return [];
    const granted = BigInt(rollover.granted!);
    const used = granted - grants.reduce((sum, { balance }) => sum + BigInt(balance), 0n);
    const total = amount > used ? amount : used;
    if (total === granted) return [];
    wallet.adjust([first, ...grants.filter((each) => each !== first)], total - granted);
    return [{ ...rollover, granted: String(total) }];
  });
}
