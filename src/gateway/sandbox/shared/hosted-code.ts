import type { Clock } from "../../../lib/time/clock.ts";
import { RemoteTimeout } from "../../../platform/processes/message-channel.ts";
import type { CodeProcess } from "../code-process.ts";
import { type ConsoleLine, SandboxFailure } from "../protocol.ts";
import type { WorkerdProcess } from "../workerd-process.ts";
import type { EncodedFailure, StartResponse, ToUser } from "./messages.ts";

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
