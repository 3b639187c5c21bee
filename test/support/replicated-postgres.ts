import { started, stopped } from "./left-running.ts";
import { killOnExit, type Watch } from "./on-exit.ts";
import { freePort, maintenanceUrlOf, postmaster, replicatedOptions } from "./postgres.ts";
import { PostgresCluster } from "./postgres-cluster.ts";
import { enterableFolder } from "./postgres-programs.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A PostgreSQL with a streaming replica. */
export async function startReplicatedPostgres() {
  const folders = await Promise.all([
    temporaryFolder("postgres", enterableFolder()),
    temporaryFolder("standby", enterableFolder()),
  ]);
  const [primaryPort, standbyPort] = [await freePort(), await freePort()];
  const primary = await PostgresCluster.create(replicatedOptions(folders[0].path, primaryPort));
  const standby = await PostgresCluster.standbyOf(primary, replicatedOptions(folders[1].path, standbyPort));
  const watches: Watch[] = [];
  const start = async (cluster: PostgresCluster, folder: string) => {
    await cluster.start();
    watches.push(killOnExit(await postmaster(cluster), folder));
  };
  await start(primary, folders[0].path);
  await start(standby, folders[1].path);
  const running = {
    url: maintenanceUrlOf(primaryPort),
    standbyUrl: maintenanceUrlOf(standbyPort),
    startStandby: () => start(standby, folders[1].path),
    stopStandby: () => standby.stop(),
    stopPrimary: () => primary.stop(),
    crashPrimary: () => primary.stop("SIGQUIT"),
    startPrimary: () => start(primary, folders[0].path),
    async remove() {
      await standby.stop();
      await primary.stop();
      for (const watch of watches) watch.release();
      for (const folder of folders) await folder.remove();
      stopped(running);
    },
  };
  started(running, "A replicated PostgreSQL");
  return running;
}
