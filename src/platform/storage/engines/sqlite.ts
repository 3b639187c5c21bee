import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { Change } from "../change.ts";
import { packedRows } from "../change-feed/change-pack.ts";
import { LocalFeed } from "../change-feed.ts";
import { makeOwnerOnly, restrictToOwner } from "../data-directory/file-modes.ts";
import { translate } from "../errors.ts";
import { ListCounts } from "../list-counts.ts";
import type { Migration } from "../migrations/migration.ts";
import { removeInPieces } from "../removal.ts";
import { type CountsInMemory, runPrepared } from "../run-again.ts";
import type {
  OperationOwner,
  Reads,
  Storage,
  StorageObserver,
  TransactionEndListener,
  TransactionOutcome,
  WriteTransaction,
} from "../storage.ts";
import { MemoryDatabases } from "./memory-databases.ts";
import { PreparedStatements } from "./prepared-statements.ts";
import { openMigrated, openReader } from "./sqlite-connections.ts";
import { readsOver, translating } from "./sqlite-reads.ts";
import { SqliteWrites } from "./sqlite-writes.ts";

/** Bounds how long the first write of a group waits for the last. */
const maxGroupSize = 256;

/**
 * The number of groups that use savepoints from the start after a group had to run twice: a client that causes failures
 * must not double the work of all.
 */
const groupsAfterUndo = 100;

interface Job {
  work(transaction: WriteTransaction): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  owner: OperationOwner;
}

interface SqliteOptions {
  directory: string;
  migrations: Migration[];
  now(): number;
  observer: StorageObserver;
  warn(message: string, error: unknown): void;
}

/**
 * SQLite in a directory that this process owns. Writes that arrive together share one transaction and one fsync, and
 * each of them is atomic. A response is sent only after that commit is on disk.
 */
