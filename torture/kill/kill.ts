import { expect } from "bun:test";
import { SQL } from "bun";
import { type Database, postgres, sqlite } from "../../test/support/engines.ts";
import { StoppablePostgres } from "../../test/support/stoppable-postgres.ts";
import { tableContent } from "../../test/support/table-content.ts";
import { until } from "../../test/support/until.ts";
import { echoUpstream } from "../../test/support/versioned-project.ts";
import type { Part, Torture } from "../part.ts";
import { killGateway } from "./gateway-usage.ts";
import { Scene } from "./scene.ts";

/**
 * `kill -9` under mixed writes, then a comparison with what was acknowledged: nothing lost, nothing half done, nothing double.
 * The seed repeats what is sent and when the blow falls; how requests interleave is up to the machine.
 */
export const kill: Part = async (torture) => {
  const rounds = Math.ceil(torture.effort.killRounds / 2);
  await using upstream = disposable(echoUpstream());
  await Promise.all([
    killOnSqlite(torture, rounds, upstream.server),
    killOnPostgres(torture, torture.effort.killRounds - rounds, upstream.server),
  ]);
  torture.report(await killGateway());
};

async function killOnSqlite({ random, report }: Torture, rounds: number, upstream: Bun.Server<unknown>): Promise<void> {
  const database = await sqlite.migratedDatabase();
  const scene = await Scene.open(sqlite, database, random.branch("sqlite"), upstream);
  for (let round = 0; round < rounds; round++) {
    await scene.strike(() => scene.killServer());
    await scene.startServer();
    await scene.verify();
  }
  await end(scene, database);
  report(`SQLite: the server killed ${rounds} times; ${figures(scene)}`);
  await database.drop();
}

type Victim = "server" | "database" | "both";

async function killOnPostgres(
  { random, report }: Torture,
  rounds: number,
  upstream: Bun.Server<unknown>,
): Promise<void> {
  const cluster = await StoppablePostgres.create();
  const database: Database = { environment: { DATABASE_URL: cluster.url }, drop: async () => {} };
  const scene = await Scene.open(postgres, database, random.branch("postgres"), upstream);
  const victims: Record<Victim, number> = { server: 0, database: 0, both: 0 };
  for (let round = 0; round < rounds; round++) {
    const victim = (["server", "database", "both"] as const)[round % 3]!;
    victims[victim] += 1;
    await scene.strike(async () => {
      if (victim !== "server") await cluster.kill();
      if (victim !== "database") await scene.killServer();
    });
    if (victim !== "server") await cluster.start();
    await endLeases(cluster.url);
    if (victim !== "database") await scene.startServer();
    await until(scene.isReady, { what: "the server to be ready again" });
    await scene.verify();
  }
  await end(scene, database);
  const killed = Object.entries(victims).map(([victim, times]) => `${victim} ${times}`);
  report(`PostgreSQL: killed ${killed.join(", ")} times; ${figures(scene)}`);
  await cluster.remove();
}

/** A dead node keeps the leases of its build, upload and deliveries for a while: the torture does not wait for that. */
async function endLeases(url: string): Promise<void> {
  await using connection = new SQL(url, { max: 1 });
  await connection.unsafe("UPDATE deployment_builds SET worker_until = 0 WHERE state = 'running'");
  await connection.unsafe("UPDATE deployment_builds SET updated_on = 0 WHERE state = 'uploading'");
  await connection.unsafe("UPDATE webhook_deliveries SET due_on = 0 WHERE lease IS NOT NULL AND due_on IS NOT NULL");
  await connection.unsafe("UPDATE webhooks SET next_due_on = 0 WHERE next_due_on IS NOT NULL");
}

/** The tables contain exactly what the API returns. */
async function end(scene: Scene, database: Database): Promise<void> {
  const sizes = scene.consumerLanes.map((lane) => lane.sizes);
  const rows = async (table: string) => (await tableContent(database, table)).length;
  expect({ consumers: await rows("consumers"), keys: await rows("api_keys") }).toEqual({
    consumers: sizes.reduce((sum, { consumers }) => sum + consumers, scene.webhookLane.consumers),
    keys: sizes.reduce((sum, { keys }) => sum + keys, 0),
  });
  await scene.close();
}

function figures({ lanes, deployLane, webhookLane }: Scene): string {
  const kinds = new Map<string, number>();
  let [inDoubt, happened] = [0, 0];
  for (const { counts } of lanes) {
    for (const [kind, count] of Object.entries(counts.acknowledged)) kinds.set(kind, (kinds.get(kind) ?? 0) + count);
    inDoubt += counts.inDoubt;
    happened += counts.happened;
  }
  const acknowledged = [...kinds].map(([kind, count]) => `${count} ${kind}`).join(", ");
  return (
    `acknowledged ${acknowledged}; ${inDoubt} requests without a response, of which ${happened} had happened, ` +
    `each done once after it was sent again; ${deployLane.served} deployments came to serve; ` +
    `${webhookLane.messages.arrived} webhook messages arrived, ${webhookLane.messages.repeated} of them again`
  );
}

function disposable(server: Bun.Server<unknown>) {
  return { server, [Symbol.asyncDispose]: () => server.stop(true) };
}
