import type { StartableVersion, StartFault } from "../../areas/gateways/deployments/versions/starter.ts";
import { prepareMilliseconds } from "../../counting/deadlines.ts";
import { CountedWorker, type MachineCounters } from "../../counting/workers/counted-worker.ts";
import type { WorkerWrites } from "../../counting/workers/worker-writes.ts";
import type { UpstreamChange } from "../../gateway/upstreams/shared-upstream-states.ts";
import type { SharedJwksDocuments } from "../../platform/jwt/jwks-source.ts";
import type { MessageChannel } from "../../platform/processes/message-channel.ts";
import type { HealthCheckers } from "./health-checkers.ts";
import type { ConnectionCounts, DocumentResponse, ToPrimary, ToWorker, WorkerState } from "./worker-messages.ts";

interface WorkerDependencies {
  counters: MachineCounters;
  writes: WorkerWrites;
  documents: SharedJwksDocuments;
  now(): number;
  workerCount(): number;
  onConnections(counts: ConnectionCounts): void;
  onCrowded(group: string): void;
  onStopping(): void;
  onUpstreams(changes: UpstreamChange[]): void;
  checkers: HealthCheckers;
}

/** A worker in the primary: what is counted for it, and the changes that it has applied. */
export class ConnectedWorker {
  readonly #counted: CountedWorker;
  #waiting: { sequence: number; resolve(): void }[] = [];
  #hasEnded = false;

  constructor(
    private readonly channel: Pick<MessageChannel, "notify" | "request" | "requestCloned" | "close">,
    private readonly state: WorkerState,
    private applied: number,
    private readonly dependencies: WorkerDependencies,
  ) {
    const { counters, now, workerCount } = dependencies;
    this.#counted = new CountedWorker(state, {
      worker: state.writer,
      counters,
      now,
      workerCount,
      send: (message) => this.send(message),
    });
  }

  send(message: ToWorker): void {
    this.channel.notify(message);
  }

  ask(message: ToWorker, milliseconds: number): Promise<unknown> {
    return this.channel.request(message, milliseconds);
  }

  async prepare(version: StartableVersion): Promise<StartFault[]> {
    return (await this.channel.requestCloned(["prepare", version], prepareMilliseconds)) as StartFault[];
  }

  close(): void {
    this.channel.close();
  }

  /** Resolves when the worker has applied the changes up to that one. Undefined if it has already. */
  reaches(sequence: number): Promise<void> | undefined {
    if (this.applied >= sequence || this.#hasEnded) return undefined;
    return new Promise((resolve) => this.#waiting.push({ sequence, resolve }));
  }

  handle(message: ToPrimary): unknown {
    switch (message[0]) {
      case "write": {
        const [, name, number, data] = message;
        return this.dependencies.writes.apply(name, { writer: this.state.writer, number, data });
      }
      case "document":
        return this.#document(message[1], message[2]);
      case "connections":
        this.dependencies.onConnections(message[1]);
        return undefined;
      case "crowded":
        this.dependencies.onCrowded(message[1]);
        return undefined;
      case "upstreams":
        this.dependencies.onUpstreams(message[1]);
        return undefined;
      case "watch":
        this.dependencies.checkers.watch(this, message[1]);
        return undefined;
      case "unwatch":
        this.dependencies.checkers.unwatch(this, message[1]);
        return undefined;
      case "stopping":
        this.dependencies.onStopping();
        return undefined;
      case "applied":
        this.#hasApplied(message[1]);
        return undefined;
      case "hello":
        throw new Error("The worker has been introduced.");
      default:
        return this.#counted.handle(message);
    }
  }

  /** Called when the connection of the worker ends. Ends its holds and requests. */
  ended(): void {
    this.#hasEnded = true;
    this.#counted.ended();
    for (const { resolve } of this.#waiting) resolve();
    this.#waiting = [];
  }

  async #document(accountSeq: number, url: string): Promise<DocumentResponse> {
    try {
      return { document: await this.dependencies.documents.of(accountSeq, url) };
    } catch (error) {
      return { failure: error instanceof Error ? error.message : String(error) };
    }
  }

  #hasApplied(sequence: number): void {
    this.applied = sequence;
    const reached = this.#waiting.filter((each) => each.sequence <= sequence);
    this.#waiting = this.#waiting.filter((each) => each.sequence > sequence);
    for (const { resolve } of reached) resolve();
  }
}
