import { smaller } from "../../../../lib/money.ts";
import { saveRow } from "../../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { RowOf } from "../../../../platform/storage/tables.ts";
import { beforeTaxIn, type Money, noMoney, plus, sumIn } from "./money-terms.ts";

/** What grants pay of a meter's usage, in a segment or, with segment 0, in a period. */
export interface CreditUse {
  subscriptionSeq: number;
  periodStart: number;
  segmentSeq: number;
  meter: string;
  /** The units that were compared with credits, and those that meter grants cover. */
  seen: bigint;
  covered: bigint;
  /** The cost that was compared with credits, and the money that pays of it. */
  cost: bigint;
  money: Money;
  /** Of a prepaid rate: the part of the cost that no money covered, and that is not billed. */
  writtenOff: bigint;
  /** The part of it that was written off since money last paid. */
  writtenOffLast: bigint;
  /** The parts that invoices show. */
  shown: Money;
  shownWrittenOff: bigint;
}

type UsePlace = Pick<CreditUse, "subscriptionSeq" | "periodStart" | "segmentSeq" | "meter">;

/** Stored promotional money includes prepaid money. */
type Row = RowOf<"credit_uses">;

export class CreditUses {
  readonly #uses = new Map<string, CreditUse>();

  constructor(private readonly subscriptionSeq: number) {}

  static async read(reads: Reads, subscriptionSeq: number): Promise<CreditUses> {
    const uses = new CreditUses(subscriptionSeq);
    const rows = await reads.all<Row>("SELECT * FROM credit_uses WHERE subscription_seq = ?", [subscriptionSeq]);
    for (const row of rows) uses.#add(row);
    return uses;
  }

  /** Whether nothing of the subscription was ever compared with credits. */
  get isEmpty(): boolean {
    return this.#uses.size === 0;
  }

  #add(row: Row): void {
    this.#uses.set(keyOf(row.period_start, row.segment_seq, row.meter), {
      subscriptionSeq: row.subscription_seq,
      periodStart: row.period_start,
      segmentSeq: row.segment_seq,
      meter: row.meter,
      seen: BigInt(row.seen),
      covered: BigInt(row.covered),
      cost: BigInt(row.cost),
      money: moneyFrom(row.promotional, row.prepaid, row.paid),
      writtenOff: BigInt(row.written_off),
      writtenOffLast: BigInt(row.written_off_last),
      shown: moneyFrom(row.applied_promotional, row.applied_prepaid, row.applied_paid),
      shownWrittenOff: BigInt(row.applied_written_off),
    });
  }

  /** Returns what was stored, or zeros. */
  of(periodStart: number, segmentSeq: number, meter: string): CreditUse {
    const key = keyOf(periodStart, segmentSeq, meter);
    const known = this.#uses.get(key);
    if (known) return known;
    const { subscriptionSeq } = this;
    const none = { seen: 0n, covered: 0n, cost: 0n, writtenOff: 0n, writtenOffLast: 0n, shownWrittenOff: 0n };
    const use = { subscriptionSeq, periodStart, segmentSeq, meter, ...none, money: noMoney, shown: noMoney };
    this.#uses.set(key, use);
    return use;
  }
}

function keyOf(periodStart: number, segmentSeq: number, meter: string): string {
  return `${periodStart} ${segmentSeq} ${meter}`;
}

function moneyFrom(beforeTax: string, prepaid: string, paid: string): Money {
  return { promotional: BigInt(beforeTax) - BigInt(prepaid), prepaid: BigInt(prepaid), paid: BigInt(paid) };
}

/** The least part of some money that contains as much before and after tax. The ledger may know other shares of it than `whole`. */
function partOf(whole: Money, { promotional, prepaid, paid }: Money): Money {
  const wanted = smaller(promotional + prepaid, beforeTaxIn(whole));
  const least = wanted > whole.promotional ? wanted - whole.promotional : 0n;
  const ofPrepaid = smaller(prepaid > least ? prepaid : least, smaller(whole.prepaid, wanted));
  return { promotional: wanted - ofPrepaid, prepaid: ofPrepaid, paid: smaller(paid, whole.paid) };
}

/** After money that no invoice shows was returned. */
export function lowerMoney(use: CreditUse, returned: Money): void {
  use.money = plus(use.money, partOf(plus(use.money, use.shown, -1n), returned), -1n);
}

