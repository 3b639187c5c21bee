import type { Act } from "../../core/access.ts";
import type { CounterTotalData } from "../../core/changes/catalogue.ts";
import { Slice } from "../../lib/tasks/slices.ts";
import type { ChangeKinds } from "../../platform/storage/change.ts";
import type { WriteTransaction } from "../../platform/storage/storage.ts";
import type { CounterTotal } from "./counter-store.ts";

/** The bucket of a subscription, and the context of the write that counted its usage. */
export interface TotalsOwner {
  act: Act;
  bucketId: string;
}

const kind = "usage.counted";
/** The maximum number of totals in one change record. */
const maxTotals = 500;

/**
 * Publishes the new totals of counters to the other nodes, in change records that are not stored. `owners` are by the
 * subscription's seq; a change record has totals of one bucket only.
 */
export async function recordTotals(
  transaction: WriteTransaction,
  totals: CounterTotal[],
  owners: Map<number, TotalsOwner>,
): Promise<void> {
  const slice = new Slice();
  const unrecorded = new Map<string, { owner: TotalsOwner; totals: CounterTotalData[] }>();
  const record = ({ owner: { act, bucketId }, totals }: { owner: TotalsOwner; totals: CounterTotalData[] }) => {
    const { account, actor } = act;
    transaction.record({
      accountSeq: account.seq,
      actor,
      kind,
      subject: bucketId,
      data: { totals },
      isTransient: true,
    });
  };
  for (const total of totals) {
    const owner = owners.get(total.subscriptionSeq)!;
    const key = `${owner.act.account.seq} ${owner.bucketId}`;
    const group = unrecorded.get(key) ?? { owner, totals: [] };
    unrecorded.set(key, group);
    if (group.totals.push(written(total)) < maxTotals) continue;
    record(group);
    unrecorded.delete(key);
    if (slice.isOver) await slice.next();
  }
  for (const group of unrecorded.values()) record(group);
}

function written({ subscriptionSeq, periodStart, meter, used, version }: CounterTotal): CounterTotalData {
  return [subscriptionSeq, periodStart, meter, String(used), version];
}

/** Yields the totals one by one, because a batch of events may have raised 100,000 counters. */
export function* totalsIn({ totals }: ChangeKinds["usage.counted"]): Generator<WrittenTotal> {
  for (const [subscriptionSeq, periodStart, meter, used, version] of totals)
    yield { subscriptionSeq, periodStart, meter, used, version };
}

/** A total whose amount is not parsed yet. */
export type WrittenTotal = Omit<CounterTotal, "used"> & { used: string };