export function openSqlite(options: SqliteOptions): Storage {
  const { directory, now, observer, warn } = options;
  const file = join(directory, "tollgate.db");
  // SQLite creates the journal with the mode of the database. A journal from an earlier run may have another mode.
  makeOwnerOnly(file);
  for (const suffix of ["-wal", "-shm"]) restrictToOwner(file + suffix);
  const { writer, reader } = openMigrated(file, options);
  const writerStatements = new PreparedStatements(writer);
  const readerStatements = new PreparedStatements(reader);
  const feed = new LocalFeed(warn);
  const reads = readsOver(readerStatements, observer);
  const snapshots = new SqliteSnapshots(file, observer);
  const inMemory = new MemoryDatabases(options.migrations);

  let queue: Job[] = [];
  let flushing: Promise<void> | undefined;
  let carefulGroups = 0;

  const countsInMemory = new Set<CountsInMemory>();
  const writing = new SqliteWrites(writerStatements, { observer, countsInMemory });

  function statement(sql: string): void {
    writerStatements.get(sql).run();
  }

  /**
   * The number of changed rows since the database was opened, without those of statements that failed and rolled back.
   */
  function rowsChanged(): unknown {
    return writerStatements.get("SELECT total_changes()").values()[0]![0];
  }

  /** The group runs in the asynchronous context of its first job. */
  function runJob({ work, owner }: Job, transaction: WriteTransaction): Promise<unknown> {
    return observer.owners ? observer.owners.run(owner, () => work(transaction)) : work(transaction);
  }

  function ownersOf(done: { job: Job }[]): OperationOwner[] | undefined {
    return observer.owners && done.map(({ job }) => job.owner);
  }

  /**
   * For a savepoint SQLite copies every page that its job changes: a dozen pages for a new key. So a group runs without
   * savepoints, and is retried with savepoints if a job fails after it has written.
   */
  async function runGroup(jobs: Job[]): Promise<void> {
    let left = jobs;
    if (carefulGroups === 0) {
      left = await tryGroup(jobs, { hasSavepoints: false });
      if (left.length === 0) return;
      carefulGroups = groupsAfterUndo;
    } else carefulGroups -= 1;
    await tryGroup(left, { hasSavepoints: left.length > 1 });
  }

  /** Returns the jobs that must be retried with savepoints. */
  async function tryGroup(jobs: Job[], { hasSavepoints }: { hasSavepoints: boolean }): Promise<Job[]> {
    const started = performance.now();
    const done: { job: Job; value: unknown; changes: Change[]; lasting: Change[] }[] = [];
    const groupCounts = new ListCounts();
    const failed = new Set<Job>();
    const endListeners = new Map<Job, TransactionEndListener[]>();
    const end = (job: Job, outcome: TransactionOutcome) => {
      const listeners = endListeners.get(job) ?? [];
      endListeners.delete(job);
      for (const listener of listeners) listener(outcome);
    };
    const undoAll = () => {
      for (const job of endListeners.keys()) end(job, "rolledBack");
    };
    try {
      // The transaction is still open after a ROLLBACK that threw.
      if (writer.inTransaction) statement("ROLLBACK");
      statement("BEGIN IMMEDIATE");
      let changedBefore = rowsChanged();
      for (const job of jobs) {
        if (hasSavepoints) statement("SAVEPOINT job");
        const changes: Change[] = [];
        try {
          const counts = new ListCounts();
          const listeners: TransactionEndListener[] = [];
          endListeners.set(job, listeners);
          const transaction = writing.transaction(changes, counts, listeners);
          const value = await runJob(job, transaction);
          const lasting = changes.filter((change) => !change.isTransient);
          groupCounts.merge(counts);
          done.push({ job, value, changes, lasting });
        } catch (error) {
          // A full disk rolls back the whole transaction. Nothing of this group may be acknowledged then.
          if (!writer.inTransaction) throw error;
          // A single job is rolled back with the transaction.
          if (jobs.length === 1) throw error;
          if (hasSavepoints) statement("ROLLBACK TO job");
          else if (rowsChanged() !== changedBefore) {
            statement("ROLLBACK");
            undoAll();
            return jobs.filter((each) => !failed.has(each));
          }
          end(job, "rolledBack");
          job.reject(translate(error));
          failed.add(job);
        }
        if (hasSavepoints) statement("RELEASE job");
        else changedBefore = rowsChanged();
      }
      const lasting = done.flatMap((each) => each.lasting);
      writing.insertAll("changes", packedRows(lasting, "local", now()));
      await groupCounts.write({ ...writing.reads, run: writing.run });
      const committing = performance.now();
      statement("COMMIT");
      observer.operation("commit", (performance.now() - committing) / 1000, ownersOf(done));
    } catch (error) {
      undoAll();
      for (const job of jobs) job.reject(translate(error)); // one that was settled already ignores it
      try {
        if (writer.inTransaction) statement("ROLLBACK");
      } catch (rollbackError) {
        warn("a transaction could not be rolled back; the next write will retry", rollbackError);
      }
      return [];
    }
    observer.operation("write", (performance.now() - started) / 1000, ownersOf(done));
    observer.group(jobs.length);
    for (const { job, value, changes } of done) {
      end(job, "committed");
      feed.publish(changes);
      job.resolve(value);
    }
    return [];
  }

  /** Waits while each turn of the event loop brings more, so that every request that has arrived joins the group. */
  async function settled(): Promise<void> {
    for (let size = 0; size < queue.length && queue.length < maxGroupSize; ) {
      size = queue.length;
      await new Promise(setImmediate);
    }
  }

  async function flush(): Promise<void> {
    while (queue.length > 0) {
      await settled();
      const jobs = queue.splice(0, maxGroupSize);
      await runGroup(jobs);
    }
    flushing = undefined;
  }

  const storage: Storage = {
    engine: "sqlite",
    isShared: false,
    reads,
    feed,
    countsInMemory,
    write<Result>(work: (transaction: WriteTransaction) => Promise<Result>) {
      const owner = observer.owners?.current();
      return runPrepared(
        () =>
          new Promise<Result>((resolve, reject) => {
            queue.push({ work, resolve: resolve as (value: unknown) => void, reject, owner });
            flushing ??= flush();
          }),
      );
    },
    snapshot: (work) => snapshots.read(work),
    inMemory: (tables, work) => inMemory.run(tables, work),
    releaseSpace: (signal) => releaseFreePages(storage, file, signal),
    async close() {
      await flushing;
      queue = [];
      snapshots.close();
      inMemory.close();
      readerStatements.close();
      writerStatements.close();
      reader.close();
      // Leaves a single file without a journal, which is easy to copy while the server is down.
      writer.run("PRAGMA wal_checkpoint(TRUNCATE)");
      writer.close();
    },
  };
  return storage;
}

