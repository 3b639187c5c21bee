import { started, stopped } from "./left-running.ts";
import { killOnExit, type Watch } from "./on-exit.ts";
import { createCluster, freePort, maintenanceUrlOf, postmaster } from "./postgres.ts";
import type { PostgresCluster } from "./postgres-cluster.ts";
import { enterableFolder } from "./postgres-programs.ts";
import { processRuns } from "./sandboxes.ts";
import { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";
import { until } from "./until.ts";

/** A PostgreSQL for one test, which can be stopped and restarted at the same address with the same data. */
export class StoppablePostgres {
  #watch: Watch | undefined;

  private constructor(
    private readonly cluster: PostgresCluster,
    private readonly folder: TemporaryFolder,
    readonly url: string,
  ) {}

  static async create(): Promise<StoppablePostgres> {
    const folder = await temporaryFolder("postgres", enterableFolder());
    const port = await freePort();
    const cluster = await createCluster(folder.path, port);
    const postgres = new StoppablePostgres(cluster, folder, maintenanceUrlOf(port));
    await postgres.start();
    return postgres;
  }

  async start(): Promise<void> {
    await this.cluster.start();
    started(this, "A PostgreSQL");
    this.#watch = killOnExit(await postmaster(this.cluster), this.folder.path);
  }

  /** Closes every connection, like an operator's restart. */
  async stop(): Promise<void> {
    this.#watch?.release();
    await this.cluster.stop();
    stopped(this);
  }

  /** Kills all its processes at once, like a power failure. Unwritten data is lost. */
  async kill(): Promise<void> {
    const processIds = [await postmaster(this.cluster)];
    processIds.push(...childrenOf(processIds[0]!));
    this.#watch?.release();
    for (const processId of processIds) endProcess(processId);
    await until(() => !processIds.some(processRuns), { what: "PostgreSQL to be dead" });
    stopped(this);
  }

  async remove(): Promise<void> {
    await this.stop();
    await this.folder.remove();
  }
}

function childrenOf(processId: number): number[] {
  const { stdout } = Bun.spawnSync(["ps", "-A", "-o", "pid=,ppid="]);
  const pairs = stdout
    .toString()
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.filter(([, parent]) => parent === processId).map(([child]) => child!);
}

/** The process may have ended already. */
function endProcess(processId: number): void {
  try {
    process.kill(processId, "SIGKILL");
  } catch {}
}
