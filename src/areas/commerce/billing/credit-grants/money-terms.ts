import { smaller } from "../../../../lib/money.ts";
import type { fundings } from "../schemas/grant-schema.ts";

/** Where the money of a grant comes from: a gift, a credit pack, or money that was paid or credited otherwise. */
export type Funding = (typeof fundings)[number];

/** Amounts of money by what it comes from. None is a part of another. */
export type Money = Record<Funding, bigint>;

export const noMoney: Readonly<Money> = { promotional: 0n, prepaid: 0n, paid: 0n };

/** A gift has no tax, and the tax of a credit pack was paid with it: both reduce an invoice before tax. */
export const beforeTaxIn = ({ promotional, prepaid }: Money): bigint => promotional + prepaid;

export const sumIn = (money: Money): bigint => beforeTaxIn(money) + money.paid;

export function plus(one: Money, other: Money, sign = 1n): Money {
  const sumOf = (funding: Funding) => one[funding] + sign * other[funding];
  return { promotional: sumOf("promotional"), prepaid: sumOf("prepaid"), paid: sumOf("paid") };
}

/** How credit may be used: its funding, its place in the order of use, until when, and where it comes from. */
export interface MoneyTerms {
  funding: Funding;
  priority: number;
  expiresOn: number | null;
  /** The purchase of the credit pack that it comes from. */
  purchaseId: string | null;
  /** The rollover that it comes from. */
  rolloverSeq: number | null;
}

export const defaultPriority = 50;

/** The terms of money from a payment. */
export const defaultTerms: MoneyTerms = {
  funding: "paid",
  priority: defaultPriority,
  expiresOn: null,
  purchaseId: null,
  rolloverSeq: null,
};

/** Whether money reduces an invoice before tax. */
export function isBeforeTax({ funding }: { funding?: string | undefined }): boolean {
  return funding === "promotional" || funding === "prepaid";
}

/** Equal for money that is used in the same way. */
export function termsKey({ funding, priority, expiresOn, purchaseId, rolloverSeq }: MoneyTerms): string {
  return `${funding} ${priority} ${expiresOn} ${purchaseId} ${rolloverSeq}`;
}

/** The cost of usage under a prepaid rate: money pays for it, or it is written off. */
export interface PrepaidCover {
  cost: bigint;
  writtenOff: bigint;
  /** The part of `writtenOff` that was written off since money last paid. */
  writtenOffLast: bigint;
}

/** What money pays of it. */
export function moneyIn({ cost, writtenOff }: PrepaidCover): bigint {
  return cost - writtenOff;
}

/** Usage costs more. What `paid` does not pay of that is written off, and no later money pays for it. */
export function raised({ cost, writtenOff, writtenOffLast }: PrepaidCover, more: bigint, paid: bigint): PrepaidCover {
  const rest = more - paid;
  const last = paid > 0n ? 0n : writtenOffLast;
  return { cost: cost + more, writtenOff: writtenOff + rest, writtenOffLast: last + rest };
}

/** Usage costs less. The latest is undone first: what was written off since money last paid, then money, then earlier write-offs. */
export function lowered(cover: PrepaidCover, less: bigint): PrepaidCover {
  const { cost, writtenOff } = cover;
  const last = smaller(less, cover.writtenOffLast);
  const money = smaller(less - last, moneyIn(cover));
  return { cost: cost - less, writtenOff: writtenOff - (less - money), writtenOffLast: cover.writtenOffLast - last };
}

/** What is written off if the usage costs another amount, before more money pays. */
export function writtenOffAt(cover: PrepaidCover, cost: bigint): bigint {
  return cost < cover.cost ? lowered(cover, cover.cost - cost).writtenOff : cover.writtenOff;
}
