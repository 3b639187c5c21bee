import type { Client } from "../test/support/client.ts";
import { started, stopped } from "../test/support/left-running.ts";
import { subscribed } from "../test/support/metering.ts";
import { callHost, deploy, openApi, type ProjectFiles } from "../test/support/project.ts";
import { account } from "../test/support/server-settings.ts";

export const slowRouteSeconds = 1;
export const limitedRequests = 3;

const consumers = `/v1/accounts/${account}/key-buckets/gateway/consumers`;
const place = { project: "gateway", branch: "main" };

interface Server {
  readonly url: string;
  readonly client: Client;
}

/** An upstream that responds at once, except for `/slow`, which never gets a response. */
class SlowUpstream {
  /** Requests that it leaves waiting. */
  waiting = 0;
  /** How often `/arrived` was requested. */
  arrived = 0;
  readonly #server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/slow") return this.#silence(request);
      if (pathname === "/arrived") this.arrived += 1;
      return new Response("upstream");
    },
  });

  get url(): string {
    return this.#server.url.origin;
  }

  async #silence(request: Request): Promise<Response> {
    this.waiting += 1;
    await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
    this.waiting -= 1;
    return new Response(null);
  }

  async stop(): Promise<void> {
    await this.#server.stop(true);
  }
}

/** A deployment with routes of every kind, and a consumer with a key, a subscription and a plan. */
export class GatewayScene {
  #version = 1;

  private constructor(
    private readonly server: () => Server,
    readonly upstream: SlowUpstream,
    readonly key: { id: string; value: string },
    readonly bucketId: string,
    readonly subscription: string,
    readonly name: string,
  ) {
    started(this, "A gateway scene");
  }

  /** The server may be replaced later, on the same database. */
  static async open(server: () => Server): Promise<GatewayScene> {
    const upstream = new SlowUpstream();
    const { client } = server();
    const { body } = await client.post(`${consumers}?with-api-key=true`, { name: "acme" });
    const [{ id, key }] = body.apiKeys;
    const { bucket, path } = await subscribed(client, { meters: { requests: { max: 1e9 } } });
    const bucketId = bucket.split("/").at(-1)!;
    const { name } = await deploy(server(), place, projectFiles(upstream.url, bucketId, 1));
    return new GatewayScene(server, upstream, { id, value: key }, bucketId, path, name);
  }

  readonly keysPath = `${consumers}/acme/keys`;

  /**
   * `/open`, `/guarded` (key and quota), `/limited`, `/slow`; and with code `/hello`, which returns its version, and `/wait`, which
   * calls the upstream and then does not respond.
   */
  call(path: string, init: RequestInit = {}, server = this.server()): Promise<Response> {
    const headers = { authorization: `Bearer ${this.key.value}`, ...(init.headers as Record<string, string>) };
    return callHost(server.url, `${this.name}.localhost`, path, { ...init, headers });
  }

  async status(path: string, server?: Server): Promise<number> {
    const response = await this.call(path, {}, server);
    await response.arrayBuffer();
    return response.status;
  }

  /** Deploys the next version, which `/hello` returns. */
  async deployNext(): Promise<number> {
    this.#version += 1;
    await deploy(this.server(), place, projectFiles(this.upstream.url, this.bucketId, this.#version));
    return this.#version;
  }

  async used(): Promise<number> {
    return (await this.server().client.get(`${this.subscription}/usage`)).body.meters.requests.used;
  }

  async close(): Promise<void> {
    stopped(this);
    await this.upstream.stop();
  }
}

function projectFiles(upstream: string, bucketId: string, version: number): ProjectFiles {
  const guarded = (...policies: string[]) => ({ "x-tollgate": { policies } });
  return {
    "openapi.json": openApi({
      "/open": {},
      "/guarded": guarded("key", "quota"),
      "/limited": guarded("key", "limit"),
      "/slow": { "x-tollgate": { timeoutSeconds: slowRouteSeconds } },
      "/hello": { "x-tollgate": { handler: "modules/hello.ts", policies: ["key"] } },
      "/wait": { "x-tollgate": { handler: "modules/wait.ts" } },
    }),
    "tollgate.json": {
      upstream,
      policies: {
        key: { type: "api-key", options: { bucket: "gateway" } },
        quota: { type: "quota", options: { bucketId, meters: { requests: 1 } } },
        limit: { type: "rate-limit", options: { requests: limitedRequests, windowSeconds: 60 } },
      },
    },
    "modules/hello.ts": `export default () => new Response("version ${version}");`,
    "modules/wait.ts": `export default async () => {
      await fetch("${upstream}/arrived");
      await new Promise(() => setInterval(() => {}, 1000));
    };`,
  };
}
