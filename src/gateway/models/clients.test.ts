import { beforeAll, describe, expect, test } from "bun:test";
import { dirname, join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { type DeployedModels, useModels } from "../../../test/support/models-gateway.ts";
import { operationsOfApi } from "../../core/artifact/models-schema.ts";

const models = useModels();
const { provider } = models;
let deployed: DeployedModels;

beforeAll(async () => {
  deployed = await models.deploy();
});

/** The error of a call. Promises of these clients are not of the language. */
const failureOf = (call: PromiseLike<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

const text = "A toll gate.";
const image = "data:image/png;base64,iVBORw0KGgo=";

describe("the client of OpenAI", () => {
  const messages = [{ role: "user" as const, content: "Hi" }];

  test("completes chats, with tools, images, several choices and a schema", async () => {
    const { data, response } = await deployed
      .openAi()
      .chat.completions.create({
        model: "small",
        n: 3,
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "What?" },
              { type: "image_url", image_url: { url: image } },
            ],
          },
        ],
        tools: [{ type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } }],
        response_format: { type: "json_schema", json_schema: { name: "s", schema: { type: "object" } } },
      })
      .withResponse();
    expect(data.choices.map(({ message }) => message.content)).toEqual([text, text, text]);
    expect(data.model).toBe("gpt-real");
    expect(response.headers.get("openai-organization")).toBeNull();
    expect(provider.last.body).toMatchObject({ model: "gpt-real", n: 3, max_tokens: 100 });
    expect(provider.last.headers.get("x-stainless-lang")).toBe("js");
  });

  test("streams chats, with the usage only if it asked", async () => {
    const streamed = async (more: object) => {
      const stream = await deployed
        .openAi()
        .chat.completions.create({ model: "small", messages, stream: true, ...more });
      const chunks: OpenAI.ChatCompletionChunk[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      const content = chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("");
      return { content, usage: chunks.filter((chunk) => chunk.usage).length, all: chunks.length };
    };
    expect(await streamed({})).toEqual({ content: text, usage: 0, all: 4 });
    expect(await streamed({ stream_options: { include_usage: true } })).toEqual({ content: text, usage: 1, all: 5 });
  });

  test("creates responses and streams them", async () => {
    const client = deployed.openAi();
    expect((await client.responses.create({ model: "small", input: "Hi" })).output_text).toBe(text);
    expect(provider.last.body).toMatchObject({ store: false, max_output_tokens: 100 });
    let streamed = "";
    for await (const event of await client.responses.create({ model: "small", input: "Hi", stream: true }))
      if (event.type === "response.output_text.delta") streamed += event.delta;
    expect(streamed).toBe(text);
  });

  test("creates embeddings", async () => {
    const { data } = await deployed
      .openAi()
      .embeddings.create({ model: "embed", input: "Hi", encoding_format: "float" });
    expect(data[0]!.embedding).toEqual([0.5, -0.5]);
  });

  test("reads our rejections as its own errors", async () => {
    const client = deployed.openAi();
    const missing = client.chat.completions.create({ model: "missing", messages });
    expect(await failureOf(missing)).toBeInstanceOf(OpenAI.NotFoundError);
    expect(await failureOf(missing)).toMatchObject({ code: "model_not_found", param: "model", status: 404 });
    const state = client.responses.create({ model: "small", input: "Hi", previous_response_id: "resp_1" });
    expect(await failureOf(state)).toBeInstanceOf(OpenAI.BadRequestError);
    expect(provider.requests).toEqual([]);
  });

  test("throws if a stream ends with an error event", async () => {
    provider.respond = () =>
      new Response('data: {"choices":[]}\n\ndata: {"error":{"message":"overloaded","code":"x"}}\n\n', {
        headers: { "content-type": "text/event-stream" },
      });
    const stream = await deployed.openAi().chat.completions.create({ model: "small", messages, stream: true });
    const read = async () => {
      for await (const _ of stream);
    };
    expect(await failureOf(read())).toBeInstanceOf(OpenAI.APIError);
  });
});

describe("the client of Anthropic", () => {
  const message = { model: "claude", max_tokens: 50, messages: [{ role: "user" as const, content: "Hi" }] };

  test("creates messages, with tools and images", async () => {
    const { content, usage } = await deployed.anthropic().messages.create({
      ...message,
      tools: [
        { name: "look", input_schema: { type: "object" } },
        { type: "bash_20250124", name: "bash" },
      ],
      messages: [
        {
          role: "user",
          content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } }],
        },
      ],
    });
    expect(content).toEqual([{ type: "text", text }] as never);
    expect(usage).toMatchObject({ input_tokens: 11, output_tokens: 5 });
    expect(provider.last.body).toMatchObject({ model: "claude-real", max_tokens: 50 });
  });

  test("streams messages", async () => {
    const final = await deployed.anthropic().messages.stream(message).finalMessage();
    expect(final.content).toEqual([{ type: "text", text }] as never);
    expect(final.usage.output_tokens).toBe(5);
  });

  test("counts tokens", async () => {
    const { model, messages } = message;
    expect(await deployed.anthropic().messages.countTokens({ model, messages })).toEqual({ input_tokens: 9 } as never);
  });

  test("reads our rejections as its own errors", async () => {
    const missing = deployed.anthropic().messages.create({ ...message, model: "missing" });
    expect(await failureOf(missing)).toBeInstanceOf(Anthropic.NotFoundError);
    expect(await failureOf(missing)).toMatchObject({ status: 404, error: { error: { code: "model_not_found" } } });
    const other = deployed.anthropic().messages.create({ ...message, model: "small" });
    expect(await failureOf(other)).toBeInstanceOf(Anthropic.BadRequestError);
    expect(provider.requests).toEqual([]);
  });
});

