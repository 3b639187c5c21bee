/**
 * The average number of rows per second: at about 20 µs of CPU per row, a twentieth of the time. The pause depends on
 * the number of rows, not on the duration of the write: slow storage costs no CPU here, and a longer pause would only
 * leave more unwritten.
 */
const rowsPerSecond = 2_000;
const maxPauseSeconds = 30;

/** Lets a writer that is called every second pause after many rows. */
export class WritePace {
  /** The number of rows since the last write began. */
  #rows = 0;
  #pauseSeconds = 0;

  wrote(rows: number): void {
    this.#rows += rows;
  }

  /** Writes, or counts down a second of the pause. */
  async next(write: () => Promise<void>): Promise<void> {
    if (this.#pauseSeconds > 0) {
      this.#pauseSeconds -= 1;
      return;
    }
    this.#rows = 0;
    await write();
    this.#pauseSeconds = Math.min(Math.floor(this.#rows / rowsPerSecond), maxPauseSeconds - 1);
  }
}
