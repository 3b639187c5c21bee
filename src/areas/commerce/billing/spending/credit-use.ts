import type { Amount } from "../../../../lib/amount.ts";
import { smaller } from "../../../../lib/money.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { allowancesIn } from "../../subscriptions/allowance-history.ts";
import { billsUsage, periodOf, statusAt } from "../../subscriptions/state.ts";
import { currentSubscription, type Subscription, subscriptionSeqsOf } from "../../subscriptions/subscriptions.ts";
import { type Rollover, unexpiredRollovers } from "../credit-grants/grant-store.ts";
import { beforeTaxIn, lowered, moneyIn, plus, raised, sumIn } from "../credit-grants/money-terms.ts";
import { type CreditUse, CreditUses, spendPeriodsOf } from "../credit-grants/use-store.ts";
import { Wallet } from "../credit-grants/wallet.ts";
import type { Caps } from "../customers/caps.ts";
import { readCaps } from "../customers/customers.ts";
import {
  billedOf,
  costOf,
  type HeldUsage,
  isPrepaid,
  overageInAll,
  type SegmentOverage,
  usedWithHeld,
} from "../overage/overage-lines.ts";
import { type BillingSegmentRow, hasPrepaidMeters, recentSegmentsOf, segmentTermsOf } from "../plan-terms/segments.ts";
import { writtenOffOf } from "./spending.ts";

/** Usage that arrives later after its period is paid by what is left of grants when it is billed. */
export const lateCreditMilliseconds = 35 * 24 * 60 * 60 * 1000;
/** How long after a period its last usage may not be compared with credits yet. */
const recentMilliseconds = 2 * 60 * 60 * 1000;

/** What money was taken for. */
interface MoneySource {
  subscriptionId: string;
  meter: string;
  currency: string;
}

/** Money that was taken for a cost that no longer exists. It still pays in `use`: the ledger knows which money is returned. */
interface Surplus extends MoneySource {
  funding: "promotional" | "paid";
  amount: bigint;
  use: CreditUse;
}

/** What a customer's grants pay of its usage so far. */
export interface CreditState {
  wallet: Wallet;
  /** The uses of each subscription, by its seq. */
  uses: Map<number, CreditUses>;
  /** The uses that differ from storage. */
  changed: Set<CreditUse>;
  surplus: Surplus[];
  /** The rollovers that the grants come from, by their seq, and those whose grants were adjusted. */
  rollovers: Map<number, Rollover>;
  adjusted: Rollover[];
  caps: Caps;
  /** The subscription that uses meter grants for meters that are not billed. */
  current: Subscription | undefined;
}

export interface CreditUseComparison {
  /** A meter that is about to have its first grant. */
  more?: string | undefined;
  /** The time of the usage that is compared, if it is later: grants that have become usable since then pay for it. */
  until?: number;
  /** A subscription whose prepaid usage of all times is compared: what is not covered is never billed. */
  billedSeq?: number;
  /** What is held, to be compared as if it were used. */
  held?: HeldUsage;
}

/**
 * Compares the usage of a customer with its grants: units beyond the allowance that were not seen before are taken from
 * meter grants, then the cost of billed ones from money grants. Nothing is written. Usage is compared once, so grants
 * never pay for usage before them.
 */
