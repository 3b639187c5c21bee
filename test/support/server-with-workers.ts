import type { Config } from "../../src/config/config.ts";
import {
  duplicateDescriptor,
  type ListeningSocket,
  listenTcp,
} from "../../src/platform/processes/listening-sockets.ts";
import { Log } from "../../src/platform/telemetry/log.ts";
import type { ListenerSockets } from "../../src/server/listeners.ts";
import { type Server, type ServerOptions, startServer } from "../../src/server/server.ts";
import { openMachineSockets } from "../../src/server/worker-process/machine-sockets.ts";
import { startSandboxes } from "../../src/server/worker-process/sandbox-process.ts";
import { startWorker, type Worker } from "../../src/server/worker-process/worker.ts";

/** The number of workers of servers that are created now, see CONTRIBUTING.md. */
export function testedWorkers(): number {
  return Number(process.env.TOLLGATE_TEST_WORKERS ?? 0);
}

/** Registers the tests of a file once more, with servers that have two workers. */
export async function testsWithWorkers(path: string): Promise<void> {
  const before = process.env.TOLLGATE_TEST_WORKERS;
  process.env.TOLLGATE_TEST_WORKERS = "2";
  // The query makes it another module: without it, a process that has run the file would not run it again.
  await import(`${path}?with-workers`);
  if (before === undefined) delete process.env.TOLLGATE_TEST_WORKERS;
  else process.env.TOLLGATE_TEST_WORKERS = before;
}

/**
 * A primary and workers that share this process, its clock and its log, and nothing else: they talk over the same
 * sockets as processes do.
 */
export async function startWithWorkers(configured: Config, options: ServerOptions, count: number): Promise<Server> {
  const config = { ...configured, workers: count };
  const sockets = await openMachineSockets(config, { sharesPort: true });
  const workers: Worker[] = [];
  const newLog = () => new Log({ level: config.logLevel, readable: false, sink: options.log! });
  const clock = options.clock && { clock: options.clock };
  const sandboxSocket = sockets.openSandboxes();
  const sandboxes = startSandboxes(config, {
    ...clock,
    log: newLog(),
    descriptor: sandboxSocket.descriptor,
    onStop: () => {},
  });
  let server: Server | undefined;
  const stop = async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await server?.stop();
    await sandboxes.stop();
    sockets.close();
  };
  try {
    const { channel, forwarded } = sockets;
    const primary = {
      channel: duplicateDescriptor(channel),
      sockets: copyOf(forwarded),
      sandboxes: sandboxSocket.path,
      isSuccessor: false,
    };
    server = await startServer(config, { ...options, primary });
    for (let index = 0; index < count; index++) {
      workers.push(
        await startWorker(config, {
          ...clock,
          ...(options.hostAliases && { hostAliases: options.hostAliases }),
          log: newLog(),
          // A socket for each: in one event loop, one listener would get all connections of a shared one.
          sockets: index === 0 ? copyOf(sockets.public) : await openedAgain(config, sockets.public),
          primary: { ...sockets.paths, sandboxes: sandboxSocket.path },
          onStop: () => {},
        }),
      );
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...server, stop };
}

async function openedAgain(config: Config, { main, gateway, plain }: ListenerSockets): Promise<ListenerSockets> {
  const open = (socket: ListeningSocket | undefined, host: string | undefined) =>
    socket && listenTcp(host!, socket.port, { sharesPort: true });
  return {
    main: (await open(main, config.host))!,
    gateway: await open(gateway, config.gatewayListener?.host),
    plain: await open(plain, config.httpListener?.host),
  };
}

/** Every listener closes its own descriptor. */
function copyOf(sockets: ListenerSockets): ListenerSockets {
  return Object.fromEntries(
    Object.entries(sockets).map(([name, { descriptor, port }]) => [
      name,
      { descriptor: duplicateDescriptor(descriptor), port },
    ]),
  ) as unknown as ListenerSockets;
}
