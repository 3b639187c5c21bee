/** Of work that takes some ten microseconds each: about as long as others may wait for their turn. */
export const pieceSize = 500;

/** Lets the event loop serve everybody who waits; between two pieces of work that would hold it up. */
export function otherTurns(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
