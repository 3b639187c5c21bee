/** Ctrl-C reaches a program from the terminal and once more from the one that started it (`bin/tollgate.js`): it is one. */
const sameSignalMilliseconds = 500;

/** Calls `stop` at the first signal, and `abandon` at a later one: whoever repeats it does not want to wait. */
export function onStopSignals(signals: readonly NodeJS.Signals[], stop: () => void, abandon: () => void): void {
  let firstAt: number | undefined;
  for (const signal of signals)
    process.on(signal, () => {
      firstAt ??= performance.now();
      if (performance.now() - firstAt > sameSignalMilliseconds) abandon();
      else stop();
    });
}
