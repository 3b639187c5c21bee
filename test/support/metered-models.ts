import type { Client } from "./client.ts";
import { createPlan, newMeteringBucket, subscribe } from "./metering.ts";
import type { ModelProvider } from "./model-provider.ts";
import { callHost, type Deployed, deploy } from "./project.ts";
import type { TestServer } from "./server.ts";
import { account } from "./server-settings.ts";

const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;

/** 2 and 10 USD per million tokens. */
export const price = { currency: "USD", input: "2", cached: "0.2", cacheWrite: "2.5", output: "10" };

export const allMeters = {
  requests: { count: "requests" },
  input: { count: "input" },
  cached: { count: "cached" },
  cacheWrite: { count: "cacheWrite" },
  output: { count: "output" },
  tokens: { count: "tokens" },
  usd: { count: "cost", factor: 1.2 },
};

export interface MeteredOptions {
  meters?: Record<string, object>;
  /** Of the policy `usage`. */
  usage?: object;
  /** Of the route. */
  models?: object;
  aliases?: Record<string, object>;
  /** The path of the metering bucket; a new one by default. */
  bucket?: string;
}

type MeteredServer = Pick<TestServer, "client" | "url" | "catchUp">;

/** A deployment of models with a policy `usage`, and customers with budgets. */
export class MeteredModels {
  #customers = 0;

  private constructor(
    private readonly server: MeteredServer,
    readonly bucket: string,
    readonly deployed: Deployed,
    private readonly meters: Record<string, object>,
    private readonly project: string,
  ) {}

  static async deploy(
    server: MeteredServer,
    project: string,
    provider: ModelProvider,
    { meters = allMeters, usage = {}, models = {}, aliases = {}, ...given }: MeteredOptions = {},
  ): Promise<MeteredModels> {
    const bucket = given.bucket ?? (await newMeteringBucket(server.client));
    const target = (name: string, model: string, own: unknown = price) => ({
      targets: [{ provider: name, model, price: own }],
    });
    const deployed = await deploy(
      server,
      { project, branch: "main" },
      {
        "openapi.json": {
          openapi: "3.1.0",
          info: { title: "Models", version: "1" },
          paths: {
            "/v1/{path+}": {
              "x-tollgate-any": { "x-tollgate": { handler: "models", policies: ["key", "usage"], models } },
            },
          },
        },
        "tollgate.json": {
          policies: {
            key: { type: "api-key", options: { bucket: "main", header: ["authorization", "x-api-key"] } },
            usage: { type: "usage", options: { bucketId: bucket.split("/").at(-1)!, meters, ...usage } },
          },
          models: {
            providers: {
              openai: { api: "openai", url: provider.url, credential: "sk-provider-credential" },
              anthropic: { api: "anthropic", url: provider.url, credential: "sk-provider-credential" },
            },
            aliases: {
              small: { ...target("openai", "gpt-real"), maxOutputTokens: 1000 },
              embed: target("openai", "text-embedding-real"),
              claude: { ...target("anthropic", "claude-real"), maxOutputTokens: 1000 },
              ...aliases,
            },
          },
        },
      },
    );
    return new MeteredModels(server, bucket, deployed, meters, project);
  }

  /** A customer whose plan has these maxima; others are large. */
  async customer(maxima: Record<string, number> = {}, plan: object = {}): Promise<ModelCustomer> {
    const { client } = this.server;
    const name = `${this.project}-${++this.#customers}`;
    const created = await client.post(`${consumers}?with-api-key=true`, { name });
    const [{ key }] = created.body.apiKeys;
    const meters = Object.fromEntries(Object.keys(this.meters).map((meter) => [meter, { max: maxima[meter] ?? 1e9 }]));
    const offered = await createPlan(client, this.bucket, { planExternalId: name, meters, ...plan });
    const subscription = await subscribe(client, this.bucket, [offered], {
      customerKey: name,
      subscriptionExternalId: name,
    });
    return new ModelCustomer(
      this.server,
      { name, key, subscription: `${this.bucket}/subscriptions/${subscription.id}` },
      this.deployed,
    );
  }
}

export class ModelCustomer {
  readonly name: string;
  /** The path of the customer's subscription. */
  readonly subscription: string;

  constructor(
    private readonly server: MeteredServer,
    private readonly own: { name: string; key: string; subscription: string },
    private readonly deployed: Deployed,
  ) {
    this.name = own.name;
    this.subscription = own.subscription;
  }

  /** The settings of a client, as its documentation calls them. */
  get connection() {
    const call = (url: string | URL | Request, init?: RequestInit) => {
      const { pathname, search } = new URL(String(url));
      return this.deployed.call(pathname + search, init);
    };
    return { apiKey: this.own.key, baseURL: "http://models.test/v1", fetch: call as typeof fetch };
  }

  post(operation: string, body: object, init: RequestInit = {}): Promise<Response> {
    return callHost(this.server.url, new URL(this.deployed.url).hostname, `/v1/${operation}`, {
      method: "POST",
      body: JSON.stringify(body),
      ...init,
      headers: { authorization: `Bearer ${this.own.key}`, "content-type": "application/json" },
    });
  }

  get(operation: string): Promise<Response> {
    return callHost(this.server.url, new URL(this.deployed.url).hostname, `/v1/${operation}`, {
      headers: { authorization: `Bearer ${this.own.key}` },
    });
  }

  /** The used amount of each meter that is not 0. */
  async used(): Promise<Record<string, number>> {
    await this.server.catchUp();
    const { body } = await this.#client.get(`${this.subscription}/usage`);
    const meters = body.meters as Record<string, { used: number }>;
    return Object.fromEntries(Object.entries(meters).flatMap(([name, { used }]) => (used === 0 ? [] : [[name, used]])));
  }

  /** The records of the customer's requests, newest first. */
  // biome-ignore lint/suspicious/noExplicitAny: records as the API returns them.
  async records(): Promise<any[]> {
    await this.server.catchUp();
    return (await this.#client.get(`/v1/accounts/${account}/requests?consumer=${this.name}`)).body.data;
  }

  get #client(): Client {
    return this.server.client;
  }
}
