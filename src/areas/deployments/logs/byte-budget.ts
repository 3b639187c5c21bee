/** A clock that was set back by more than this is believed; less is only a line that comes late. */
const lateMilliseconds = 60_000;

/** A token bucket: so many bytes a second on average, and a burst of some more after a pause. */
export class ByteBudget {
  #left: number;
  #at = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly bytesPerSecond: number,
    private readonly burstBytes: number,
  ) {
    this.#left = burstBytes;
  }

  /** False if there is not that much left; then nothing was taken. */
  take(bytes: number, now: number): boolean {
    const elapsed = now - this.#at;
    if (elapsed > 0) this.#left = Math.min(this.burstBytes, this.#left + (elapsed / 1000) * this.bytesPerSecond);
    if (elapsed > 0 || elapsed < -lateMilliseconds) this.#at = now;
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }
}
