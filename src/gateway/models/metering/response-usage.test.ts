import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ReadOperation } from "./operations.ts";
import { ResponseUsage } from "./response-usage.ts";

const events = (...data: unknown[]) =>
  data.map((each) => `data: ${typeof each === "string" ? each : JSON.stringify(each)}\n\n`).join("");

function read(operation: ReadOperation, isStream: boolean, body: string | Buffer, cuts: readonly number[] = []) {
  const bytes = Buffer.from(body);
  const usage = new ResponseUsage(operation, isStream);
  const positions = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort(
    (a, b) => a - b,
  );
  for (const [index, from] of positions.entries())
    if (index + 1 < positions.length) usage.push(bytes.subarray(from, positions[index + 1]));
  usage.end();
  const { model, serviceTier, tools } = usage.reported;
  return { ...usage.usage(300, true), model, serviceTier, tools: Object.fromEntries(tools) };
}

const chunk = (content: string, more: object = {}) => ({
  model: "gpt-5-2025-08-07",
  service_tier: "default",
  choices: [{ index: 0, delta: { content } }],
  usage: null,
  ...more,
});
const final = (usage: object) => ({ model: "gpt-5-2025-08-07", service_tier: "flex", choices: [], usage });

describe("chat/completions", () => {
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 20,
    total_tokens: 120,
    prompt_tokens_details: { cached_tokens: 60 },
    completion_tokens_details: { reasoning_tokens: 12 },
  };
  const expected = { input: 40, cached: 60, cacheWrite: 0, cacheWrite1h: 0, output: 20, basis: "reported" as const };

  test("a stream's categories are disjoint, and the last event names the tier that was served", () => {
    expect(read("chat/completions", true, events(chunk("Hello"), final(usage), "[DONE]"))).toEqual({
      ...expected,
      model: "gpt-5-2025-08-07",
      serviceTier: "flex",
      tools: {},
    });
  });

  test("a body, with the usage before and after the choices, and with a name in a text", () => {
    const choices = [{ message: { content: 'a "usage":{"prompt_tokens":1} b', tool_calls: [] } }];
    for (const body of [
      { model: "m", usage, choices },
      { choices, usage, model: "m" },
    ])
      expect(read("chat/completions", false, JSON.stringify(body, null, 1))).toMatchObject({ ...expected, model: "m" });
  });

  test("reasoning that only the total contains is output", () => {
    const reported = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 45 };
    expect(read("chat/completions", true, events(chunk("Hello"), final(reported)))).toMatchObject({
      input: 10,
      output: 35,
    });
  });

  test("without usage the input and the text are estimated, and escapes count as what they mean", () => {
    const text = 'Zoë said "hi"\n\u{1f600}';
    const bytes = Buffer.byteLength(text);
    const escaped = JSON.stringify(chunk(text)).replace("ë", "\\u00eb").replace("\u{1f600}", "\\ud83d\\ude00");
    for (const data of [chunk(text), escaped])
      expect(read("chat/completions", true, events(data, "[DONE]"))).toMatchObject({
        input: 100,
        output: Math.ceil(bytes / 3),
        basis: "estimated",
      });
  });

  test("text after the last usage of a broken stream counts, and with the last event the report does", () => {
    const early = chunk("x".repeat(300), { usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 } });
    expect(read("chat/completions", true, events(early, chunk("y".repeat(300))))).toMatchObject({
      input: 7,
      output: 200,
      basis: "estimated",
    });
    expect(read("chat/completions", true, events(early, chunk("y".repeat(300)), "[DONE]"))).toMatchObject({
      output: 2,
      basis: "reported",
    });
  });

  test("usage of 0 counts as reported, and null is absent", () => {
    const zero = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
    expect(read("chat/completions", true, events(chunk("Hello"), final(zero)))).toMatchObject({
      input: 0,
      output: 0,
      basis: "reported",
    });
    const nothing = { prompt_tokens: null, completion_tokens: null };
    expect(read("chat/completions", true, events(chunk("Hello!"), final(nothing)))).toMatchObject({
      input: 100,
      output: 2,
      basis: "estimated",
    });
  });

  test("a byte order mark, carriage returns, comments and data in several lines", () => {
    const stream = `\ufeffdata:${JSON.stringify(chunk("Hello"))}\r\n\r\n: ping\r\n\r\ndata: {"choices":[],\r\ndata: "usage" : {"prompt_tokens":3,\r\ndata: "completion_tokens":4}}\r\n\r\ndata: [DONE]\r\n\r\n`;
    expect(read("chat/completions", true, stream)).toMatchObject({ input: 3, output: 4, basis: "reported" });
    expect(read("chat/completions", true, stream.replaceAll("\r\n", "\r"))).toMatchObject({ input: 3, output: 4 });
  });
});

