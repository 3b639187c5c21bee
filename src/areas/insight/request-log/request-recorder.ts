import { newId } from "../../../lib/ids.ts";
import { type Repetition, repeat } from "../../../lib/tasks/repeat.ts";
import { NamedWrite } from "../../../platform/storage/named-write.ts";
import { removeInPieces } from "../../../platform/storage/removal.ts";
import type { Storage, WriteTransaction } from "../../../platform/storage/storage.ts";
import { levelOf } from "../../gateways/deployments/logs/log-bounds.ts";
import type { RedactorOf } from "../../gateways/deployments/logs/redacted-logs.ts";
import { isFailure, type RequestRecord, type RequestSink, type Served } from "./request-record.ts";
import { deleteOld, insertRequests, type OmittedCount, observedIn, removeOldest, requestSizes } from "./store.ts";

/** Twice as often would cost a third more CPU, because each commit writes the same pages again. */
const flushSeconds = 0.5;
const hourMilliseconds = 60 * 60 * 1000;
const dayMilliseconds = 24 * hourMilliseconds;
const mebibyte = 1024 * 1024;

interface RequestBounds {
  /** The maximum size of a deployment's failures, and the same again of its successes. */
  deploymentBytes: number;
  accountBytes: number;
}

const requestBounds: RequestBounds = { deploymentBytes: 32 * mebibyte, accountBytes: 512 * mebibyte };

/** The approximate size of the row's columns and index entries. */
const rowOverhead = 400;

/** Long paths are truncated, so that a flood of them does not exceed the limit. */
const maxPathLength = 1024;

interface RecordedRows {
  rows: ReturnType<typeof rowOf>[];
  omitted: OmittedCount[];
}

export const requestWrite = new NamedWrite<RecordedRows>(
  "requests",
  (transaction, { rows, omitted }) => insertRequests(transaction, rows, omitted),
  {
    merging: {
      rows: ({ rows, omitted }) => rows.length + omitted.length,
      apply: (transaction, all) =>
        insertRequests(
          transaction,
          all.flatMap(({ rows }) => rows),
          all.flatMap(({ omitted }) => omitted),
        ),
    },
  },
);

interface RecorderOptions {
  isOn: boolean;
  days: number;
  bounds?: RequestBounds;
  /** The part of the requests of this machine that this process may record: 1 unless there are workers. */
  share?: number;
  /** Upstream addresses and errors of a deployment may contain its secrets. */
  redactorOf?: RedactorOf;
  failed(error: unknown): void;
}

/**
 * Records the requests of all deployments. They are written asynchronously in batches, so a hard kill loses the last
 * half of a second.
 */
export class RequestRecorder implements RequestSink {
  readonly isOn: boolean;
  readonly #pending = new Map<number, PendingRequests>();
  readonly #flushing: Repetition;

  constructor(
    private readonly storage: Storage,
    private readonly options: RecorderOptions,
  ) {
    this.isOn = options.isOn && options.days > 0;
    this.#flushing = repeat(flushSeconds, () => this.flush(), options.failed);
  }

  takes(served: Served, isFailure: boolean, now: number): boolean {
    let pending = this.#pending.get(served.deploymentSeq);
    if (!pending) {
      if (!this.isOn) return false;
      pending = new PendingRequests(this.options.share);
      this.#pending.set(served.deploymentSeq, pending);
    }
    return pending.takes(served, isFailure, now);
  }

  add(served: Served, record: RequestRecord): void {
    this.#pending.get(served.deploymentSeq)?.add(served, record);
  }

  /** While storage is unavailable, requests that cannot be written are dropped. */
  async flush(): Promise<void> {
    const rows: ReturnType<typeof rowOf>[] = [];
    const omitted: OmittedCount[] = [];
    for (const [deploymentSeq, pending] of this.#pending) {
      const taken = pending.take();
      const redact = this.options.redactorOf?.(deploymentSeq);
      for (const { served, record } of taken.records) rows.push(rowOf(served, record, redact));
      omitted.push(...taken.omitted);
      if (pending.isIdle) this.#pending.delete(deploymentSeq);
    }
    if (rows.length + omitted.length === 0) return;
    await this.storage.write(requestWrite.with({ rows, omitted }));
  }

