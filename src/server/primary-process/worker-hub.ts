import {
  type StartableVersion,
  type Starter,
  StartFailure,
  type StartFault,
} from "../../areas/gateways/deployments/versions/starter.ts";
import type { UpstreamStatus, UpstreamStatuses } from "../../areas/gateways/deployments/versions/upstream-status.ts";
import type { ProcessStatus } from "../../areas/operations/system-status/process-status.ts";
import type { Metrics } from "../../core/metrics/metrics.ts";
import { flushMilliseconds, statusMilliseconds } from "../../counting/deadlines.ts";
import { WorkerWrites } from "../../counting/workers/worker-writes.ts";
import type { Checkers } from "../../gateway/upstreams/health-checks.ts";
import { SharedUpstreamStates } from "../../gateway/upstreams/shared-upstream-states.ts";
import { machineOffset, machineTime } from "../../lib/time/machine-time.ts";
import { type FetchJwksDocument, SharedJwksDocuments } from "../../platform/jwt/jwks-source.ts";
import { MessageChannel } from "../../platform/processes/message-channel.ts";
import type { Change } from "../../platform/storage/change.ts";
import type { NamedWrite } from "../../platform/storage/named-write.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import type { Log } from "../../platform/telemetry/log.ts";
import { mergedExpositions } from "../../platform/telemetry/merged-expositions.ts";
import type { LocalCounters } from "../background-services/counters.ts";
import { ConnectedWorker } from "./connected-worker.ts";
import { ConnectionTable } from "./connection-counts.ts";
import { HealthCheckers } from "./health-checkers.ts";
import { type HelloResponse, type ToPrimary, type ToWorker, trustMilliseconds } from "./worker-messages.ts";

const beatMilliseconds = 200;

interface HubOptions {
  log: Log;
  release: string;
  /** Whether workers may have followed another primary a moment ago. */
  isSuccessor: boolean;
  /** See SharedClock. */
  clockOffset(): number;
}

interface HubDependencies {
  counters: LocalCounters;
  fetchDocument: FetchJwksDocument;
  /** Called when a worker finishes its requests: responses without an end must end. */
  onStopping(): void;
  writes: NamedWrite<never, unknown>[];
  now(): number;
}

type WorkerStatuses = readonly (UpstreamStatus | null)[];

function mergedStatuses(workers: readonly WorkerStatuses[]): readonly (UpstreamStatus | undefined)[] | undefined {
  const [first, ...others] = workers;
  return first?.map((status, index) => {
    if (!status) return undefined;
    const inFlight = (at: number) =>
      others.reduce((sum, other) => sum + (other[index]?.targets[at]?.inFlight ?? 0), status.targets[at]!.inFlight);
    return { targets: status.targets.map((target, at) => ({ ...target, inFlight: inFlight(at) })) };
  });
}

