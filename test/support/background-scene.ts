import { expect } from "bun:test";
import type { Client, ClientResponse } from "./client.ts";
import { DnsServer } from "./dns-server.ts";
import { domainsPath } from "./domains.ts";
import { type Engine, sqlite } from "./engines.ts";
import { newKeyHolder } from "./key-holder.ts";
import { type Subscribed, subscribed } from "./metering.ts";
import { type Fault, type PostgresProxy, proxiedPostgres } from "./postgres-proxy.ts";
import { callHost, type Deployed, deploy, openApi } from "./project.ts";
import { startServer, type TestServer } from "./server.ts";
import { account, encryptionKey } from "./server-settings.ts";
import { until } from "./until.ts";
import { echoUpstream } from "./versioned-project.ts";
import { WebhookReceiver } from "./webhook-receiver.ts";

/** One more than the maximum of a synchronous change, so that a job is created. */
const manyKeys = 1001;
const minCredentials = 10;
/** In a round: they run one after the other, and are waited for. */
const maxJobs = 2;
/** Short, so that a connection that stalls costs little; and long enough for a piece of a job on a busy machine. */
const transactionMilliseconds = 2000;
export const stall: Fault = { kind: "delay", milliseconds: 2500 };
/** Between two passes of all tasks: they take turns with the requests. */
const pauseMs = 50;
/** A pass that stalls does not hold up the next; on a busy machine, passes must not pile up either. */
const maxPassMs = 500;
const day = 24 * 60 * 60 * 1000;

const encryptionKeys = [encryptionKey, Buffer.alloc(32, "other key of the tests")].map((key) => key.toString("base64"));
const keysFirst = (first: number) => [encryptionKeys[first % 2], encryptionKeys[(first + 1) % 2]].join();

export interface MadeKey {
  bucket: string;
  path: string;
  id: string;
  value: string;
  /** It is not deleted. */
  isKept?: boolean;
}

export interface MadeToken {
  id: string;
  value: string;
}

/** What happens to a statement, counted from the one before it. */
export interface Disturbance {
  after: number;
  /** Or the kind of a change: the response to the next COMMIT of such a change is lost. */
  fault: Fault | LostChange;
}

const lostChanges = ["key.created", "key.deleted", "token.created", "token.deleted", "bucket.deleted"] as const;
export type LostChange = (typeof lostChanges)[number];

/** Those that are over at once, by their kinds. */
export const briefFaults: readonly Disturbance["fault"][] = [{ kind: "drop" }, { kind: "lose" }, ...lostChanges];

/**
 * Servers that run all of their background tasks again and again while they are written to, on PostgreSQL through connections that
 * are disturbed. Retention is a day, and every round is a day after the one before.
 */
export class BackgroundScene {
  readonly keys: MadeKey[] = [];
  readonly tokens: MadeToken[] = [];
  /** Ids of keys whose creation a webhook must announce. */
  readonly unannounced = new Set<string>();
  /** What counters must show: of events and `consume`, and of requests that the gateway served. */
  readonly expected = { recorded: 0, served: 0 };
  readonly figures = { rounds: 0, requests: 0, unavailable: 0, disturbed: 0, passes: 0 };
  readonly receiver = new WebhookReceiver();
  readonly nodes: TestServer[] = [];
  readonly proxy: PostgresProxy | undefined;
  holder!: Awaited<ReturnType<typeof newKeyHolder>>;
  recorded!: Subscribed;
  served!: Subscribed;
  readonly #dns = new DnsServer();
  readonly #upstream = echoUpstream();
  #many = "";
  #domain = "";
  #deployed!: Deployed;
  #gatewayKey = "";
  #count = 0;
  #jobs = 0;

  static async open(name: Engine["name"]): Promise<BackgroundScene> {
    const proxied = name === "postgres" ? proxiedPostgres() : undefined;
    const scene = new BackgroundScene();
    scene.receiver.start();
    await scene.#dns.start();
    await scene.#startNodes(proxied ?? sqlite, proxied ? 2 : 1);
    Object.assign(scene, { proxy: proxied?.proxy });
    await scene.#furnish();
    // Only now: on a busy machine, preparations exceed the limit too.
    for (const node of scene.nodes) {
      node.transactionMilliseconds = transactionMilliseconds;
      await node.restart();
    }
    return scene;
  }

