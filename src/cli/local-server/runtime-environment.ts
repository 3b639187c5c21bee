import { isCompiled } from "../../lib/files/program-beside.ts";
import runtimeEnvironment from "./runtime-environment.json" with { type: "json" };

/**
 * Restarts the compiled program in the same process with the variables that `bin/tollgate.js` sets, because Bun reads
 * them only at start. Does nothing if all of them are set, or if the launcher started Tollgate from source.
 */
export function useRuntimeEnvironment(environment: Record<string, string | undefined>): void {
  const isSet = Object.keys(runtimeEnvironment).every((name) => environment[name] !== undefined);
  if (!isCompiled || isSet || !process.execve) return;
  try {
    process.execve(process.execPath, [process.argv0, ...process.argv.slice(2)], {
      ...runtimeEnvironment,
      ...environment,
    });
  } catch {
    // The variables only save CPU time, so a failure does not prevent the start.
  }
}
