/** Starts timers, injected so that tests decide when they end. */
export interface Timers {
  /** Calls back once after that time. Returns a function that cancels it. */
  start(milliseconds: number, callback: () => void): () => void;
}

export const systemTimers: Timers = {
  start(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};
