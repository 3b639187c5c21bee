import { newBucketPath } from "../../test/support/bucket-path.ts";
import type { ClientResponse } from "../../test/support/client.ts";
import { type Database, postgres } from "../../test/support/engines.ts";
import { type SpawnedServer, spawnServer } from "../../test/support/spawned-server.ts";
import { until } from "../../test/support/until.ts";
import { expectStatus } from "../expect-status.ts";
import type { Part, Torture } from "../part.ts";
import { cpuMilliseconds } from "../process-figures.ts";

const bulkSize = 1_000;
const burstInFlight = 16;
/** How long a node uses its caches without hearing from PostgreSQL. */
const trustMilliseconds = 1_000;

interface Key {
  id: string;
  key: string;
}

/**
 * Many nodes on one PostgreSQL: nodes join and leave during writes, and one is away for many changes. All of them reject
 * a deleted key soon, and a node that was away rejects it from its first response on.
 */
export const fleet: Part = async (torture) => {
  const database = await postgres.migratedDatabase();
  const nodes: SpawnedServer[] = [];
  try {
    await new Fleet(database, nodes, torture).run();
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
    await database.drop();
  }
};

class Fleet {
  readonly #bucket = newBucketPath();
  #writes = 0;

  constructor(
    private readonly database: Database,
    private readonly nodes: SpawnedServer[],
    private readonly torture: Torture,
  ) {}

  async run(): Promise<void> {
    const { effort, report } = this.torture;
    const { nodes } = this;
    for (let index = 0; index < effort.fleetNodes; index++) await this.#join();
    await this.#createKeys(effort.fleetKeys);

    const perChange = await this.#burst(effort.fleetChanges);
    report(`${effort.fleetChanges} changes while a node was away; CPU per change and node: ${perChange} µs`);

    const writing = new AbortController();
    const writes = this.#write(writing.signal);
    const lags: number[] = [];
    try {
      for (let round = 0; round < effort.fleetRounds; round++) {
        lags.push(...(await this.#revoke()));
        if (round % 5 === 2) await this.#replaceNode();
      }
    } finally {
      writing.abort();
      await writes;
    }
    lags.sort((one, other) => one - other);
    const at = (share: number) => Math.round(lags[Math.min(lags.length - 1, Math.floor(lags.length * share))]!);
    report(
      `${nodes.length} nodes, ${effort.fleetKeys} keys, ${this.#writes} writes, ${effort.fleetRounds} deleted keys: ` +
        `rejected by every node after ${at(0.5)} ms (p50), ${at(0.99)} ms (p99)`,
    );
    if (at(0.99) > effort.fleetLagMilliseconds)
      throw new Error(`A deleted key was accepted for ${at(0.99)} ms (p99), more than ${effort.fleetLagMilliseconds}.`);
  }

  async #join(): Promise<void> {
    this.nodes.push(await spawnServer(postgres, { database: this.database }));
  }

  /** A node leaves, and another one joins. */
  async #replaceNode(): Promise<void> {
    // The first one gets the writes.
    const [leaving] = this.nodes.splice(this.torture.random.integer(1, this.nodes.length - 1), 1);
    await leaving!.stop();
    await this.#join();
  }

