import { systemTimers, type Timers } from "../../lib/time/timers.ts";
import { type BatchId, claimBatch, claimBatches } from "../../platform/storage/batch-claims.ts";
import { StorageUnavailable } from "../../platform/storage/errors.ts";
import type { NamedWrite } from "../../platform/storage/named-write.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import type { WriteResponse } from "./messages.ts";

/** How long the write of one worker waits for those of the others, which flush at the same time. */
const waitMilliseconds = 50;
/** The maximum number of rows of writes that are merged, because on SQLite other writes wait for a transaction. */
const maxRows = 1_000;

/** A write of a worker, with the number that the worker gave it. */
interface WorkerWrite extends BatchId {
  data: unknown;
}

interface Waiting extends WorkerWrite {
  respond(response: WriteResponse): void;
}

/** Writes of one name that will be one transaction. */
interface Group {
  named: NamedWrite<unknown, unknown>;
  waiting: Waiting[];
  rows: number;
  cancel(): void;
}

interface WorkerWritesOptions {
  storage: Storage;
  writes: NamedWrite<never, unknown>[];
  now(): number;
  workerCount(): number;
  timers?: Timers;
}

/**
 * Applies the writes of workers, each once. Workers flush their counts and records at the same time. Writes that can be
 * merged wait for those of the other workers and become one transaction.
 */
export class WorkerWrites {
  readonly #named: Map<string, NamedWrite<unknown, unknown>>;
  readonly #groups = new Map<string, Group>();

  constructor(private readonly options: WorkerWritesOptions) {
    this.#named = new Map(options.writes.map((write) => [write.name, write as NamedWrite<unknown, unknown>]));
  }

  async apply(name: string, write: WorkerWrite): Promise<WriteResponse> {
    const named = this.#named.get(name);
    if (!named) return { failure: `there is no write "${name}"`, isUnavailable: false };
    const rows = named.options.merging?.rows(write.data) ?? Number.POSITIVE_INFINITY;
    return rows > maxRows ? this.#applyOne(named, write) : this.#join(named, write, rows);
  }

  /** Applies the writes that wait. */
  stop(): void {
    for (const name of [...this.#groups.keys()]) this.#close(name);
  }

  #join(named: NamedWrite<unknown, unknown>, write: WorkerWrite, rows: number): Promise<WriteResponse> {
    const { name } = named;
    if ((this.#groups.get(name)?.rows ?? 0) + rows > maxRows) this.#close(name);
    const group = this.#groups.get(name) ?? this.#open(named);
    group.rows += rows;
    const response = new Promise<WriteResponse>((respond) => group.waiting.push({ ...write, respond }));
    if (group.waiting.length >= this.options.workerCount()) this.#close(name);
    return response;
  }

  #open(named: NamedWrite<unknown, unknown>): Group {
    const { timers = systemTimers } = this.options;
    const cancel = timers.start(waitMilliseconds, () => this.#close(named.name));
    const group = { named, waiting: [], rows: 0, cancel };
    this.#groups.set(named.name, group);
    return group;
  }

  #close(name: string): void {
    const group = this.#groups.get(name);
    if (!group) return;
    group.cancel();
    this.#groups.delete(name);
    void this.#applyGroup(group);
  }

  async #applyGroup({ named, waiting }: Group): Promise<void> {
    const response = waiting.length > 1 ? await this.#applyTogether(named, waiting) : undefined;
    for (const write of waiting) write.respond(response ?? (await this.#applyOne(named, write)));
  }

  /** Returns undefined if one of them cannot be written, which must not fail the others. */
  async #applyTogether(
    { options }: NamedWrite<unknown, unknown>,
    writes: WorkerWrite[],
  ): Promise<WriteResponse | undefined> {
    try {
      await this.options.storage.write(async (transaction) => {
        const claimed = options.isIdempotent ? writes : await claimBatches(transaction, writes, this.options.now());
        const all = claimed.map(({ data }) => data);
        if (all.length > 0) await options.merging!.apply(transaction, all);
      });
      return { result: null };
    } catch (error) {
      return error instanceof StorageUnavailable ? failed(error) : undefined;
    }
  }

  async #applyOne(named: NamedWrite<unknown, unknown>, { writer, number, data }: WorkerWrite): Promise<WriteResponse> {
    try {
      const result = await this.options.storage.write(async (transaction) => {
        const isNew = named.options.isIdempotent || (await claimBatch(transaction, writer, number, this.options.now()));
        return isNew ? named.apply(transaction, data) : undefined;
      });
      return { result: result ?? null };
    } catch (error) {
      return failed(error);
    }
  }
}

function failed(error: unknown): WriteResponse {
  return { failure: String(error), isUnavailable: error instanceof StorageUnavailable };
}
