const pauseMs = 5;
/** A busy machine is no failure; less than a test may take, so that it fails with what it waited for. */
const patienceMs = 50_000;

/**
 * Waits for what another process brings about, and fails after `withinMs`. The result of `condition` is
 * handed back as soon as it is neither false, null nor undefined.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  { withinMs = patienceMs, what }: { withinMs?: number; what?: string | (() => string) } = {},
): Promise<NonNullable<T>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const response = await condition();
    if (response !== false && response !== null && response !== undefined) return response;
    if (performance.now() >= deadline)
      throw new Error(
        `Waited ${withinMs} ms for ${typeof what === "function" ? what() : (what ?? condition.toString())}`,
      );
    await Bun.sleep(pauseMs);
  }
}
