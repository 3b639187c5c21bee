/** How often the server's state is read at first, and later. */
const soonMs = 2_000;
const laterMs = 30_000;
/** Two minutes. */
const soonReads = 60;

/** The delay before a payment that may have been made is looked for again. */
export function waitingMs(reads: number): number {
  return reads < soonReads ? soonMs : laterMs;
}
