/** A result that took longer than this is reused for a while. Shorter than callers wait, so that each result is seen. */
const slowMilliseconds = 300;
/** How long a result is reused, as a multiple of the time that it took. */
const reuseFactor = 20;
const maxReuseMilliseconds = 5 * 60_000;

interface Entry<Result> {
  promise: Promise<Result>;
  /** The last result, which is returned while the next one is computed. */
  last: Result | undefined;
  /** Undefined while it is computed. */
  reusedUntil: number | undefined;
}

/**
 * Results by key that take long to compute for large accounts. A quick result is computed for each call. A slow one is
 * shared by concurrent calls and reused, so that reading it all the time costs at most a twentieth of the time.
 */
export class ReusedResults<Result> {
  readonly #entries = new Map<number, Entry<Result>>();

  /** Returns the result, or the last one or undefined if it takes longer than the given time to compute. */
  async get(key: number, compute: () => Promise<Result>, waitMilliseconds: number): Promise<Result | undefined> {
    const entry = this.#current(key) ?? this.#start(key, compute);
    const { promise, resolve } = Promise.withResolvers<Result | undefined>();
    const timer = setTimeout(() => resolve(entry.last), waitMilliseconds);
    try {
      return await Promise.race([entry.promise, promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  #current(key: number): Entry<Result> | undefined {
    const entry = this.#entries.get(key);
    const isOld = entry?.reusedUntil !== undefined && performance.now() >= entry.reusedUntil;
    return isOld ? undefined : entry;
  }

  #start(key: number, compute: () => Promise<Result>): Entry<Result> {
    const started = performance.now();
    const entry: Entry<Result> = {
      promise: compute(),
      last: this.#entries.get(key)?.last,
      reusedUntil: undefined,
    };
    this.#entries.set(key, entry);
    entry.promise.then(
      (result) => {
        const took = performance.now() - started;
        if (took <= slowMilliseconds) return this.#remove(key, entry);
        entry.last = result;
        entry.reusedUntil = performance.now() + Math.min(took * reuseFactor, maxReuseMilliseconds);
        setTimeout(() => this.#remove(key, entry), 2 * maxReuseMilliseconds).unref();
      },
      () => this.#remove(key, entry),
    );
    return entry;
  }

  #remove(key: number, entry: Entry<Result>): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
  }
}
