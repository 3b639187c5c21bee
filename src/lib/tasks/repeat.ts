export interface Repetition {
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
  return start(seconds, work, failed, firstSeconds).repetition;
}

/** The same with an immediate first run. */
export function repeatFromNow(seconds: number, work: Work, failed: (error: unknown) => void): Repetition {
  const { repetition, run } = start(seconds, work, failed, seconds);
  run();
  return repetition;
}

function start(seconds: number, work: Work, failed: (error: unknown) => void, firstSeconds: number) {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  const run = () => {
    running ??= work(stopping.signal)
      .catch(failed)
      .finally(() => {
        running = undefined;
      });
  };
  let timer = setTimeout(() => {
    timer = setInterval(run, seconds * 1000);
    run();
  }, firstSeconds * 1000);
  const repetition: Repetition = {
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
  return { repetition, run };
}
