import type { TraceContext } from "./trace-context.ts";

/** The names of OTEL_TRACES_SAMPLER. */
export const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

export type SamplerName = (typeof samplers)[number];

export type Sampler = (traceId: string, parent: TraceContext | undefined) => boolean;

/** `ratio` is OTEL_TRACES_SAMPLER_ARG, from 0 to 1. */
export function samplerOf(name: SamplerName, ratio: number): Sampler {
  const isParentBased = name.startsWith("parentbased_");
  const root = rootSampler(isParentBased ? name.slice("parentbased_".length) : name, ratio);
  return (traceId, parent) => (isParentBased && parent ? parent.isSampled : root(traceId));
}

/** Based on the last 7 bytes of the trace id, so that every service makes the same decision for a trace. */
function rootSampler(name: string, ratio: number): (traceId: string) => boolean {
  if (name === "always_on") return () => true;
  if (name === "always_off") return () => false;
  const bound = ratio * 2 ** 52;
  return (traceId) => Number.parseInt(traceId.slice(-13), 16) < bound;
}
