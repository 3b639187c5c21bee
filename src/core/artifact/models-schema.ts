import { z } from "zod";
import { freeHeaderName, headerValue } from "../http/header-names.ts";
import { targetPrice } from "./model-price-schema.ts";
import { artifactUpstream } from "./secret-references.ts";

const modelApis = ["openai", "anthropic"] as const;
export type ModelApi = (typeof modelApis)[number];

/** The operations of each API that have a body, below the prefix of a models route. */
export const operationsOfApi = {
  openai: ["chat/completions", "responses", "embeddings"],
  anthropic: ["messages", "messages/count_tokens"],
} as const satisfies Record<ModelApi, readonly string[]>;

/** An operation that is sent to a provider. */
export type ProviderOperation = (typeof operationsOfApi)[ModelApi][number];

/** An operation of a models route. */
export type ModelsOperation = ProviderOperation | "models" | "models/{id}";

const providerName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, "must be 1 to 64 letters, digits, _, . and -, a letter or digit first");

/** Also a segment of the path `models/{id}`. */
const aliasName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$/,
    "must be 1 to 128 letters, digits, ., _, :, @ and -, a letter or digit first",
  );

const url = z.string().transform((text, context) => {
  const origin = artifactUpstream(text);
  if (origin !== undefined) return origin;
  context.addIssue({
    code: "custom",
    message:
      "must be an http or https URL with the version, such as https://api.openai.com/v1: no credentials, query or fragment",
  });
  return z.NEVER;
});

const whole = (min: number, max: number) => z.int().min(min).max(max);

/** Headers that the gateway sets itself on requests to providers. */
const ownHeaders = ["content-type", "accept", "accept-encoding"];

const provider = z.strictObject({
  api: z.enum(modelApis).meta({ description: "The API that the provider speaks." }),
  url: url.meta({ description: "The base URL, with the version." }),
  credential: headerValue
    .min(1)
    .optional()
    .meta({ description: "Sent as `Authorization: Bearer` (openai) or `x-api-key` (anthropic). May be a secret." }),
  headers: z
    .record(
      freeHeaderName.refine((name) => !ownHeaders.includes(name), "is a header that the gateway sets itself"),
      headerValue,
    )
    .refine((headers) => Object.keys(headers).length <= 20, "must have at most 20 headers")
    .optional()
    .meta({ description: "Headers that are added to every request to the provider. Their values may be secrets." }),
  members: z
    .array(z.string().min(1).max(100, "must be at most 100 characters"))
    .max(100, "must have at most 100 names")
    .optional()
    .meta({ description: "Members that requests to the provider may have in addition to those of its API." }),
  outputLimitMember: z.enum(["max_tokens", "max_completion_tokens"]).optional().meta({
    description:
      "The member with the output limit of chat completions that the provider knows; by default `max_completion_tokens` for hosts of OpenAI and Azure, otherwise `max_tokens`.",
  }),
});

const target = z.strictObject({
  provider: z.string(),
  model: z.string().min(1).max(256, "must be at most 256 characters"),
  weight: whole(1, 1000).default(1).meta({ description: "The share of consumers among targets of one priority." }),
  priority: whole(0, 100).default(0).meta({ description: "Targets with a lower number are tried first." }),
  price: targetPrice.optional(),
});

const alias = z.strictObject({
  targets: z.array(target).min(1, "must have at least one target").max(16, "must have at most 16 targets"),
  operations: z
    .array(z.enum([...operationsOfApi.openai, ...operationsOfApi.anthropic]))
    .min(1, "must name at least one operation")
    .optional()
    .meta({ description: "The operations that the alias serves; by default all of its API." }),
  permission: z
    .string()
    .regex(/^[A-Za-z0-9_.:-]{1,64}$/, "must be 1 to 64 characters of A-Z, a-z, 0-9, _, ., : and -")
    .optional()
    .meta({ description: "The permission that a key needs to use the alias." }),
  maxOutputTokens: whole(1, 10_000_000).optional().meta({
    description: "The output limit of a request: inserted if it has none, and the maximum of its own.",
  }),
  hold: z.enum(["grow", "limit"]).optional().meta({
    description: "Hold the output in steps as it is produced, or all of the output limit before.",
  }),
  reasoning: z.boolean().optional().meta({
    description:
      "Whether its models produce output that they do not show, so that all of the output limit is held; by default as known of their names.",
  }),
  inputHold: whole(1, 10_000_000)
    .optional()
    .meta({ description: "Tokens that are held in addition to the input: for documents by URL." }),
});

