import { type Repetition, repeat } from "../../../lib/tasks/repeat.ts";
import { type Clock, systemClock } from "../../../lib/time/clock.ts";
import { type ClientLimits, HttpClient } from "../../../platform/http1/client/http-client.ts";
import { type Sandboxes, SandboxFailure, type SandboxOptions } from "../protocol.ts";
import { WorkerdSandbox } from "../sandbox.ts";
import { defaultLimits } from "../sandboxes.ts";
import { HostLink } from "./host-link.ts";
import type { SandboxUser, ToUser } from "./messages.ts";
import { RemoteRunner } from "./remote-runner.ts";

const watchSeconds = 0.25;

interface RemoteSandboxesOptions {
  /** The path of the host's socket. */
  path: string;
  user: SandboxUser;
  /** Limits of connections to sandboxes; unlimited by default. */
  calls?: ClientLimits | undefined;
  clock?: Clock;
  warn(error: unknown): void;
}

interface Use {
  sandbox: WorkerdSandbox;
  runner: RemoteRunner;
  onConsole: SandboxOptions["onConsole"];
}

/** Runs code in processes that belong to another one, the SandboxHost. */
export class RemoteSandboxes implements Sandboxes {
  readonly #link: HostLink;
  readonly #client: HttpClient;
  readonly #clock: Clock;
  readonly #uses = new Map<number, Use>();
  #lastUse = 0;
  #watch: Repetition | undefined;

  constructor(private readonly options: RemoteSandboxesOptions) {
    this.#clock = options.clock ?? systemClock;
    this.#client = new HttpClient(options.calls);
    this.#link = new HostLink({
      path: options.path,
      user: options.user,
      handle: (message) => this.#handle(message),
      onConnected: () => this.#restart(),
      onDisconnected: () => {
        const failure = new SandboxFailure("crashed", "The process that runs sandboxes ended unexpectedly");
        for (const { runner } of this.#uses.values()) runner.ended(failure);
      },
    });
  }

  async start({ onConsole, ...shared }: SandboxOptions): Promise<WorkerdSandbox> {
    this.#watch ??= repeat(watchSeconds, async () => this.#endLateRequests(), this.options.warn);
    this.#lastUse += 1;
    const use = this.#lastUse;
    const { id, code, environment } = shared;
    const runner = new RemoteRunner(this.#link, this.#client, use, { id, code, environment }, () =>
      this.#uses.delete(use),
    );
    const sandbox = new WorkerdSandbox(shared, defaultLimits, this.#clock, runner);
    this.#uses.set(use, { sandbox, runner, onConsole });
    try {
      await sandbox.start();
    } catch (error) {
      await runner.stop(0);
      throw error;
    }
    return sandbox;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#uses.values()].map(({ sandbox }) => sandbox.stop()));
    await this.#watch?.stop();
    this.#link.stop();
    this.#client.close();
  }

  #handle(message: ToUser): unknown {
    const use = this.#uses.get(message[1]);
    switch (message[0]) {
      case "console":
        return use?.onConsole(message[2]);
      case "ended": {
        const [, , socket, { reason, message: text }] = message;
        return use?.runner.ended(new SandboxFailure(reason, text), socket);
      }
      case "idle": {
        // JSON has no infinity.
        const milliseconds = use?.sandbox.idleMilliseconds ?? Number.MAX_SAFE_INTEGER;
        if (milliseconds >= message[2]) use?.runner.forget();
        return milliseconds;
      }
    }
  }

  /** Starts what ran when the host ended, so that the next request does not wait. */
  #restart(): void {
    for (const { runner } of this.#uses.values()) if (runner.wasRunning) void runner.start().catch(() => {});
  }

  #endLateRequests(): void {
    for (const { sandbox } of this.#uses.values()) sandbox.endLateRequests();
  }
}
