import { yieldToEventLoop } from "../../../lib/tasks/slices.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { formerPlanAfter, type PlanRow, plansWithSeqs } from "./plan-store.ts";

type PlanState = Pick<PlanRow, "meters" | "price" | "rates" | "rollover">;

export { formerPlan, planChangesSince } from "./plan-store.ts";

/**
 * Yields the states that a plan had from a time on, in order: the one at that time, and those that began before `to`.
 * Without `to`, all that began since. Only one is in memory, because its meters may be 1 MB.
 */
export async function* planStates(
  reads: Reads,
  planSeq: number,
  from: number,
  to = Number.POSITIVE_INFINITY,
): AsyncGenerator<PlanState> {
  for (let begins = from; begins === from || begins < to; await yieldToEventLoop()) {
    const former = await formerPlanAfter(reads, planSeq, begins);
    if (!former) {
      yield* await plansWithSeqs(reads, [planSeq]);
      return;
    }
    yield former;
    begins = former.valid_until;
  }
}

/** Returns the state that a plan had at a time, or undefined if it was deleted before. */
export async function planStateAt(reads: Reads, planSeq: number, at: number): Promise<PlanState | undefined> {
  return (await formerPlanAfter(reads, planSeq, at)) ?? (await plansWithSeqs(reads, [planSeq]))[0];
}
