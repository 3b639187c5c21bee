export interface Repetition {
  /** Resolves when no run is under way any more. */
  stop(): Promise<void>;
}

/** The signal is aborted when the repetition stops: work that takes long looks at it between two steps. */
type Work = (signal: AbortSignal) => Promise<void>;

/** Runs the work every so often, never twice at once. A failure is reported and the next turn tries again. */
export function repeat(seconds: number, work: Work, failed: (error: unknown) => void): Repetition {
  return start(seconds, work, failed).repetition;
}

/** The same, and for the first time at once. */
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
