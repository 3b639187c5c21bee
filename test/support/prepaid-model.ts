import { boundaryAt } from "../../src/lib/time/calendar.ts";

const hour = 60 * 60 * 1000;

interface Period {
  units: number;
  /** What the usage costs, the latest last. */
  layers: { isPaid: boolean; cents: bigint }[];
  /** What invoices show as paid. */
  shown: bigint;
}

/** What money is left to a customer whose usage is prepaid, in monthly periods without fees. It shares no code with billing. */
export class PrepaidModel {
  money = 0n;
  readonly #periods = new Map<number, Period>();
  #renewals = 0;

  constructor(
    private readonly anchor: number,
    private readonly max: number,
    private readonly millicents: bigint,
  ) {}

  /** Usage that arrives, or is taken back if it is negative. */
  use(time: number, units: number): void {
    const period = this.#periodAt(time);
    const before = this.#costOf(period);
    period.units += units;
    const more = this.#costOf(period) - before;
    if (more > 0n) this.#pay(period, more);
    else this.#undo(period, -more);
  }

  /** An hour after a renewal, an invoice shows the ended periods and returns what money paid too much for them. */
  advance(now: number): void {
    for (; boundaryAt(this.anchor, "monthly", this.#renewals + 1) + hour <= now; this.#renewals += 1)
      for (const [index, period] of this.#periods)
        if (index <= this.#renewals) {
          this.money += unused(period);
          period.shown = paidOf(period);
        }
  }

  periodEnd(time: number): number {
    return boundaryAt(this.anchor, "monthly", this.#indexAt(time) + 1);
  }

  #pay(period: Period, more: bigint): void {
    const again = least(more, unused(period));
    const taken = least(more - again, this.money);
    this.money -= taken;
    const { layers } = period;
    const paid = again + taken;
    if (paid > 0n) {
      // Money is one layer, above all that was written off before the last of it.
      const sum = paidOf(period) + paid;
      const writtenOff = costOf(layers) - paidOf(period);
      period.layers = [
        { isPaid: false, cents: writtenOff },
        { isPaid: true, cents: sum },
      ];
    }
    if (more > paid) period.layers.push({ isPaid: false, cents: more - paid });
  }

  #undo(period: Period, less: bigint): void {
    const open = paidOf(period) > period.shown ? paidOf(period) - period.shown : 0n;
    let [rest, undone] = [less, 0n];
    for (const layer of period.layers.toReversed()) {
      const part = least(layer.cents, rest);
      layer.cents -= part;
      rest -= part;
      if (layer.isPaid) undone += part;
    }
    this.money += least(undone, open);
  }

  #costOf({ units }: Period): bigint {
    const billed = units > this.max ? BigInt(units - this.max) : 0n;
    return (billed * this.millicents * 2n + 1_000n) / 2_000n;
  }

  #indexAt(time: number): number {
    let index = 0;
    while (boundaryAt(this.anchor, "monthly", index + 1) <= time) index += 1;
    return index;
  }

  #periodAt(time: number): Period {
    const index = this.#indexAt(time);
    const known = this.#periods.get(index) ?? { units: 0, layers: [], shown: 0n };
    this.#periods.set(index, known);
    return known;
  }
}

const least = (left: bigint, right: bigint) => (left < right ? left : right);
const costOf = (layers: Period["layers"]) => layers.reduce((sum, { cents }) => sum + cents, 0n);
const paidOf = ({ layers }: Period) => costOf(layers.filter(({ isPaid }) => isPaid));
/** What invoices show as paid, and no usage costs any more. */
const unused = (period: Period) => (period.shown > paidOf(period) ? period.shown - paidOf(period) : 0n);
