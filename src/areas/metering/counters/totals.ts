import type { Act } from "../../../core/access.ts";
import type { CounterTotalData } from "../../../core/changes/catalogue.ts";
import type { ChangeKinds } from "../../../platform/storage/change.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import type { CounterTotal } from "./usage-store.ts";

/** Whose counter it is, and who raised it. */
export interface TotalsOwner {
  act: Act;
  bucketId: string;
}

const kind = "usage.counted";
/** Of totals in one change. */
const mostTotals = 500;

/** Publishes how far counters are. Owners are found by subscription; each account receives its own only. */
export function recordTotals(
  transaction: WriteTransaction,
  totals: CounterTotal[],
  owners: Map<number, TotalsOwner>,
): void {
  const ofOwner = Map.groupBy(totals, ({ subscriptionSeq }) => {
    const { act, bucketId } = owners.get(subscriptionSeq)!;
    return `${act.account.seq} ${bucketId}`;
  });
  for (const group of ofOwner.values()) {
    const { act, bucketId } = owners.get(group[0]!.subscriptionSeq)!;
    for (let first = 0; first < group.length; first += mostTotals) {
      const totals = group.slice(first, first + mostTotals).map(written);
      const { account, actor } = act;
      transaction.record({
        accountSeq: account.seq,
        actor,
        kind,
        subject: bucketId,
        data: { totals },
        isTransient: true,
      });
    }
  }
}

function written({ subscriptionSeq, periodStart, meter, used }: CounterTotal): CounterTotalData {
  return [subscriptionSeq, periodStart, meter, String(used)];
}

export function totalsIn({ totals }: ChangeKinds["usage.counted"]): CounterTotal[] {
  return totals.map(([subscriptionSeq, periodStart, meter, used]) => ({
    subscriptionSeq,
    periodStart,
    meter,
    used: BigInt(used),
  }));
}
