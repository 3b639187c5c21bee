import { runForJson } from "./child-process.ts";
import type { LoadedServer, LoadPlan, LoadResult } from "./load-plan.ts";
import { progress } from "./progress.ts";
import type { Sample } from "./sample.ts";

/** A turn as most benchmarks take it. A short start is enough, since the compilers are done after the turns that do not count. */
export const usualTurn = { connections: 64, warmSeconds: 0.2, seconds: 1 };

/** Runs a load in a process of its own. A response with an unexpected status fails the benchmark: errors are often fast. */
export async function load({ port, processId, databaseProcessId }: LoadedServer, plan: LoadPlan): Promise<LoadResult> {
  const result = await runForJson<LoadResult>("bench/load.ts", [
    JSON.stringify({ port, processId, databaseProcessId }),
    JSON.stringify(plan),
  ]);
  if (result.unexpected > 0)
    throw new Error(
      `${result.unexpected} of ${result.requests} responses to ${plan.path} were not ${plan.status ?? "2xx"}`,
    );
  if (result.requests === 0) throw new Error(`there was no response on ${plan.path}`);
  return result;
}

/** One turn of one contestant. */
export type Turn<Taken extends Sample = Sample> = () => Promise<Taken>;

interface Rounds {
  /** Rounds before those that count: servers are compiled as they run, and the first seconds are slower. */
  readonly warmRounds: number;
  readonly rounds: number;
}

/**
 * Runs the contestants alternately, round by round, and returns the samples of each. Sample n of one belongs to sample
 * n of the others: other load on the machine affects all equally. The first contestant alternates too.
 */
export async function takeTurns<Name extends string, Taken extends Sample = Sample>(
  what: string,
  { warmRounds, rounds }: Rounds,
  contestants: Record<Name, Turn<Taken>>,
): Promise<Record<Name, Taken[]>> {
  const names = Object.keys(contestants) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Taken[]>;
  for (let round = 1 - warmRounds; round <= rounds; round++) {
    for (const name of round % 2 === 1 ? names : names.toReversed()) {
      const sample = await contestants[name]();
      if (round >= 1) samples[name].push(sample);
    }
    if (round < 1) continue;
    const rates = names.map((name) => `${name} ${Math.round(samples[name].at(-1)!.perSecond).toLocaleString("en")}/s`);
    progress(`${what}, round ${round} of ${rounds}: ${rates.join(", ")}`);
  }
  return samples;
}
