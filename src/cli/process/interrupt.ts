import { exitCodes } from "./exit-codes.ts";
import { onStopSignals } from "./stop-signals.ts";

/** Aborts with Ctrl-C, SIGTERM or a terminal that is closed: what follows something without end is ended by that, and it is no failure. */
export function onInterrupt(): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort();
  onStopSignals(["SIGINT", "SIGTERM", "SIGHUP"], abort, () => process.exit(exitCodes.interrupted));
  // The reader of our output has exited: `tollgate deployments logs -f | head`.
  process.stdout.once("error", abort);
  return controller.signal;
}
