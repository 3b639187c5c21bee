export interface Repetition {
  /** Resolves when no run is under way any more. */
  stop(): Promise<void>;
}

/** Runs the work every so often, never twice at once. A failure is reported and the next turn tries again. */
export function repeat(seconds: number, work: () => Promise<void>, failed: (error: unknown) => void): Repetition {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= work()
      .catch(failed)
      .finally(() => {
        running = undefined;
      });
  }, seconds * 1000);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
