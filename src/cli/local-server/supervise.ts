import type { Config, Environment } from "../../config/config.ts";
import { Log } from "../../platform/telemetry/log.ts";
import { openMachineSockets } from "../../server/worker-process/machine-sockets.ts";
import { Machine } from "./machine.ts";
import type { StopRequest } from "./stop-request.ts";

/**
 * Starts a primary, workers and a process for sandboxes, and replaces those that end. This process opens the listening
 * sockets and runs no product code, so that it does not end itself, and need not be replaced in an upgrade. Returns the
 * exit code.
 */
export async function supervise(config: Config, environment: Environment, stop: StopRequest): Promise<number> {
  const log = new Log({
    level: config.logLevel,
    readable: process.stdout.isTTY === true,
    sink: { write: (text) => process.stdout.write(text) },
  });
  const logged = (level: "info" | "warn") => (message: string, fields: Record<string, unknown>) => {
    log[level](message, fields);
    log.flush();
  };
  const sockets = await openMachineSockets(config);
  const machine = new Machine(sockets, {
    count: config.workers,
    environment,
    info: logged("info"),
    warn: logged("warn"),
  });
  try {
    // A signal may arrive before the primary, which prints "listening", reports to this process that it is ready.
    const isRunning = await Promise.race([machine.start(), stop.received.then(() => true)]);
    // The child process has written the reason to stderr.
    if (!isRunning) return 1;
    // A terminal that is closed sends it too.
    if (!process.stdout.isTTY) process.on("SIGHUP", () => void machine.upgrade());
    await stop.received;
    await stop.drain(config.drainSeconds, () => machine.drain());
    return 0;
  } finally {
    await machine.stop();
    sockets.close();
  }
}