/** `models` of tollgate.json. */
export const modelsSchema = z
  .strictObject({
    providers: z.record(providerName, provider),
    aliases: z.record(aliasName, alias),
  })
  .superRefine(({ providers, aliases }, context) => {
    for (const [name, { credential, headers = {}, api, outputLimitMember }] of Object.entries(providers)) {
      if (api !== "openai" && outputLimitMember !== undefined)
        context.addIssue({
          code: "custom",
          path: ["providers", name, "outputLimitMember"],
          message: 'is only for the API "openai"',
        });
      const header = credentialHeader(api);
      if (credential !== undefined && Object.hasOwn(headers, header))
        context.addIssue({
          code: "custom",
          path: ["providers", name, "headers", header],
          message: 'is set from "credential": remove one of them',
        });
    }
    for (const [name, one] of Object.entries(aliases)) checkAlias(name, one, providers, context);
  });

/** The header that carries the credential of a provider. */
export function credentialHeader(api: ModelApi): "authorization" | "x-api-key" {
  return api === "openai" ? "authorization" : "x-api-key";
}

function checkAlias(
  name: string,
  { targets, operations, maxOutputTokens }: z.output<typeof alias>,
  providers: Record<string, z.output<typeof provider>>,
  context: z.core.$RefinementCtx,
): void {
  const issue = (message: string, ...path: (string | number)[]) =>
    context.addIssue({ code: "custom", path: ["aliases", name, ...path], message });
  const apis = targets.map(({ provider: id }) => (Object.hasOwn(providers, id) ? providers[id]!.api : undefined));
  for (const [at, { provider: id }] of targets.entries())
    if (apis[at] === undefined)
      issue(`names the provider "${id}", which "providers" does not have`, "targets", at, "provider");
    else if (apis[0] !== undefined && apis[at] !== apis[0])
      issue(
        `is a provider of the API "${apis[at]}", and the first target's has "${apis[0]}": the targets of an alias have one API`,
        "targets",
        at,
        "provider",
      );
  const [api] = apis;
  if (api === undefined) return;
  for (const [at, operation] of (operations ?? []).entries())
    if (!(operationsOfApi[api] as readonly string[]).includes(operation))
      issue(`is not an operation of the API "${api}": it has ${listed(operationsOfApi[api])}`, "operations", at);
  if (api === "openai" && maxOutputTokens === undefined && !isForEmbeddings({ targets, operations }))
    issue(
      'needs "maxOutputTokens", the output limit of requests that have none. An alias for embeddings has "operations": ["embeddings"] instead',
    );
}

/**
 * Whether an alias serves only embeddings: it says so, or the names of all its models do and it does not say otherwise.
 */
export function isForEmbeddings({ targets, operations }: Pick<ModelAlias, "targets" | "operations">): boolean {
  if (operations) return operations.every((operation) => operation === "embeddings");
  return targets.every(({ model }) => /embed/i.test(model));
}

/** Names of models that reason without showing all of it, also after the name of a vendor: `openai/gpt-5`. */
const reasoningModel =
  /(?:^|[/.:@_-])(?:o[1-9]|gpt-(?:[5-9]|oss|\d\d)|gemini-(?:2\.5|[3-9])|grok-(?:[4-9]|\d\d)|claude-(?:\w+-)?[5-9]|claude-fable)|reason|think/i;

/** Whether an alias has a model that reasons. */
export function hasReasoning({ targets, reasoning }: Pick<ModelAlias, "targets" | "reasoning">): boolean {
  return reasoning ?? targets.some(({ model }) => reasoningModel.test(model));
}

const listed = (names: readonly string[]): string => names.map((one) => `"${one}"`).join(", ");

/** `models` of x-tollgate, beside `"handler": "models"`. */
export const modelsRouteSchema = z.strictObject({
  allowStored: z.boolean().default(false).meta({
    description: "Whether requests may refer to state at the provider, which all customers of its credential share.",
  }),
  clampOutput: z.boolean().default(false).meta({
    description: "Whether the output limit is lowered to what is left of the budget, instead of rejecting the request.",
  }),
  retryIfSent: z.boolean().default(false).meta({
    description: "Whether a request that may have reached a target is sent to another one after a failure.",
  }),
  unmetered: z.boolean().default(false).meta({ description: "Whether the route may have no policy `usage`." }),
});

export type ArtifactModels = z.output<typeof modelsSchema>;
export type ModelProvider = z.output<typeof provider>;
export type ModelAlias = z.output<typeof alias>;
export type ModelsRouteOptions = z.output<typeof modelsRouteSchema>;

/** The target of a route that the build has expanded from `"handler": "models"`. */
export interface ModelsTarget {
  handler: "models";
  operation: ModelsOperation;
  options: ModelsRouteOptions;
}
