import { randomUUID } from "node:crypto";
import { followChangedCustomers } from "../../src/areas/commerce/metering/quotas/quota-changes.ts";
import { openQuotaLedger } from "../../src/areas/commerce/metering/quotas/quota-source.ts";
import type { Quotas } from "../../src/areas/commerce/metering/quotas/quotas.ts";
import { Quotas as QuotaTransactions } from "../../src/areas/commerce/metering/quotas/quotas.ts";
import { RequestsInProgress } from "../../src/counting/limits/requests-in-progress.ts";
import { RateLimitWindows } from "../../src/counting/limits/windows.ts";
import { CountedWorker, type MachineCounters } from "../../src/counting/workers/counted-worker.ts";
import type {
  CountedState,
  CountingLink,
  CountingToPrimary,
  CountingToWorker,
} from "../../src/counting/workers/messages.ts";
import { WorkerCounting } from "../../src/counting/workers/worker-counting.ts";
import { WorkerWrites } from "../../src/counting/workers/worker-writes.ts";
import { StorageUnavailable } from "../../src/platform/storage/errors.ts";
import type { Storage } from "../../src/platform/storage/storage.ts";
import { ManualTimers } from "./manual-timers.ts";
import { type RecordedNumbers, WorkerRecords } from "./worker-records.ts";

/** A request of a worker to the primary. */
interface PendingRequest {
  /** Handles it in the primary. */
  handle(connection: CountedWorker, primary: SimulatedPrimary): unknown;
  /** Whether the next primary gets it if the connection ends before the response. Otherwise it fails. */
  isRetried: boolean;
  onLate: ((response: unknown) => void) | undefined;
  resolve(response: unknown): void;
  reject(error: unknown): void;
  /** Whether its deadline has passed. */
  isLate: boolean;
}

/** The primary of a machine: all counters are in memory, and are lost when it is killed. */
export class SimulatedPrimary {
  readonly timers = new ManualTimers();
  /** Of batches that wait for those of other workers. */
  readonly writeTimers = new ManualTimers();
  readonly counters: MachineCounters;
  readonly transactions: Quotas;
  readonly connections = new Set<Connection>();
  readonly writes: WorkerWrites;
  /** Whether the next transaction of workers is committed without a response. */
  losesCommit = false;

  constructor(
    storage: Storage,
    readonly now: () => number,
    records: RecordedNumbers,
  ) {
    const { timers } = this;
    const losing: Storage = {
      ...storage,
      write: async (work) => {
        const result = await storage.write(work);
        if (!this.losesCommit) return result;
        this.losesCommit = false;
        throw new StorageUnavailable("the response to COMMIT was lost");
      },
    };
    const workerCount = () => this.connections.size;
    this.writes = new WorkerWrites({
      storage: losing,
      writes: [records.named],
      now,
      workerCount,
      timers: this.writeTimers,
    });
    const ledger = openQuotaLedger(storage, { now }, { timers });
    const windows = new RateLimitWindows(storage, { timers });
    this.counters = { ledger, windows, inProgress: new RequestsInProgress() };
    this.transactions = new QuotaTransactions(storage, ledger);
  }
}

/** Messages under way between a worker and a primary: in order, until the connection ends. */
class Connection {
  readonly toPrimary: (() => void)[] = [];
  readonly toWorker: (() => void)[] = [];
  /** Requests without a response. */
  readonly pending = new Set<PendingRequest>();
  /** Lease messages that were delivered or are under way. They can be repeated. */
  readonly sentToPrimary: CountingToPrimary[] = [];
  readonly sentToWorker: CountingToWorker[] = [];
  #counted: CountedWorker | undefined;
  isOpen = true;

  constructor(
    private readonly primary: SimulatedPrimary,
    private readonly worker: SimulatedCountingWorker,
    state: CountedState,
    onConnected: () => void,
  ) {
    primary.connections.add(this);
    this.toPrimary.push(() => {
      this.#counted = new CountedWorker(state, {
        worker: worker.name,
        counters: primary.counters,
        now: primary.now,
        workerCount: () => primary.connections.size,
        send: (message) => this.#sendToWorker(message),
      });
      this.toWorker.push(() => {
        worker.counting.connected(primary.counters.ledger.writer);
        onConnected();
      });
    });
  }

  notify(message: CountingToPrimary): void {
    if (message[0] === "leases") this.sentToPrimary.push(message);
    this.toPrimary.push(() => void this.#counted!.handle(message));
  }

  request(pending: PendingRequest): void {
    this.pending.add(pending);
    this.toPrimary.push(() => {
      const result = pending.handle(this.#counted!, this.primary);
      if (result instanceof Promise)
        result.then(
          (response) => this.#respond(pending, response),
          (error: unknown) => this.#respond(pending, undefined, error),
        );
      else this.#respond(pending, result);
    });
  }

  /** Delivers a lease message once more, after all that are under way. */
  repeat(which: number, isToPrimary: boolean): void {
    if (isToPrimary) {
      const message = this.sentToPrimary[which % Math.max(1, this.sentToPrimary.length)];
      if (message) this.toPrimary.push(() => void this.#counted!.handle(message));
    } else {
      const message = this.sentToWorker[which % Math.max(1, this.sentToWorker.length)];
      if (message) this.toWorker.push(() => this.worker.counting.handle(message));
    }
  }

  /** Ends the connection. Messages under way are lost. */
  end(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.toPrimary.length = 0;
    this.toWorker.length = 0;
    this.primary.connections.delete(this);
    this.#counted?.ended();
  }

  #sendToWorker(message: CountingToWorker): void {
    if (!this.isOpen) return;
    this.sentToWorker.push(message);
    this.toWorker.push(() => this.worker.counting.handle(message));
  }

  #respond(pending: PendingRequest, response: unknown, error?: unknown): void {
    if (!this.isOpen) return;
    this.toWorker.push(() => {
      this.pending.delete(pending);
      // JSON has no undefined.
      const received = response === undefined ? null : JSON.parse(JSON.stringify(response));
      if (pending.isLate) {
        if (error === undefined) pending.onLate?.(received);
      } else if (error === undefined) pending.resolve(received);
      else pending.reject(new StorageUnavailable(error));
    });
  }
}

