import { beforeAll, describe, expect, test } from "bun:test";
import { chatUsage, events } from "../../../test/support/model-provider.ts";
import {
  anthropicCredential,
  type DeployedModels,
  openAiCredential,
  useModels,
} from "../../../test/support/models-gateway.ts";
import { modelsSchema } from "../../core/artifact/models-schema.ts";
import { RunningModels } from "./targets/running-models.ts";

const models = useModels();
const { provider } = models;
let deployed: DeployedModels;
let stored: DeployedModels;

beforeAll(async () => {
  const unlimited = { targets: [{ provider: "anthropic", model: "claude-real" }] };
  deployed = await models.deploy({ aliases: { unlimited } });
  stored = await models.deploy({ route: { allowStored: true } });
});

const messages = [{ role: "user", content: "Hi" }];
const chat = { model: "small", messages };

/** The body that the provider got for a text. */
async function forwarded(operation: string, body: string, to = deployed): Promise<string> {
  const response = await to.post(operation, body);
  expect([response.status, body]).toEqual([200, body]);
  return provider.last.text;
}

describe("the body", () => {
  test("gets the target's model and keeps every other byte", async () => {
    const body =
      '{ "a\\u0062c" : [1.0, 1e400, {"model":"small"}],\n\t"model"\r\n: "sm\\u0061ll" ,"max_tokens": 7,"ü":"\\ud800" }';
    const own = await models.deploy({
      providers: { openai: { api: "openai", url: provider.url, members: ["abc", "ü"] } },
    });
    expect(await forwarded("chat/completions", body, own)).toBe(body.replace('"sm\\u0061ll"', '"gpt-real"'));
  });

  test.each([
    ["chat/completions", '{"model":"small"}', '{"max_tokens":100,"model":"gpt-real"}'],
    ["chat/completions", '{"model":"small","max_tokens":null}', '{"model":"gpt-real","max_tokens":100}'],
    ["chat/completions", '{"model":"small","max_tokens":101}', '{"model":"gpt-real","max_tokens":100}'],
    ["chat/completions", '{"model":"small","max_tokens":1e3}', '{"model":"gpt-real","max_tokens":100}'],
    ["responses", '{"model":"small","store":false}', '{"max_output_tokens":100,"model":"gpt-real","store":false}'],
    ["messages", '{"model":"claude","max_tokens":4096}', '{"model":"claude-real","max_tokens":200}'],
    ["messages", '{"model":"claude"}', '{"max_tokens":200,"model":"claude-real"}'],
    ["messages/count_tokens", '{"model":"claude"}', '{"model":"claude-real"}'],
    ["embeddings", '{"model":"embed","input":["a"]}', '{"model":"text-embedding-real","input":["a"]}'],
  ])("of %s gets the output limit: %s", async (operation, body, expected) => {
    expect(await forwarded(operation, body)).toBe(expected);
  });

  test.each(["max_tokens", "max_completion_tokens"])(
    "of a chat has the smallest limit in the only member that the provider knows, %s",
    async (known) => {
      const provided = { api: "openai", url: provider.url, outputLimitMember: known };
      const strict = await models.deploy({ providers: { openai: provided } });
      const given = [undefined, null, 1, 99, 100, 101, 1e6];
      const orders = [
        ["max_tokens", "max_completion_tokens"],
        ["max_completion_tokens", "max_tokens"],
      ] as const;
      for (const one of given)
        for (const other of given)
          for (const [first, second] of orders)
            for (const body of [
              { model: "small", [first]: one, [second]: other },
              { [first]: one, model: "small", [second]: other },
              { [first]: one, [second]: other, model: "small" },
            ]) {
              const { model, ...sent } = JSON.parse(await forwarded("chat/completions", JSON.stringify(body), strict));
              expect([body, model, sent]).toEqual([
                body,
                "gpt-real",
                { [known]: Math.min(one ?? 100, other ?? 100, 100) },
              ]);
            }
    },
  );

  test.each([
    [
      "chat/completions",
      '{"model":"small","max_tokens":1,"store":true}',
      '{"model":"gpt-real","max_tokens":1,"store":false}',
    ],
    ["chat/completions", '{"model":"small","max_tokens":1}', '{"model":"gpt-real","max_tokens":1}'],
    [
      "responses",
      '{"model":"small","max_output_tokens":1,"store":null}',
      '{"model":"gpt-real","max_output_tokens":1,"store":false}',
    ],
    [
      "responses",
      '{"model":"small","max_output_tokens":1}',
      '{"store":false,"model":"gpt-real","max_output_tokens":1}',
    ],
  ])("of %s is not stored: %s", async (operation, body, expected) => {
    expect(await forwarded(operation, body)).toBe(expected);
    expect(await forwarded(operation, body, stored)).toBe(body.replace("small", "gpt-real"));
  });

  test.each([
    ["absent", "", ',"stream_options":{"include_usage":true}'],
    ["null", ',"stream_options":null', ',"stream_options":{"include_usage":true}'],
    ["empty", ',"stream_options":{ }', ',"stream_options":{"include_usage":true }'],
    ["false", ',"stream_options":{"a":1,"include_usage":false}', ',"stream_options":{"a":1,"include_usage":true}'],
    ["other", ',"stream_options":{"a":1}', ',"stream_options":{"include_usage":true,"a":1}'],
    ["true", ',"stream_options":{"include_usage":true}', ',"stream_options":{"include_usage":true}'],
  ])("the body of a stream asks for the usage: %s", async (_, given, expected) => {
    const text = await forwarded("chat/completions", `{"model":"small","max_tokens":1,"stream":true${given}}`);
    const { stream_options, ...rest } = JSON.parse(text);
    expect(rest).toEqual({ model: "gpt-real", max_tokens: 1, stream: true });
    if (given !== "") expect(text).toContain(expected);
    expect(stream_options.include_usage).toBe(true);
    const plain = await forwarded("chat/completions", `{"model":"small","max_tokens":1,"stream":false${given}}`);
    expect(plain).toBe(`{"model":"gpt-real","max_tokens":1,"stream":false${given}}`);
  });
});

