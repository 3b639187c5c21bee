import { join } from "node:path";
import type { Config, Environment } from "../../config/config.ts";
import { isCompiled } from "../../lib/files/program-beside.ts";
import { SupervisedProcess } from "../../platform/processes/supervised-process.ts";
import { Log } from "../../platform/telemetry/log.ts";
import type { ListenerSockets } from "../../server/listeners.ts";
import { type MachineSockets, openMachineSockets } from "../../server/workers/machine-sockets.ts";
import type { ChildWord } from "./child-words.ts";

/** Maximum duration of a graceful stop of the workers, then of the primary, then of sandboxes. */
const workerPatienceMilliseconds = 20_000;
const primaryPatienceMilliseconds = 20_000;
const sandboxPatienceMilliseconds = 15_000;

/** What a child process needs to know. Its descriptors are numbered from 3 on. */
export interface ChildOptions {
  /** For the primary and workers. */
  sockets?: ListenerSockets;
  /** For the primary: the descriptor of the socket at which workers connect. */
  channel?: number;
  isSuccessor?: boolean;
  /** For the process that runs sandboxes: the descriptor of its socket. */
  sandboxes?: number;
  /** For the primary and workers. */
  paths?: MachineSockets["paths"];
}

const firstDescriptor = 3;

/**
 * Starts a primary, workers and a process for sandboxes, and replaces those that end. This process opens the listening sockets and runs no
 * product code, so that it does not end itself. Returns the exit code.
 */
export async function supervise(config: Config, environment: Environment, stopped: Promise<void>): Promise<number> {
  const log = new Log({
    level: config.logLevel,
    readable: process.stdout.isTTY === true,
    sink: { write: (text) => process.stdout.write(text) },
  });
  const warn = (message: string, fields: Record<string, unknown>) => {
    log.warn(message, fields);
    log.flush();
  };
  const sockets = await openMachineSockets(config);
  const shared = { environment, log: warn };
  const sandboxes = new SupervisedProcess({ ...shared, name: "sandboxes", ...sandboxProcess(sockets) });
  const primary = new SupervisedProcess({ ...shared, name: "primary", ...primaryProcess(sockets) });
  try {
    const hasStarted = await Promise.race([primary.firstReady, stopped.then(() => false)]);
    // It has explained why on its error stream.
    if (!hasStarted) return 1;
    const workers = Array.from(
      { length: config.workers },
      (_, index) => new SupervisedProcess({ ...shared, name: `worker ${index + 1}`, ...workerProcess(sockets) }),
    );
    await stopped;
    await Promise.all(workers.map((worker) => worker.stop(workerPatienceMilliseconds)));
    return 0;
  } finally {
    await primary.stop(primaryPatienceMilliseconds);
    await sandboxes.stop(sandboxPatienceMilliseconds);
    sockets.close();
  }
}

function sandboxProcess({ sandboxes }: MachineSockets) {
  return { command: () => commandOf("sandbox-process", { sandboxes: firstDescriptor }), descriptors: [sandboxes] };
}

function primaryProcess({ channel, forwarded, paths }: MachineSockets) {
  const { passed, descriptors } = passedOn(forwarded);
  const options = { sockets: passed, channel: firstDescriptor + descriptors.length, paths };
  return {
    command: (isFirst: boolean) => commandOf("primary-process", { ...options, isSuccessor: !isFirst }),
    descriptors: [...descriptors, channel],
  };
}

function workerProcess({ public: opened, paths }: MachineSockets) {
  const { passed, descriptors } = passedOn(opened);
  return { command: () => commandOf("worker-process", { sockets: passed, paths }), descriptors };
}

/** Returns the sockets with the numbers that their descriptors have in the child process. */
function passedOn(sockets: ListenerSockets): { passed: ListenerSockets; descriptors: number[] } {
  const named = Object.entries(sockets);
  const passed = named.map(([name, { port }], index) => [name, { descriptor: firstDescriptor + index, port }]);
  return {
    passed: Object.fromEntries(passed) as ListenerSockets,
    descriptors: named.map(([, { descriptor }]) => descriptor),
  };
}

function commandOf(word: ChildWord, options: ChildOptions): string[] {
  const program = isCompiled ? [] : [join(import.meta.dir, "../../main.ts")];
  return [process.execPath, ...program, word, JSON.stringify(options)];
}