  async #createKeys(count: number): Promise<void> {
    const { client } = this.nodes[0]!;
    expectStatus(await client.post(`${this.#bucket}/consumers`, { name: "many" }), [200]);
    for (let created = 0; created < count; created += bulkSize) {
      const items = Array.from({ length: Math.min(bulkSize, count - created) }, () => ({}));
      expectStatus(await client.post(`${this.#bucket}/consumers/many/keys/$bulk`, items), [200]);
    }
  }

  /** Changes while one node is stopped. Returns the CPU time of a node that follows them, in microseconds. */
  async #burst(changes: number): Promise<number> {
    const { nodes } = this;
    const away = nodes[1]!;
    const follower = nodes[2]!;
    const key = await this.#newKey(away);
    if (!(await this.#accepts(away, key))) throw new Error("A new key was rejected.");
    process.kill(away.processId, "SIGSTOP");
    const before = { cpu: cpuMilliseconds(follower.processId), at: performance.now() };
    try {
      await this.#change(changes);
      await this.#delete(nodes[0]!, key);
      // Until then it may use its caches.
      await Bun.sleep(Math.max(0, before.at + trustMilliseconds - performance.now()));
    } finally {
      process.kill(away.processId, "SIGCONT");
    }
    const cpu = cpuMilliseconds(follower.processId) - before.cpu;
    const seconds = (performance.now() - before.at) / 1000;
    if (await this.#accepts(away, key)) throw new Error("A node that was away accepted a key that was deleted then.");
    const idle = await this.#idleCpu(follower, Math.min(seconds, 3));
    return Math.round(((cpu - idle * seconds) * 1000) / changes);
  }

  /** In milliseconds per second. */
  async #idleCpu(node: SpawnedServer, seconds: number): Promise<number> {
    const before = cpuMilliseconds(node.processId);
    await Bun.sleep(seconds * 1000);
    return (cpuMilliseconds(node.processId) - before) / seconds;
  }

  async #change(count: number): Promise<void> {
    let left = count;
    const lane = async () => {
      while (left > 0) {
        left -= 1;
        await this.#patch(left);
      }
    };
    await Promise.all(Array.from({ length: burstInFlight }, lane));
  }

  async #patch(number: number): Promise<void> {
    const { client } = this.nodes[0]!;
    const body = { description: `change ${number}` };
    expectStatus(await served(() => client.patch(`${this.#bucket}/consumers/many`, body)), [200]);
    this.#writes += 1;
  }

  /** Writes at the configured rate until the signal. */
  async #write(signal: AbortSignal): Promise<void> {
    const pending = new Set<Promise<void>>();
    while (!signal.aborted) {
      const write = this.#patch(this.#writes).finally(() => pending.delete(write));
      pending.add(write);
      await Bun.sleep(1000 / this.torture.effort.fleetWritesPerSecond);
      if (pending.size > burstInFlight) await Promise.race(pending);
    }
    await Promise.all(pending);
  }

  /** Deletes a key that all nodes have cached. Returns how long each of them accepted it, in milliseconds. */
  async #revoke(): Promise<number[]> {
    const { nodes } = this;
    const { random } = this.torture;
    const key = await this.#newKey(random.pick(nodes));
    await Promise.all(nodes.map((node) => until(() => this.#accepts(node, key))));
    await this.#delete(random.pick(nodes), key);
    const deleted = performance.now();
    return Promise.all(
      nodes.map(async (node) => {
        await until(async () => !(await this.#accepts(node, key)));
        return performance.now() - deleted;
      }),
    );
  }

  async #newKey({ client }: SpawnedServer): Promise<Key> {
    const response = await served(() => client.post(`${this.#bucket}/consumers/many/keys?key-format=visible`, {}));
    expectStatus(response, [200]);
    return response.body;
  }

  async #delete({ client }: SpawnedServer, { id }: Key): Promise<void> {
    // A request that got 503 may have deleted it.
    expectStatus(await served(() => client.delete(`${this.#bucket}/consumers/many/keys/${id}`)), [204, 404]);
  }

  async #accepts({ client }: SpawnedServer, { key }: Key): Promise<boolean> {
    const response = await served(() => client.post(`${this.#bucket}/verify-key`, { key }));
    expectStatus(response, [200]);
    return response.body.valid;
  }
}

/** Repeats a request that gets 503: a machine with eight nodes may be too busy to reach PostgreSQL in time. */
function served(send: () => Promise<ClientResponse>): Promise<ClientResponse> {
  const attempt = async () => {
    const response = await send();
    return response.status === 503 ? undefined : response;
  };
  return until(attempt, { what: "a response other than 503" });
}
