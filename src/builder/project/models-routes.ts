import { type ArtifactPolicy, anyMethod } from "../../core/artifact/artifact.ts";
import {
  type ArtifactModels,
  isForEmbeddings,
  type ModelApi,
  type ModelsOperation,
  type ModelsRouteOptions,
  modelsRouteSchema,
  operationsOfApi,
} from "../../core/artifact/models-schema.ts";
import { Located } from "../documents/located.ts";
import type { ApiOperation } from "../openapi/openapi.ts";

/** The default of these routes: a model may take minutes until its response begins. */
export const modelsTimeoutSeconds = 600;

/** An operation of a models route. */
interface ExpandedOperation {
  operation: ApiOperation;
  models: ModelsOperation;
}

const restSegment = /\{[^{}/]+\+\}$/;

/**
 * Returns the operations that a route with the handler `models` serves: those of the APIs that its aliases have. Reports
 * an error if the route cannot have that handler.
 */
export function expandModels(
  operation: ApiOperation,
  { models, isDeclared }: { models: ArtifactModels | undefined; isDeclared: boolean },
): ExpandedOperation[] {
  const { path, method, definition } = operation;
  if (method !== anyMethod || !restSegment.test(path)) {
    definition.keyError(
      `${method === anyMethod ? "" : `${method} `}${path} has the handler "models": it needs a path that ends in {path+}, with "x-tollgate-any"`,
    );
    return [];
  }
  if (!models) {
    if (!isDeclared) definition.keyError('the handler "models" needs "models" in tollgate.json: providers and aliases');
    return [];
  }
  return operationsOf(models).map((each) => ({
    operation: expanded(operation, each, models),
    models: each,
  }));
}

/** In the order in which the portal lists them. */
function operationsOf({ providers, aliases }: ArtifactModels): ModelsOperation[] {
  const served = new Set<string>();
  for (const { targets, operations } of Object.values(aliases)) {
    const { api } = providers[targets[0]!.provider]!;
    const isLimited = isForEmbeddings({ targets, operations });
    for (const each of operations ?? (isLimited ? ["embeddings"] : operationsOfApi[api])) served.add(each);
  }
  const inOrder = (Object.keys(operationsOfApi) as ModelApi[]).flatMap((api) => [...operationsOfApi[api]]);
  return [...inOrder.filter((each) => served.has(each)), "models", "models/{id}"];
}

function expanded(operation: ApiOperation, models: ModelsOperation, { aliases }: ArtifactModels): ApiOperation {
  const { definition, path, parameters } = operation;
  const rest = restSegment.exec(path)!;
  const { method, ...documented } = documentedOperation(models, aliases);
  const given = definition.value as Record<string, unknown>;
  const value = {
    ...documented,
    ...("tags" in given && { tags: given.tags }),
    ...("security" in given && { security: given.security }),
  };
  const located = new Located({ ...definition.document, value }, definition.findings, definition.path, value);
  const own = located
    .member("parameters")
    ?.items()
    .map((each) => {
      const { name, in: place } = each.value as { name: string; in: "path" | "header" };
      return { name, in: place, definition: each };
    });
  return {
    ...operation,
    path: path.slice(0, rest.index) + models,
    method,
    operationId: documented.operationId,
    definition: located,
    parameters: [...parameters.filter((each) => !rest[0].includes(`{${each.name}+}`)), ...(own ?? [])],
    requestBody: located.member("requestBody"),
  };
}

/** Reports a route whose requests nothing would count. */
export function checkMetered(
  { definition }: ApiOperation,
  options: ModelsRouteOptions,
  policies: readonly string[],
  known: ReadonlyMap<string, ArtifactPolicy>,
): void {
  if (options.unmetered || policies.some((name) => known.get(name)?.type === "usage")) return;
  definition.keyError(
    'the handler "models" needs a policy of type "usage", which counts what requests use; "models": { "unmetered": true } serves them without',
  );
}

export const defaultModelsOptions: ModelsRouteOptions = modelsRouteSchema.parse({});

interface DocumentedOperation {
  method: "GET" | "POST";
  operationId: string;
  summary: string;
  description: string;
  parameters?: object[];
  requestBody?: object;
  responses: object;
}

const anthropicVersion = {
  name: "anthropic-version",
  in: "header",
  required: true,
  description: "The version of the API.",
  schema: { type: "string" },
  example: "2023-06-01",
};

const question = [{ role: "user", content: "What is a toll gate?" }];

/** How portals describe an operation of a models route. */
function documentedOperation(operation: ModelsOperation, aliases: ArtifactModels["aliases"]): DocumentedOperation {
  const names = Object.keys(aliases);
  const embedding = names.find((name) => isForEmbeddings(aliases[name]!));
  const model = names.find((name) => !isForEmbeddings(aliases[name]!)) ?? names[0] ?? "model";
  switch (operation) {
    case "chat/completions":
      return {
        method: "POST",
        operationId: "createChatCompletion",
        summary: "Create a chat completion",
        description:
          "Returns a model's response to a conversation, in the format of OpenAI's API. With `stream: true`, as server-sent events.",
        requestBody: bodyOf({ model, messages: question }, ["model", "messages"]),
        responses: { 200: { description: "The completion." } },
      };
    case "responses":
      return {
        method: "POST",
        operationId: "createResponse",
        summary: "Create a response",
        description:
          "Returns a model's response to an input, in the format of OpenAI's API. With `stream: true`, as server-sent events.",
        requestBody: bodyOf({ model, input: "What is a toll gate?" }, ["model", "input"]),
        responses: { 200: { description: "The response." } },
      };
    case "embeddings":
      return {
        method: "POST",
        operationId: "createEmbedding",
        summary: "Create embeddings",
        description: "Returns vectors that represent texts, in the format of OpenAI's API.",
        requestBody: bodyOf({ model: embedding ?? model, input: "A toll gate." }, ["model", "input"]),
        responses: { 200: { description: "The embeddings." } },
      };
    case "messages":
      return {
        method: "POST",
        operationId: "createMessage",
        summary: "Create a message",
        description:
          "Returns a model's response to a conversation, in the format of Anthropic's API. With `stream: true`, as server-sent events.",
        parameters: [anthropicVersion],
        requestBody: bodyOf({ model, max_tokens: 1024, messages: question }, ["model", "max_tokens", "messages"]),
        responses: { 200: { description: "The message." } },
      };
    case "messages/count_tokens":
      return {
        method: "POST",
        operationId: "countMessageTokens",
        summary: "Count the tokens of a message",
        description: "Returns the number of input tokens that a message would have, in the format of Anthropic's API.",
        parameters: [anthropicVersion],
        requestBody: bodyOf({ model, messages: question }, ["model", "messages"]),
        responses: { 200: { description: "The number of tokens." } },
      };
    case "models":
      return {
        method: "GET",
        operationId: "listModels",
        summary: "List the models",
        description: "Returns the models that the key may use.",
        responses: { 200: { description: "The models." } },
      };
    case "models/{id}":
      return {
        method: "GET",
        operationId: "retrieveModel",
        summary: "Retrieve a model",
        description: "Returns a model. 404 if it does not exist, or if the key may not use it.",
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" }, example: model }],
        responses: { 200: { description: "The model." } },
      };
  }
}

/** Other members are the provider's, so the schema permits them. */
function bodyOf(example: object, required: string[]): object {
  const properties = Object.fromEntries(required.map((name) => [name, name === "model" ? { type: "string" } : {}]));
  const schema = { type: "object", required, properties };
  return { required: true, content: { "application/json": { schema, example } } };
}
