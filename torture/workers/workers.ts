import { childrenOf, isRunning } from "../../test/support/child-processes.ts";
import type { Engine } from "../../test/support/engines.ts";
import { until } from "../../test/support/until.ts";
import { echoUpstream } from "../../test/support/versioned-project.ts";
import { Scene } from "../kill/scene.ts";
import type { Part, Torture } from "../part.ts";

const victims = ["worker", "primary", "supervisor", "sandbox"] as const;
const environment = { TOLLGATE_WORKERS: "2" };

/**
 * `kill -9` of one process of a server with workers, under mixed writes: what was acknowledged is there, once, and no quota is exceeded.
 */
export const workers: Part = async (torture) => {
  const upstream = echoUpstream();
  try {
    for (const engine of torture.effort.workerEngines) await killOn(engine, torture, upstream);
  } finally {
    await upstream.stop(true);
  }
};

async function killOn(
  engine: Engine,
  { random, effort, report }: Torture,
  upstream: Bun.Server<unknown>,
): Promise<void> {
  const database = await engine.migratedDatabase();
  const scene = await Scene.open(engine, database, random.branch(`workers ${engine.name}`), upstream, environment);
  for (let round = 0; round < effort.workerRounds; round++) {
    const victim = victims[round % victims.length]!;
    const all = () => childrenOf(scene.processId);
    await until(() => all().length === 4, { what: "a primary, two workers and the process for sandboxes" });
    const before = all();
    await scene.strike(async () => {
      if (victim === "supervisor") await scene.killServer();
      else process.kill(childrenOf(scene.processId, `${victim}-process`)[0]!, "SIGKILL");
    });
    if (victim === "supervisor") {
      await until(() => !before.some(isRunning), { what: "the processes without a supervisor to end" });
      await scene.startServer();
    }
    await until(scene.isReady, { what: "the server to be ready again" });
    await scene.verify();
  }
  await scene.close();
  await database.drop();
  report(`${engine.name}: ${effort.workerRounds} processes killed in turn: ${victims.join(", ")}`);
}