describe("every operation is priced, free or rejected", () => {
  /** The operations that usage is counted for, and those that count requests only. */
  const priced = ["POST chat/completions", "POST responses", "POST embeddings", "POST messages"];
  const free = ["POST messages/count_tokens", "GET models", "GET models/x"];

  test("every operation of the specification is priced or free", () => {
    const posts = Object.values(operationsOfApi).flatMap((all) => all.map((operation) => `POST ${operation}`));
    expect([...priced, ...free].sort()).toEqual([...posts, "GET models", "GET models/x"].sort());
  });

  /** The operations of a client, from the source of its package: `POST chat/completions`. */
  async function operationsOf(name: string): Promise<string[]> {
    const folder = join(dirname(Bun.resolveSync(`${name}/package.json`, import.meta.dir)), "resources");
    const found = new Set<string>();
    const call = /_client\s*\.\s*(get|post|put|patch|delete|getAPIList)\(\s*(?:path\s*)?[`'"]([^`'"]+)[`'"]/g;
    for (const file of new Bun.Glob("**/*.mjs").scanSync(folder))
      for (const [, method, path] of (await Bun.file(join(folder, file)).text()).matchAll(call)) {
        const below = path!
          .replaceAll(/\$\{[^}]*\}/g, "x")
          .replace(/^\/(?:v1\/)?/, "")
          .replace(/\?.*$/, "");
        found.add(`${method === "getAPIList" ? "GET" : method!.toUpperCase()} ${below}`);
      }
    return [...found].sort();
  }

  test.each([
    ["openai", 100],
    ["@anthropic-ai/sdk", 50],
  ])("those of %s", async (name, least) => {
    const operations = await operationsOf(name);
    // Fails if the package writes its calls in another way.
    expect(operations.length).toBeGreaterThan(least);
    const known = operations.filter((each) => [...priced, ...free].includes(each));
    expect(known.length).toBeGreaterThanOrEqual(4);
    for (const operation of operations) {
      if (known.includes(operation)) continue;
      const [method, path] = operation.split(" ") as [string, string];
      const body = method === "GET" ? {} : { body: JSON.stringify({ model: "small", messages: [] }) };
      const { status } = await deployed.fetch(path, { method, ...body });
      expect([operation, [404, 405].includes(status)]).toEqual([operation, true]);
    }
    expect(provider.requests).toEqual([]);
  });
});

test("the members of requests that the official clients know are permitted, except those for other models and data", async () => {
  const membersIn = async (path: string, type: string) => {
    const text = await Bun.file(Bun.resolveSync(path, import.meta.dir).replace(/\.(?:m?js)$/, ".d.ts")).text();
    const [, body = ""] = new RegExp(`export interface ${type}\\b[^{]*\\{([^]*?)\\n\\}`).exec(text) ?? [];
    const names = [...body.matchAll(/^ {4}(\w+)\??:/gm)].map(([, name]) => name!);
    expect(names).toContain("model");
    return names;
  };
  const withheld = ["moderation", "diagnostics", "user_profile_id", "workspace_id"];
  const rejected = async (operation: string, names: string[], base: object) => {
    const found: string[] = [];
    for (const name of names) {
      const response = await deployed.post(operation, { [name]: null, ...base });
      if ((await response.text()).includes(`\`${name}\` is not a member`)) found.push(name);
    }
    return found;
  };
  for (const [operation, path, type, base] of [
    [
      "chat/completions",
      "openai/resources/chat/completions/completions",
      "ChatCompletionCreateParamsBase",
      { model: "small" },
    ],
    ["responses", "openai/resources/responses/responses", "ResponseCreateParamsBase", { model: "small" }],
    ["embeddings", "openai/resources/embeddings", "EmbeddingCreateParams", { model: "embed" }],
    ["messages", "@anthropic-ai/sdk/resources/messages/messages", "MessageCreateParamsBase", { model: "claude" }],
    [
      "messages/count_tokens",
      "@anthropic-ai/sdk/resources/messages/messages",
      "MessageCountTokensParams",
      { model: "claude" },
    ],
  ] as const) {
    const names = await membersIn(path, type);
    expect(await rejected(operation, names, base)).toEqual(withheld.filter((name) => names.includes(name)));
  }
});