  get clock() {
    return this.nodes[0]!.clock;
  }

  get database() {
    return this.nodes[0]!.database;
  }

  /** Does the work while all tasks run and connections to PostgreSQL are disturbed. */
  async run<Result>(work: () => Promise<Result>, disturbances: Disturbance[]): Promise<Result> {
    this.clock.advance(day);
    this.#jobs = 0;
    // The last server that starts decides under which key everything is sealed anew.
    const round = this.figures.rounds++;
    await this.nodes[round % this.nodes.length]!.restart({ TOLLGATE_ENCRYPTION_KEY: keysFirst(round) });
    await this.#replenish();
    this.#disturb(disturbances);
    // In every round, because accepting a deleted credential is the most severe fault.
    for (const change of ["key.deleted", "token.deleted"]) this.proxy?.loseNextCommit(`"${change}"`);
    let isOver = false;
    const tasks = this.nodes.map(async (node) => {
      while (!isOver) {
        await Promise.race([node.runTasks(), Bun.sleep(maxPassMs)]);
        this.figures.passes += 1;
        await Bun.sleep(pauseMs);
      }
    });
    try {
      return await work();
    } finally {
      isOver = true;
      await Promise.all(tasks);
      this.proxy?.clearFaults();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const node of this.nodes.toReversed()) await node.stop();
    await this.receiver.stop();
    await this.#dns.stop();
    await this.#upstream.stop(true);
  }

  /** Sends a request that has its effect once until its outcome is known: to one node after the other. */
  async certain(
    choice: number,
    send: (client: Client, key: string) => Promise<ClientResponse>,
  ): Promise<ClientResponse> {
    const key = `background-${this.#count++}`;
    let attempt = choice;
    return until(
      async () => {
        const response = await this.attempt(attempt++, (client) => send(client, key), [409]);
        return response.status === 200 || response.status === 202 ? response : undefined;
      },
      { what: "a response other than 503" },
    );
  }

  /** Sends a request once. It succeeds, or storage is unavailable. */
  async attempt(
    choice: number,
    send: (client: Client) => Promise<ClientResponse>,
    alsoAllowed: number[] = [],
  ): Promise<ClientResponse> {
    const response = await send(this.nodes[choice % this.nodes.length]!.client);
    const { method, path, status, text } = response;
    this.figures.requests += 1;
    if (status === 503) this.figures.unavailable += 1;
    else if (status >= 300 && !alsoAllowed.includes(status))
      throw new Error(`${method} ${path} returned ${status}: ${text}`);
    return response;
  }

  async makeKey(choice: number, keys: string): Promise<void> {
    const { body } = await this.certain(choice, (client, key) => client.post(keys, {}, { "idempotency-key": key }));
    this.keys.push({ bucket: keys.split("/consumers/")[0]!, path: `${keys}/${body.id}`, id: body.id, value: body.key });
    this.unannounced.add(body.id);
  }

  async makeToken(choice: number): Promise<void> {
    const { body } = await this.certain(choice, (client, key) =>
      client.post(`/v1/accounts/${account}/tokens`, { role: "reader" }, { "idempotency-key": key }),
    );
    this.tokens.push({ id: body.id, value: body.token });
  }

