import { afterAll, beforeAll } from "bun:test";
import type { RunBuilder } from "../../src/areas/gateways/deployments/builds/build-run.ts";
import { readConfig } from "../../src/config/config.ts";
import { SharedClock, systemClock } from "../../src/lib/time/clock.ts";
import { type Server, startServer as startService } from "../../src/server/server.ts";
import { cachedBuilder } from "./cached-builder.ts";
import { Client } from "./client.ts";
import type { Database, Engine } from "./engines.ts";
import { FakeClock } from "./fake-clock.ts";
import { started, stopped } from "./left-running.ts";
import { failIfSecretsAreLogged } from "./logged-secrets.ts";
import { memoryFolder } from "./memory-folder.ts";
import { adminToken, type Environment, serverEnvironment } from "./server-settings.ts";
import { startWithWorkers, testedWorkers } from "./server-with-workers.ts";
import { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";

export interface ServerOptions {
  environment?: Environment;
  /** The database of another server, to add a second node. Its creator drops it. */
  database?: Database;
  clock?: FakeClock;
  /** Uses the real time instead of `clock`, for tests in which other processes compare times with their own. */
  hasRealTime?: boolean;
  /** Uses the time of PostgreSQL, with an own clock that is ahead by these milliseconds. */
  clockLead?: number;
  /** Replaces the real builder in this process. */
  runBuilder?: RunBuilder;
  /** Of PostgreSQL: how long a transaction may take. */
  transactionMilliseconds?: number;
  /** The number of workers. The default is TOLLGATE_TEST_WORKERS. */
  workers?: number;
}

/** A server inside this process, on a separate database, with a fake clock. */
export class TestServer {
  readonly build = "source";
  /** Sends the admin token. */
  readonly client = new Client(this, adminToken);
  readonly clock: FakeClock;
  /** Takes effect with the next start. */
  transactionMilliseconds: number | undefined;
  private readonly workers: number;
  /** The log output of the server. */
  log = "";
  #environment: Environment;
  #database: Database | undefined;
  #folder: TemporaryFolder | undefined;
  #service: Server | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly options: ServerOptions = {},
  ) {
    this.clock = options.clock ?? new FakeClock();
    this.workers = options.workers ?? testedWorkers();
    this.transactionMilliseconds = options.transactionMilliseconds;
    this.#environment = options.environment ?? {};
    this.#database = options.database;
  }

  get url(): string {
    if (!this.#service) throw new Error("The server is not running");
    return this.#service.url;
  }

  get database(): Database {
    if (!this.#database) throw new Error("The server has no database while it is not running");
    return this.#database;
  }

  async start(): Promise<void> {
    started(this, `A server on ${this.engine.name}`);
    this.#database ??= await this.engine.migratedDatabase();
    this.#folder ??= await temporaryFolder("data", memoryFolder());
    const config = readConfig(serverEnvironment(this.#database, this.#folder.path, this.#environment));
    const { transactionMilliseconds } = this;
    const { hasRealTime = false, clockLead, runBuilder = cachedBuilder(config) } = this.options;
    const clock = clockLead === undefined ? this.clock : new SharedClock({ now: () => Date.now() + clockLead });
    const options = {
      clock: hasRealTime ? systemClock : clock,
      log: { write: (text: string) => (this.log += text) },
      runBuilder,
      ...(transactionMilliseconds && { transactionMilliseconds }),
    };
    const { workers } = this;
    this.#service = await (workers > 0 ? startWithWorkers(config, options, workers) : startService(config, options));
  }

  /** Runs background work now that otherwise takes seconds. */
  async catchUp(): Promise<void> {
    await this.#service!.catchUp();
  }

  /** Runs every periodic task now, all at the same time. */
  async runTasks(): Promise<void> {
    await this.#service!.runTasks();
  }

  /** The same database and data directory, another port. */
  async restart(environment: Environment = {}): Promise<void> {
    this.#environment = { ...this.#environment, ...environment };
    await this.#stopService();
    await this.start();
  }

  /** Stops serving until the next start, which has another port unless the environment names one. */
  async halt(): Promise<void> {
    await this.#stopService();
  }

  async stop(): Promise<void> {
    stopped(this);
    await this.#stopService();
    await this.#folder?.remove();
    if (!this.options.database) await this.#database?.drop();
    this.#folder = undefined;
    this.#database = this.options.database;
    failIfSecretsAreLogged(this.log);
  }

  async #stopService(): Promise<void> {
    const service = this.#service;
    this.#service = undefined;
    await service?.stop();
  }
}

export async function startServer(engine: Engine, options?: ServerOptions): Promise<TestServer> {
  const server = new TestServer(engine, options);
  try {
    await server.start();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

/** One server for all tests of the surrounding `describe`, or of the file. */
export function useServer(engine: Engine, options?: ServerOptions): TestServer {
  const server = new TestServer(engine, options);
  beforeAll(() => server.start());
  afterAll(() => server.stop());
  return server;
}
