import { exitCodes } from "./exit-codes.ts";
import { onStopSignals } from "./stop-signals.ts";

/** Aborts on Ctrl-C, SIGTERM or a closed terminal. Commands that follow a stream end this way, without a failure. */
export function onInterrupt(): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort();
  onStopSignals(["SIGINT", "SIGTERM", "SIGHUP"], abort, () => process.exit(exitCodes.interrupted));
  // The process that reads our output has exited: `tollgate deployments logs -f | head`.
  process.stdout.once("error", abort);
  return controller.signal;
}
