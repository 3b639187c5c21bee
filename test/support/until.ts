import { patiently } from "./slowdown.ts";

/**
 * Pauses become longer: a condition is often a request, and while a build or a page takes a second on a busy machine, two hundred of
 * them would take as much CPU time as what they wait for.
 */
export const firstPauseMs = 2;
const maxPauseMs = 60;
const pauseGrowth = 1.5;
export const nextPause = (pauseMs: number) => Math.min(pauseMs * pauseGrowth, maxPauseMs);

/** Long, because a busy machine is no failure; shorter than a test's timeout, so that the error names the condition. */
const patienceMs = patiently(50_000);

/**
 * Waits for another process, and fails after `withinMs`. Returns the result of `condition` as soon as it is neither
 * false, null nor undefined.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  { withinMs = patienceMs, what }: { withinMs?: number; what?: string | (() => string) } = {},
): Promise<NonNullable<T>> {
  const deadline = performance.now() + withinMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = nextPause(pauseMs)) {
    const response = await condition();
    if (response !== false && response !== null && response !== undefined) return response;
    if (performance.now() >= deadline)
      throw new Error(
        `Waited ${withinMs} ms for ${typeof what === "function" ? what() : (what ?? condition.toString())}`,
      );
    await Bun.sleep(pauseMs);
  }
}