/** The workers of a primary: sends them changes, and counts and writes for them. */
export class WorkerHub {
  readonly #workers = new Set<ConnectedWorker>();
  /** The connections of workers, including those of workers that are leaving. */
  readonly #channels = new Set<MessageChannel>();
  #onUnused = () => {};
  readonly #checkers = new HealthCheckers();
  /** Health and ejection for requests of the primary itself, such as try requests. */
  readonly upstreamStates = new SharedUpstreamStates({ offset: machineOffset() }, (changes) => {
    for (const worker of this.#workers) worker.send(["upstreams", changes]);
  });
  /** The primary watches targets, and workers check them. */
  readonly checkers: Checkers = { watch: () => {}, unwatch: () => {}, isMine: () => false };
  readonly #connections = new ConnectionTable(this.#workers);
  #sequence = 0;
  #storage: Storage | undefined;
  #writes: WorkerWrites | undefined;
  #listener: Bun.SocketListener<MessageChannel> | undefined;
  #beat: Timer | undefined;
  readonly #started = machineTime();

  constructor(private readonly options: HubOptions) {}

  /** Returns storage whose writes succeed when every worker has applied their changes, or no longer trusts its caches. */
  follow(storage: Storage): Storage {
    this.#storage = storage;
    storage.feed.subscribe(
      (changes) => this.#publish(changes),
      () => this.#publishGap(),
    );
    return {
      ...storage,
      write: async (work) => {
        const result = await storage.write(work);
        await this.#applied();
        return result;
      },
    };
  }

  /** Accepts workers from a listening socket. */
  listen(descriptor: number, dependencies: HubDependencies): void {
    const documents = new SharedJwksDocuments(dependencies.fetchDocument, dependencies.now);
    const { now, writes: named } = dependencies;
    const writes = new WorkerWrites({ storage: this.#storage!, writes: named, now, workerCount: () => this.size });
    this.#writes = writes;
    // Bun's types lack the option.
    const options = {
      fd: descriptor,
      socket: {
        ...MessageChannel.handlers,
        open: (socket: Bun.Socket<MessageChannel>) => this.#accept(socket, dependencies, documents, writes),
      },
    };
    this.#listener = Bun.listen(options as unknown as Bun.UnixSocketOptions<MessageChannel>);
    this.#beat = setInterval(() => this.#beatAll(), beatMilliseconds);
  }

  /** Prepares a version in every process that will serve it. A worker that ends meanwhile starts it from storage. */
  starter(own: Starter): Starter {
    return {
      prepare: async (version) => {
        await own.prepare(version);
        await this.#prepareInWorkers(version);
      },
    };
  }

  /** The status of upstreams in the workers: requests in flight are added up, and the rest is the same in all. */
  statuses(): UpstreamStatuses {
    return {
      upstreams: async (name, versionNumber) => {
        const statuses = (await this.#askAll(["status", name, versionNumber], statusMilliseconds)) as (
          | WorkerStatuses
          | null
          | undefined
        )[];
        return mergedStatuses(statuses.filter((each) => each !== null && each !== undefined));
      },
    };
  }

  /** Makes all workers write their counts and records. */
  async flush(): Promise<void> {
    await this.#askAll(["flush"], flushMilliseconds);
  }

  async runTasks(): Promise<void> {
    await this.#askAll(["tasks"], flushMilliseconds);
  }

  /** Returns the metrics of this process and of all workers. */
  async metricsText({ withNames }: { withNames: boolean }, own: Metrics): Promise<string> {
    const texts = (await this.#askAll(["metrics", withNames], statusMilliseconds)).filter(
      (text) => typeof text === "string",
    );
    return mergedExpositions([own.text({ withNames }), ...texts], {
      minimum: ["tollgate_certificate_expiry_timestamp_seconds", "tollgate_upstream_target_up"],
    });
  }

  /** Returns the status of all workers. */
  async processes(): Promise<ProcessStatus[]> {
    return (await this.#askAll(["process"], statusMilliseconds)).filter(
      (status) => status !== undefined,
    ) as ProcessStatus[];
  }

  get size(): number {
    return this.#workers.size;
  }

  /** Resolves when no worker is connected. */
  unused(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onUnused = resolve;
    if (this.#channels.size === 0) resolve();
    return promise;
  }

  stop(): void {
    clearInterval(this.#beat);
    this.#listener?.stop(true);
    this.#writes?.stop();
    for (const worker of this.#workers) worker.close();
  }

  #accept(
    socket: Bun.Socket<MessageChannel>,
    { counters, now, onStopping }: HubDependencies,
    documents: SharedJwksDocuments,
    writes: WorkerWrites,
  ): void {
    let worker: ConnectedWorker | undefined;
    const channel: MessageChannel = new MessageChannel({
      handle: (message) => {
        const [kind, state] = message as ToPrimary;
        if (worker) return worker.handle(message as ToPrimary);
        if (kind !== "hello") throw new Error("The first message must be hello.");
        if (state.release !== this.options.release && !state.isLeaving) {
          channel.notify(["stop", `its release is ${state.release}, and the primary's is ${this.options.release}`]);
          throw new Error("The release differs.");
        }
        const applied = this.#sequence;
        const joined: ConnectedWorker = new ConnectedWorker(channel, state, applied, {
          counters,
          writes,
          now,
          workerCount: () => this.#workers.size,
          documents,
          onStopping,
          onConnections: (counts) => this.#connections.update(joined, counts),
          onCrowded: (group) => this.#sendToOthers(joined, ["crowded", group]),
          onUpstreams: (changes) => {
            this.upstreamStates.received(changes);
            this.#sendToOthers(joined, ["upstreams", changes]);
          },
          checkers: this.#checkers,
        });
        worker = joined;
        const response: HelloResponse = counters.ledger.writer;
        // It uses no caches and starts no versions.
        if (state.isLeaving) return response;
        this.#workers.add(joined);
        this.#beatOne(joined);
        this.#connections.introduce(joined);
        return response;
      },
      onClose: () => {
        if (worker) this.#ended(worker);
        this.#channels.delete(channel);
        if (this.#channels.size === 0) this.#onUnused();
      },
    });
    this.#channels.add(channel);
    socket.data = channel;
    channel.opened(socket);
  }

  #ended(worker: ConnectedWorker): void {
    this.#workers.delete(worker);
    this.#connections.remove(worker);
    this.#checkers.remove(worker);
    worker.ended();
  }

  #sendToOthers(worker: ConnectedWorker, message: ToWorker): void {
    for (const other of this.#workers) if (other !== worker) other.send(message);
  }

  #publish(changes: Change[]): void {
    // Only ledgers follow usage, and workers have none.
    const followed = changes.filter(({ kind }) => kind !== "usage.counted");
    if (followed.length === 0) return;
    this.#sequence += 1;
    const sent = followed.map(({ accountSeq, actor, kind, subject, data }) => ({
      accountSeq,
      actor,
      kind,
      subject,
      data,
    }));
    for (const worker of this.#workers) worker.send(["changes", this.#sequence, sent]);
  }

  #publishGap(): void {
    this.#sequence += 1;
    for (const worker of this.#workers) worker.send(["gap", this.#sequence, this.#storage!.feed.history]);
  }

  #beatAll(): void {
    for (const worker of this.#workers) this.#beatOne(worker);
  }

  #beatOne(worker: ConnectedWorker): void {
    const { feed } = this.#storage!;
    worker.send(["beat", machineTime(), feed.trust(), feed.history, this.options.clockOffset()]);
  }

  async #applied(): Promise<void> {
    const sequence = this.#sequence;
    const trustEnds = this.#started + trustMilliseconds;
    // Workers of the former primary may still trust their caches.
    if (this.options.isSuccessor && machineTime() < trustEnds) await Bun.sleep(trustEnds - machineTime());
    const waiting = [...this.#workers].flatMap((worker) => worker.reaches(sequence) ?? []);
    if (waiting.length === 0) return;
    let timer: Timer | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, trustMilliseconds + 10);
    });
    await Promise.race([Promise.all(waiting), timeout]);
    clearTimeout(timer);
  }

  async #prepareInWorkers(version: StartableVersion): Promise<void> {
    const prepared = await Promise.all([...this.#workers].map((worker) => worker.prepare(version).catch(() => [])));
    const faults: StartFault[] = prepared.flat();
    if (faults.length > 0) throw new StartFailure(faults);
  }

  /** Returns the responses of the workers that respond in time. */
  async #askAll(message: ToWorker, milliseconds: number): Promise<unknown[]> {
    return Promise.all(
      [...this.#workers].map((worker) =>
        worker.ask(message, milliseconds).catch((error: unknown) => {
          this.options.log.debug("a worker did not respond", { error });
          return undefined;
        }),
      ),
    );
  }
}
