import { type Config, type Environment, readConfig } from "../../config/config.ts";
import { SupervisorConnection } from "../../platform/processes/supervisor-connection.ts";
import { Log } from "../../platform/telemetry/log.ts";
import type { Server } from "../../server/server.ts";
import { builderCommand } from "./builder-command.ts";
import type { ChildOptions } from "./child-options.ts";
import type { ChildWord } from "./child-words.ts";
import { explainFailedStart } from "./failed-start.ts";
import { announce } from "./serve.ts";

const readableLog = process.stdout.isTTY === true;

/**
 * How long a process waits, if the supervisor has ended, for the processes that use it: the primary for the workers, and
 * sandboxes for the primary too.
 */
const patienceMilliseconds: Record<ChildWord, number> = {
  "worker-process": 0,
  "primary-process": 20_000,
  "sandbox-process": 40_000,
};

/** A process that has started. */
interface Started {
  stop(): Promise<void>;
  hold?(): Promise<void>;
  forward?(): void;
  drain?(): void;
  /** Resolves when no other process is connected to this one. */
  unused?(): Promise<void>;
}

/** Runs this process as the primary, a worker or the process for sandboxes until the supervisor stops it. Returns the exit code. */
export async function runChild(word: ChildWord, encoded: string, environment: Environment): Promise<number> {
  const supervisor = new SupervisorConnection();
  let config: Config | undefined;
  let started: Started;
  try {
    config = perProcess(readConfig(environment));
    const options = JSON.parse(encoded) as ChildOptions;
    started = await starts[word](config, options);
  } catch (error) {
    process.stderr.write(`${explainFailedStart(error, config)}\n`);
    return 1;
  }
  supervisor.onOrder = async (message) => {
    if (message === "hold") await started.hold?.();
    else if (message === "forward") started.forward?.();
  };
  supervisor.onDrain = () => started.drain?.();
  supervisor.ready();
  if ((await supervisor.stopped) === "supervisor ended") {
    const log = openLog(config);
    log.warn("the supervisor has ended, so the process stops", { process: word });
    log.flush();
    // In the same order as the supervisor stops them: workers finish requests with the primary, and send it their counts.
    if (started.unused) await Promise.race([started.unused(), Bun.sleep(patienceMilliseconds[word])]);
  }
  await started.stop();
  return 0;
}

/** The memory for caches is that of the machine. */
function perProcess(config: Config): Config {
  return { ...config, cacheMegabytes: Math.max(1, Math.floor(config.cacheMegabytes / (config.workers + 1))) };
}

async function startPrimary(
  config: Config,
  { sockets, channel, paths, isSuccessor = false }: ChildOptions,
): Promise<Server> {
  const { startServer } = await import("../../server/server.ts");
  const primary = { channel: channel!, sockets: sockets!, sandboxes: paths!.sandboxes, isSuccessor };
  const server = await startServer(config, { readableLog, builderCommand, primary });
  announce(server);
  return server;
}

async function startWorkerProcess(config: Config, { sockets, paths }: ChildOptions) {
  const { startWorker } = await import("../../server/worker-process/worker.ts");
  const log = openLog(config);
  return startWorker(config, { log, sockets: sockets!, primary: paths!, onStop: exitBecause(log) });
}

async function startSandboxProcess(config: Config, { sandboxes }: ChildOptions) {
  const { startSandboxes } = await import("../../server/worker-process/sandbox-process.ts");
  const log = openLog(config);
  return startSandboxes(config, { log, descriptor: sandboxes!, onStop: exitBecause(log) });
}

const starts = {
  "primary-process": startPrimary,
  "worker-process": startWorkerProcess,
  "sandbox-process": startSandboxProcess,
} satisfies Record<ChildWord, unknown>;

function openLog(config: Config): Log {
  const sink = { write: (text: string) => process.stdout.write(text) };
  return new Log({ level: config.logLevel, readable: readableLog, sink });
}

/** The supervisor starts another process. */
function exitBecause(log: Log): (reason: string) => void {
  return (reason) => {
    log.warn("the process ends", { reason });
    log.flush();
    process.exit(1);
  };
}
