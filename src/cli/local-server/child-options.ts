import { mainFile } from "../../lib/files/entry-points.ts";
import { isCompiled } from "../../lib/files/program-beside.ts";
import type { ListenerSockets } from "../../server/listeners.ts";
import type { MachineSockets, SandboxSocket } from "../../server/worker-process/machine-sockets.ts";
import type { PrimaryPaths } from "../../server/worker-process/worker.ts";
import type { ChildWord } from "./child-words.ts";

/**
 * What a child process needs to know. Its descriptors are numbered from 3 on. The supervisor stays when the program is
 * upgraded, so the next release must accept the options of this one.
 */
export interface ChildOptions {
  /** For the primary and workers. */
  sockets?: ListenerSockets;
  /** For the primary: the descriptor of the socket at which workers connect. */
  channel?: number;
  isSuccessor?: boolean;
  /** For the process that runs sandboxes: the descriptor of its socket. */
  sandboxes?: number;
  /** For the primary and workers. */
  paths?: PrimaryPaths;
}

/** How a child process is started. */
export interface Child {
  command(isFirst: boolean): string[];
  descriptors: number[];
  /** How long it may take to start. */
  startMilliseconds?: number;
}

const firstDescriptor = 3;

export function sandboxProcess({ descriptor }: SandboxSocket): Child {
  return { command: () => commandOf("sandbox-process", { sandboxes: firstDescriptor }), descriptors: [descriptor] };
}

/** `isSuccessor` tells whether workers had another primary before its first process. */
export function primaryProcess(sockets: MachineSockets, sandboxes: SandboxSocket, isSuccessor: boolean): Child {
  const { passed, descriptors } = passedOn(sockets.forwarded);
  const paths = { ...sockets.paths, sandboxes: sandboxes.path };
  const options = { sockets: passed, channel: firstDescriptor + descriptors.length, paths };
  return {
    command: (isFirst) => commandOf("primary-process", { ...options, isSuccessor: isSuccessor || !isFirst }),
    descriptors: [...descriptors, sockets.channel],
    // Migrations take as long as they need; a primary that is killed meanwhile would begin them again.
    startMilliseconds: Number.POSITIVE_INFINITY,
  };
}

export function workerProcess(sockets: MachineSockets, sandboxes: SandboxSocket): Child {
  const { passed, descriptors } = passedOn(sockets.public);
  const paths = { ...sockets.paths, sandboxes: sandboxes.path };
  return { command: () => commandOf("worker-process", { sockets: passed, paths }), descriptors };
}

/** The program at the path of this one, which may be another release by now. */
export function programCommand(): string[] {
  return isCompiled ? [process.execPath] : [process.execPath, mainFile];
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
  return [...programCommand(), word, JSON.stringify(options)];
}
