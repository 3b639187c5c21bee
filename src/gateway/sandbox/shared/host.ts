import { type Clock, systemClock } from "../../../lib/time/clock.ts";
import { MessageChannel, RemoteTimeout } from "../../../platform/processes/message-channel.ts";
import type { CodeProcess } from "../code-process.ts";
import { type ConsoleLine, SandboxFailure } from "../protocol.ts";
import { defaultLimits, type SandboxesOptions, type SandboxLimits } from "../sandboxes.ts";
import type { WorkerdProcess } from "../workerd-process.ts";
import { WorkerdProcesses } from "../workerd-processes.ts";
import type { EncodedFailure, SandboxUser, SharedCode, StartResponse, ToHost, ToUser } from "./messages.ts";

/** How long to wait for a process that uses code. */
const userMilliseconds = 5_000;

interface HostOptions extends SandboxesOptions {
  release: string;
  /** Called when this process must be replaced, because the primary has another release. */
  onOtherRelease(): void;
}

/**
 * Runs the code of versions for other processes, which send requests to it directly. A process that ends does not end
 * the code that it uses: its successor finds it running.
 */
export class SandboxHost {
  readonly #limits: SandboxLimits;
  readonly #clock: Clock;
  readonly #processes: WorkerdProcesses;
  readonly #codes = new Map<string, HostedCode>();
  /** Code that has no uses any more and is about to end. */
  readonly #stopping = new Set<Promise<void>>();
  readonly #channels = new Set<MessageChannel>();
  #onUnused = () => {};
  #listener: Bun.SocketListener<MessageChannel> | undefined;

  constructor(private readonly options: HostOptions) {
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#clock = options.clock ?? systemClock;
    this.#processes = new WorkerdProcesses({ ...options, limits: this.#limits, onWatch: () => this.#watch() });
  }