describe("messages", () => {
  const start = (usage: object) => ({ type: "message_start", message: { model: "claude-x", content: [], usage } });
  const delta = (text: string) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
  const startUsage = {
    input_tokens: 10,
    cache_creation_input_tokens: 30,
    cache_read_input_tokens: 50,
    cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
    output_tokens: 1,
    service_tier: "standard",
  };
  const whole = events(
    start(startUsage),
    delta("x".repeat(90)),
    { type: "message_delta", delta: {}, usage: { output_tokens: 25, server_tool_use: { web_search_requests: 2 } } },
    { type: "message_stop" },
  );

  test("the last cumulative message_delta counts", () => {
    expect(read("messages", true, whole)).toEqual({
      input: 10,
      cached: 50,
      cacheWrite: 30,
      cacheWrite1h: 20,
      output: 25,
      basis: "reported",
      model: "claude-x",
      serviceTier: "standard",
      tools: { web_search: 2 },
    });
  });

  test("a stream that ends before its message_delta has the output that passed, and at least the reported one", () => {
    expect(read("messages", true, events(start(startUsage), delta("x".repeat(90))))).toMatchObject({
      input: 10,
      cached: 50,
      output: 30,
      basis: "estimated",
    });
    expect(read("messages", true, events(start(startUsage)))).toMatchObject({ output: 1, basis: "estimated" });
  });

  test("a tool's input cannot replace the usage", () => {
    const content = [
      { type: "tool_use", input: { usage: { input_tokens: 0, cache_read_input_tokens: 0 }, model: "x" } },
    ];
    const body = { model: "claude-x", usage: startUsage, content };
    expect(read("messages", false, JSON.stringify(body))).toMatchObject({ input: 10, cached: 50, model: "claude-x" });
  });
});

describe("responses", () => {
  const usage = { input_tokens: 50, input_tokens_details: { cached_tokens: 20 }, output_tokens: 9, total_tokens: 59 };
  const output = [
    { type: "web_search_call" },
    { type: "function_call", arguments: "{}" },
    { type: "message", content: [] },
  ];
  const response = { model: "gpt-5", service_tier: "default", output, usage };

  test("the last event of a stream has usage, and repeats the text", () => {
    const stream = events(
      { type: "response.created", response: { ...response, output: [], usage: null } },
      { type: "response.output_text.delta", delta: "Hello" },
      { type: "response.output_text.done", text: "Hello" },
      { type: "response.completed", response },
    );
    const expected = { input: 30, cached: 20, output: 9, basis: "reported", model: "gpt-5", tools: { web_search: 1 } };
    expect(read("responses", true, stream)).toMatchObject(expected);
    expect(read("responses", false, JSON.stringify(response))).toMatchObject(expected);
    const cut = stream.slice(0, stream.indexOf('data: {"type":"response.completed'));
    expect(read("responses", true, cut)).toMatchObject({ input: 100, output: 2, basis: "estimated" });
  });
});

test("embeddings have no output", () => {
  const data = [0.1, -0.2, 0.3].map((value, index) => ({ index, embedding: [value, value, -1e-5] }));
  const body = { data, model: "embed", usage: { prompt_tokens: 8, total_tokens: 8 } };
  expect(read("embeddings", false, JSON.stringify(body))).toMatchObject({ input: 8, output: 0, basis: "reported" });
  expect(read("embeddings", false, JSON.stringify({ data }))).toMatchObject({
    input: 100,
    output: 0,
    basis: "estimated",
  });
});

const text = fc.string({ unit: "grapheme", maxLength: 12 });
const count = fc.option(fc.nat(5000), { nil: null });
const nested = fc.record({ usage: fc.record({ prompt_tokens: fc.nat(9), output_tokens: fc.nat(9) }), text });

