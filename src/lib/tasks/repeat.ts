export interface Repetition {
  /** Runs the work now, unless it is running; resolves at the end of that run. A failure is reported as always. */
  run(): Promise<void>;
  /** Resolves once the run in progress has finished. */
  stop(): Promise<void>;
}

/** The signal aborts when the repetition stops. Long work should check it between steps. */
type Work = (signal: AbortSignal) => Promise<void>;

/**
 * Runs the work periodically, never concurrently; the first time after `firstSeconds`. A failure is reported and retried at the
 * next interval.
 */
export function repeat(
  seconds: number,
  work: Work,
  failed: (error: unknown) => void,
  firstSeconds = seconds,
): Repetition {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  const run = (): Promise<void> => {
    running ??= work(stopping.signal)
      .catch(failed)
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  let timer = setTimeout(() => {
    timer = setInterval(run, seconds * 1000);
    run();
  }, firstSeconds * 1000);
  return {
    run,
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}

/** The same with an immediate first run. */
export function repeatFromNow(seconds: number, work: Work, failed: (error: unknown) => void): Repetition {
  const repetition = repeat(seconds, work, failed);
  void repetition.run();
  return repetition;
}
