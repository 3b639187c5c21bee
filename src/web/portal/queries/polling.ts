/** How often the server's state is read at first, and later. */
const soonMs = 2_000;
const laterMs = 30_000;
/** Two minutes. */
const soonReads = 60;

/** After how long a payment that may have been made is looked for again, after so many reads. */
export function waitingMs(reads: number): number {
  return reads < soonReads ? soonMs : laterMs;
}