  /** Accepts users from a listening socket. */
  listen(descriptor: number): void {
    // Bun's types lack the option.
    const options = {
      fd: descriptor,
      socket: { ...MessageChannel.handlers, open: (socket: Bun.Socket<MessageChannel>) => this.#accept(socket) },
    };
    this.#listener = Bun.listen(options as unknown as Bun.UnixSocketOptions<MessageChannel>);
  }

  /** Resolves when no process is connected. */
  unused(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onUnused = resolve;
    if (this.#channels.size === 0) resolve();
    return promise;
  }

  async stop(): Promise<void> {
    this.#listener?.stop();
    for (const code of [...this.#codes.values()]) void this.#end(code, this.#limits.stopSeconds * 1000);
    await Promise.all(this.#stopping);
    for (const channel of [...this.#channels]) channel.close();
    this.#listener?.stop(true);
    await this.#processes.stop();
  }

  #accept(socket: Bun.Socket<MessageChannel>): void {
    const uses = new Map<number, HostedCode>();
    const user: User = {
      send: (message: ToUser) => channel.notify(message),
      ask: (message: ToUser) => channel.request(message, userMilliseconds),
    };
    let isKnown = false;
    const channel: MessageChannel = new MessageChannel({
      handle: (message) => {
        const known = message as ToHost;
        if (known[0] === "hello") {
          isKnown = this.#isSameRelease(known[1]);
          return isKnown;
        }
        if (!isKnown) throw new Error("The process has another release.");
        const [, use] = known;
        if (known[0] === "start") return this.#start(user, use, known[2], uses);
        const code = uses.get(use);
        uses.delete(use);
        return code && this.#endUse(code, user, use, known[2]);
      },
      onClose: () => {
        this.#channels.delete(channel);
        // The process that replaces this user may need the code, so it runs until it has been idle.
        for (const [use, code] of uses) code.remove(user, use);
        if (this.#channels.size === 0) this.#onUnused();
      },
    });
    this.#channels.add(channel);
    socket.data = channel;
    channel.opened(socket);
  }

  #isSameRelease({ release, isPrimary }: SandboxUser): boolean {
    if (release === this.options.release) return true;
    if (isPrimary) this.options.onOtherRelease();
    return false;
  }

  async #start(user: User, use: number, shared: SharedCode, uses: Map<number, HostedCode>): Promise<StartResponse> {
    let code = uses.get(use) ?? this.#codes.get(shared.id);
    if (!code) {
      code = this.#newCode(shared);
      this.#codes.set(shared.id, code);
    }
    uses.set(use, code);
    code.add(user, use);
    return code.start();
  }

  #newCode(shared: SharedCode): HostedCode {
    const code: HostedCode = new HostedCode(shared.id, this.#clock, (onConsole) =>
      this.#processes.keep({ ...shared, onConsole }, () => {}),
    );
    return code;
  }

  async #endUse(code: HostedCode, user: User, use: number, milliseconds: number): Promise<null> {
    code.remove(user, use);
    if (!code.isUsed) await this.#end(code, milliseconds);
    return null;
  }

  async #end(code: HostedCode, milliseconds: number): Promise<void> {
    // The next user starts another process.
    if (this.#codes.get(code.id) === code) this.#codes.delete(code.id);
    const stopping = code.process.stop(milliseconds);
    this.#stopping.add(stopping);
    await stopping;
    this.#stopping.delete(stopping);
  }

  #watch(): void {
    const least = this.#limits.idleSeconds * 1000;
    for (const code of this.#codes.values()) {
      if (this.#clock.now() - code.lastUse < least) continue;
      if (code.isUsed) void code.retireIfIdle(least);
      else void this.#end(code, this.#limits.stopSeconds * 1000);
    }
  }
}

/** A connected process. */
export interface User {
  send(message: ToUser): void;
  ask(message: ToUser): Promise<unknown>;
}

/** The code of a version, and the processes that use it. */
export class HostedCode {
  readonly process: CodeProcess;
  /** The last time at which a user is known to have used it. */
  lastUse: number;
  #uses: { user: User; use: number }[] = [];
  #isAsking = false;

  constructor(
    readonly id: string,
    private readonly clock: Clock,
    keep: (onConsole: (line: ConsoleLine) => void) => CodeProcess,
  ) {
    this.lastUse = clock.now();
    // To one user: each writes to the same log.
    this.process = keep((line) => this.#uses[0]?.user.send(["console", this.#uses[0].use, line]));
  }

  get isUsed(): boolean {
    return this.#uses.length > 0;
  }

  add(user: User, use: number): void {
    this.lastUse = this.clock.now();
    if (!this.#uses.some((each) => each.user === user && each.use === use)) this.#uses.push({ user, use });
  }

  remove(user: User, use: number): void {
    this.#uses = this.#uses.filter((each) => each.user !== user || each.use !== use);
  }

  async start(): Promise<StartResponse> {
    try {
      const { current } = this.process;
      const process = current?.isOver === false ? current : await this.process.start();
      this.#follow(process);
      return { socket: process.connection.socket, processId: process.processId };
    } catch (error) {
      if (error instanceof SandboxFailure) return { failure: encoded(error) };
      throw error;
    }
  }

  /** Ends the process if all users agree that they have not used it for so long. */
  async retireIfIdle(leastMilliseconds: number): Promise<void> {
    if (this.#isAsking || !this.process.current) return;
    this.#isAsking = true;
    const { lastUse } = this;
    const idle = await Promise.all(
      this.#uses.map(({ user, use }) =>
        // A process that has ended does not use it. One that does not respond may.
        user
          .ask(["idle", use, leastMilliseconds])
          .then(Number, (error: unknown) => (error instanceof RemoteTimeout ? 0 : Number.POSITIVE_INFINITY)),
      ),
    );
    this.#isAsking = false;
    // A user has started it again in the meantime.
    if (this.lastUse !== lastUse) return;
    const shortest = Math.min(...idle);
    if (shortest >= leastMilliseconds) this.process.retire();
    else this.lastUse = this.clock.now() - shortest;
  }

  readonly #followed = new WeakSet<WorkerdProcess>();

  #follow(process: WorkerdProcess): void {
    if (this.#followed.has(process)) return;
    this.#followed.add(process);
    void process.ended.then((failure) => {
      const { socket } = process.connection;
      for (const { user, use } of this.#uses) user.send(["ended", use, socket, encoded(failure)]);
    });
  }
}

function encoded({ reason, message }: SandboxFailure): EncodedFailure {
  return { reason, message };
}
