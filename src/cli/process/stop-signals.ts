/** Ctrl-C arrives twice, from the terminal and from the launcher (`bin/tollgate.js`). Both count as one signal. */
const sameSignalMilliseconds = 500;

const lookMilliseconds = 1000;

/**
 * Calls `stop` with the first signal and `abandon` at a later one: a repeated signal means that the user does not want to
 * wait. Also stops, without a signal, if the launcher was killed, because an unattended server would keep its port and its data.
 */
export function onStopSignals(
  signals: readonly NodeJS.Signals[],
  stop: (signal: NodeJS.Signals | undefined) => void,
  abandon: () => void,
): void {
  let firstAt: number | undefined;
  for (const signal of signals)
    process.on(signal, () => {
      firstAt ??= performance.now();
      if (performance.now() - firstAt > sameSignalMilliseconds) abandon();
      else stop(signal);
    });
  if (Number(process.env.LAUNCHER_PID) !== process.ppid) return;
  const launcher = process.ppid;
  const looking = setInterval(() => {
    if (process.ppid === launcher) return;
    clearInterval(looking);
    stop(undefined);
  }, lookMilliseconds);
  looking.unref();
}
