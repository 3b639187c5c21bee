import { createHash } from "node:crypto";
import type { RunningAlias, RunningTarget } from "./running-models.ts";

/**
 * Targets of an alias in the order in which they are tried: those with the lowest priority first. Within one, a
 * consumer keeps its target, because providers cache prompts; the weights are the shares of consumers.
 */
export function targetsFor(
  { hasChoice }: RunningAlias,
  targets: readonly RunningTarget[],
  consumer: string,
): readonly RunningTarget[] {
  if (!hasChoice) return targets;
  const scores = new Map(targets.map((target) => [target, scoreOf(target, consumer)]));
  return [...targets].sort((one, other) => one.priority - other.priority || scores.get(other)! - scores.get(one)!);
}

/** Rendezvous hashing with weights: a target that is added or removed moves only its own share. */
function scoreOf({ key, weight }: RunningTarget, consumer: string): number {
  const hash = createHash("sha256").update(`${key}\n${consumer}`).digest().readUInt32BE(0);
  return -weight / Math.log((hash + 0.5) / 2 ** 32);
}
