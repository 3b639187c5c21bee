import { expect } from "bun:test";
import { ok } from "./billing.ts";
import { requestUnits } from "./billing-run.ts";
import { started, stopped } from "./left-running.ts";
import { type Deployed, deploy, openApi } from "./project.ts";
import type { TestServer } from "./server.ts";
import { account } from "./server-settings.ts";

/** The name of the bucket whose quotas the gateway uses. */
const bucketName = "billed";

/** A gateway whose requests take units from the quota of the customer `acme`, and its upstream. */
export class BilledGateway {
  #bucket: string | undefined;

  private constructor(
    private readonly server: TestServer,
    private readonly upstream: Bun.Server<undefined>,
    private readonly deployed: Deployed,
    private readonly authorization: string,
  ) {
    started(this, "an upstream of the gateway");
  }

  static async open(server: TestServer): Promise<BilledGateway> {
    const { client } = server;
    const consumers = `/v1/accounts/${account}/key-buckets/main/consumers?with-api-key=true`;
    const { apiKeys } = await ok(client.post(consumers, { name: "acme" }));
    const upstream = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("from the upstream") });
    const quota = (units: number) => ({
      type: "quota",
      options: { bucketId: bucketName, meters: { requests: units } },
    });
    const deployed = await deploy(
      server,
      { project: "billed", branch: "main" },
      {
        "openapi.json": openApi(
          Object.fromEntries(
            requestUnits.map((units) => [`/${units}`, { "x-tollgate": { policies: ["key", `take-${units}`] } }]),
          ),
        ),
        "tollgate.json": {
          upstream: upstream.url.origin,
          policies: {
            key: { type: "api-key", options: { bucket: "main" } },
            ...Object.fromEntries(requestUnits.map((units) => [`take-${units}`, quota(units)])),
          },
        },
      },
    );
    return new BilledGateway(server, upstream, deployed, `Bearer ${apiKeys[0].key}`);
  }

  async close(): Promise<void> {
    await this.upstream.stop(true);
    stopped(this);
  }

  /** The gateway uses this bucket from now on. */
  async use(bucket: string): Promise<void> {
    const { client } = this.server;
    if (this.#bucket) await ok(client.patch(this.#bucket, { name: null }));
    await ok(client.patch(bucket, { name: bucketName }));
    this.#bucket = bucket;
  }

  /** Sends a request that takes so many units. Returns whether it was served, and so counted. */
  async request(units: number): Promise<boolean> {
    const { authorization } = this;
    const response = await this.deployed.call(`/${units}`, { headers: { authorization } });
    await response.text();
    expect([200, 402, 403, 429]).toContain(response.status);
    // The clock of the bucket may move next, and usage has the time at which it is written.
    await this.server.catchUp();
    return response.status === 200;
  }
}