describe("a rejected body reaches no provider", () => {
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } };
  test.each<[string, string, unknown, string]>([
    ["not JSON", "chat/completions", '{"model":"small",}', "not JSON at byte 17"],
    ["a comment", "chat/completions", '{"model":"small"/**/}', "not JSON"],
    ["a control character", "chat/completions", '{"model":"small","a":"\u0000"}', "not JSON"],
    ["a list", "chat/completions", "[]", "must be a JSON object"],
    ["nothing", "chat/completions", "", "not JSON"],
    ["two values", "chat/completions", '{"model":"small"}{"model":"claude"}', "not JSON"],
    [
      "too deep",
      "chat/completions",
      `{"model":"small","a":${"[".repeat(300)}${"]".repeat(300)}}`,
      "more than 200 levels",
    ],
    ["no model", "chat/completions", { messages }, "`model` must be the name of a model"],
    ["a number as model", "chat/completions", { model: 1 }, "`model` must be the name of a model"],
    ["the model twice", "chat/completions", '{"model":"small","model":"secret"}', '"model" twice'],
    ["the model twice, escaped", "chat/completions", '{"model":"small","mod\\u0065l":"secret"}', '"model" twice'],
    ["the model twice by case", "chat/completions", '{"model":"small","Model":"secret"}', "`model`"],
    ["a name in another case", "chat/completions", '{"model":"small","MAX_tokens":1}', "its name is `max_tokens`"],
    ["another member twice", "chat/completions", '{"model":"small","x":1,"X":2}', '"X" twice'],
    ["a member of options twice", "chat/completions", '{"model":"small","stream_options":{"a":1,"a":2}}', '"a" twice'],
    [
      "a member of a message twice",
      "chat/completions",
      '{"model":"small","messages":[{"role":"user","Role":"x"}]}',
      "`role`",
    ],
    ["a text as stream", "chat/completions", { ...chat, stream: "true" }, "`stream` must be true or false"],
    ["a limit below 0", "chat/completions", { ...chat, max_tokens: -1 }, "`max_tokens` must be a whole number"],
    ["a text as limit", "chat/completions", { ...chat, max_tokens: "9" }, "`max_tokens` must be a whole number"],
    ["a limit of 0", "chat/completions", { ...chat, max_completion_tokens: 0 }, "a whole number of at least 1"],
    ["a limit of 0", "responses", { model: "small", max_output_tokens: 0 }, "a whole number of at least 1"],
    ["no limit", "messages", { model: "unlimited", messages }, "`max_tokens` is required"],
    ["a fraction", "chat/completions", { ...chat, n: 1.5 }, "`n` must be a whole number of at least 1"],
    ["a list of options", "chat/completions", { ...chat, stream_options: [] }, "`stream_options` must be an object"],
    [
      "a previous response",
      "responses",
      { model: "small", previous_response_id: "r" },
      "`previous_response_id` refers to state",
    ],
    ["a conversation", "responses", { model: "small", conversation: { id: "c" } }, "`conversation` refers to state"],
    ["a stored prompt", "responses", { model: "small", prompt: { id: "p" } }, "`prompt` refers to state"],
    ["background", "responses", { model: "small", background: true }, "`background` refers to state"],
    [
      "a reference",
      "responses",
      { model: "small", input: [{ type: "item_reference", id: "i" }] },
      "set `store: false`",
    ],
    ["a reference without type", "responses", { model: "small", input: [{ id: "i" }] }, "set `store: false`"],
    [
      "a file",
      "responses",
      { model: "small", input: [{ role: "user", content: [{ type: "input_file", file_id: "f" }] }] },
      "`file_id` refers",
    ],
    [
      "an image by id",
      "responses",
      { model: "small", input: [{ role: "user", content: [{ type: "input_image", file_id: "f" }] }] },
      "`file_id` refers",
    ],
    [
      "a file of a chat",
      "chat/completions",
      { model: "small", messages: [{ role: "user", content: [{ type: "file", file: { file_id: "f" } }] }] },
      "`file_id` refers",
    ],
    [
      "spoken output",
      "chat/completions",
      { model: "small", messages: [{ role: "assistant", audio: { id: "a" } }] },
      "`audio.id` refers",
    ],
    ["a container", "messages", { model: "claude", max_tokens: 1, container: "c" }, "`container` refers to state"],
    [
      "a file of a message",
      "messages",
      {
        model: "claude",
        max_tokens: 1,
        messages: [{ role: "user", content: [{ type: "document", source: { type: "file", file_id: "f" } }] }],
      },
      "`file_id` refers",
    ],
    [
      "a file in a result",
      "messages",
      {
        model: "claude",
        max_tokens: 1,
        messages: [
          {
            role: "user",
            content: [
              {
                type: "tool_result",
                tool_use_id: "t",
                content: [{ type: "image", source: { type: "file", file_id: "f" } }],
              },
            ],
          },
        ],
      },
      "`file_id` refers",
    ],
    [
      "web search",
      "responses",
      { model: "small", tools: [{ type: "web_search" }] },
      "has the tool `web_search`, which is not offered",
    ],
    [
      "a tool of the provider",
      "messages",
      { model: "claude", max_tokens: 1, tools: [{ type: "code_execution_20250825", name: "x" }] },
      "`code_execution_20250825`",
    ],
    ["a tool in another case", "responses", { model: "small", tools: [{ Type: "web_search" }] }, "its name is `type`"],
    [
      "a tool that is a text",
      "responses",
      { model: "small", tools: ["web_search"] },
      "`tools` must be a list of objects",
    ],
    [
      "tools that are no list",
      "responses",
      { model: "small", tools: { type: "web_search" } },
      "`tools` must be a list of objects",
    ],
    ["search options", "chat/completions", { ...chat, web_search_options: {} }, "`web_search_options` is not offered"],
    [
      "MCP servers",
      "messages",
      { model: "claude", max_tokens: 1, mcp_servers: [{ url: "https://x.test" }] },
      "`mcp_servers` is not offered",
    ],
    [
      "a speed",
      "messages",
      { model: "claude", max_tokens: 1, speed: "fast" },
      "`speed` has `fast`, which is not offered",
    ],
    ["a tier", "chat/completions", { ...chat, service_tier: "priority" }, "`service_tier` has `priority`"],
    [
      "a tier that is no text",
      "chat/completions",
      { ...chat, service_tier: ["priority"] },
      "`service_tier` must be a text",
    ],
    [
      "an operation of another API",
      "messages",
      { ...chat, max_tokens: 1 },
      "it serves chat/completions and responses and embeddings",
    ],
    ["an image for embeddings", "chat/completions", { model: "embed", messages: [image] }, "it serves embeddings"],
  ])("%s", async (_, operation, body, detail) => {
    const response = await deployed.post(operation, body);
    const { error } = (await response.json()) as { error: { message: string } };
    expect(error.message).toContain(detail);
    expect(response.status).toBe(400);
    expect(provider.requests).toEqual([]);
  });

  test("with allowStored, references to stored state are forwarded", async () => {
    for (const body of [
      { model: "small", previous_response_id: "r", max_output_tokens: 1 },
      { model: "small", input: [{ type: "item_reference", id: "i" }], max_output_tokens: 1 },
    ])
      expect(JSON.parse(await forwarded("responses", JSON.stringify(body), stored))).toEqual({
        ...body,
        model: "gpt-real",
      });
  });

  test("names of the caller's own schemas and arguments are not read", async () => {
    const parameters = { type: "object", properties: { file_id: {}, File_id: {}, TYPE: {} }, Type: 1 };
    const body = {
      model: "small",
      max_tokens: 1,
      metadata: { Model: "a", model: "b" },
      tools: [
        { type: "function", function: { name: "f", parameters } },
        { type: "custom", custom: { name: "c" } },
      ],
    };
    expect(JSON.parse(await forwarded("chat/completions", JSON.stringify(body)))).toEqual({
      ...body,
      model: "gpt-real",
    });
    const message = {
      model: "claude",
      max_tokens: 1,
      tools: [
        { name: "f", input_schema: parameters },
        { type: "bash_20250124", name: "bash" },
        { type: "text_editor_20250728", name: "edit" },
        { type: "computer_20250124", name: "computer" },
        { type: "memory_20250818", name: "memory" },
      ],
      messages: [
        { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: { file_id: 1, FILE_ID: 2 } }] },
      ],
      service_tier: "standard_only",
    };
    expect(JSON.parse(await forwarded("messages", JSON.stringify(message)))).toEqual({
      ...message,
      model: "claude-real",
    });
  });

  const minimal: Record<string, object> = {
    "chat/completions": chat,
    responses: { model: "small", input: "Hi" },
    embeddings: { model: "embed", input: "Hi" },
    messages: { model: "claude", max_tokens: 1, messages },
    "messages/count_tokens": { model: "claude", messages },
  };
  const unknown = [
    "data_sources",
    "models",
    "plugins",
    "provider",
    "search_parameters",
    "fallbacks",
    "api_base",
    "api_key",
    "extra_body",
    "best_of",
    "constructor",
    "__proto__",
    "",
    "a/b",
  ];
  test.each(Object.keys(minimal))(
    "members of %s that are not of the API are 400, unless the provider has them",
    async (operation) => {
      const members = unknown.filter((name) => name !== "");
      const url = provider.url;
      const own = await models.deploy({
        providers: { openai: { api: "openai", url, members }, anthropic: { api: "anthropic", url, members } },
      });
      const text = JSON.stringify(minimal[operation]);
      for (const name of unknown) {
        const body = text.replace("{", () => `{${JSON.stringify(name)}:{"model":"gpt-dear"},`);
        const rejected = await deployed.post(operation, body);
        const { error } = (await rejected.json()) as { error: { message: string; code: string } };
        expect([name, rejected.status, error.message]).toEqual([
          name,
          400,
          expect.stringContaining(`\`${name}\` is not a member`),
        ]);
        expect(provider.requests).toEqual([]);
        if (name === "") continue;
        expect((await own.post(operation, body)).status).toBe(200);
        expect(provider.last.text).toContain(JSON.stringify(name));
        provider.reset();
      }
    },
  );

  test("of several targets, those get a request that permit its members", async () => {
    const target = (name: string, priority: number) => ({ provider: name, model: "m", priority });
    const both = { targets: [target("other", 0), target("openai", 1)], maxOutputTokens: 9 };
    const own = await models.deploy({
      aliases: { both },
      providers: { openai: { api: "openai", url: provider.url, members: ["top_k"] } },
    });
    expect((await own.post("chat/completions", { model: "both", messages, top_k: 1 })).status).toBe(200);
    expect([provider.requests.length, models.other.requests.length]).toEqual([1, 0]);
  });

  test("an encoded body is 415, one of 32 MiB and a byte 413", async () => {
    const encoded = await deployed.post("chat/completions", chat, { "content-encoding": "gzip" });
    expect([encoded.status, ((await encoded.json()) as { error: { code: string } }).error.code]).toEqual([
      415,
      "unsupported_media_type",
    ]);
    const body = JSON.stringify({ ...chat, seed: "" });
    const padding = "x".repeat(32 * 1024 * 1024 - body.length);
    const large = (more: string) => body.replace('""', `"${padding}${more}"`);
    expect((await deployed.post("chat/completions", large("x"))).status).toBe(413);
    expect(provider.requests).toEqual([]);
    expect((await deployed.post("chat/completions", large(""))).status).toBe(200);
    expect(provider.last.text.length).toBe(
      32 * 1024 * 1024 + "gpt-real".length - "small".length + '"max_tokens":100,'.length,
    );
  });
});