  /**
   * Removes requests that are older than the retention or exceed the limit. Failures and successes do not evict each
   * other.
   */
  async trim(now: number, signal?: AbortSignal): Promise<void> {
    const { deploymentBytes, accountBytes } = this.options.bounds ?? requestBounds;
    const before = now - this.options.days * dayMilliseconds;
    const sizes = await requestSizes(this.storage.reads);
    for (const [accountSeq, ofAccount] of Map.groupBy(sizes, (size) => size.account_seq)) {
      const isGone = accountSeq === null;
      const maxBytes = isGone ? 0 : Math.min(deploymentBytes, levelOf(ofAccount, accountBytes));
      const bounds = { before: isGone ? Number.MAX_SAFE_INTEGER : before, maxBytes };
      for (const size of ofAccount) {
        // A write for each deployment would cost more than the rows: most have none to remove.
        if (size.bytes <= bounds.maxBytes && (size.oldest ?? Number.POSITIVE_INFINITY) >= bounds.before) continue;
        const remove = (transaction: WriteTransaction, rows: number) => removeOldest(transaction, size, bounds, rows);
        await removeInPieces(this.storage, remove, { signal });
      }
    }
    await this.storage.write((transaction) => deleteOld(transaction, before));
  }

  async stop(): Promise<void> {
    await this.#flushing.stop();
    await this.flush();
  }
}

function rowOf({ accountSeq, deploymentSeq, versionSeq }: Served, record: RequestRecord, redact = unchanged) {
  const { time, requestId, method, status, route, consumer, path: sentPath, ...rest } = record;
  // Each text is redacted before serialization, because JSON may escape a secret.
  const texts = (_name: string, value: unknown) => (typeof value === "string" ? redact(value) : value);
  const entry = JSON.stringify(rest, redact === unchanged ? undefined : texts);
  const path = redact(sentPath);
  const shortPath = path.length > maxPathLength ? `${path.slice(0, maxPathLength)}…` : path;
  return {
    id: newId("req", time),
    account_seq: accountSeq,
    deployment_seq: deploymentSeq,
    version_seq: versionSeq,
    is_failure: isFailure(status) || entry.includes(observedIn(undefined)) ? 1 : 0,
    time,
    status,
    method,
    path: shortPath,
    route: route ?? null,
    consumer: consumer ?? null,
    request_id: requestId,
    entry,
    bytes: rowOverhead + Buffer.byteLength(entry) + Buffer.byteLength(shortPath),
  };
}

function unchanged(text: string): string {
  return text;
}

/** The number of requests of a deployment that are recorded per second on one node. Others are only counted. */
const ratePerSecond = { successes: 400, failures: 200 };

/** The maximum number of unwritten requests of a deployment while storage is slow. */
const maxPending = 2_000;

const minuteMilliseconds = 60_000;

/** The number of flushes without a request after which a deployment is evicted. */
const idleFlushes = 40;

/** The unwritten requests of one deployment. */
export class PendingRequests {
  #records: { served: Served; record: RequestRecord }[] = [];
  #second = Number.NaN;
  #successes = 0;
  #failures = 0;
  #omitted: OmittedCount | undefined;
  #fullMinutes: OmittedCount[] = [];
  #idle = 0;

  /** `share` is the part of the rate that this process may record. */
  constructor(private readonly share = 1) {}

  takes(served: Served, isFailure: boolean, now: number): boolean {
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#successes = 0;
      this.#failures = 0;
    }
    const isOver = isFailure
      ? this.#failures >= ratePerSecond.failures * this.share
      : this.#successes >= ratePerSecond.successes * this.share;
    if (isOver || this.#records.length >= maxPending) {
      this.#omit(served, isFailure, now);
      return false;
    }
    if (isFailure) this.#failures += 1;
    else this.#successes += 1;
    return true;
  }

  add(served: Served, record: RequestRecord): void {
    this.#records.push({ served, record });
  }

  take(): { records: { served: Served; record: RequestRecord }[]; omitted: OmittedCount[] } {
    const taken = { records: this.#records, omitted: this.#fullMinutes };
    if (this.#omitted) taken.omitted.push(this.#omitted);
    this.#idle = taken.records.length + taken.omitted.length > 0 ? 0 : this.#idle + 1;
    this.#records = [];
    this.#fullMinutes = [];
    this.#omitted = undefined;
    return taken;
  }

  get isIdle(): boolean {
    return this.#idle >= idleFlushes;
  }

  #omit({ deploymentSeq, accountSeq }: Served, failed: boolean, now: number): void {
    const minute = now - (now % minuteMilliseconds);
    if (this.#omitted?.minute !== minute) {
      if (this.#omitted) this.#fullMinutes.push(this.#omitted);
      this.#omitted = { deploymentSeq, accountSeq, minute, successes: 0, failures: 0 };
    }
    if (failed) this.#omitted.failures += 1;
    else this.#omitted.successes += 1;
  }
}