export async function creditsAt(
  reads: Reads,
  bucket: MeteringBucket,
  customerKey: string,
  now: number,
  { more, until = now, billedSeq, held }: CreditUseComparison = {},
): Promise<CreditState> {
  const wallet = await Wallet.read(reads, bucket.seq, customerKey, now, until);
  const current = await currentSubscription(reads, bucket, customerKey, now);
  const caps = await readCaps(reads, bucket, customerKey);
  const seqs = await subscriptionSeqsOf(reads, bucket, customerKey);
  const rollovers = await rolloversIn(reads, bucket, customerKey, wallet, now);
  const none = { uses: new Map(), changed: new Set<CreditUse>(), surplus: [], adjusted: [] };
  const state: CreditState = { ...none, wallet, rollovers, caps, current };
  for (const { seq, id } of seqs) {
    const since = now - lateCreditMilliseconds;
    const segments = await recentSegmentsOf(reads, seq, seq === billedSeq ? 0 : since);
    if (segments.length === 0 && seq !== current?.row.seq) continue;
    const uses = await CreditUses.read(reads, seq);
    state.uses.set(seq, uses);
    const spent = await spendPeriodsOf(reads, seq);
    const isRecent = (segment: BillingSegmentRow) => segment.period_end > since;
    const isWanted = (each: BillingSegmentRow) => isRecent(each) || hasPrepaidMeters(segmentTermsOf(each));
    const all = await overageInAll(reads, seq, segments, { isWanted, held });
    const overages = all.filter((overage) => isRecent(overage.segment) || isPrepaid(overage));
    const isNew = new Set(overages.filter((overage) => isUnseen(overage, uses)));
    for (const overage of overages) coverOverage(state, id, overage, uses);
    for (const [start, ofPeriod] of Map.groupBy(overages, ({ segment }) => segment.period_start)) {
      const cost = ofPeriod.reduce((sum, overage) => sum + costOf(overage, uses).owed, 0n);
      const allowed = cost - writtenOffOf(cost, spent.get(start), caps, ofPeriod[0]!.currency);
      payCosts(state, id, ofPeriod, uses, allowed, isNew);
    }
  }
  if (current) await coverBlocked(reads, state, current, now, more, held);
  state.adjusted = await adjustRollovers(reads, wallet, [...rollovers.values()], seqs, held);
  return state;
}

function isUnseen({ segment, meter }: SegmentOverage, uses: CreditUses): boolean {
  const { seen, cost } = uses.of(segment.period_start, segment.seq, meter);
  return seen === 0n && cost === 0n;
}

/** The meter grants that cover usage of a period. What a period left unused does not cover its own usage that arrives late. */
function unitGrants({ wallet, rollovers }: CreditState, subscriptionId: string, meter: string, periodStart: number) {
  return wallet.usable({ meter }).filter(({ rollover_seq }) => {
    const rollover = rollover_seq === null ? undefined : rollovers.get(rollover_seq);
    return rollover?.subscription_id !== subscriptionId || rollover.period_end <= periodStart;
  });
}

/** Takes units beyond the allowance from meter grants. */
function coverOverage(state: CreditState, subscriptionId: string, overage: SegmentOverage, uses: CreditUses): void {
  const { wallet, changed } = state;
  const { segment, meter, units } = overage;
  const use = uses.of(segment.period_start, segment.seq, meter);
  if (units === use.seen || (units < use.seen && use.seen === use.covered)) return;
  const grants = unitGrants(state, subscriptionId, meter, segment.period_start);
  use.covered += sumIn(wallet.take(grants, units - use.seen, { subscriptionId, meter }));
  // A higher maximum does not return units, but what they cover is not taken twice.
  use.seen = units > use.covered ? units : use.covered;
  changed.add(use);
}

/**
 * Pays the costs of a period, as far as caps allow them. What was compared before stays allowed: it may be on an invoice.
 * Then money covers prepaid usage first: it was allowed because there was money, other usage is billed otherwise.
 */
function payCosts(
  state: CreditState,
  subscriptionId: string,
  ofPeriod: SegmentOverage[],
  uses: CreditUses,
  allowed: bigint,
  isNew: ReadonlySet<SegmentOverage>,
): void {
  const overages = ofPeriod.toSorted((one, other) => Number(isPrepaid(other)) - Number(isPrepaid(one)));
  let room = allowed;
  const kept = overages.map((overage) => {
    const before = comparedCost(overage, uses, isNew.has(overage));
    const part = isPrepaid(overage) ? before : smaller(before, notNegative(room));
    room -= part;
    return part;
  });
  room = notNegative(room);
  for (const [index, overage] of overages.entries()) {
    const before = kept[index]!;
    room -= payCost(state, subscriptionId, overage, uses, before + room, isNew.has(overage)) - before;
  }
}

/** What was compared with money before of a cost, which may have fallen since, and is not written off. */
function comparedCost(overage: SegmentOverage, uses: CreditUses, isNew: boolean): bigint {
  const { cost, owed } = costOf(overage, uses);
  const use = uses.of(overage.segment.period_start, overage.segment.seq, overage.meter);
  if (isPrepaid(overage)) return smaller(owed, moneyIn(use));
  return smaller(cost, isNew ? BigInt(billedOf(overage).amount) : use.cost);
}