describe("the values that identify a user", () => {
  const sentBy = async (caller: string, operation: string, body: object, to = deployed) => {
    expect((await to.post(operation, body, { "x-caller": caller })).status).toBe(200);
    const { user, safety_identifier, prompt_cache_key } = provider.last.body;
    return { user, safety_identifier, prompt_cache_key };
  };
  const none = { user: undefined, safety_identifier: undefined, prompt_cache_key: undefined };

  test.each(["chat/completions", "responses"])("the identifiers in %s are those of the customer", async (operation) => {
    const body = { model: "small", ...(operation === "responses" ? { input: "Hi" } : { messages }) };
    const all = { user: "victim", safety_identifier: "victim", prompt_cache_key: "key" };
    const acme = await sentBy("acme", operation, { ...body, ...all });
    const globex = await sentBy("globex", operation, { ...body, ...all });
    for (const name of ["user", "safety_identifier", "prompt_cache_key"] as const) {
      expect(acme[name]).toMatch(/^[\w-]{43}$/);
      expect(globex[name]).not.toBe(acme[name]);
    }
    expect(await sentBy("acme", operation, { ...body, ...all, user: "other" })).toEqual(acme);
    const other = await sentBy("acme", operation, { ...body, prompt_cache_key: "other" });
    expect(other).toEqual({ ...none, prompt_cache_key: expect.not.stringMatching(acme.prompt_cache_key) });
    expect(await sentBy("acme", operation, body)).toEqual(none);
    const knowing = await models.deploy({
      providers: { openai: { api: "openai", url: provider.url, members: ["prompt_cache_key"] } },
    });
    const added = await sentBy("acme", operation, body, knowing);
    expect(added.prompt_cache_key).toMatch(/^[\w-]{43}$/);
    expect((await sentBy("globex", operation, body, knowing)).prompt_cache_key).not.toBe(added.prompt_cache_key);
  });

  test("the user of embeddings is that of the customer", async () => {
    const { user } = await sentBy("acme", "embeddings", { model: "embed", input: "Hi", user: "victim" });
    expect(user).toMatch(/^[\w-]{43}$/);
  });

  test("the key for the cache is added for hosts of OpenAI and Azure", () => {
    const hasCacheKey = (url: string, api: "openai" | "anthropic" = "openai") => {
      const { targets } = new RunningModels(
        modelsSchema.parse({
          providers: { one: { api, url } },
          aliases: { small: { targets: [{ provider: "one", model: "m" }], maxOutputTokens: 1 } },
        }),
        1,
      );
      return targets[0]!.hasCacheKey;
    };
    expect(hasCacheKey("https://api.openai.com/v1")).toBe(true);
    expect(hasCacheKey("https://eu.openai.azure.com/openai/v1")).toBe(true);
    expect(hasCacheKey("http://127.0.0.1:8000/v1")).toBe(false);
    expect(hasCacheKey("https://api.openai.com/v1", "anthropic")).toBe(false);
  });
});

