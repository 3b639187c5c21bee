import { type ChildProcess, spawn } from "node:child_process";
import { appendFile, chmod, chown, cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { changeOwner, type PostgresUser, postgresPrograms } from "./postgres-programs.ts";
import { patiently } from "./slowdown.ts";

const withinMilliseconds = patiently(60_000);

export interface ClusterOptions {
  /** An empty folder for the data and, if the user cannot read ours, the programs. */
  folder: string;
  port: number;
  user: string;
  password: string;
  initdbFlags: string[];
  postgresFlags: string[];
}

/**
 * A PostgreSQL with its own data. Each step ends in bounded time, on failure with an error that contains PostgreSQL's
 * output.
 */
export class PostgresCluster {
  #server: ChildProcess | undefined;

  private constructor(
    private readonly options: ClusterOptions,
    private readonly programs: string,
    private readonly owner: PostgresUser | undefined,
  ) {}

  /** Runs initdb. */
  static async create(options: ClusterOptions): Promise<PostgresCluster> {
    const { folder, user, password, initdbFlags } = options;
    const { programs, owner } = await postgresPrograms(folder);
    const cluster = new PostgresCluster(options, programs, owner);
    const passwordFile = join(folder, "password");
    await Bun.write(passwordFile, `${password}\n`);
    await mkdir(cluster.dataFolder);
    if (owner) for (const path of [passwordFile, cluster.dataFolder]) await chown(path, owner.uid, owner.gid);
    const initdb = cluster.#spawn("initdb", [
      `--pgdata=${cluster.dataFolder}`,
      "--auth=trust",
      `--username=${user}`,
      `--pwfile=${passwordFile}`,
      "--lc-messages=C",
      ...initdbFlags,
    ]);
    await settled(initdb, "initdb", (_output, exitCode) => exitCode === 0);
    return cluster;
  }

  /** Creates a standby from the files of a stopped primary. It follows the primary once both are started. */
  static async standbyOf(primary: PostgresCluster, options: ClusterOptions): Promise<PostgresCluster> {
    const { programs, owner } = await postgresPrograms(options.folder);
    const standby = new PostgresCluster(options, programs, owner);
    await cp(primary.dataFolder, standby.dataFolder, { recursive: true });
    await Bun.write(join(standby.dataFolder, "standby.signal"), "");
    const { port, user, password } = primary.options;
    const settings = join(standby.dataFolder, "postgresql.auto.conf");
    await appendFile(settings, `primary_conninfo = 'host=127.0.0.1 port=${port} user=${user} password=${password}'\n`);
    if (owner) await changeOwner(owner, standby.dataFolder);
    await chmod(standby.dataFolder, 0o700);
    return standby;
  }

  get dataFolder(): string {
    return join(this.options.folder, "data");
  }

  async start(): Promise<void> {
    const { port, postgresFlags } = this.options;
    const server = this.#spawn("postgres", ["-D", this.dataFolder, "-p", String(port), ...postgresFlags]);
    await settled(server, "postgres", (output) =>
      /database system is ready to accept (read-only )?connections/.test(output),
    );
    this.#server = server;
  }

  /** Closes every connection and stops; does nothing if it has ended already. `SIGQUIT` is a crash. */
  async stop(signal: "SIGINT" | "SIGQUIT" = "SIGINT"): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const killer = setTimeout(() => server.kill("SIGKILL"), withinMilliseconds);
    await new Promise((resolve) => {
      server.once("exit", resolve);
      server.kill(signal);
    });
    clearTimeout(killer);
  }

  #spawn(program: string, parameters: string[]): ChildProcess {
    return spawn(join(this.programs, program), parameters, {
      // Not the current folder: that user may not be allowed to enter it.
      cwd: this.options.folder,
      env: { ...process.env, LC_MESSAGES: "C" },
      stdio: ["ignore", "pipe", "pipe"],
      ...this.owner,
    });
  }
}

/**
 * Resolves once `isDone` matches the output or the exit code. Rejects if the process cannot be spawned, which is an
 * event and not an exit, if it ends otherwise, or if it takes too long.
 */
export function settled(
  child: ChildProcess,
  name: string,
  isDone: (output: string, exitCode: number | null) => boolean,
  timeoutMilliseconds = withinMilliseconds,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = "";
    const timeout = setTimeout(() => {
      fail(`took longer than ${timeoutMilliseconds / 1000} seconds`);
      child.kill("SIGKILL");
    }, timeoutMilliseconds);
    const done = () => {
      clearTimeout(timeout);
      resolve();
    };
    const fail = (what: string) => {
      clearTimeout(timeout);
      reject(new Error(`${name} ${what}. It printed:\n${output.trim() || "nothing"}`));
    };
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => {
        // Truncated, because it grows as long as the process runs.
        output = (output + chunk.toString()).slice(-16_384);
        if (isDone(output, null)) done();
      });
    child.once("error", (error) => fail(`could not be started: ${error.message}`));
    child.once("close", (exitCode, signal) =>
      isDone(output, exitCode) ? done() : fail(`ended with ${exitCode ?? signal}`),
    );
  });
}
