/** If the clock goes back by more than this, it was set back; less is only a line that arrives late. */
const lateMilliseconds = 60_000;

/** A token bucket: a number of bytes per second on average, and a burst after a pause. */
export class ByteBudget {
  #left: number;
  #at = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly bytesPerSecond: number,
    private readonly burstBytes: number,
  ) {
    this.#left = burstBytes;
  }

  /** Returns false if not enough is left; then nothing is taken. */
  take(bytes: number, now: number): boolean {
    const elapsed = now - this.#at;
    if (elapsed > 0) this.#left = Math.min(this.burstBytes, this.#left + (elapsed / 1000) * this.bytesPerSecond);
    if (elapsed > 0 || elapsed < -lateMilliseconds) this.#at = now;
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }
}
