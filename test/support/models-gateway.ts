import { afterAll, beforeEach } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import type { ArtifactRoute } from "../../src/core/artifact/artifact.ts";
import { type ModelsRouteOptions, modelsRouteSchema, modelsSchema } from "../../src/core/artifact/models-schema.ts";
import type { Policy } from "../../src/gateway/exchange/policy.ts";
import type { Clock } from "../../src/lib/time/clock.ts";
import type { BufferMemory } from "../../src/platform/http1/memory/buffer-memory.ts";
import { TestGateway } from "./gateway.ts";
import { ModelProvider } from "./model-provider.ts";

export const openAiCredential = "sk-canary-openai-0123456789";
export const anthropicCredential = "sk-ant-canary-0123456789";

const posts = ["chat/completions", "responses", "embeddings", "messages", "messages/count_tokens"] as const;

/** Sets the consumer and the permissions of a key from headers. */
const caller = (): Policy => ({
  enter(context) {
    const sub = context.headers.get("x-caller");
    if (sub !== null) context.user = { sub, data: {} };
    context.permissions = context.headers.get("x-permissions")?.split(",") ?? [];
    return undefined;
  },
});

export interface ModelsOptions {
  /** Adds to the usual aliases, or replaces them. */
  aliases?: Record<string, object>;
  providers?: Record<string, object>;
  route?: Partial<ModelsRouteOptions>;
  timeoutSeconds?: number;
  policies?: Record<string, (options: unknown) => Policy>;
  clock?: Clock;
  memory?: BufferMemory;
}

/** A gateway with models routes below /v1, without storage, and the providers behind it. */
export class ModelsGateway {
  readonly gateway: TestGateway;
  readonly provider = new ModelProvider();
  readonly other = new ModelProvider();
  #deployments = 0;

  constructor(readonly options: ModelsOptions = {}) {
    this.gateway = new TestGateway({
      policies: { caller, ...options.policies },
      ...(options.clock && { clock: options.clock }),
      ...(options.memory && { memory: options.memory }),
    });
  }

  /** Deploys models and returns how to call them. */
  async deploy({ aliases, providers, route, timeoutSeconds = 30, policies = {} }: ModelsOptions = {}) {
    const name = `models-${++this.#deployments}`;
    const target = (provider: string, model: string) => ({ targets: [{ provider, model }] });
    const models = modelsSchema.parse({
      providers: {
        openai: { api: "openai", url: this.provider.url, credential: openAiCredential },
        other: { api: "openai", url: this.other.url, credential: openAiCredential, headers: { "x-extra": "1" } },
        anthropic: { api: "anthropic", url: this.provider.url, credential: anthropicCredential },
        ...providers,
      },
      aliases: {
        small: { ...target("openai", "gpt-real"), maxOutputTokens: 100 },
        embed: target("openai", "text-embedding-real"),
        claude: { ...target("anthropic", "claude-real"), maxOutputTokens: 200 },
        secret: { ...target("openai", "gpt-secret"), maxOutputTokens: 100, permission: "models:secret" },
        ...aliases,
      },
    });
    const options = modelsRouteSchema.parse({ unmetered: true, ...route });
    const names = ["caller", ...Object.keys(policies)];
    const routeOf = (operation: string, method: string): ArtifactRoute => ({
      path: `/v1/${operation}`,
      method,
      target: { handler: "models", operation: operation as "models", options },
      policies: names,
      timeoutSeconds,
    });
    await this.gateway.deploy(name, {
      format: 1,
      environment: {},
      code: null,
      policies: Object.fromEntries(names.map((each) => [each, { type: each, options: {} }])),
      routes: [...posts.map((each) => routeOf(each, "POST")), routeOf("models", "GET"), routeOf("models/{id}", "GET")],
      models,
    });
    return new DeployedModels(this.gateway, name);
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    await this.provider.stop();
    await this.other.stop();
  }
}

export class DeployedModels {
  constructor(
    private readonly gateway: TestGateway,
    readonly name: string,
  ) {}

  fetch(path: string, init: BunFetchRequestInit = {}): Promise<Response> {
    return this.gateway.fetch(this.name, `/v1/${path}`, init);
  }

  post(operation: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return this.fetch(operation, {
      method: "POST",
      body: text,
      headers: { "content-type": "application/json", ...headers },
    });
  }

  #connection(maxRetries: number) {
    const fetch = (url: string | URL | Request, init?: RequestInit) => {
      const { pathname, search } = new URL(String(url));
      return this.gateway.fetch(this.name, pathname + search, init as BunFetchRequestInit);
    };
    return { baseURL: "http://models.test", maxRetries, fetch: fetch as typeof globalThis.fetch };
  }

  openAi(maxRetries = 0): OpenAI {
    return new OpenAI({ apiKey: "customer-key", ...this.#connection(maxRetries), baseURL: "http://models.test/v1" });
  }

  anthropic(maxRetries = 0): Anthropic {
    return new Anthropic({ apiKey: "customer-key", ...this.#connection(maxRetries) });
  }
}

export function useModels(options?: ModelsOptions): ModelsGateway {
  const models = new ModelsGateway(options);
  beforeEach(() => {
    models.provider.reset();
    models.other.reset();
  });
  afterAll(() => models.stop());
  return models;
}