const chatStream = fc
  .record({ texts: fc.array(text), usage: fc.option(fc.record({ prompt_tokens: count, completion_tokens: count })) })
  .map(({ texts, usage }) => events(...texts.map((each) => chunk(each)), ...(usage ? [final(usage)] : []), "[DONE]"));
const messagesStream = fc
  .record({ texts: fc.array(text), output: count, end: fc.boolean() })
  .map(({ texts, output, end }) =>
    events(
      { type: "message_start", message: { model: "claude", usage: { input_tokens: 5, output_tokens: 1 } } },
      ...texts.map((each) => ({ type: "content_block_delta", delta: { type: "text_delta", text: each } })),
      ...(end ? [{ type: "message_delta", usage: { output_tokens: output } }] : []),
    ),
  );
const bodies = fc
  .record({
    content: fc.array(fc.oneof(text, nested)),
    usage: fc.record({ input_tokens: count, output_tokens: count }),
  })
  .map(({ content, usage }) =>
    JSON.stringify({ model: 'm\\"', content: content.map((each) => ({ text: each, input: each })), usage }),
  );

test("the result does not depend on how a response is cut into pieces, nor on where it ends", () => {
  const response = fc.oneof(
    chatStream.map((body) => ["chat/completions", true, body] as const),
    messagesStream.map((body) => ["messages", true, body] as const),
    bodies.map((body) => ["messages", false, body] as const),
    bodies.map((body) => ["chat/completions", false, body] as const),
  );
  fc.assert(
    fc.property(response, fc.array(fc.nat()), fc.nat(), ([operation, isStream, body], cuts, length) => {
      const whole = Buffer.from(body);
      const part = whole.subarray(0, length % 3 === 0 ? whole.length : length % (whole.length + 1));
      const expected = read(operation, isStream, part);
      expect(read(operation, isStream, part, cuts)).toEqual(expected);
      expect(read(operation, isStream, part, [...part.keys()])).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

/** Usage as each API reports it, with the total that the provider counts. */
const reports = fc
  .record({
    input: fc.nat(400_000),
    cached: fc.nat(400_000),
    cacheWrite: fc.nat(50_000),
    output: fc.nat(100_000),
    hiddenReasoning: fc.nat(1000),
    operation: fc.constantFrom("chat/completions" as const, "responses" as const, "messages" as const),
    isStream: fc.boolean(),
  })
  .map(({ input, cached, cacheWrite, output, hiddenReasoning, operation, isStream }) => {
    const whole = input + cached + cacheWrite;
    if (operation === "messages") {
      const usage = {
        input_tokens: input,
        cache_read_input_tokens: cached,
        cache_creation_input_tokens: cacheWrite,
        output_tokens: output,
      };
      const body = { model: "m", content: [], usage };
      const stream = events(
        { type: "message_start", message: { ...body, usage: { ...usage, output_tokens: 1 } } },
        { type: "message_delta", usage: { output_tokens: output } },
      );
      return { operation, isStream, total: whole + output, text: isStream ? stream : JSON.stringify(body) };
    }
    const total = whole + output + hiddenReasoning;
    const details = { cached_tokens: cached, cache_write_tokens: cacheWrite };
    const usage =
      operation === "responses"
        ? { input_tokens: whole, output_tokens: output, total_tokens: total, input_tokens_details: details }
        : { prompt_tokens: whole, completion_tokens: output, total_tokens: total, prompt_tokens_details: details };
    const stream =
      operation === "responses"
        ? events({ type: "response.completed", response: { model: "m", output: [], usage } })
        : events(chunk("Hello"), final(usage), "[DONE]");
    return { operation, isStream, total, text: isStream ? stream : JSON.stringify({ model: "m", usage }) };
  });

test("the categories of any response sum to the provider's total", () => {
  fc.assert(
    fc.property(reports, ({ operation, isStream, total, text: body }) => {
      const { input, cached, cacheWrite, output, basis } = read(operation, isStream, body);
      expect([input + cached + cacheWrite + output, basis]).toEqual([total, "reported"]);
    }),
    { numRuns: 500 },
  );
});