/** After money that invoices show was returned: it no longer pays for the usage. */
export async function lowerUse(transaction: WriteTransaction, place: UsePlace, returned: Money): Promise<void> {
  if (sumIn(returned) === 0n) return;
  const { periodStart, segmentSeq, meter } = place;
  const use = (await CreditUses.read(transaction, place.subscriptionSeq)).of(periodStart, segmentSeq, meter);
  const part = partOf(use.shown, returned);
  await saveUse(transaction, { ...use, money: plus(use.money, part, -1n), shown: plus(use.shown, part, -1n) });
}

export async function saveUse(transaction: WriteTransaction, use: CreditUse): Promise<void> {
  const row = {
    subscription_seq: use.subscriptionSeq,
    period_start: use.periodStart,
    segment_seq: use.segmentSeq,
    meter: use.meter,
    seen: String(use.seen),
    covered: String(use.covered),
    cost: String(use.cost),
    promotional: String(beforeTaxIn(use.money)),
    paid: String(use.money.paid),
    written_off: String(use.writtenOff),
    written_off_last: String(use.writtenOffLast),
    applied_promotional: String(beforeTaxIn(use.shown)),
    applied_paid: String(use.shown.paid),
    applied_written_off: String(use.shownWrittenOff),
    prepaid: String(use.money.prepaid),
    applied_prepaid: String(use.shown.prepaid),
  };
  await saveRow(transaction, "credit_uses", row, ["subscription_seq", "period_start", "segment_seq", "meter"]);
}

/** What a customer owes for the overage of a period, under caps. Amounts are in minor units. */
export interface SpendPeriod {
  subscriptionSeq: number;
  periodStart: number;
  /** What was owed when a cap changed: a lower cap does not change it. */
  owed: bigint;
  /** What was beyond a cap that has changed since. */
  writtenOff: bigint;
  /** What invoices show as written off. */
  applied: bigint;
  /** The highest threshold that was announced, in percent. */
  threshold: number;
  /** After the end of the period its cap remains: null if there was none. */
  isOver: boolean;
  cap: bigint | null;
  /** The caps before that, with the time of their change. Undefined if they changed before this was stored. */
  formerCaps: FormerCap[] | undefined;
}

interface FormerCap {
  until: number;
  cap: bigint | null;
}

/** Returns the stored periods of a subscription, by their start. */
export async function spendPeriodsOf(reads: Reads, subscriptionSeq: number): Promise<Map<number, SpendPeriod>> {
  const rows = await reads.all<RowOf<"spend_periods">>("SELECT * FROM spend_periods WHERE subscription_seq = ?", [
    subscriptionSeq,
  ]);
  return new Map(
    rows.map((row) => [
      row.period_start,
      {
        subscriptionSeq,
        periodStart: row.period_start,
        owed: BigInt(row.owed),
        writtenOff: BigInt(row.written_off),
        applied: BigInt(row.applied),
        threshold: row.threshold,
        isOver: row.is_over === 1,
        cap: row.cap === null ? null : BigInt(row.cap),
        formerCaps: formerCapsOf(row),
      },
    ]),
  );
}

function formerCapsOf({ former_caps, owed, written_off }: RowOf<"spend_periods">): FormerCap[] | undefined {
  if (former_caps !== null)
    return (JSON.parse(former_caps) as { until: number; cap: string | null }[]).map(({ until, cap }) => ({
      until,
      cap: cap === null ? null : BigInt(cap),
    }));
  return owed === "0" && written_off === "0" ? [] : undefined;
}

export function newSpendPeriod(subscriptionSeq: number, periodStart: number): SpendPeriod {
  const none = { owed: 0n, writtenOff: 0n, applied: 0n, threshold: 0 };
  return { subscriptionSeq, periodStart, ...none, isOver: false, cap: null, formerCaps: [] };
}

export async function saveSpendPeriod(transaction: WriteTransaction, spend: SpendPeriod): Promise<void> {
  const row = {
    subscription_seq: spend.subscriptionSeq,
    period_start: spend.periodStart,
    owed: String(spend.owed),
    written_off: String(spend.writtenOff),
    applied: String(spend.applied),
    threshold: spend.threshold,
    is_over: spend.isOver ? 1 : 0,
    cap: spend.cap === null ? null : String(spend.cap),
    former_caps: spend.formerCaps?.length
      ? JSON.stringify(spend.formerCaps.map(({ until, cap }) => ({ until, cap: cap === null ? null : String(cap) })))
      : null,
  };
  await saveRow(transaction, "spend_periods", row, ["subscription_seq", "period_start"]);
}
