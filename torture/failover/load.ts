import { expect } from "bun:test";
import type { Client, ClientResponse } from "../../test/support/client.ts";
import { newKeyHolder } from "../../test/support/key-holder.ts";
import { subscribed, usageEvent, usedOf } from "../../test/support/metering.ts";
import { callHost, type Deployed, deploy, openApi } from "../../test/support/project.ts";
import { until } from "../../test/support/until.ts";
import type { Random } from "../random.ts";

const knownKeys = 5;
const withinMs = 60_000;

/** A node of the fleet that the load uses. */
export interface LoadedNode {
  url: string;
  client: Client;
}

/**
 * A constant load on nodes: requests to a deployment with a key and a quota, `verify-key`, events, new and revoked keys,
 * and changes of consumers. What was acknowledged is looked for afterwards.
 */
export class Load {
  readonly #keys: string[] = [];
  #events = 0;
  readonly #created = new Map<string, string>();
  readonly #revoked = new Set<string>();
  #description = "";
  #served = 0;
  #unsure = 0;
  #acknowledged = 0;
  #rejected = 0;
  readonly #failures: string[] = [];
  #running: Promise<unknown> = Promise.resolve();
  #isOver = false;
  #isClosed = false;

  private constructor(
    private readonly nodes: () => LoadedNode[],
    private readonly random: Random,
    private readonly paths: { bucket: string; keys: string; consumer: string; events: string; subscription: string },
    private readonly host: string,
    private readonly upstream: ReturnType<typeof Bun.serve>,
  ) {}

  static async open(nodes: () => LoadedNode[], random: Random): Promise<Load> {
    const [first] = nodes() as [LoadedNode];
    const { bucket, keys, path: consumer } = await newKeyHolder(first.client);
    const made = await subscribed(first.client, {
      meters: { requests: { max: 1_000_000 }, units: { max: 1_000_000 } },
    });
    const upstream = Bun.serve({ port: 0, fetch: () => new Response("served") });
    const deployed: Deployed = await deploy(
      first,
      { project: "failover", branch: "main" },
      {
        "openapi.json": openApi({ "/a": { "x-tollgate": { policies: ["key", "quota"] } } }),
        "tollgate.json": {
          upstream: upstream.url.origin,
          policies: {
            key: { type: "api-key", options: { bucket: bucket.split("/").at(-1) } },
            quota: { type: "quota", options: { bucketId: made.bucket.split("/").at(-1), meters: { requests: 1 } } },
          },
        },
      },
    );
    const paths = { bucket, keys, consumer, events: `${made.bucket}/events`, subscription: made.path };
    const load = new Load(nodes, random, paths, new URL(deployed.url).hostname, upstream);
    for (let each = 0; each < knownKeys; each++) load.#keys.push((await first.client.post(keys, {})).body.key);
    await load.warmUp();
    return load;
  }

  /** Uses each known key on each node. */
  async warmUp(nodes = this.nodes()): Promise<void> {
    for (const node of nodes)
      for (const key of this.#keys) {
        let last = "";
        const isServed = async () => {
          last = `${await this.#request(node, key)}, ${await this.#verdict(node, key)}`;
          return last === "200, valid";
        };
        await until(isServed, { withinMs, what: () => `a node to serve, which responds ${last}` });
      }
  }

