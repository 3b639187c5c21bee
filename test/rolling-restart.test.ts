import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { postgres as engine } from "./support/engines.ts";
import { type ProxyName, proxies as proxyNames } from "./support/find-proxy.ts";
import { freePort } from "./support/free-port.ts";
import { newKeyHolder } from "./support/key-holder.ts";
import { deploy, openApi } from "./support/project.ts";
import { adminToken } from "./support/server-settings.ts";
import { ShippedProxies } from "./support/shipped-proxies.ts";
import { type SpawnedServer, spawnServer } from "./support/spawned-server.ts";
import { StoppablePostgres } from "./support/stoppable-postgres.ts";
import { until } from "./support/until.ts";

const requestsPerProxy = 1_000;
const concurrency = 2;
/** HAProxy needs two checks, each a second after the other. The default is 10. */
const drainSeconds = 3;

const metricsTokenOf = (index: number) => `metrics-token-of-node-${index}`;

/** Two nodes behind every proxy whose configuration is in deploy/; the second node has workers. */
describe("behind the proxies of deploy/", () => {
  let postgres: StoppablePostgres;
  let proxies: ShippedProxies;
  let upstream: Bun.Server<undefined>;
  const nodes: SpawnedServer[] = [];
  const ports: number[] = [];
  const tlsPorts = new Map<ProxyName, number>();
  let verifyPath: string;
  let key: string;
  let deployment: string;

  const spawn = (index: number) =>
    spawnServer(engine, {
      database: { environment: { DATABASE_URL: postgres.url }, drop: async () => {} },
      environment: {
        TOLLGATE_PORT: String(ports[index]),
        TOLLGATE_WORKERS: String(index * 2),
        TOLLGATE_PUBLIC_URL: "https://tollgate.example.com",
        TOLLGATE_GATEWAY_URL: "https://{name}.api.example.com",
        TOLLGATE_TRUSTED_PROXIES: "loopback",
        TOLLGATE_METRICS_TOKEN: metricsTokenOf(index),
        // The upstream of the test is on loopback.
        TOLLGATE_EGRESS: "any",
        TOLLGATE_DRAIN_SECONDS: String(drainSeconds),
      },
    });

  /** Requests that a node serves from memory. */
  const guarded = (origin: string, headers: Record<string, string>) =>
    fetch(`${origin}/guarded`, {
      headers: { ...headers, host: deployment, authorization: `Bearer ${key}` },
      tls: { rejectUnauthorized: false, serverName: deployment },
    });
  const verification = (origin: string, headers: Record<string, string>) =>
    fetch(origin + verifyPath, {
      method: "POST",
      headers: {
        ...headers,
        host: "tollgate.example.com",
        authorization: `Bearer ${adminToken}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ key }),
      tls: { rejectUnauthorized: false, serverName: "tollgate.example.com" },
    });

  /** Whether the proxy sends a request to this node: only it accepts its token. */
  const isServedBy = async (name: ProxyName, index: number) => {
    const { status } = await fetch(`https://127.0.0.1:${tlsPorts.get(name)}/metrics`, {
      headers: { host: "tollgate.example.com", authorization: `Bearer ${metricsTokenOf(index)}` },
      tls: { rejectUnauthorized: false, serverName: "tollgate.example.com" },
    });
    return status === 200;
  };

  /** The responses, by their status and the first bytes of those that are unexpected. */
  type Outcomes = Record<string, number>;

  async function send(origin: string, index: number, connection = "keep-alive"): Promise<string> {
    try {
      const response = await (index % 2 === 0 ? guarded : verification)(origin, { connection });
      const text = await response.text();
      return response.status === 200 ? "200" : `${response.status} ${text.slice(0, 120)}`;
    } catch (error) {
      return String(error);
    }
  }

  /** Sends requests through a proxy until `isEnough`. */
  async function traffic(name: ProxyName, isEnough: (sent: number) => boolean): Promise<Outcomes> {
    const origin = `https://127.0.0.1:${tlsPorts.get(name)}`;
    const outcomes: Outcomes = {};
    let sent = 0;
    const client = async () => {
      while (!isEnough(sent)) {
        const outcome = await send(origin, sent++);
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: concurrency }, client));
    return outcomes;
  }

  beforeAll(async () => {
    [postgres, proxies] = await Promise.all([StoppablePostgres.create(), ShippedProxies.open()]);
    upstream = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("served") });
    for (const index of [0, 1]) {
      ports.push(await freePort());
      nodes.push(await spawn(index));
    }
    const { client, url } = nodes[0]!;
    const holder = await newKeyHolder(client);
    key = (await client.post(`${holder.keys}/$bulk`, [{}])).body.data[0].key;
    verifyPath = `${holder.bucket}/verify-key`;
    const deployed = await deploy(
      { client, url },
      { project: "shop", branch: "main" },
      {
        "openapi.json": openApi({ "/guarded": { "x-tollgate": { policies: ["key"] } } }),
        "tollgate.json": {
          upstream: upstream.url.origin,
          policies: { key: { type: "api-key", options: { bucket: holder.bucket.split("/").at(-1) } } },
        },
      },
    );
    deployment = new URL(deployed.url).hostname;
    for (const name of proxyNames) tlsPorts.set(name, await proxies.start(name, ports));
  });

  afterAll(async () => {
    await proxies.close();
    await Promise.all(nodes.map((node) => node.stop()));
    upstream.stop(true);
    await postgres.remove();
  });

  test("a rolling restart loses no request", async () => {
    let isRestarted = false;
    const isEnough = (sent: number) => isRestarted && sent >= requestsPerProxy;
    const running = proxyNames.map((name) => traffic(name, isEnough));
    for (const index of [0, 1]) {
      await nodes[index]!.stop();
      nodes[index] = await spawn(index);
      for (const name of proxyNames)
        await until(() => isServedBy(name, index), { what: `${name} to send requests to the node` });
    }
    isRestarted = true;
    for (const [at, outcomes] of (await Promise.all(running)).entries()) {
      expect({ proxy: proxyNames[at], outcomes }).toEqual({
        proxy: proxyNames[at],
        outcomes: { 200: expect.any(Number) },
      });
      expect(outcomes["200"]).toBeGreaterThanOrEqual(requestsPerProxy);
    }
  });

  test("an outage of PostgreSQL loses no request that needs no storage", async () => {
    const origins = ports.map((port) => `http://127.0.0.1:${port}`);
    const probe = async (path: string) =>
      Promise.all(origins.map(async (origin) => (await fetch(origin + path)).status));
    /** Every process, so that it has what it needs in memory: each new connection may be served by another worker. */
    const warm = async (origin: string) => {
      for (let round = 0; round < 40; round++) expect(await send(origin, round, "close")).toBe("200");
    };
    await Promise.all(origins.map(warm));
    let isNoticed = false;
    const running = proxyNames.map((name) => traffic(name, (sent) => isNoticed && sent >= requestsPerProxy));
    await postgres.stop();
    // By then HAProxy and Kubernetes would have removed a node whose /readyz fails.
    await until(async () => (await probe("/storagez")).every((status) => status === 503), { what: "/storagez" });
    expect(await probe("/readyz")).toEqual([200, 200]);
    expect(await probe("/healthz")).toEqual([200, 200]);
    isNoticed = true;
    for (const [at, outcomes] of (await Promise.all(running)).entries())
      expect({ proxy: proxyNames[at], outcomes }).toEqual({
        proxy: proxyNames[at],
        outcomes: { 200: expect.any(Number) },
      });
    await postgres.start();
    await until(async () => (await probe("/storagez")).every((status) => status === 200), { what: "/storagez" });
  });

  test("HAProxy ends the requests of a frozen node, and sends others elsewhere", async () => {
    const { processId } = nodes[0]!;
    const origin = `https://127.0.0.1:${tlsPorts.get("haproxy")}`;
    process.kill(processId, "SIGSTOP");
    try {
      // Without that, those of the frozen node would wait for 610 s.
      const outcomes = await Promise.all(Array.from({ length: 10 }, (_, index) => send(origin, index, "close")));
      expect(outcomes).toContain("200");
      for (const outcome of outcomes) expect(outcome).toMatch(/^(200|50[234] |.*ECONNRESET)/);
      for (let index = 0; index < 10; index++) expect(await send(origin, index, "close")).toBe("200");
    } finally {
      process.kill(processId, "SIGCONT");
    }
    await until(() => isServedBy("haproxy", 0), { what: "HAProxy to send requests to the node" });
  });
});
