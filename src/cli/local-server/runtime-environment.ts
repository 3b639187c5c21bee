import { isCompiled } from "../../lib/files/program-beside.ts";
import runtimeEnvironment from "./runtime-environment.json" with { type: "json" };

/**
 * Starts the built program again, as the same process, with what `bin/tollgate.js` sets for Bun's runtime, which reads it only as it
 * starts. Does nothing where all of it is set, or where the launcher started Tollgate from source.
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
    // It saves CPU time, and a server without it is better than none.
  }
}