/**
 * Takes the cost of usage from money, as far as caps allow it. What money does not cover is billed. Under a prepaid rate it
 * is written off at once, as is what caps do not allow, so that later grants do not pay for it. Returns the cost that is not
 * written off.
 */
function payCost(
  state: CreditState,
  subscriptionId: string,
  overage: SegmentOverage,
  uses: CreditUses,
  allowed: bigint,
  isNew: boolean,
): bigint {
  const { wallet, changed } = state;
  const { segment, meter, currency } = overage;
  const use = uses.of(segment.period_start, segment.seq, meter);
  const { cost: whole } = costOf(overage, uses);
  const isCovered = isPrepaid(overage);
  const cost = isCovered ? whole : smaller(whole, allowed);
  // The first grant may be the rest of an invoice. It does not pay again for what was billed before it.
  if (isNew && !isCovered) use.cost = smaller(cost, BigInt(billedOf(overage).amount));
  const before = moneyIn(use);
  const more = cost - use.cost;
  const purpose = { subscriptionId, meter };
  if (more > 0n) {
    const wanted = isCovered ? smaller(more, notNegative(allowed - before)) : more;
    // Money that an invoice shows, and that the next one would return, pays again.
    const again = isCovered
      ? smaller(wanted, notNegative(BigInt(billedOf(overage).amount) - use.shownWrittenOff - before))
      : 0n;
    const taken = wallet.take(wallet.usable({ currency }), wanted - again, purpose);
    use.money = plus(use.money, taken);
    Object.assign(use, raised(use, more, isCovered ? again + sumIn(taken) : more));
  } else if (more < 0n) {
    Object.assign(use, lowered(use, -more));
    const surplus = (isCovered ? before : sumIn(use.money)) - moneyIn(use);
    returnSurplus(state, { ...purpose, currency }, use, surplus);
  }
  if (more !== 0n) changed.add(use);
  return moneyIn(use);
}

const notNegative = (amount: bigint): bigint => (amount > 0n ? amount : 0n);

/** Returns money of usage that costs less and is not billed yet. What invoices show is corrected by invoices. */
function returnSurplus(state: CreditState, source: MoneySource, use: CreditUse, most: bigint): void {
  const open = plus(use.money, use.shown, -1n);
  const beforeTax = smaller(most, beforeTaxIn(open));
  const paid = smaller(most - beforeTax, open.paid);
  if (beforeTax > 0n) state.surplus.push({ ...source, funding: "promotional", amount: beforeTax, use });
  if (paid > 0n) state.surplus.push({ ...source, funding: "paid", amount: paid, use });
}

/** Meters that are not billed: meter grants extend the maximum of the current period. */
async function coverBlocked(
  reads: Reads,
  state: CreditState,
  subscription: Subscription,
  now: number,
  more: string | undefined,
  held: HeldUsage | undefined,
): Promise<void> {
  const { wallet, changed } = state;
  const { row, plans } = subscription;
  const meters = wallet.meters;
  if (more !== undefined) meters.add(more);
  if (meters.size === 0) return;
  const uses = state.uses.get(row.seq)!;
  const isBilling = billsUsage(statusAt(row, plans, now));
  const period = periodOf(subscription, now);
  const isRecent = now - period.start < recentMilliseconds && row.created_on < period.start;
  const periods = isRecent ? [periodOf(subscription, period.start - 1), period] : [period];
  for (const each of periods) {
    const allowed = await allowancesIn(reads, subscription, each);
    const used = await usedWithHeld(reads, row.seq, each.start, held);
    for (const meter of [...meters].sort()) {
      const allowance = allowed.get(meter);
      if (!allowance || (allowance.isPriced && isBilling)) continue;
      const use = uses.of(each.start, 0, meter);
      const total = used.get(meter) ?? 0n;
      if (total <= use.seen) continue;
      const from = use.seen > allowance.max ? use.seen : allowance.max;
      const grants = unitGrants(state, row.id, meter, each.start);
      use.covered += sumIn(wallet.take(grants, total - from, { subscriptionId: row.id, meter }));
      use.seen = total;
      changed.add(use);
    }
  }
}

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
