import { smaller } from "../../../../lib/money.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { marksOf } from "../../metering/counters/usage-marks.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { allowancesIn } from "../../subscriptions/allowance-history.ts";
import { billsUsage, periodOf, statusAt } from "../../subscriptions/state.ts";
import { currentSubscription, type Subscription, subscriptionSeqsOf } from "../../subscriptions/subscriptions.ts";
import type { Rollover } from "../credit-grants/grant-store.ts";
import { beforeTaxIn, lowered, moneyIn, plus, raised, sumIn } from "../credit-grants/money-terms.ts";
import { type CreditUse, CreditUses, spendPeriodsOf } from "../credit-grants/use-store.ts";
import { Wallet } from "../credit-grants/wallet.ts";
import type { Caps } from "../customers/caps.ts";
import { readCaps } from "../customers/customers.ts";
import { costOf, type HeldUsage, isPrepaid, overageIn, usedWithHeld } from "../overage/overage-lines.ts";
import { hasPrepaidMeters, hasPricedMeters, recentSegmentsOf, segmentTermsOf } from "../plan-terms/segments.ts";
import { adjustRollovers, rolloversIn } from "./rollover-amounts.ts";
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
    const marks = await marksOf(reads, seq);
    const spent = await spendPeriodsOf(reads, seq);
    const overages: Overage[] = [];
    for (const [index, segment] of segments.entries())
      if (segment.period_end > since ? hasPricedMeters(segment) : hasPrepaidMeters(segmentTermsOf(segment))) {
        const all = await overageIn(reads, seq, segment, segments[index + 1], marks, held);
        overages.push(...(segment.period_end > since ? all : all.filter(isPrepaid)));
      }
    const isNew = new Set(overages.filter((overage) => isUnseen(overage, uses)));
    for (const overage of overages) coverOverage(state, id, overage, uses);
    for (const [start, ofPeriod] of Map.groupBy(overages, ({ segment }) => segment.period_start)) {
      const cost = ofPeriod.reduce((sum, overage) => sum + costOf(overage, uses).owed, 0n);
      let rest = cost - writtenOffOf(cost, spent.get(start), caps, ofPeriod[0]!.currency);
      // Money covers prepaid usage first: it was allowed because there was money, other usage is billed otherwise.
      for (const overage of ofPeriod.toSorted((one, other) => Number(isPrepaid(other)) - Number(isPrepaid(one))))
        rest -= payCost(state, id, overage, uses, rest, isNew.has(overage));
    }
  }
  if (current) await coverBlocked(reads, state, current, now, more, held);
  state.adjusted = await adjustRollovers(reads, wallet, [...rollovers.values()], seqs, held);
  return state;
}

type Overage = Awaited<ReturnType<typeof overageIn>>[number];

function isUnseen({ segment, meter }: Overage, uses: CreditUses): boolean {
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
function coverOverage(state: CreditState, subscriptionId: string, overage: Overage, uses: CreditUses): void {
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
 * Takes the cost of usage from money, as far as caps allow it. What money does not cover is billed. Under a prepaid rate it
 * is written off at once, as is what caps do not allow, so that later grants do not pay for it. Returns the cost that is not
 * written off.
 */
function payCost(
  state: CreditState,
  subscriptionId: string,
  overage: Overage,
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
  if (isNew && !isCovered) use.cost = smaller(cost, billedCost(overage));
  const before = moneyIn(use);
  const more = cost - use.cost;
  const purpose = { subscriptionId, meter };
  if (more > 0n) {
    const wanted = isCovered ? smaller(more, notNegative(allowed - before)) : more;
    // Money that an invoice shows, and that the next one would return, pays again.
    const again = isCovered ? smaller(wanted, notNegative(billedCost(overage) - use.shownWrittenOff - before)) : 0n;
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

function billedCost({ segment, meter }: Overage): bigint {
  const billed = JSON.parse(segment.billed) as Record<string, { amount: string }>;
  return Object.hasOwn(billed, meter) ? BigInt(billed[meter]!.amount) : 0n;
}

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