  async changeMany(choice: number): Promise<void> {
    if (this.#jobs++ >= maxJobs) return;
    const change = { where: { "created-before": "2100-01-01T00:00:00Z" }, set: { isEnabled: choice % 2 === 0 } };
    await this.certain(choice, (client, key) =>
      client.post(`${this.#many}/keys/$update`, change, { "idempotency-key": key }),
    );
  }

  async checkDomain(choice: number): Promise<void> {
    await this.attempt(choice, (client) => client.post(`${this.#domain}/check`), [429]);
  }

  async callGateway(choice: number): Promise<void> {
    const { url } = this.nodes[choice % this.nodes.length]!;
    const { hostname } = new URL(this.#deployed.url);
    const headers = { authorization: `Bearer ${this.#gatewayKey}` };
    const { status } = await callHost(url, hostname, "/a", { headers });
    if (status === 200) this.expected.served += 1;
    else expect(status).toBe(503);
  }

  /** Creates keys and tokens, so that there are some to delete. */
  async #replenish(): Promise<void> {
    const keys = minCredentials - this.keys.filter(({ isKept }) => !isKept).length;
    for (let count = 0; count < keys; count++) await this.makeKey(0, this.holder.keys);
    while (this.tokens.length < minCredentials) await this.makeToken(0);
  }

  #disturb(disturbances: Disturbance[]): void {
    const { proxy } = this;
    if (!proxy) return;
    const left = disturbances.values();
    let next = left.next().value;
    let passed = 0;
    proxy.faultOf = () => {
      if (!next || passed++ < next.after) return undefined;
      const { fault } = next;
      next = left.next().value;
      passed = 0;
      this.figures.disturbed += 1;
      if (typeof fault !== "string") return fault;
      proxy.loseNextCommit(`"${fault}"`);
      return undefined;
    };
  }

  async #startNodes(engine: Engine, count: number): Promise<void> {
    const environment = {
      TOLLGATE_DNS_SERVERS: this.#dns.address,
      TOLLGATE_GATEWAY_URL: "http://{name}.apis.example.com",
      TOLLGATE_EGRESS: "any",
      TOLLGATE_ENCRYPTION_KEY: keysFirst(0),
      TOLLGATE_AUDIT_DAYS: "1",
      TOLLGATE_EVENT_DAYS: "1",
      TOLLGATE_REQUEST_DAYS: "1",
    };
    for (let each = 0; each < count; each++) {
      const [first] = this.nodes;
      const shared = first && { database: first.database, clock: first.clock };
      this.nodes.push(await startServer(engine, { environment, ...shared }));
    }
  }

  async #furnish(): Promise<void> {
    const node = this.nodes[0]!;
    const { client } = node;
    const yearly = { renewalStrategy: "yearly" };
    const plan = { meters: { requests: { max: 1_000_000 } } };
    this.holder = await newKeyHolder(client, { bucketOptions: { isRetrievable: true } });
    this.recorded = await subscribed(client, plan, yearly);
    this.served = await subscribed(client, plan, yearly);
    const hook = { url: this.receiver.url(), events: ["key.created"] };
    expect((await client.post(`/v1/accounts/${account}/webhooks`, hook)).status).toBe(200);

    const many = await newKeyHolder(client);
    this.#many = many.bucket;
    // In small batches: on a busy machine a large one exceeds the transaction limit of the scene.
    for (let made = 0; made < manyKeys; made += 100) {
      const batch = Array.from({ length: Math.min(100, manyKeys - made) }, () => ({}));
      const { status, body } = await client.post(`${many.keys}/$bulk`, batch);
      expect(status).toBe(200);
      if (made % 500 > 0) continue;
      const { id, key } = body.data[0];
      this.keys.push({ bucket: many.bucket, path: `${many.keys}/${id}`, id, value: key, isKept: true });
    }

    this.#gatewayKey = (await client.post(this.holder.keys, {})).body.key;
    this.#deployed = await deploy(
      node,
      { project: "background", branch: "main" },
      {
        "openapi.json": openApi({ "/a": { "x-tollgate": { upstream: `${this.#upstream.url.origin}/passed` } } }),
        "tollgate.json": {
          defaultPolicies: ["key", "quota"],
          policies: {
            key: { type: "api-key", options: { bucket: this.holder.bucket.split("/").at(-1) } },
            quota: {
              type: "quota",
              options: { bucketId: this.served.bucket.split("/").at(-1), meters: { requests: 1 } },
            },
          },
        },
      },
    );
    const domain = { host: "api.acme.example", deploymentName: this.#deployed.name };
    const { body } = await client.post(domainsPath(), domain);
    // One that is not verified is removed after a week, and each round is a day.
    this.#dns.add("TXT", body.dns[0].name, body.dns[0].value);
    this.#domain = `${domainsPath()}/${body.id}`;
  }
}
