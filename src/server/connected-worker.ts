import type { StartableVersion, StartFault } from "../areas/deployments/versions/starter.ts";
import { Hold } from "../areas/metering/quotas/hold.ts";
import { customerPlace } from "../areas/metering/quotas/quota-ledger.ts";
import type { SharedDocuments } from "../core/tokens/key-source.ts";
import { holdQuota, planOf } from "../gateway/policies/quota/customer-quotas.ts";
import type { UpstreamChange } from "../gateway/upstreams/shared-upstream-states.ts";
import type { MessageChannel } from "../platform/processes/message-channel.ts";
import { claimBatch } from "../platform/storage/batch-writer.ts";
import { StorageUnavailable } from "../platform/storage/errors.ts";
import type { NamedWrite } from "../platform/storage/named-write.ts";
import type { Storage } from "../platform/storage/storage.ts";
import type { LocalCounters } from "./counters.ts";
import type { HealthCheckers } from "./health-checkers.ts";
import {
  type ConnectionCounts,
  type DocumentResponse,
  decodeAmounts,
  type HoldRequest,
  type HoldResponse,
  type ToPrimary,
  type ToWorker,
  type WorkerState,
  type WriteResponse,
} from "./worker-messages.ts";

interface WorkerDependencies {
  counters: LocalCounters;
  writes: NamedWrite<never, unknown>[];
  storage: Storage;
  documents: SharedDocuments;
  now(): number;
  onConnections(counts: ConnectionCounts): void;
  onCrowded(group: string): void;
  onStopping(): void;
  onUpstreams(changes: UpstreamChange[]): void;
  checkers: HealthCheckers;
}

/** A worker in the primary: what it holds and has in progress, and the changes that it has applied. */
export class ConnectedWorker {
  readonly #holds = new Map<number, Hold | Promise<Hold | undefined>>();
  readonly #inProgress = new Map<string, number>();
  #waiting: { sequence: number; resolve(): void }[] = [];
  #hasEnded = false;

  constructor(
    private readonly channel: MessageChannel,
    private readonly state: WorkerState,
    private applied: number,
    private readonly dependencies: WorkerDependencies,
  ) {
    // Counted by the former primary, so they are not checked again.
    for (const [key, count] of state.inProgress) for (let index = 0; index < count; index++) this.#begin(key);
    for (const request of state.holds) void this.#hold(request);
  }

  send(message: ToWorker): void {
    this.channel.notify(message);
  }

  ask(message: ToWorker): Promise<unknown> {
    return this.channel.request(message);
  }

  async prepare(version: StartableVersion): Promise<StartFault[]> {
    return (await this.channel.requestCloned(["prepare", version])) as StartFault[];
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
    const { counters } = this.dependencies;
    switch (message[0]) {
      case "limit": {
        const [, limit, subject, requests, now] = message;
        return counters.windows.take(limit, subject, requests, now);
      }
      case "hold":
        return this.#hold(message[1]);
      case "settle": {
        const [, id, actual] = message;
        this.#end(id, (hold) => hold.settle(actual ? decodeAmounts(actual) : undefined));
        return undefined;
      }
      case "release":
        this.#end(message[1], (hold) => hold.release());
        return undefined;
      case "count": {
        const [, subscriptionSeq, start, end, amounts] = message;
        const counted = counters.ledger.pin(subscriptionSeq, { start, end });
        for (const [meter, amount] of decodeAmounts(amounts)) counted.counter(meter).settle(0n, amount);
        counters.ledger.unpin(counted);
        return undefined;
      }
      case "begin": {
        const [, key, limit] = message;
        return counters.inProgress.begin(key, limit) && this.#note(key, 1);
      }
      case "end":
        this.#endRequest(message[1]);
        return undefined;
      case "write": {
        const [, name, number, data] = message;
        return this.#write(name, number, data);
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
    }
  }

  /** The worker is gone: what it held is returned, and its requests have ended. */
  ended(): void {
    this.#hasEnded = true;
    for (const id of [...this.#holds.keys()]) this.#end(id, (hold) => hold.release());
    for (const [key, count] of [...this.#inProgress]) for (let index = 0; index < count; index++) this.#endRequest(key);
    for (const { resolve } of this.#waiting) resolve();
    this.#waiting = [];
  }

  #hold(request: HoldRequest): HoldResponse | Promise<HoldResponse> {
    const { id, accountSeq, bucketId, customerKey, now } = request;
    const quota = this.dependencies.counters.ledger.find(customerPlace(accountSeq, bucketId, customerKey), now);
    if (!(quota instanceof Promise)) return this.#holdIn(request, quota);
    const response = quota.then((found) => this.#holdIn(request, found));
    // The worker may settle or release it before.
    const held = response.then(
      () => this.#holds.get(id) as Hold | undefined,
      () => undefined,
    );
    this.#holds.set(id, held);
    return response.catch((error: unknown) => {
      this.#holds.delete(id);
      throw error;
    });
  }

  #holdIn({ id, amounts, now, options }: HoldRequest, quota: Parameters<typeof holdQuota>[0]): HoldResponse {
    const hold = holdQuota(quota, decodeAmounts(amounts), now, options);
    if (hold instanceof Hold) {
      this.#holds.set(id, hold);
      if (this.#hasEnded) this.#end(id, (held) => held.release());
      const { row } = quota.subscription!;
      const { start: periodStart, end: periodEnd } = quota.period;
      return { plan: planOf(quota.subscription!), subscriptionSeq: row.seq, periodStart, periodEnd };
    }
    this.#holds.delete(id);
    if (hold.reason !== "exceeded") return hold;
    const { meter, used, max, amount } = hold.shortage;
    const shortage = { meter, used: String(used), max: String(max), amount: String(amount) };
    return { ...hold, shortage };
  }

  #end(id: number, end: (hold: Hold) => void): void {
    const hold = this.#holds.get(id);
    if (hold instanceof Promise) {
      void hold.then((held) => {
        this.#holds.delete(id);
        if (held) end(held);
      });
      return;
    }
    this.#holds.delete(id);
    if (hold) end(hold);
  }

  #begin(key: string): void {
    this.dependencies.counters.inProgress.begin(key, Number.POSITIVE_INFINITY);
    this.#note(key, 1);
  }

  #note(key: string, change: 1 | -1): true {
    const count = (this.#inProgress.get(key) ?? 0) + change;
    if (count === 0) this.#inProgress.delete(key);
    else this.#inProgress.set(key, count);
    return true;
  }

  #endRequest(key: string): void {
    if (!this.#inProgress.has(key)) return;
    this.#note(key, -1);
    this.dependencies.counters.inProgress.end(key);
  }

  async #write(name: string, number: number, data: unknown): Promise<WriteResponse> {
    const { writes, storage, now } = this.dependencies;
    const write = writes.find((each) => each.name === name) as NamedWrite<unknown, unknown> | undefined;
    if (!write) return { failure: `there is no write "${name}"`, isUnavailable: false };
    try {
      const result = await storage.write(async (transaction) => {
        const isNew = await claimBatch(transaction, this.state.writer, number, now());
        return isNew ? write.apply(transaction, data) : undefined;
      });
      return { result: result ?? null };
    } catch (error) {
      return { failure: String(error), isUnavailable: error instanceof StorageUnavailable };
    }
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