test("a body is JSON for the provider, whatever the caller calls it", async () => {
  for (const type of ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain"])
    for (const [operation, body] of [
      ["chat/completions", chat],
      ["messages", { model: "claude", max_tokens: 1, messages }],
    ] as const) {
      await deployed.post(operation, body, { "content-type": type });
      expect(provider.last.headers.get("content-type")).toBe("application/json");
    }
});

test("only headers of the list reach the provider, with its credential", async () => {
  const headers = {
    authorization: "Bearer customer-key",
    "x-api-key": "customer-key",
    cookie: "a=b",
    "user-agent": "test/1",
    accept: "application/json",
    "openai-beta": "x=1",
    "openai-organization": "org-customer",
    "anthropic-beta": "b",
    "x-stainless-lang": "js",
    "x-claude-code-session": "s",
    "x-consumer-name": "forged",
    "x-forwarded-for": "1.2.3.4",
    "x-other": "1",
    traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  };
  await deployed.post("chat/completions", chat, headers);
  const received = Object.fromEntries(provider.last.headers);
  const { host: _, "content-length": __, connection: ___, ...sent } = received;
  expect(sent).toEqual({
    accept: "application/json",
    "accept-encoding": "identity",
    "anthropic-beta": "b",
    authorization: `Bearer ${openAiCredential}`,
    "content-type": "application/json",
    "openai-beta": "x=1",
    "user-agent": "test/1",
    "x-claude-code-session": "s",
    "x-stainless-lang": "js",
  });
  await deployed.post("messages?beta=true", { model: "claude", max_tokens: 1 });
  expect(provider.last.path).toBe("/v1/messages?beta=true");
  expect(provider.last.headers.get("x-api-key")).toBe(anthropicCredential);
  expect(provider.last.headers.get("authorization")).toBeNull();
  expect(provider.last.headers.get("anthropic-version")).toBe("2023-06-01");
});

test("headers about the provider's account are removed from responses", async () => {
  const response = await deployed.post("chat/completions", chat);
  const names = [...response.headers.keys()].filter((name) => name !== "date");
  expect(names.sort()).toEqual(["content-length", "content-type", "openai-processing-ms", "x-request-id"]);
  expect(response.headers.get("x-request-id")).not.toBe("req_provider");
  const message = await deployed.post("messages", { model: "claude", max_tokens: 1 });
  expect([...message.headers.keys()].filter((name) => /anthropic|request-id/.test(name)).sort()).toEqual([
    "request-id",
    "x-request-id",
  ]);
});

describe("errors of the provider", () => {
  const failing = async (status: number, body: string, headers: Record<string, string> = {}) => {
    provider.respond = () =>
      new Response(body, { status, headers: { "content-type": "application/json", ...headers } });
    const response = await deployed.post("chat/completions", chat);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  test("errors of the provider are forwarded unchanged", async () => {
    for (const status of [400, 404, 422, 500, 503, 529]) {
      const body = `{"error": {"message":"no ${status}"} }`;
      expect(await failing(status, body)).toMatchObject({ status, text: body });
    }
  });

  test("errors about the provider's account are returned as 502", async () => {
    for (const status of [401, 402, 403, 307]) {
      const failed = await failing(status, `{"error":{"message":"org-secret"}}`, { location: "https://other.test" });
      expect(failed.status).toBe(502);
      expect(JSON.parse(failed.text).error).toMatchObject({ code: "model_provider_failed", type: "server_error" });
      expect(failed.headers.get("location")).toBeNull();
    }
    const { requests } = models.gateway;
    expect(requests.at(-1)).toMatchObject({
      code: "model_provider_failed",
      error: "the provider openai returned 307",
      target: { kind: "upstream", url: `${provider.url}/chat/completions`, attempts: 1 },
    });
  });

  test("errors that contain the credential are returned as 502", async () => {
    for (const status of [400, 500]) {
      const failed = await failing(status, `{"error":{"message":"Incorrect API key: ${openAiCredential}"}}`);
      expect(failed.status).toBe(502);
      expect(failed.text).not.toContain("canary");
    }
    const failed = await failing(400, "{}", { "x-echo": `Bearer ${openAiCredential}` });
    expect(failed.status).toBe(400);
    expect(failed.headers.get("x-echo")).toBeNull();
  });

  test("a credential is found in each form in which it may appear", async () => {
    const credential = 'sk-canary/+"quoted" 0123456789';
    const own = await models.deploy({ providers: { openai: { api: "openai", url: provider.url, credential } } });
    const forms = [
      credential,
      JSON.stringify(credential).slice(1, -1),
      encodeURIComponent(credential),
      Buffer.from(credential).toString("base64"),
    ];
    for (const form of forms) {
      provider.respond = () => new Response(`{"error":{"message":"key ${form}"}}`, { status: 400 });
      expect((await own.post("chat/completions", chat)).status).toBe(502);
      provider.respond = () => new Response("{}", { status: 400, headers: { "x-echo": form } });
      expect((await own.post("chat/completions", chat)).headers.get("x-echo")).toBeNull();
      provider.respond = () => events([`data: {"error":{"message":"key ${form}"}}\n\n`]);
      const text = await (await own.post("chat/completions", { ...chat, stream: true })).text();
      expect(text).toContain("model_provider_failed");
      expect(text).not.toContain(form);
    }
  });

  test("an unreachable provider is 502, a slow one 504", async () => {
    const slow = await models.deploy({ timeoutSeconds: 0.05 });
    provider.respond = () => new Promise(() => {});
    const late = await slow.post("chat/completions", chat);
    expect([late.status, await codeOf(late)]).toEqual([504, "upstream_timeout"]);
  });

  test("an encoded response is 502", async () => {
    const { status } = await failing(200, "{}", { "content-encoding": "br" });
    expect(status).toBe(502);
  });
});

async function codeOf(response: Response): Promise<string> {
  return ((await response.json()) as { error: { code: string } }).error.code;
}

describe("streams", () => {
  const streamed = async (body: object) =>
    (await deployed.post("chat/completions", { ...chat, stream: true, ...body })).text();

  test("streams contain the usage only if the client requested it", async () => {
    const without = await streamed({});
    expect(without).not.toContain('"choices":[],');
    expect(without.match(/^data: /gm)).toHaveLength(5);
    expect(without).toEndWith("data: [DONE]\n\n");
    const withUsage = await streamed({ stream_options: { include_usage: true } });
    expect(withUsage).toContain(JSON.stringify(chatUsage));
    expect(withUsage.match(/^data: /gm)).toHaveLength(6);
  });

  test.each([
    ["1-byte chunks", (text: string) => [...new TextEncoder().encode(text)].map((byte) => Uint8Array.of(byte))],
    ["one chunk", (text: string) => [text]],
    ["line ends of two bytes", (text: string) => [text.replaceAll("\n", "\r\n")]],
    ["carriage returns", (text: string) => [text.replaceAll("\n", "\r")]],
    ["a byte order mark", (text: string) => [`\ufeff${text}`]],
    ["blanks", (text: string) => [text.replaceAll('"choices":[]', '"choices" : [ ]')]],
  ])("lose that event and nothing else: %s", async (_, split) => {
    const kept = [
      'data: {"choices":[{"delta":{"content":"é \\"choices\\":[]"}}]}\n\n',
      ": comment\n\n",
      'data: {"choices":[],"usage":null}\n\n',
    ];
    const usage = `data: {"choices":[],"usage":${JSON.stringify(chatUsage)}}\n\n`;
    const [first, ...rest] = kept;
    provider.respond = () => events(split([first, usage, ...rest, "data: [DONE]\n\n"].join("")));
    const expected = split([first, ...rest, "data: [DONE]\n\n"].join("")).map((part) =>
      typeof part === "string" ? new TextEncoder().encode(part) : part,
    );
    expect(await streamed({})).toBe(
      new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.concat(expected)).replace(/^\ufeff/, ""),
    );
  });

  test("streams are forwarded chunk by chunk", async () => {
    const release = Promise.withResolvers<void>();
    provider.respond = () =>
      new Response(
        (async function* () {
          yield 'data: {"choices":[{"delta":{"content":"1"}}]}\n\n';
          await release.promise;
          yield "data: [DONE]\n\n";
        })(),
        { headers: { "content-type": "text/event-stream" } },
      );
    const response = await deployed.post("chat/completions", { ...chat, stream: true });
    const reader = response.body!.getReader();
    const first = await reader.read();
    expect(new TextDecoder().decode(first.value as Uint8Array)).toContain('"content":"1"');
    release.resolve();
    while (!(await reader.read()).done);
  });

  test.each([
    [
      "chat/completions",
      "small",
      'data: {"choices":[{"delta":{}}]}\n\n',
      /^data: \{"error":\{"message":"[^"]+","type":"server_error","param":null,"code":"upstream_unavailable"\}\}\n\n$/,
    ],
    [
      "responses",
      "small",
      'event: x\ndata: {"type":"x"}\n\n',
      /^event: error\ndata: \{"type":"error","code":"upstream_unavailable",/,
    ],
    [
      "messages",
      "claude",
      'event: ping\ndata: {"type":"ping"}\n\n',
      /^event: error\ndata: \{"type":"error","error":\{"type":"api_error",/,
    ],
  ])("of %s whose connection fails end with an error event", async (operation, model, event, expected) => {
    provider.respond = () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            controller.enqueue(new TextEncoder().encode(`${event}data: {"cut`));
            await Bun.sleep(1);
            controller.error(new Error("broken"));
          },
        }),
        { headers: { "content-type": "text/event-stream" } },
      );
    const limit = operation === "responses" ? {} : { max_tokens: 5 };
    const text = await (await deployed.post(operation, { model, ...limit, stream: true })).text();
    expect(text).toStartWith(event);
    expect(text.slice(event.length)).toMatch(expected);
  });

  const words = 'data: {"choices":[{"delta":{"content":"words"}}]}\n\n';
  const leak = `data: {"error": {"message": "Incorrect API key: ${openAiCredential}"}}\n\n`;
  test.each([
    ["its own chunk", [words, leak]],
    ["one chunk with others", [words + leak + words]],
    ["1-byte chunks", [words, ...[...leak].map((character) => character)]],
    ["the end of the stream", [words, leak.trimEnd()]],
  ])("an error event with the credential is replaced and ends the stream: %s", async (_, chunks) => {
    provider.respond = () => events(chunks);
    for (const stream_options of [{}, { include_usage: true }]) {
      const text = await streamed({ stream_options });
      expect(text).not.toContain("canary");
      expect(text).toContain('"code":"model_provider_failed"');
      expect(text.indexOf("model_provider_failed")).toBe(text.lastIndexOf("model_provider_failed"));
    }
    expect(models.gateway.requests.at(-1)!.error).toContain("contains its credential");
  });

  test("other errors within a stream pass unchanged", async () => {
    const error = 'data: {"error":{"message":"overloaded"}}\n\n';
    provider.respond = () => events([words, error]);
    expect(await streamed({})).toBe(words + error);
  });
});
