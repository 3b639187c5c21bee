import type { Sample } from "../sample.ts";
import type { MeasuredRow } from "./results.ts";

export interface Contestant {
  readonly name: string;
  readonly isOurs: boolean;
  readonly sample: Sample;
}

/** All contestants, grouped by the rounds that they shared (rows that share a side); ours first. */
export function groupContestants(rows: readonly MeasuredRow[]): Contestant[][] {
  const groups: Contestant[][] = [];
  for (const { what, against, againstOurselves = false, ours, theirs } of rows) {
    if (!ours || !theirs) continue;
    const pair = [
      { name: what, isOurs: true, sample: ours },
      { name: against, isOurs: againstOurselves, sample: theirs },
    ];
    const known = groups.find((group) => pair.some((contestant) => has(group, contestant)));
    if (known) known.push(...pair.filter((contestant) => !has(known, contestant)));
    else groups.push(pair);
  }
  return groups.map((group) => group.toSorted((one, other) => Number(other.isOurs) - Number(one.isOurs)));
}

/** The same name and figures: a rival that is measured again in other rounds is a separate contestant. */
function has(group: readonly Contestant[], { name, sample }: Contestant): boolean {
  return group.some((other) => other.name === name && other.sample.perSecond === sample.perSecond);
}
