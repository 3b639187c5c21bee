import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { LLMock } from "@copilotkit/aimock";
import { APICallError, embed, generateText, isStepCount, Output, streamText, tool } from "ai";
import { z } from "zod";
import { sqlite } from "../../../test/support/engines.ts";
import { MeteredModels, type ModelCustomer } from "../../../test/support/metered-models.ts";
import { ModelProvider } from "../../../test/support/model-provider.ts";
import { useServer } from "../../../test/support/server.ts";
import { until } from "../../../test/support/until.ts";

const server = useServer(sqlite);
const provider = new ModelProvider();
/** A second opinion on the shapes of responses. */
const mock = new LLMock({ port: 0, host: "127.0.0.1" });
let models: MeteredModels;

beforeAll(async () => {
  await mock.start();
  models = await MeteredModels.deploy(server, "models", provider);
});
beforeEach(() => provider.reset());
afterAll(async () => {
  await mock.stop();
  await provider.stop();
});

/** What is counted after this many requests. The client may see the end of a stream first. */
async function counted(customer: ModelCustomer, requests: number) {
  await until(async () => (await customer.used()).requests === requests);
  return await customer.used();
}

const failureOf = (call: PromiseLike<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

const apis = {
  "chat/completions": ({ connection }: ModelCustomer) => createOpenAI(connection).chat("small"),
  responses: ({ connection }: ModelCustomer) => createOpenAI(connection).responses("small"),
  messages: ({ connection }: ModelCustomer) => createAnthropic(connection)("claude"),
};
const names = Object.keys(apis) as (keyof typeof apis)[];
/** Without retries, which would hide a failure. */
const settings = { maxRetries: 0, maxOutputTokens: 100 };
const cases = names.flatMap((api) => [false, true].map((isStream) => [api, isStream] as const));

describe("the package ai", () => {
  test.each(cases)("generates text by %s, streamed: %p", async (api, isStream) => {
    const customer = await models.customer();
    const call = { model: apis[api](customer), prompt: "Hi", ...settings };
    const result = isStream ? streamText(call) : await generateText(call);
    expect(await result.text).toBe("A toll gate.");
    expect(await result.finishReason).toBe("stop");
    const input = api === "messages" ? 11 : 8;
    expect(await result.usage).toMatchObject({
      inputTokenDetails: { noCacheTokens: input, cacheReadTokens: 3 },
      outputTokens: 5,
    });
    expect(await counted(customer, 1)).toMatchObject({ requests: 1, input, cached: 3, output: 5, tokens: input + 8 });
  });

  test("creates embeddings", async () => {
    const customer = await models.customer();
    const { embedding, usage } = await embed({
      model: createOpenAI(customer.connection).embedding("embed"),
      value: "Hi",
      maxRetries: 0,
    });
    expect([embedding, usage.tokens]).toEqual([[0.5, -0.5], 4]);
    expect(await counted(customer, 1)).toMatchObject({ requests: 1, input: 4, tokens: 4 });
  });

  test("a second turn of responses needs store: false, and says so", async () => {
    const model = apis.responses(await models.customer());
    const first = [{ role: "user" as const, content: "Hi" }];
    const { responseMessages } = await generateText({ model, messages: first, ...settings });
    const next = { model, messages: [...first, ...responseMessages, ...first], ...settings };
    expect(await failureOf(generateText(next))).toMatchObject({
      statusCode: 400,
      message: expect.stringContaining("store: false"),
    });
    expect(provider.requests.length).toBe(1);
    const { text } = await generateText({ ...next, providerOptions: { openai: { store: false } } });
    expect(text).toBe("A toll gate.");
    expect(provider.last.body.input.length).toBe(3);
  });

  test.each(names)("reads an exceeded quota as an error with our code by %s", async (api) => {
    const customer = await models.customer({ tokens: 1 });
    const error = await failureOf(generateText({ model: apis[api](customer), prompt: "Hi", ...settings }));
    if (!APICallError.isInstance(error)) throw error;
    expect([error.statusCode, JSON.parse(error.responseBody!).error.code]).toEqual([429, "quota_exceeded"]);
    expect(error.responseHeaders).not.toHaveProperty("retry-after");
    expect(provider.requests).toEqual([]);
    expect(await customer.used()).toEqual({});
  });
});

describe("the package ai with the provider aimock", () => {
  beforeEach(() => {
    mock.clearFixtures();
    provider.respond = ({ path, text, headers }) => {
      const type = headers.get("content-type")!;
      return fetch(mock.url + path, { method: "POST", body: text, headers: { "content-type": type } });
    };
  });
  const usage = { prompt_tokens: 40, completion_tokens: 7, input_tokens: 40, output_tokens: 7 };
  const used = (requests: number) => ({
    requests,
    input: 40 * requests,
    output: 7 * requests,
    tokens: 47 * requests,
    // 40 × 2 + 7 × 10 = 150 per million, times 1.2.
    usd: 0.00018 * requests,
  });

  test.each(cases)("calls a tool and returns its result by %s, streamed: %p", async (api, isStream) => {
    const customer = await models.customer();
    mock
      .onMessage("weather", { toolCalls: [{ name: "weather", arguments: '{"city":"Ulm"}' }], usage })
      .prependFixture({ match: { hasToolResult: true }, response: { content: "It rains.", usage } });
    const cities: string[] = [];
    const weather = tool({
      inputSchema: z.object({ city: z.string() }),
      execute: ({ city }) => {
        cities.push(city);
        return "rain";
      },
    });
    const call = {
      model: apis[api](customer),
      prompt: "The weather in Ulm?",
      tools: { weather },
      stopWhen: isStepCount(3),
      ...settings,
    };
    const result = isStream ? streamText(call) : await generateText(call);
    expect(await result.text).toBe("It rains.");
    expect(cities).toEqual(["Ulm"]);
    expect((await result.steps).map(({ finishReason }) => finishReason)).toEqual(["tool-calls", "stop"]);
    expect(await counted(customer, 2)).toEqual(used(2));
  });

  test.each(cases)("generates output of a schema by %s, streamed: %p", async (api, isStream) => {
    const customer = await models.customer();
    const gate = { toll: 3, isOpen: true };
    mock.onMessage("gate", { content: JSON.stringify(gate), usage });
    const call = {
      model: apis[api](customer),
      prompt: "A gate",
      output: Output.object({ schema: z.object({ toll: z.number(), isOpen: z.boolean() }) }),
      // By default the package decides by the name of the model, which is an alias here.
      providerOptions: { anthropic: { structuredOutputMode: "outputFormat" } },
      ...settings,
    };
    const result = isStream ? streamText(call) : await generateText(call);
    expect(await result.output).toEqual(gate);
    expect(provider.last.text).toContain('"isOpen":{"type":"boolean"}');
    expect(await counted(customer, 1)).toEqual(used(1));
  });
});