/** A worker, with a connection to the primary that behaves like PrimaryLink. */
export class SimulatedCountingWorker {
  readonly counting: WorkerCounting;
  readonly name = randomUUID();
  #epoch = 0;
  #connection: Connection | undefined;
  /** Whether the primary has confirmed the state. */
  #isConnected = false;
  #outbox: (() => CountingToPrimary | undefined)[] = [];
  #waiting: PendingRequest[] = [];
  /** The amounts that it has settled, and those of them that a primary has received for certain. */
  settled = 0;
  received = 0;
  isDead = false;
  readonly records: WorkerRecords;

  constructor(
    storage: Storage,
    readonly now: () => number,
    records: RecordedNumbers,
  ) {
    const self = this;
    const link: CountingLink = {
      get epoch() {
        return self.#epoch;
      },
      ask: (message, onLate) => this.#request((counted) => counted.handle(message), true, onLate),
      notify: (message) => {
        if (this.#isConnected) this.#connection!.notify(message);
      },
      notifySurely: (message) => this.#notifySurely(message),
    };
    this.counting = new WorkerCounting(link, () => !this.isDead);
    followChangedCustomers(storage.feed, (concerns) => this.counting.quotas.giveUp(concerns));
    this.records = new WorkerRecords(storage, now, records, {
      get epoch() {
        return self.#epoch;
      },
      send: (write) => this.#request((_, primary) => primary.writes.apply(records.named.name, write), false),
    });
  }

  get isDisconnected(): boolean {
    return this.#connection === undefined;
  }

  get isQuiet(): boolean {
    const { toPrimary = [], toWorker = [] } = this.#connection ?? {};
    return toPrimary.length + toWorker.length === 0;
  }

  /** The number of requests without a response. */
  get waiting(): number {
    return this.#waiting.length + [...(this.#connection?.pending ?? [])].filter(({ isLate }) => !isLate).length;
  }

  connect(primary: SimulatedPrimary): void {
    if (this.#connection) return;
    this.#epoch += 1;
    this.#connection = new Connection(primary, this, this.counting.state(), () => {
      this.#isConnected = true;
      for (const message of this.#outbox.splice(0)) this.#notifySurely(message);
      for (const pending of this.#waiting.splice(0)) this.#connection!.request(pending);
    });
  }

  disconnect(): void {
    const connection = this.#connection;
    if (!connection) return;
    const wasConnected = this.#isConnected;
    this.#connection = undefined;
    this.#isConnected = false;
    connection.end();
    for (const pending of connection.pending) {
      if (pending.isLate) continue;
      if (pending.isRetried) this.#waiting.push(pending);
      else pending.reject(new Error("The connection has ended."));
    }
    if (wasConnected) this.counting.disconnected();
  }

  kill(): void {
    this.isDead = true;
    this.missDeadlines();
    this.#connection?.end();
    this.#connection = undefined;
    this.#isConnected = false;
  }

  deliver(isToPrimary: boolean, count: number): void {
    for (let index = 0; index < count; index++) {
      const connection = this.#connection;
      (isToPrimary ? connection?.toPrimary : connection?.toWorker)?.shift()?.();
    }
  }

  repeat(which: number, isToPrimary: boolean): void {
    if (this.#isConnected) this.#connection!.repeat(which, isToPrimary);
  }

  /** The deadlines of all requests without a response pass. */
  missDeadlines(): void {
    for (const pending of [...(this.#connection?.pending ?? [])]) this.#miss(pending);
    for (const pending of this.#waiting.splice(0)) this.#miss(pending);
  }

  report(): void {
    this.counting.report(this.now());
    const { settled } = this;
    if (this.#isConnected)
      this.#connection!.toPrimary.push(() => {
        this.received = Math.max(this.received, settled);
      });
  }

  #miss(pending: PendingRequest): void {
    if (pending.isLate) return;
    pending.isLate = true;
    pending.reject(pending.isRetried ? new StorageUnavailable("no response") : new Error("no response"));
  }

  #request(handle: PendingRequest["handle"], isRetried: boolean, onLate?: PendingRequest["onLate"]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const pending: PendingRequest = { handle, isRetried, onLate, resolve, reject, isLate: false };
      if (this.#isConnected) this.#connection!.request(pending);
      else this.#waiting.push(pending);
    });
  }

  #notifySurely(message: () => CountingToPrimary | undefined): void {
    if (!this.#isConnected) {
      this.#outbox.push(message);
      return;
    }
    const now = message();
    if (now) this.#connection!.notify(now);
  }
}
