import { Client } from "./client.ts";
import type { Database, Engine } from "./engines.ts";
import { failIfSecretsAreLogged } from "./logged-secrets.ts";
import { memoryFolder } from "./memory-folder.ts";
import { adminToken, type Environment, serverEnvironment } from "./server-settings.ts";
import { patiently } from "./slowdown.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { type ExitStatus, TollgateProcess, within } from "./tollgate-process.ts";
import { until } from "./until.ts";

/** Both together are shorter than a test's timeout, so that the error contains the output. */
const startWithinMs = patiently(60_000);
const stopWithinMs = patiently(50_000);

export interface SpawnOptions {
  environment?: Environment;
  /** Kept when the server ends, for the next one. Its creator drops it. */
  database?: Database;
  /** A program that starts it with limits, such as `prlimit`. */
  launcher?: string[];
  /** The command of another copy of the program. */
  program?: string[];
}

export type LogLine = Record<string, unknown>;

/** The real server in a separate process with the real clock. */
export class SpawnedServer {
  readonly build = "spawned";
  /** Sends the admin token. */
  readonly client = new Client(this, adminToken);
  #url: string | undefined;
  #ended: ExitStatus | undefined;
  #failure: unknown;

  constructor(
    private readonly process: TollgateProcess,
    private readonly tidyUp: () => Promise<void>,
  ) {
    process.exited.then(
      (status) => {
        this.#ended = status;
      },
      (error: unknown) => {
        this.#failure = error;
      },
    );
  }

  get url(): string {
    if (this.#url === undefined) throw new Error("The server does not listen yet");
    return this.#url;
  }

  get processId(): number {
    return this.process.processId;
  }

  get exited(): Promise<ExitStatus> {
    return this.process.exited;
  }

  /** Each line of its output, of both streams. */
  get output(): string[] {
    return [...this.process.stdout, ...this.process.stderr];
  }

  /** The error stream, which a person at the terminal reads. */
  get errorOutput(): string[] {
    return this.process.stderr;
  }

  get log(): LogLine[] {
    return this.output.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  }

  /** Returns the log since the last call and drops it, because a long run would accumulate all of it. */
  takeLog(): LogLine[] {
    const lines = this.log;
    failIfSecretsAreLogged(this.process.stdout.join("\n"));
    this.process.stdout.length = 0;
    return lines;
  }

  async listening(): Promise<void> {
    const line = await until(
      () => {
        if (this.#failure !== undefined) throw this.#failure;
        if (this.#ended !== undefined) throw new Error(`The server ended with ${this.#ended} before it listened`);
        return this.log.find((entry) => entry.msg === "listening");
      },
      { withinMs: startWithinMs, what: "the server to listen" },
    );
    this.#url = String(line.url);
  }

  /** Resolves when the process has ended. Its database remains until `stop`. */
  kill(signal: NodeJS.Signals): Promise<ExitStatus> {
    return this.process.kill(signal);
  }

  /** Ends a server that did not start or stop. Returns the error with what the server wrote. */
  async discard(error: Error): Promise<Error> {
    const ended = await this.kill("SIGKILL").catch((failure: Error) => failure);
    await this.tidyUp();
    const report = ended instanceof Error ? ended.message : this.process.report;
    return new Error(`${error.message}. ${report}`, { cause: error });
  }

  /** Stops the process like an operator, unless it has ended, and fails if the exit is not clean. */
  async stop(): Promise<void> {
    let status: ExitStatus = 0;
    if (this.#ended === undefined) {
      const ended = this.kill("SIGTERM");
      if (!(await within(stopWithinMs, ended))) throw await this.discard(new Error("The server did not stop in time"));
      status = await ended;
    }
    await this.tidyUp();
    if (status !== 0) throw new Error(`The server ended with ${status} when it was to stop. ${this.process.report}`);
    failIfSecretsAreLogged(this.process.stdout.join("\n"));
  }
}

export async function spawnServer(engine: Engine, options: SpawnOptions = {}): Promise<SpawnedServer> {
  const database = options.database ?? (await engine.migratedDatabase());
  const folder = await temporaryFolder("data", memoryFolder());
  const environment = serverEnvironment(database, folder.path, options.environment ?? {});
  const server = new SpawnedServer(
    new TollgateProcess(["serve"], environment, options.launcher, options.program),
    async () => {
      await folder.remove();
      if (!options.database) await database.drop();
    },
  );
  try {
    await server.listening();
  } catch (error) {
    throw await server.discard(error as Error);
  }
  return server;
}
