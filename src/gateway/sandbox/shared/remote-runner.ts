import { createHash } from "node:crypto";
import type { HttpClient } from "../../../platform/http1/client/http-client.ts";
import { CodeConnection } from "../code-connection.ts";
import type { CodeRunner, RunningCode } from "../code-runner.ts";
import { SandboxFailure } from "../protocol.ts";
import type { HostLink } from "./host-link.ts";
import type { SharedCode, StartResponse } from "./messages.ts";

/** How long a start waits for a host. */
const patienceMilliseconds = 20_000;

class RemoteCode implements RunningCode {
  isOver = false;
  readonly #ended = Promise.withResolvers<SandboxFailure>();
  readonly ended = this.#ended.promise;

  constructor(
    readonly connection: CodeConnection,
    readonly processId: number,
  ) {}

  end(failure: SandboxFailure): void {
    this.isOver = true;
    this.#ended.resolve(failure);
  }
}

/** Runs code in a process of the SandboxHost. */
export class RemoteRunner implements CodeRunner {
  #current: RemoteCode | undefined;
  /** Processes that have not ended; requests of idle ones may still stream. */
  readonly #codes = new Set<RemoteCode>();
  #starting: Promise<RemoteCode> | undefined;
  #isStopped = false;
  /** Whether the process ran until the host ended. */
  wasRunning = false;

  constructor(
    private readonly link: HostLink,
    private readonly client: HttpClient,
    private readonly use: number,
    private readonly shared: SharedCode,
    private readonly onStopped: () => void,
  ) {}

  get current(): RemoteCode | undefined {
    return this.#current;
  }

  get processIds(): number[] {
    return [...this.#codes].map(({ processId }) => processId);
  }

  environmentId(environment: Record<string, string>): string {
    return createHash("sha256").update(JSON.stringify(environment)).digest("base64url").slice(0, 16);
  }

  start(): Promise<RemoteCode> {
    this.#starting ??= this.#startOnce().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async stop(milliseconds: number): Promise<void> {
    this.#isStopped = true;
    this.#current = undefined;
    await this.link.askPresent(["stop", this.use, milliseconds], milliseconds + patienceMilliseconds);
    this.onStopped();
  }

  /** The process at this socket has ended; without a socket, all have. */
  ended(failure: SandboxFailure, socket?: string): void {
    this.wasRunning = socket === undefined && this.#current !== undefined;
    for (const code of this.#codes) {
      if (socket !== undefined && code.connection.socket !== socket) continue;
      code.end(failure);
      this.#codes.delete(code);
      if (this.#current === code) this.#current = undefined;
    }
  }

  /** The next request asks for a process. */
  forget(): void {
    this.#current = undefined;
  }

  async #startOnce(): Promise<RemoteCode> {
    if (this.#isStopped) throw new SandboxFailure("crashed", "The version was stopped");
    const response = await this.#ask();
    if ("failure" in response) throw new SandboxFailure(response.failure.reason, response.failure.message);
    const { socket, processId } = response;
    const known = [...this.#codes].find(({ connection }) => connection.socket === socket);
    const code = known ?? this.#newCode(socket, processId);
    this.#current = code;
    return code;
  }

  #newCode(socket: string, processId: number): RemoteCode {
    const connection = new CodeConnection(this.client, socket, undefined, (each) => this.environmentId(each));
    const code = new RemoteCode(connection, processId);
    this.#codes.add(code);
    return code;
  }

  async #ask(): Promise<StartResponse> {
    let timer: Timer | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      const failure = new SandboxFailure("start", "The process that runs sandboxes does not respond");
      timer = setTimeout(() => reject(failure), patienceMilliseconds);
    });
    try {
      const asked = this.link.ask(["start", this.use, this.shared], patienceMilliseconds);
      return (await Promise.race([asked, tooLate])) as StartResponse;
    } finally {
      clearTimeout(timer);
    }
  }
}
