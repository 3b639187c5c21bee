/** The browser's clock: the only place that reads it. */
export function now(): number {
  return Date.now();
}
