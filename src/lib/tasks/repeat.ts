import { machineTime } from "../time/machine-time.ts";

export interface Repetition {
  /**
   * Runs the work now, or after the run in progress, which may not have seen what the caller did before. Resolves at the
   * end of that run. A failure is reported as always.
   */
  run(): Promise<void>;
  /** Resolves once the run in progress has finished. */
  stop(): Promise<void>;
}

/** The signal aborts when the repetition stops. Long work should check it between steps. */
type Work = (signal: AbortSignal) => Promise<void>;

/** Longer intervals are not aligned: rare work need not run at the same time in all processes. */
const maxAlignedMilliseconds = 1000;

/**
 * Runs the work periodically, never concurrently; the first time after `firstSeconds`. A failure is reported and retried
 * at the next interval. Intervals of up to a second end at multiples of their length, in all processes of the machine:
 * what they send and write at the same time costs fewer wake-ups, messages and commits.
 */
export function repeat(
  seconds: number,
  work: Work,
  failed: (error: unknown) => void,
  firstSeconds = seconds,
): Repetition {
  const stopping = new AbortController();
  const milliseconds = seconds * 1000;
  let running: Promise<void> | undefined;
  const begin = (): Promise<void> => {
    running ??= work(stopping.signal)
      .catch(failed)
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  let due = machineTime() + firstSeconds * 1000;
  if (firstSeconds === seconds) due = aligned(due, milliseconds);
  const wait = () => setTimeout(next, Math.max(0, due - machineTime()));
  let timer = wait();
  function next(): void {
    // A timer may end early, so the last multiple may be that of the interval before.
    due = aligned(Math.max(due, machineTime()), milliseconds) + milliseconds;
    timer = wait();
    void begin();
  }
  return {
    run: () => (running ? running.then(() => (stopping.signal.aborted ? undefined : begin())) : begin()),
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}

/** Returns the last multiple of a short interval. */
function aligned(time: number, milliseconds: number): number {
  return milliseconds <= maxAlignedMilliseconds ? Math.floor(time / milliseconds) * milliseconds : time;
}

/** The same with an immediate first run. */
export function repeatFromNow(seconds: number, work: Work, failed: (error: unknown) => void): Repetition {
  const repetition = repeat(seconds, work, failed);
  void repetition.run();
  return repetition;
}
