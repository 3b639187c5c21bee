import { type ArtifactModels, isForEmbeddings, type ModelsOperation } from "../../core/artifact/models-schema.ts";

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
export function documentedOperation(
  operation: ModelsOperation,
  aliases: ArtifactModels["aliases"],
): DocumentedOperation {
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
