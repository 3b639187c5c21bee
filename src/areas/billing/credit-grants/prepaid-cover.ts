import { smaller } from "../../../lib/money.ts";

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
