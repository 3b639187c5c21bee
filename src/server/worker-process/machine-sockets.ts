import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import {
  closeDescriptor,
  type ListeningSocket,
  type ListenOptions,
  listenTcp,
  listenUnix,
} from "../../platform/processes/listening-sockets.ts";
import type { ListenerSockets } from "../listeners.ts";
import type { PrimaryPaths } from "./worker.ts";

/**
 * All listening sockets of the machine. One process opens them and passes their descriptors on, so that connections
 * wait in their queues while a process restarts.
 */
export interface MachineSockets {
  /** For workers. */
  public: ListenerSockets;
  /** For the primary: the sockets at which workers forward requests, each with the public port. */
  forwarded: ListenerSockets;
  /** For the primary: the socket at which workers connect. */
  channel: number;
  /** For workers. */
  paths: Omit<PrimaryPaths, "sandboxes">;
  /** Opens a socket for a process that runs sandboxes: during an upgrade there are two. */
  openSandboxes(): SandboxSocket;
  /**
   * Closes this process's copies of the public sockets: as soon as the workers close theirs, connections are refused.
   * Otherwise they would wait for a worker that does not come.
   */
  closePublic(): void;
  close(): void;
}

export interface SandboxSocket {
  descriptor: number;
  path: string;
  close(): void;
}

type Addresses = Pick<Config, "host" | "port" | "gatewayListener" | "httpListener">;

export async function openMachineSockets(config: Addresses, options?: ListenOptions): Promise<MachineSockets> {
  const descriptors = new Set<number>();
  let sandboxes = 0;
  // Only its owner may enter it.
  const folder = mkdtempSync(join(tmpdir(), "tollgate-"));
  const closeAll = (closed: Iterable<number>) => {
    // The number of a closed descriptor may be that of another one soon.
    for (const descriptor of closed) if (descriptors.delete(descriptor)) closeDescriptor(descriptor);
  };
  const close = () => {
    closeAll(descriptors);
    rmSync(folder, { recursive: true, force: true });
  };
  const pathOf = (name: string) => join(folder, name);
  const unix = (name: string) => {
    const descriptor = listenUnix(pathOf(name));
    descriptors.add(descriptor);
    return descriptor;
  };
  try {
    const open = async (name: keyof ListenerSockets, address: { host: string; port: number } | undefined) => {
      if (!address) return undefined;
      const socket = await listenTcp(address.host, address.port, options);
      descriptors.add(socket.descriptor);
      return { name, socket, forwarded: { descriptor: unix(name), port: socket.port } };
    };
    const opened = [
      await open("main", config),
      await open("gateway", config.gatewayListener),
      await open("plain", config.httpListener),
    ].filter((each) => each !== undefined);
    const byName = <Value>(read: (each: (typeof opened)[number]) => Value) =>
      Object.fromEntries(opened.map((each) => [each.name, read(each)])) as { main: Value } & Partial<
        Record<keyof ListenerSockets, Value>
      >;
    return {
      public: byName(({ socket }): ListeningSocket => socket),
      forwarded: byName(({ forwarded }): ListeningSocket => forwarded),
      channel: unix("channel"),
      paths: { channel: pathOf("channel"), listeners: byName(({ name }) => pathOf(name)) },
      openSandboxes: () => {
        sandboxes += 1;
        const path = pathOf(`sandboxes-${sandboxes}`);
        const descriptor = listenUnix(path);
        return { descriptor, path, close: () => closeDescriptor(descriptor) };
      },
      closePublic: () => closeAll(opened.map(({ socket }) => socket.descriptor)),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}
