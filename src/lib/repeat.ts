export interface Repetition {
  /** Resolves once the run in progress has finished. */
  stop(): Promise<void>;
}

/** The signal aborts when the repetition stops: long work should check it between steps. */
type Work = (signal: AbortSignal) => Promise<void>;

/** Runs the work periodically, never concurrently. A failure is reported and retried at the next interval. */
export function repeat(seconds: number, work: Work, failed: (error: unknown) => void): Repetition {
  return start(seconds, work, failed).repetition;
}

/** The same with an immediate first run. */
export function repeatFromNow(seconds: number, work: Work, failed: (error: unknown) => void): Repetition {
  const { repetition, run } = start(seconds, work, failed);
  run();
  return repetition;
}

function start(seconds: number, work: Work, failed: (error: unknown) => void) {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  const run = () => {
    running ??= work(stopping.signal)
      .catch(failed)
      .finally(() => {
        running = undefined;
      });
  };
  const timer = setInterval(run, seconds * 1000);
  const repetition: Repetition = {
    async stop() {
      stopping.abort();
      clearInterval(timer);
      await running;
    },
  };
  return { repetition, run };
}
