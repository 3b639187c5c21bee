import { formsOf } from "../../../areas/gateways/variables/redaction.ts";
import type { TargetPrice } from "../../../core/artifact/model-price-schema.ts";
import {
  type ArtifactModels,
  credentialHeader,
  hasReasoning,
  isForEmbeddings,
  type ModelAlias,
  type ModelApi,
  type ModelsOperation,
  type ModelsRouteOptions,
  operationsOfApi,
} from "../../../core/artifact/models-schema.ts";
import { HttpHeaders } from "../../../platform/http1/message/headers.ts";
import { OwnOrigin } from "../../upstreams/own-origin.ts";

/** A target of an alias, ready to send requests to. */
export interface RunningTarget {
  /** The name of the provider in the project. */
  readonly provider: string;
  readonly api: ModelApi;
  readonly url: string;
  readonly origin: OwnOrigin;
  readonly model: string;
  readonly modelJson: string;
  readonly price: TargetPrice | undefined;
  readonly weight: number;
  readonly priority: number;
  /** The credential, and the headers of the provider. */
  readonly headers: HttpHeaders;
  /** Members of requests that the provider permits in addition to those of its API. */
  readonly members: ReadonlySet<string>;
  /** Whether its host knows `prompt_cache_key`. */
  readonly hasCacheKey: boolean;
  /** Values that must not reach a caller, in the forms in which they may appear. */
  readonly secrets: readonly string[];
  /** The member for the output limit of chat completions. */
  readonly chatLimitMember: string;
  /** Identifies its cooldown. */
  readonly key: string;
}

export interface RunningAlias {
  readonly name: string;
  readonly definition: ModelAlias;
  readonly api: ModelApi;
  readonly operations: readonly string[];
  readonly targets: readonly RunningTarget[];
  /** Whether its models produce output that they do not show. */
  readonly hasReasoning: boolean;
  /** Whether targets of one priority are to be chosen from. */
  readonly hasChoice: boolean;
}

/** An operation of a models route. */
export interface ModelsRoute {
  readonly models: RunningModels;
  readonly operation: ModelsOperation;
  readonly options: ModelsRouteOptions;
}

/** Shorter values occur in texts by chance. */
const minSecretLength = 8;

/** OpenAI's newest models know only `max_completion_tokens`, and many that imitate its API only `max_tokens`. */
function isOpenAi(host: string): boolean {
  return /(?:^|\.)(?:openai\.com|azure\.com)(?::\d+)?$/.test(host);
}

/** The aliases of a version, with the current values of its secrets. */
export class RunningModels {
  readonly aliases: ReadonlyMap<string, RunningAlias>;
  /** The targets of all aliases. */
  readonly targets: readonly RunningTarget[];

  constructor({ providers, aliases }: ArtifactModels, deploymentSeq: number) {
    const origins = new Map(
      Object.entries(providers).map(([name, { url }]) => [name, new OwnOrigin(url, deploymentSeq)] as const),
    );
    const connections = new Map(
      Object.entries(providers).map(([name, { api, credential, headers = {} }]) => {
        const all = new HttpHeaders(headers);
        if (credential !== undefined)
          all.set(credentialHeader(api), api === "openai" ? `Bearer ${credential}` : credential);
        if (api === "anthropic" && !all.has("anthropic-version")) all.set("anthropic-version", "2023-06-01");
        const values = [...Object.values(headers), ...(credential === undefined ? [] : [credential])];
        const secrets = new Set(values.flatMap((value) => [...formsOf(value)]));
        return [
          name,
          { headers: all, secrets: [...secrets].filter(({ length }) => length >= minSecretLength) },
        ] as const;
      }),
    );
    const running = Object.entries(aliases).map(([name, definition]): [string, RunningAlias] => {
      const targets = definition.targets
        .map(({ provider, model, price, weight, priority }): RunningTarget => {
          const { api, url, outputLimitMember, members = [] } = providers[provider]!;
          const key = JSON.stringify([deploymentSeq, provider, url, model]);
          const origin = origins.get(provider)!;
          const modelJson = JSON.stringify(model);
          return {
            provider,
            api,
            url,
            origin,
            model,
            modelJson,
            price,
            weight,
            priority,
            chatLimitMember: outputLimitMember ?? (isOpenAi(origin.host) ? "max_completion_tokens" : "max_tokens"),
            members: new Set(members),
            hasCacheKey: api === "openai" && (isOpenAi(origin.host) || members.includes("prompt_cache_key")),
            key,
            ...connections.get(provider)!,
          };
        })
        .sort((one, other) => one.priority - other.priority);
      const { api } = targets[0]!;
      const operations = definition.operations ?? (isForEmbeddings(definition) ? ["embeddings"] : operationsOfApi[api]);
      const hasChoice = new Set(targets.map(({ priority }) => priority)).size < targets.length;
      return [name, { name, definition, api, operations, targets, hasReasoning: hasReasoning(definition), hasChoice }];
    });
    this.aliases = new Map(running);
    this.targets = running.flatMap(([, alias]) => alias.targets);
  }
}
