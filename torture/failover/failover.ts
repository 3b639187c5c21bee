import { statSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { SQL } from "bun";
import { postgres } from "../../test/support/engines.ts";
import { PostgresProxy } from "../../test/support/postgres-proxy.ts";
import { startReplicatedPostgres } from "../../test/support/replicated-postgres.ts";
import { startServer, type TestServer } from "../../test/support/server.ts";
import { type SpawnedServer, spawnServer } from "../../test/support/spawned-server.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { until } from "../../test/support/until.ts";
import type { Part, Torture } from "../part.ts";
import { Load } from "./load.ts";

type Replicated = Awaited<ReturnType<typeof startReplicatedPostgres>>;

const minute = 60_000;

/** A node in a process of its own, with a line to each server of PostgreSQL. */
class Node {
  #server: SpawnedServer | TestServer | undefined;

  private constructor(
    readonly lines: { primary: PostgresProxy; standby: PostgresProxy },
    readonly folder: TemporaryFolder,
    private readonly clockLead: number | undefined,
  ) {}

  static async open({ url, standbyUrl }: Replicated, clockLead?: number): Promise<Node> {
    const lines = { primary: await PostgresProxy.start(url), standby: await PostgresProxy.start(standbyUrl) };
    return new Node(lines, await temporaryFolder("node"), clockLead);
  }

  get server(): SpawnedServer | TestServer {
    if (!this.#server) throw new Error("the node does not run");
    return this.#server;
  }

  get isRunning(): boolean {
    return this.#server !== undefined;
  }

  /** In its own folder, with both servers as hosts. */
  async start(): Promise<void> {
    const { primary, standby } = this.lines;
    const { host } = new URL(primary.url);
    const database = {
      environment: { DATABASE_URL: primary.url.replace(host, `${host},${new URL(standby.url).host}`) },
      drop: async () => {},
    };
    const environment = { TOLLGATE_DATA_DIR: this.folder.path, TOLLGATE_STALE_SECONDS: "3600" };
    this.#server =
      this.clockLead === undefined
        ? await spawnServer(postgres, { database, environment })
        : await startServer(postgres, { database, environment, clockLead: this.clockLead });
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await server?.stop();
  }

  signal(name: "SIGSTOP" | "SIGCONT"): void {
    process.kill((this.server as SpawnedServer).processId, name);
  }

  async close(): Promise<void> {
    await this.stop();
    for (const line of Object.values(this.lines)) await line.stop();
    await this.folder.remove();
  }
}

interface Scene {
  replicated: Replicated;
  nodes: Node[];
  load: Load;
  /** How long something is away. */
  seconds: number;
  add(): Promise<Node>;
}

interface Scenario {
  /** How far the clocks of the nodes are ahead. */
  clocks?: (number | undefined)[];
  run(scene: Scene): Promise<void>;
}

async function promote({ standbyUrl }: Replicated): Promise<void> {
  await using standby = new SQL(standbyUrl, { max: 1 });
  await standby`SELECT pg_promote()`;
  await standby`ALTER SYSTEM SET synchronous_standby_names = ''`;
  await standby`SELECT pg_reload_conf()`;
}

async function setLatency({ nodes }: Scene, milliseconds: number): Promise<void> {
  for (const { lines } of nodes)
    for (const line of Object.values(lines))
      line.faultOf = milliseconds === 0 ? undefined : () => ({ kind: "delay", milliseconds });
}

const scenarios: Record<string, Scenario> = {
  "the primary is killed": {
    async run({ replicated }) {
      await replicated.crashPrimary();
      await promote(replicated);
    },
  },
  "a planned switchover": {
    async run({ replicated }) {
      await replicated.stopPrimary();
      await promote(replicated);
    },
  },
  "a lagging standby is promoted, and one node arrives late": {
    async run({ replicated, nodes, seconds }) {
      await using standby = new SQL(replicated.standbyUrl, { max: 1 });
      await standby`SELECT pg_wal_replay_pause()`;
      await Bun.sleep(2000);
      const late = nodes[1]!;
      late.lines.standby.pause();
      await replicated.crashPrimary();
      await standby`SELECT pg_wal_replay_resume()`;
      await promote(replicated);
      await Bun.sleep(Math.min(seconds, 10) * 1000);
      late.lines.standby.resume();
    },
  },
  "two primaries for a minute": {
    async run({ replicated, nodes, seconds }) {
      nodes[0]!.lines.primary.pause();
      await promote(replicated);
      await Bun.sleep(Math.min(seconds, 60) * 1000);
      await replicated.stopPrimary();
      nodes[0]!.lines.primary.resume();
    },
  },
  "the primary vanishes without a reset": {
    async run({ replicated, nodes }) {
      for (const { lines } of nodes) lines.primary.pause();
      await promote(replicated);
    },
  },
  "the synchronous standby is gone": {
    async run({ replicated, seconds }) {
      await replicated.stopStandby();
      await Bun.sleep(seconds * 1000);
      await using primary = new SQL(replicated.url, { max: 1 });
      const [row] =
        await primary`SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name LIKE 'tollgate%'`;
      // Eight for each node.
      if (row.count > 16) throw new Error(`two nodes have ${row.count} connections`);
      await replicated.startStandby();
    },
  },
  "clocks that differ by ten minutes": {
    clocks: [5 * minute, -5 * minute],
    async run({ replicated, seconds }) {
      await Bun.sleep(Math.min(seconds, 10) * 1000);
      await replicated.crashPrimary();
      await promote(replicated);
    },
  },
  "a frozen node": {
    async run({ nodes, seconds }) {
      const frozen = nodes[1]!;
      frozen.signal("SIGSTOP");
      await Bun.sleep(Math.min(seconds, 40) * 1000);
      frozen.signal("SIGCONT");
    },
  },
  "slow storage": {
    async run(scene) {
      for (const milliseconds of [50, 200, 500]) {
        await setLatency(scene, milliseconds);
        await Bun.sleep(Math.min(scene.seconds, 20) * 1000);
      }
      await setLatency(scene, 0);
    },
  },
  "storage is away and nodes restart": {
    async run({ replicated, nodes, load, seconds, add }) {
      const [first] = nodes as [Node];
      const copy = join(first.folder.path, "copy", "storage.copy");
      // The uses of keys are stored every ten seconds, and copied then.
      const from = Date.now() + 12_000;
      const hasUses = () => (statSync(copy, { throwIfNoEntry: false })?.mtimeMs ?? 0) > from;
      await until(hasUses, { withinMs: 2 * minute, what: "a copy with the known keys" });
      await replicated.stopPrimary();
      await replicated.stopStandby();
      await first.stop();
      await first.start();
      const added = await add();
      await cp(join(first.folder.path, "copy"), join(added.folder.path, "copy"), { recursive: true });
      await added.start();
      await load.warmUp([first.server, added.server]);
      await Bun.sleep(seconds * 1000);
      await replicated.startPrimary();
      await replicated.startStandby();
    },
  },
};

async function play(name: string, { clocks = [undefined, undefined], run }: Scenario, torture: Torture): Promise<void> {
  const started = performance.now();
  const replicated = await startReplicatedPostgres();
  await using primary = new SQL(replicated.url, { max: 1 });
  const nodes: Node[] = [];
  const add = async (clockLead?: number) => {
    const node = await Node.open(replicated, clockLead);
    nodes.push(node);
    return node;
  };
  let load: Load | undefined;
  try {
    for (const clockLead of clocks) await (await add(clockLead)).start();
    await primary`ALTER SYSTEM SET synchronous_standby_names = '*'`;
    await primary`SELECT pg_reload_conf()`;
    await primary.close();
    const running = () => nodes.filter((node) => node.isRunning).map((node) => node.server);
    load = await Load.open(running, torture.random.branch(name));
    load.start();
    await Bun.sleep(2000);
    await run({ replicated, nodes, load, seconds: torture.effort.failoverSeconds, add });
    await Bun.sleep(5000);
    const figures = await load.check();
    torture.report(`${name}: ${figures}, in ${Math.round((performance.now() - started) / 1000)} s`);
  } catch (error) {
    // Nodes may fail to stop then, which would hide it.
    torture.report(`${name}: ${error instanceof Error ? error.message : error}`);
    throw error;
  } finally {
    await load?.close();
    for (const { lines } of nodes)
      for (const line of Object.values(lines)) {
        line.clearFaults();
        line.resume();
      }
    for (const node of nodes) await node.close();
    await replicated.remove();
  }
}

/** Failovers of a PostgreSQL with a synchronous standby, under load. */
export const failover: Part = async (torture) => {
  const { failovers = Object.keys(scenarios) } = torture.effort;
  for (const name of failovers) await play(name, scenarios[name]!, torture);
};
