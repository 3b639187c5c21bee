/** Long enough for the first page to have its data. */
const delayMilliseconds = 3000;

/** Loads code that may be needed after the first page is complete. Returns a function that cancels it. */
export function loadLater(load: () => Promise<unknown>): () => void {
  const timer = setTimeout(() => load().catch(() => {}), delayMilliseconds);
  return () => clearTimeout(timer);
}
