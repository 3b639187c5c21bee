import { smaller } from "../../../lib/money.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";

/** What grants pay of a meter's usage, in a segment or, with segment 0, in a period. */
export interface CreditUse {
  subscriptionSeq: number;
  periodStart: number;
  segmentSeq: number;
  meter: string;
  /** The units that were compared with credits, and those that meter grants cover. */
  seen: bigint;
  covered: bigint;
  /** The cost that was compared with credits, and what money grants pay of it. `promotional` includes prepaid money. */
  cost: bigint;
  promotional: bigint;
  prepaid: bigint;
  paid: bigint;
  /** Of a prepaid rate: the part of the cost that no money covered, and that is not billed. */
  writtenOff: bigint;
  /** The part of it that was written off since money last paid. */
  writtenOffLast: bigint;
  /** The parts that invoices show. */
  appliedPromotional: bigint;
  appliedPrepaid: bigint;
  appliedPaid: bigint;
  appliedWrittenOff: bigint;
}

interface Row {
  subscription_seq: number;
  period_start: number;
  segment_seq: number;
  meter: string;
  seen: string;
  covered: string;
  cost: string;
  promotional: string;
  paid: string;
  written_off: string;
  written_off_last: string;
  applied_promotional: string;
  applied_paid: string;
  applied_written_off: string;
  prepaid: string;
  applied_prepaid: string;
}

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
      promotional: BigInt(row.promotional),
      prepaid: BigInt(row.prepaid),
      paid: BigInt(row.paid),
      writtenOff: BigInt(row.written_off),
      writtenOffLast: BigInt(row.written_off_last),
      appliedPromotional: BigInt(row.applied_promotional),
      appliedPrepaid: BigInt(row.applied_prepaid),
      appliedPaid: BigInt(row.applied_paid),
      appliedWrittenOff: BigInt(row.applied_written_off),
    });
  }

  /** Returns what was stored, or zeros. */
  of(periodStart: number, segmentSeq: number, meter: string): CreditUse {
    const key = keyOf(periodStart, segmentSeq, meter);
    const known = this.#uses.get(key);
    if (known) return known;
    const { subscriptionSeq } = this;
    const units = { seen: 0n, covered: 0n };
    const none = { cost: 0n, promotional: 0n, prepaid: 0n, paid: 0n, writtenOff: 0n, writtenOffLast: 0n };
    const unapplied = { appliedPromotional: 0n, appliedPrepaid: 0n, appliedPaid: 0n, appliedWrittenOff: 0n };
    const use = { subscriptionSeq, periodStart, segmentSeq, meter, ...units, ...none, ...unapplied };
    this.#uses.set(key, use);
    return use;
  }
}

function keyOf(periodStart: number, segmentSeq: number, meter: string): string {
  return `${periodStart} ${segmentSeq} ${meter}`;
}

/** After money that no invoice shows was returned: prepaid money is a part of `promotional`. */
export function lowerPrepaid(use: CreditUse, returned: bigint): void {
  const open = use.prepaid - use.appliedPrepaid;
  const left = open > returned ? open - returned : 0n;
  use.prepaid = use.appliedPrepaid + smaller(left, use.promotional - use.appliedPromotional);
}

/** After money that invoices show was returned: it no longer pays for the usage. */
export async function lowerUse(
  transaction: WriteTransaction,
  {
    subscriptionSeq,
    periodStart,
    segmentSeq,
    meter,
  }: Pick<CreditUse, "subscriptionSeq" | "periodStart" | "segmentSeq" | "meter">,
  { promotional, prepaid, paid }: Pick<CreditUse, "promotional" | "prepaid" | "paid">,
): Promise<void> {
  if (promotional === 0n && paid === 0n) return;
  const use = (await CreditUses.read(transaction, subscriptionSeq)).of(periodStart, segmentSeq, meter);
  const ofPromotional = smaller(promotional, use.appliedPromotional);
  const ofPrepaid = smaller(prepaid, use.appliedPrepaid);
  const ofPaid = smaller(paid, use.appliedPaid);
  await saveUse(transaction, {
    ...use,
    promotional: use.promotional - ofPromotional,
    appliedPromotional: use.appliedPromotional - ofPromotional,
    prepaid: use.prepaid - ofPrepaid,
    appliedPrepaid: use.appliedPrepaid - ofPrepaid,
    paid: use.paid - ofPaid,
    appliedPaid: use.appliedPaid - ofPaid,
  });
}

export async function saveUse(transaction: WriteTransaction, use: CreditUse): Promise<void> {
  const amounts = [
    use.seen,
    use.covered,
    use.cost,
    use.promotional,
    use.paid,
    use.writtenOff,
    use.appliedPromotional,
    use.appliedPaid,
    use.appliedWrittenOff,
    use.prepaid,
    use.appliedPrepaid,
    use.writtenOffLast,
  ].map(String);
  await transaction.run(
    `INSERT INTO credit_uses (subscription_seq, period_start, segment_seq, meter, seen, covered, cost, promotional,
       paid, written_off, applied_promotional, applied_paid, applied_written_off, prepaid, applied_prepaid, written_off_last)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (subscription_seq, period_start, segment_seq, meter) DO UPDATE SET seen = excluded.seen,
       covered = excluded.covered, cost = excluded.cost, promotional = excluded.promotional, paid = excluded.paid,
       written_off = excluded.written_off, applied_promotional = excluded.applied_promotional,
       applied_paid = excluded.applied_paid, applied_written_off = excluded.applied_written_off,
       prepaid = excluded.prepaid, applied_prepaid = excluded.applied_prepaid,
       written_off_last = excluded.written_off_last`,
    [use.subscriptionSeq, use.periodStart, use.segmentSeq, use.meter, ...amounts],
  );
}
