const pauseMs = 5;

/**
 * Waits for what another process brings about, and fails after `withinMs`. The result of `condition` is
 * handed back as soon as it is neither false, null nor undefined.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  options: { withinMs: number; what?: string | (() => string) },
): Promise<NonNullable<T>> {
  const deadline = performance.now() + options.withinMs;
  for (;;) {
    const response = await condition();
    if (response !== false && response !== null && response !== undefined) return response;
    if (performance.now() >= deadline) {
      const what = typeof options.what === "function" ? options.what() : (options.what ?? condition.toString());
      throw new Error(`Waited ${options.withinMs} ms in vain for ${what}`);
    }
    await Bun.sleep(pauseMs);
  }
}
