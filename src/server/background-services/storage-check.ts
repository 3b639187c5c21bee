import { randomUUID } from "node:crypto";
import { statfsSync } from "node:fs";
import type { DiskSpace } from "../../core/metrics/metrics.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { claimBatch } from "../../platform/storage/batch-claims.ts";
import { lastBackup } from "../../platform/storage/data-directory/last-backup.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import type { Log } from "../../platform/telemetry/log.ts";
import type { Foundation } from "../foundation/foundation.ts";

const checkSeconds = 5;
/** A write that takes longer counts as failed. */
const deadlineMilliseconds = 5_000;
/** Rows beyond `work_mem` are written to the default tablespace of the database. */
const writeTemporaryFile = [
  "SET LOCAL work_mem = '64kB'",
  "SET LOCAL temp_tablespaces = ''",
  "SELECT count(*) FROM generate_series(1, 20000)",
];

export function openStorageCheck({ config, storage, clock, log, metrics, lifecycle }: Foundation): StorageCheck {
  const check = new StorageCheck({ storage, clock, log });
  lifecycle.every(checkSeconds, "check of storage", (signal) => check.run(signal));
  metrics.watchStorage({
    isAvailable: () => check.isAvailable,
    disk: () => diskSpace(config.dataDirectory),
    lastBackup: () => lastBackup(storage, config.dataDirectory)?.time,
  });
  return check;
}

/** The space of the file system that contains the path. */
function diskSpace(path: string): DiskSpace | undefined {
  try {
    const { bsize, bavail, blocks } = statfsSync(path);
    return { availableBytes: bavail * bsize, sizeBytes: blocks * bsize };
  } catch {
    // The directory was removed, or its disk does not respond: the check reports that.
    return undefined;
  }
}

interface StorageCheckOptions {
  storage: Storage;
  clock: Clock;
  log: Pick<Log, "warn" | "info">;
}

/**
 * Checks with a small write whether storage works: a full disk and a read-only database still respond to reads. The
 * write is a batch without content, so that processes do not wait for each other, and old rows are deleted. PostgreSQL
 * has room for such a row and for its log on a full disk, so it also creates a temporary file, of half a megabyte.
 */
class StorageCheck {
  readonly #writer = `check-${randomUUID()}`;
  #number = 0;
  #hasFailed: boolean;
  #writing: Promise<unknown> | undefined;

  constructor(private readonly options: StorageCheckOptions) {
    this.#hasFailed = options.storage.feed.trust() === "copied";
  }

  /** Whether the last check succeeded. True before the first one, because a server starts with storage or with a copy. */
  get isAvailable(): boolean {
    return !this.#hasFailed;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { log } = this.options;
    try {
      await this.#write(signal);
      if (this.#hasFailed && !signal.aborted) log.warn("writes to storage succeed again");
      this.#hasFailed = false;
    } catch (error) {
      // A server that stops closes storage.
      if (signal.aborted) return;
      if (!this.#hasFailed) log.warn("writes to storage fail", { error });
      this.#hasFailed = true;
    }
  }

  /** Throws if the write fails or takes too long. A write of an earlier check may still wait; then it is not repeated. */
  async #write(signal: AbortSignal): Promise<void> {
    const { storage, clock } = this.options;
    const number = ++this.#number;
    this.#writing ??= storage
      .write(async (transaction) => {
        await claimBatch(transaction, this.#writer, number, clock.now());
        if (!storage.isShared) return;
        for (const statement of writeTemporaryFile) await transaction.run(statement, []);
      })
      .finally(() => {
        this.#writing = undefined;
      });
    const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(new Error("the write takes longer than 5 s")), deadlineMilliseconds);
    const abort = () => resolve();
    signal.addEventListener("abort", abort);
    try {
      await Promise.race([this.#writing, ended]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    }
  }
}
