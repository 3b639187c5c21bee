import type { Reads } from "../../../platform/storage/storage.ts";
import { type PlanRow, plansWithSeqs } from "../store.ts";
import { planHistorySince } from "./history-store.ts";

export type PlanState = Pick<PlanRow, "meters" | "price" | "rates">;

/**
 * Returns the states that each plan had from a time on, in order: the one at that time, and those that began
 * before `to`. Without `to`, all that began since.
 */
export async function planStates(
  reads: Reads,
  planSeqs: number[],
  from: number,
  to = Number.POSITIVE_INFINITY,
): Promise<Map<number, PlanState[]>> {
  if (planSeqs.length === 0) return new Map();
  const former = Map.groupBy(await planHistorySince(reads, planSeqs, from + 1), ({ plan_seq }) => plan_seq);
  const current = new Map((await plansWithSeqs(reads, planSeqs)).map((plan) => [plan.seq, plan]));
  const states = new Map<number, PlanState[]>();
  for (const seq of planSeqs) {
    const rows = former.get(seq) ?? [];
    const all: { state: PlanState; begins: number }[] = rows.map((state, index) => ({
      state,
      begins: index === 0 ? from : rows[index - 1]!.valid_until,
    }));
    const plan = current.get(seq);
    if (plan) all.push({ state: plan, begins: rows.at(-1)?.valid_until ?? from });
    states.set(
      seq,
      all.filter(({ begins }) => begins === from || begins < to).map(({ state }) => state),
    );
  }
  return states;
}