/** The number of pages that one statement releases, which takes one or two milliseconds. */
const pagesAtOnce = 100;

/** Free pages that stay in the file for later writes: 4 MiB, or a tenth of a larger database. */
const minFreePages = 1024;
const keptPart = 0.1;

/**
 * Returns free pages to the file system in batches. Otherwise SQLite keeps the space of deleted rows for later writes,
 * and a burst of uploads would occupy the disk forever. Each batch moves pages from the end of the file to free ones. A
 * database that was created without `auto_vacuum` keeps its size.
 */
export async function releaseFreePages(storage: Storage, file: string, signal: AbortSignal): Promise<void> {
  if ((await numberOf(storage.reads, "auto_vacuum")) === 0) return;
  let isReleased = false;
  await removeInPieces(
    storage,
    async (transaction, pages) => {
      const before = await numberOf(transaction, "freelist_count");
      const kept = Math.max(minFreePages, keptPart * (await numberOf(transaction, "page_count")));
      const releasable = Math.min(pages, before - kept);
      for (let released = 0; released + pagesAtOnce <= releasable; released += pagesAtOnce)
        await transaction.all(`PRAGMA incremental_vacuum(${pagesAtOnce})`, []);
      const released = before - (await numberOf(transaction, "freelist_count"));
      isReleased ||= released > 0;
      return released;
    },
    { signal },
  );
  if (isReleased) checkpoint(file);
}

/** Truncates the database file. Without this, the file keeps its size until the next checkpoint. */
function checkpoint(file: string): void {
  // A separate connection, because the writer's may be in a transaction.
  using database = new Database(file, { readwrite: true });
  database.run("PRAGMA wal_checkpoint(PASSIVE)");
}

async function numberOf(reads: Reads, pragma: "auto_vacuum" | "freelist_count" | "page_count"): Promise<number> {
  return Object.values((await reads.one<Record<string, number>>(`PRAGMA ${pragma}`, []))!)[0]!;
}

interface Connection {
  database: Database;
  statements: PreparedStatements;
  reads: Reads;
}

/** More connections are closed after their snapshot. */
const maxIdle = 2;

/** Reads of one time, each on a connection of its own: others that shared it would see old data. */
export class SqliteSnapshots {
  #idle: Connection[] = [];

  constructor(
    private readonly file: string,
    private readonly observer: StorageObserver,
  ) {}

  async read<Result>(work: (reads: Reads) => Promise<Result>): Promise<Result> {
    const connection = this.#idle.pop() ?? this.#open();
    const { database, reads } = connection;
    translating(() => database.run("BEGIN"));
    try {
      return await work(reads);
    } finally {
      database.run("ROLLBACK");
      if (this.#idle.length < maxIdle) this.#idle.push(connection);
      else close(connection);
    }
  }

  close(): void {
    for (const connection of this.#idle) close(connection);
    this.#idle = [];
  }

  #open(): Connection {
    const database = openReader(this.file);
    const statements = new PreparedStatements(database);
    return { database, statements, reads: readsOver(statements, this.observer) };
  }
}

function close({ database, statements }: Connection): void {
  statements.close();
  database.close();
}
