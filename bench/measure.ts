import { runForJson } from "./child-process.ts";
import type { LoadPlan, LoadResult } from "./load-plan.ts";
import { progress } from "./progress.ts";
import { median } from "./table.ts";

/** Runs a load in a process of its own. An answer that is not 2xx fails the benchmark: errors are often fast. */
export async function load(plan: LoadPlan): Promise<LoadResult> {
  const result = await runForJson<LoadResult>("bench/load.ts", [JSON.stringify(plan)]);
  if (result.non2xx > 0) throw new Error(`${result.non2xx} of ${result.requests} answers to ${plan.path} were not 2xx`);
  if (result.requests === 0) throw new Error(`nothing was answered on ${plan.path}`);
  return result;
}

export interface Comparison {
  readonly ratios: number[];
  readonly ratio: number;
  readonly ours: number;
  readonly theirs: number;
}

/**
 * Measures two things in turns, and takes the median of the ratios of neighbouring turns: what else the
 * machine does then weighs on both sides alike. Which side starts alternates too.
 */
export async function alternate(
  name: string,
  rounds: number,
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
): Promise<Comparison> {
  const pairs: { ours: number; theirs: number }[] = [];
  for (let round = 1; round <= rounds; round++) {
    const oursFirst = round % 2 === 1;
    const first = await (oursFirst ? ours() : theirs());
    const second = await (oursFirst ? theirs() : ours());
    const pair = oursFirst ? { ours: first, theirs: second } : { ours: second, theirs: first };
    pairs.push(pair);
    const figures = `${pair.ours.toFixed(0)} against ${pair.theirs.toFixed(0)}`;
    progress(`${name}: round ${round} of ${rounds}: ${(pair.ours / pair.theirs).toFixed(2)} (${figures})`);
  }
  const ratios = pairs.map((pair) => pair.ours / pair.theirs);
  return {
    ratios,
    ratio: median(ratios),
    ours: median(pairs.map((pair) => pair.ours)),
    theirs: median(pairs.map((pair) => pair.theirs)),
  };
}
