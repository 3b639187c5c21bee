/** Items of about 10 µs each to process before yielding to the event loop. */
export const pieceSize = 500;

/** Yields to the event loop between two pieces of long work. */
export function otherTurns(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
