import { afterAll, beforeAll } from "bun:test";
import { migrations } from "../../src/core/database/migrations/index.ts";
import type { Change } from "../../src/platform/storage/change.ts";
import { openStorage, type StorageOptions } from "../../src/platform/storage/engines/open.ts";
import type { Storage } from "../../src/platform/storage/storage.ts";
import type { Database, Engine } from "./engines.ts";
import { FakeClock } from "./fake-clock.ts";
import { started, stopped } from "./left-running.ts";
import { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";

/** Opens the database of a server that is stopped, or of a node beside it. On SQLite without a folder of its own, in the given one. */
export function openStorageOf({ environment }: Database, folder: string, clock: FakeClock): Promise<Storage> {
  return openStorage({
    dataDirectory: environment.TOLLGATE_DATA_DIR ?? folder,
    databaseUrl: environment.DATABASE_URL,
    databasePatience: Number(environment.TOLLGATE_DATABASE_PATIENCE ?? 1),
    migrations,
    databaseConnections: 8,
    staleSeconds: 300,
    now: () => clock.now(),
    observer: { operation: () => {}, group: () => {}, revocationLag: () => {} },
    warn: () => {},
  });
}

/** Storage on a separate database, without a server. */
export class TestStorage {
  readonly clock = new FakeClock();
  /** The changes that the feed announced, in order, with the delays of other nodes' changes. */
  changes: Change[] = [];
  lags: number[] = [];
  /** The number of gaps that the feed announced. */
  gaps = 0;
  warnings: string[] = [];
  /** The migrations of the next start: an earlier version has fewer. */
  migrations = migrations;
  #database: Database | undefined;
  #folder: TemporaryFolder | undefined;
  #storage: Storage | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly more: Partial<StorageOptions> = {},
  ) {}

  get open(): Storage {
    if (!this.#storage) throw new Error("The storage is not open");
    return this.#storage;
  }

  get dataDirectory(): string {
    return this.options.dataDirectory;
  }

  /** The options for opening the same database again. */
  get options(): StorageOptions {
    if (!this.#database || !this.#folder) throw new Error("The storage is not open");
    return {
      dataDirectory: this.#database.environment.TOLLGATE_DATA_DIR ?? this.#folder.path,
      databaseUrl: this.#database.environment.DATABASE_URL,
      migrations: this.migrations,
      databaseConnections: 8,
      databasePatience: Number(this.#database.environment.TOLLGATE_DATABASE_PATIENCE ?? 1),
      staleSeconds: 300,
      now: () => this.clock.now(),
      observer: { operation: () => {}, group: () => {}, revocationLag: (seconds) => this.lags.push(seconds) },
      warn: (message) => this.warnings.push(message),
      ...this.more,
    };
  }

  async start(): Promise<void> {
    started(this, `Storage on ${this.engine.name}`);
    this.#database ??= await (this.migrations === migrations
      ? this.engine.migratedDatabase()
      : this.engine.freshDatabase());
    this.#folder ??= await temporaryFolder("data");
    this.#storage = await openStorage(this.options);
    this.#storage.feed.subscribe(
      (changes) => this.changes.push(...changes),
      () => {
        this.gaps += 1;
      },
    );
  }

  async close(): Promise<void> {
    const storage = this.#storage;
    this.#storage = undefined;
    await storage?.close();
  }

  async stop(): Promise<void> {
    stopped(this);
    await this.close();
    await this.#folder?.remove();
    await this.#database?.drop();
  }
}

/** One storage for all tests of the surrounding `describe`, or of the file. */
export function useStorage(engine: Engine, options?: Partial<StorageOptions>): TestStorage {
  const storage = new TestStorage(engine, options);
  beforeAll(() => storage.start());
  afterAll(() => storage.stop());
  return storage;
}