  start(): void {
    this.#running = Promise.all([
      this.#lane(() => this.#useKnownKey()),
      this.#lane(() => this.#useKnownKey()),
      this.#lane(() => this.#record()),
      this.#lane(() => this.#createKey()),
      this.#lane(() => this.#revokeKey()),
      this.#lane(() => this.#change()),
    ]);
  }

  /** Ends the load, and compares what was acknowledged with what each node has. Returns figures. */
  async check({ lostRequests = 0 } = {}): Promise<string> {
    this.#isOver = true;
    await this.#running;
    expect(this.#failures).toEqual([]);
    const nodes = this.nodes();
    for (const node of nodes) {
      const status = async () => (await fetch(`${node.url}/storagez`)).status;
      await until(async () => (await status()) === 200, { withinMs, what: "storage to be available" });
      for (const key of this.#created.values())
        await until(async () => (await this.#verdict(node, key)) === "valid", {
          withinMs,
          what: "an acknowledged key",
        });
      for (const key of this.#revoked)
        await until(async () => (await this.#verdict(node, key)) === "not_found", { withinMs, what: "a revocation" });
    }
    const [{ client }] = nodes as [LoadedNode];
    expect((await client.get(this.paths.consumer)).body.description ?? "").toBe(this.#description);
    const used = async () => usedOf(client, this.paths.subscription);
    await until(async () => (await used()).units === this.#events, {
      withinMs,
      what: `${this.#events} events to be counted`,
    });
    await until(async () => (await used()).requests! >= this.#served - lostRequests, {
      withinMs,
      what: `${this.#served} requests to be counted`,
    });
    const { requests } = await used();
    expect(requests).toBeLessThanOrEqual(this.#served + this.#unsure);
    return `${this.#served} requests, ${this.#events} events, ${this.#created.size} keys and ${this.#revoked.size} revocations counted and found; ${this.#acknowledged} writes, ${this.#rejected} rejected`;
  }

  async close(): Promise<void> {
    this.#isOver = true;
    this.#isClosed = true;
    await this.#running.catch(() => {});
    await this.upstream.stop(true);
  }

  async #lane(step: () => Promise<void>): Promise<void> {
    while (!this.#isOver) {
      try {
        await step();
      } catch (error) {
        this.#failures.push(String(error));
      }
      await Bun.sleep(this.random.integer(10, 40));
    }
  }

  #node(): LoadedNode | undefined {
    const nodes = this.nodes();
    return nodes.length === 0 ? undefined : this.random.pick(nodes);
  }

  /** Known keys never get a 5xx. */
  async #useKnownKey(): Promise<void> {
    const node = this.#node();
    if (!node) return;
    const key = this.random.pick(this.#keys);
    const status = await this.#request(node, key);
    const verdict = await this.#verdict(node, key);
    if (!this.nodes().includes(node)) return;
    if (status !== 200) this.#failures.push(`a request got ${status}`);
    if (verdict !== "valid") this.#failures.push(`verify-key of a known key: ${verdict}`);
  }

  /** 0 without a response: the node was stopped. */
  async #request(node: LoadedNode, key: string): Promise<number> {
    this.#unsure += 1;
    try {
      const { status } = await callHost(node.url, this.host, "/a", { headers: { authorization: `Bearer ${key}` } });
      this.#unsure -= 1;
      if (status === 200) this.#served += 1;
      return status;
    } catch {
      return 0;
    }
  }

  async #verdict({ client }: LoadedNode, key: string): Promise<string> {
    const response = await client.post(`${this.paths.bucket}/verify-key`, { key }).catch(() => undefined);
    if (response?.status !== 200) return String(response?.status ?? "no response");
    return response.body.valid ? "valid" : response.body.code;
  }

  /** Repeats a write that may be repeated, at any node, until it is acknowledged. */
  async #acknowledge(
    send: (client: Client) => Promise<ClientResponse>,
    done: number[],
  ): Promise<ClientResponse["body"]> {
    for (;;) {
      const client = this.#node()?.client;
      const response = client && (await send(client).catch(() => undefined));
      if (response && done.includes(response.status)) {
        this.#acknowledged += 1;
        return response.body;
      }
      if (this.#isClosed) throw new Error("a write was never acknowledged");
      this.#rejected += 1;
      if (response && response.status < 500) throw new Error(`a write got ${response.status}: ${response.text}`);
      await Bun.sleep(200);
    }
  }

  async #record(): Promise<void> {
    const event = usageEvent({ units: 1 });
    await this.#acknowledge((client) => client.post(this.paths.events, event), [200]);
    this.#events += 1;
  }

  async #createKey(): Promise<void> {
    const headers = { "idempotency-key": crypto.randomUUID() };
    const { id, key } = await this.#acknowledge((client) => client.post(this.paths.keys, {}, headers), [200]);
    this.#created.set(id, key);
  }

  async #revokeKey(): Promise<void> {
    const [id, key] = [...this.#created][0] ?? [];
    if (!id || !key || this.#created.size < 3) return;
    this.#created.delete(id);
    // 404 if the response to an earlier attempt was lost.
    await this.#acknowledge((client) => client.delete(`${this.paths.keys}/${id}`), [204, 404]);
    this.#revoked.add(key);
  }

  async #change(): Promise<void> {
    const description = crypto.randomUUID();
    await this.#acknowledge((client) => client.patch(this.paths.consumer, { description }), [200]);
    this.#description = description;
  }
}
