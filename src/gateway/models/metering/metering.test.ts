import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { casesFor, eachEngine, sqlite } from "../../../../test/support/engines.ts";
import { MeteredModels, price } from "../../../../test/support/metered-models.ts";
import { events, ModelProvider } from "../../../../test/support/model-provider.ts";
import { customerBrowser, setPortal } from "../../../../test/support/portal.ts";
import { useServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";
import { until } from "../../../../test/support/until.ts";
import { useWebhookReceiver } from "../../../../test/support/webhook-receiver.ts";

const messages = [{ role: "user", content: "Hi" }];
const chat = { model: "small", messages };
const claude = { model: "claude", max_tokens: 100, messages };

const tooMany = { error: { message: "slow down", type: "requests", code: "rate_limit_exceeded" } };

const textEvent = (content: string) =>
  `data: ${JSON.stringify({ model: "gpt-real", choices: [{ delta: { content } }] })}\n\n`;

/** A stream that waits after its events until `release` is called. */
function heldStream(all: readonly string[], rest: readonly string[] = []) {
  const gate = Promise.withResolvers<void>();
  const state = { isCancelled: false, release: gate.resolve };
  const respond = () => {
    const body = new ReadableStream({
      async start(controller) {
        for (const event of all) controller.enqueue(new TextEncoder().encode(event));
        await gate.promise;
        if (state.isCancelled) return;
        for (const event of rest) controller.enqueue(new TextEncoder().encode(event));
        controller.close();
      },
      cancel() {
        state.isCancelled = true;
        gate.resolve();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  return { state, respond };
}

eachEngine((engine) => {
  const server = useServer(engine);
  const receiver = useWebhookReceiver();
  let provider: ModelProvider;
  let models: MeteredModels;
  beforeEach(() => provider.reset());
  afterAll(() => provider.stop());
  beforeAll(async () => {
    provider = new ModelProvider();
    models = await MeteredModels.deploy(server, "models", provider);
  });

  describe("what a response reports is counted", () => {
    // 8 × 2 + 3 × 0.2 + 5 × 10 = 66.6 per million, times 1.2.
    const expected = { requests: 1, input: 8, cached: 3, output: 5, tokens: 16, usd: 0.00007992 };

    const requests: [operation: string, body: object][] = [
      ["chat/completions", chat],
      ["chat/completions", { ...chat, stream: true }],
      ["responses", { model: "small", input: "Hi" }],
      ["responses", { model: "small", input: "Hi", stream: true }],
    ];
    test.each(casesFor(engine, requests))("%s %j", async (operation, body) => {
      const customer = await models.customer();
      const response = await customer.post(operation, body);
      expect(response.status).toBe(200);
      await response.text();
      await until(async () => (await customer.used()).requests === 1);
      expect(await customer.used()).toEqual(expected);
      const [record] = await customer.records();
      expect(record.model).toEqual({
        alias: "small",
        provider: "openai",
        model: "gpt-real",
        input: 8,
        cached: 3,
        cacheWrite: 0,
        output: 5,
        basis: "reported",
        cost: "0.0000666",
        currency: "USD",
        charge: "0.00007992",
        firstByteMs: expect.any(Number),
        ...("stream" in body ? {} : { providerRequestId: "req_provider" }),
      });
      expect(record.decisions[1].detail).toMatchObject({ reason: "counted", amounts: { tokens: 16 } });
    });

    test.each(casesFor(engine, [claude, { ...claude, stream: true }]))("messages %j", async (body) => {
      const customer = await models.customer();
      await (await customer.post("messages", body)).text();
      await until(async () => (await customer.used()).requests === 1);
      // 11 × 2 + 3 × 0.2 + 5 × 10 = 72.6 per million, times 1.2.
      expect(await customer.used()).toEqual({
        requests: 1,
        input: 11,
        cached: 3,
        output: 5,
        tokens: 19,
        usd: 0.00008712,
      });
    });

    test("embeddings, the count of tokens, and the list of models", async () => {
      const customer = await models.customer();
      expect((await customer.post("embeddings", { model: "embed", input: "Hi" })).status).toBe(200);
      expect((await customer.post("messages/count_tokens", { model: "claude", messages })).status).toBe(200);
      expect((await customer.get("models")).status).toBe(200);
      await until(async () => (await customer.used()).requests === 3);
      expect(await customer.used()).toEqual({ requests: 3, input: 4, tokens: 4, usd: 0.0000096 });
    });
  });

  describe("holds", () => {
    test("a stream holds its input and a step, and grows; without budget it ends with an error event", async () => {
      // 300 tokens: one step of 256 fits, the second does not.
      const customer = await models.customer({ output: 300 });
      const text = textEvent("x".repeat(3 * 100));
      const { state, respond } = heldStream([text, text, text], [textEvent("y".repeat(3000))]);
      provider.respond = respond;
      const response = await customer.post("chat/completions", { ...chat, stream: true });
      expect(response.status).toBe(200);
      const body = await response.text();
      expect(body).toContain("quota_exceeded");
      expect(body).not.toContain("yyy");
      await until(() => state.isCancelled);
      await until(async () => (await customer.used()).requests === 1);
      expect((await customer.used()).output).toBe(300);
      // Nothing is left of the holds.
      provider.reset();
      const next = await customer.post("chat/completions", chat);
      expect(next.status).toBe(429);
      expect((await customer.used()).output).toBe(300);
    });

    test("a stream that fits is not rejected, and returns what it has not used", async () => {
      const customer = await models.customer({ output: 4 * 5 + 256 });
      for (let count = 0; count < 5; count++) {
        const response = await customer.post("chat/completions", { ...chat, stream: true });
        expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("[DONE]")]);
        await until(async () => (await customer.used()).requests === count + 1);
      }
      expect((await customer.used()).output).toBe(25);
    });

    test("an unstreamed request holds the output limit for each choice", async () => {
      const customer = await models.customer({ output: 299 });
      const rejected = await customer.post("chat/completions", { ...chat, max_tokens: 100, n: 3 });
      expect(rejected.status).toBe(429);
      expect(rejected.headers.get("x-should-retry")).toBe("false");
      expect((await rejected.json()) as unknown).toMatchObject({ error: { code: "quota_exceeded" } });
      expect(provider.requests).toHaveLength(0);
      expect((await customer.post("chat/completions", { ...chat, max_tokens: 99, n: 3 })).status).toBe(200);
      await until(async () => (await customer.used()).requests === 1);
      expect((await customer.used()).output).toBe(5);
    });

    test.each([
      ["chat/completions", { max_completion_tokens: 1 }],
      ["chat/completions", { max_tokens: 1 }],
      ["chat/completions", { max_tokens: 900, max_completion_tokens: 1 }],
      ["responses", { max_output_tokens: 1 }],
      ["messages", { max_tokens: 1 }],
    ])("a limit of %s %j is that of a provider that knows only one member", async (operation, limits) => {
      const member = operation === "responses" ? "max_output_tokens" : "max_tokens";
      provider.respond = ({ body }) => {
        const output = body[member] ?? 100_000;
        const usage = { prompt_tokens: 1, input_tokens: 1, completion_tokens: output, output_tokens: output };
        return Response.json({ model: body.model, usage });
      };
      const customer = await models.customer({ output: 3 });
      const model = operation === "messages" ? "claude" : "small";
      const content = operation === "responses" ? { input: "Hi" } : { messages };
      const statuses: number[] = [];
      for (let count = 0; count < 5; count++) {
        statuses.push((await customer.post(operation, { model, ...content, ...limits })).status);
        await until(async () => (await customer.used()).output === Math.min(count + 1, 3));
      }
      expect(statuses).toEqual([200, 200, 200, 429, 429]);
    });

    test("the input is held before the request is sent", async () => {
      const customer = await models.customer({ input: 1000 });
      const large = { model: "small", max_tokens: 1, messages: [{ role: "user", content: "x".repeat(3000) }] };
      expect((await customer.post("chat/completions", large)).status).toBe(429);
      expect(provider.requests).toHaveLength(0);
      expect(await customer.used()).toEqual({});
    });

    test("a 429 after the provider has accepted the request counts no tokens, and returns what was held", async () => {
      // Not `models`: a 429 cools the target down.
      const limited = await MeteredModels.deploy(server, "limited", provider);
      // As much as the output limit, which is held.
      const customer = await limited.customer({ output: 1000 });
      provider.respond = () => Response.json(tooMany, { status: 429, headers: { "retry-after": "1" } });
      expect((await customer.post("chat/completions", chat)).status).toBe(429);
      await until(async () => (await customer.records()).length === 1);
      expect(await customer.used()).toEqual({ requests: 1 });
      server.clock.advance(2000);
      provider.reset();
      expect((await customer.post("chat/completions", chat)).status).toBe(200);
      await until(async () => (await customer.used()).output === 5);
    });

    test("a customer without a subscription or a key is rejected in the provider's format", async () => {
      const response = await models.deployed.call("/v1/chat/completions", {
        method: "POST",
        body: JSON.stringify(chat),
      });
      expect(response.status).toBe(401);
    });
  });

  test("a served model without a price is announced once a day, where cost is counted", async () => {
    const webhooks = `/v1/accounts/${account}/webhooks`;
    const { body: hook } = await server.client.post(webhooks, { url: receiver.url(), events: ["model.unpriced"] });
    const usd = { usd: { count: "cost" } };
    const priced = await (await MeteredModels.deploy(server, "unpriced", provider, { meters: usd })).customer();
    const tokens = { tokens: { count: "tokens" } };
    const counted = await (await MeteredModels.deploy(server, "only-tokens", provider, { meters: tokens })).customer();
    const serve = async (customer: typeof priced, model: string) => {
      const usage = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 };
      provider.respond = () => Response.json({ model, choices: [], usage });
      const count = (await customer.records()).length;
      await customer.post("chat/completions", chat);
      await until(async () => (await customer.records()).length === count + 1);
      await server.catchUp();
    };
    const announced = () => receiver.received.map(({ message }) => message.data.unpriced);
    await serve(counted, "gpt-unknown");
    await serve(priced, "gpt-real-2026-01-01");
    await serve(priced, "gpt-unknown");
    const [first] = await receiver.waitForType("model.unpriced");
    const deployment = expect.stringMatching(/^unpriced-main-/);
    expect(first!.message.data).toEqual({ deployment, model: "small", provider: "openai", unpriced: "gpt-unknown" });
    await serve(priced, "gpt-unknown");
    await serve(priced, "gpt-other");
    await receiver.wait(2);
    expect(announced()).toEqual(["gpt-unknown", "gpt-other"]);
    server.clock.advance(24 * 60 * 60 * 1000);
    await serve(priced, "gpt-unknown");
    await receiver.wait(3);
    expect(announced()).toEqual(["gpt-unknown", "gpt-other", "gpt-unknown"]);
    await server.client.delete(`${webhooks}/${hook.id}`);
  });

  test("analytics have tokens, cost, charge and margin by model", async () => {
    const counted = await MeteredModels.deploy(server, "counted", provider);
    const customer = await counted.customer();
    await customer.post("chat/completions", chat);
    await customer.post("chat/completions", chat);
    await customer.post("messages", claude);
    provider.respond = () => Response.json({ error: { message: "no" } }, { status: 500 });
    await customer.post("embeddings", { model: "embed", input: "Hi" });
    await until(async () => (await customer.used()).requests === 3);
    const seriesOf = async (query: string) => {
      await server.catchUp();
      const { status, body } = await server.client.get(`/v1/accounts/${account}/analytics/models?${query}`);
      expect(status).toBe(200);
      return body.series as { key: string | null; totals: Record<string, unknown>; points: unknown[] }[];
    };
    const ofProject = async () =>
      (await seriesOf("by=deployment&limit=100")).find(({ key }) => key!.startsWith("counted"));
    await until(async () => (await ofProject())?.totals.requests === 4);
    expect((await ofProject())!.totals).toEqual({
      requests: 4,
      errors: 1,
      estimated: 0,
      input: 8 + 8 + 11,
      cached: 9,
      cacheWrite: 0,
      output: 15,
      currency: "USD",
      cost: "0.0002058",
      charge: "0.00024696",
      margin: "0.00004116",
      firstByteMs: expect.any(Number),
    });
    const small = await seriesOf("by=model&model=small");
    expect(small.map(({ key }) => key)).toEqual(["small"]);
    const all = await seriesOf("");
    expect(all.map(({ key }) => key)).toEqual([null]);
    const limited = await seriesOf("by=model&limit=1");
    const total = limited.reduce((sum, { totals }) => sum + (totals.requests as number), 0);
    expect(total).toBe(all[0]!.totals.requests as number);
    const another = await counted.customer();
    provider.respond = () => undefined;
    await another.post("chat/completions", chat);
    await until(async () => (await another.used()).requests === 1);
    const consumers = async (query = "") => {
      const found = await seriesOf(`by=consumer${query}`);
      return found.map(({ key, totals: { requests, charge, margin } }) => [key, requests, charge, margin]);
    };
    const own = [another.name, 1, "0.00007992", "0.00001332"];
    await until(async () => (await consumers("&limit=100")).length >= 2);
    expect(await consumers("&model=small&limit=100")).toContainEqual([customer.name, 2, "0.00015984", "0.00002664"]);
    expect(await consumers(`&consumer=${another.name}`)).toEqual([own]);
    expect(await consumers(`&consumer=${another.name}&provider=anthropic`)).toEqual([]);
    const byModel = await seriesOf(`by=model&consumer=${customer.name}`);
    expect(byModel.map(({ key, totals }) => [key, totals.requests])).toEqual([
      ["small", 2],
      ["claude", 1],
      ["embed", 1],
    ]);
    // The rest is one series.
    const few = await seriesOf("by=consumer&limit=1");
    const sum = (series: typeof few) => series.reduce((all, { totals }) => all + (totals.requests as number), 0);
    expect(few.map(({ key }) => key)).toEqual([expect.any(String), null]);
    expect(sum(few)).toBe(sum(await seriesOf("")));
    const invalid = await server.client.get(`/v1/accounts/${account}/analytics/models?by=key`);
    expect(invalid.status).toBe(400);
  });

  test("the portal shows a customer the usage of each alias, without costs and providers", async () => {
    const shown = await MeteredModels.deploy(server, "shown", provider);
    const [one, other] = [await shown.customer(), await shown.customer()];
    const { url } = await setPortal(server.client, { deployments: [shown.deployed.name] });
    const usageOf = async (customer: typeof one) =>
      (await (await customerBrowser(server, url, customer.name)).get("/usage")).body.models;
    await one.post("chat/completions", chat);
    await one.post("chat/completions", chat);
    await one.post("messages", claude);
    // Requests to deployments that are not the portal's are not shown.
    const hidden = await models.customer();
    await hidden.post("chat/completions", chat);
    await until(async () => (await one.used()).requests === 3 && (await hidden.used()).requests === 1);
    await until(async () => (await usageOf(one)).data.length === 2);
    const { from, data } = await usageOf(one);
    expect(Date.parse(from)).toBeLessThan(server.clock.now());
    expect(data).toMatchObject([
      {
        model: "small",
        requests: 2,
        input: 16,
        cached: 6,
        cacheWrite: 0,
        output: 10,
        charge: { currency: "USD", amount: "0.00015984" },
      },
      { model: "claude", requests: 1, output: 5 },
    ]);
    expect(Object.keys(data[0]).sort()).toEqual(
      ["cacheWrite", "cached", "charge", "input", "model", "output", "requests"].sort(),
    );
    expect(JSON.stringify(data)).not.toMatch(/gpt-real|claude-real|openai|anthropic|cost|margin/);
    expect((await usageOf(other)).data).toEqual([]);
    expect((await usageOf(hidden)).data).toEqual([]);
  });

  test("streams of one budget exceed it by at most a step each", async () => {
    const customer = await models.customer({ output: 2000 });
    provider.respond = () => events(Array.from({ length: 40 }, () => textEvent("x".repeat(3 * 25))));
    const streams = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const leaving = new AbortController();
        const response = await customer.post("chat/completions", { ...chat, stream: true }, { signal: leaving.signal });
        if (response.status !== 200) return response.status;
        if (index % 3 === 0) {
          await response.body!.getReader().read();
          leaving.abort();
        } else await response.text();
        return 200;
      }),
    );
    const served = streams.filter((status) => status === 200).length;
    expect(served).toBeGreaterThan(0);
    await until(async () => (await customer.records()).length === 20);
    const { output = 0 } = await customer.used();
    expect(output).toBeLessThanOrEqual(2000 + served * 256);
  });

  // How much is counted is decided before storage is used.
  if (engine === sqlite) {
    describe("how a response ends", () => {
      test("an error and a broken connection before the first byte count nothing", async () => {
        const customer = await models.customer();
        provider.respond = () => Response.json({ error: { message: "no" } }, { status: 500 });
        expect((await customer.post("chat/completions", chat)).status).toBe(500);
        provider.respond = () => Response.json({ error: { message: "no" } }, { status: 400 });
        expect((await customer.post("chat/completions", chat)).status).toBe(400);
        await until(async () => (await customer.records()).length === 2);
        expect(await customer.used()).toEqual({ requests: 1 });
      });

      test("a 2xx without usage is estimated", async () => {
        const customer = await models.customer();
        provider.respond = () =>
          Response.json({ model: "gpt-real", choices: [{ message: { content: "x".repeat(30) } }] });
        const messages = [
          { role: "system", content: "s".repeat(12) },
          { role: "user", content: [{ type: "text", text: "u".repeat(9) }] },
          {
            role: "assistant",
            content: null,
            tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
          },
          { role: "tool", tool_call_id: "c", content: "ok" },
        ];
        await (await customer.post("chat/completions", { ...chat, messages, user: "x".repeat(1000) })).text();
        await until(async () => (await customer.used()).requests === 1);
        const used = await customer.used();
        expect(used.output).toBe(10);
        // Texts, names and arguments: 12 + 9 + 1 + 2 + 2 bytes. Other members of the body are not text for the model.
        expect(used.input).toBe(9);
        expect((await customer.records())[0].model).toMatchObject({ basis: "estimated", output: 10 });
      });

      test("usage that is reported early, twice, as 0 or not at all counts once", async () => {
        const usage = (input: number, output: number) => ({
          usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
        });
        const event = (more: object) => `data: ${JSON.stringify({ model: "gpt-real", ...more })}\n\n`;
        const text = (more: object = {}) => event({ choices: [{ delta: { content: "x".repeat(30) } }], ...more });
        const last = (more: object) => event({ choices: [], ...more });
        const done = "data: [DONE]\n\n";
        for (const [name, stream, expected] of [
          ["early", [text(usage(7, 4)), text(), done], { input: 7, output: 4, basis: "reported" }],
          ["twice", [text(), last(usage(7, 4)), last(usage(7, 4)), done], { input: 7, output: 4, basis: "reported" }],
          ["growing", [text(usage(7, 1)), last(usage(7, 9)), done], { input: 7, output: 9, basis: "reported" }],
          ["as 0", [text(), last(usage(0, 0)), done], { input: 0, output: 0, basis: "reported" }],
          ["never", [text(), text(), done], { output: 20, basis: "estimated" }],
        ] as const) {
          const customer = await models.customer();
          provider.respond = () => events(stream);
          await (await customer.post("chat/completions", { ...chat, stream: true })).text();
          await until(async () => (await customer.used()).requests === 1);
          const [{ model }] = await customer.records();
          expect([name, model]).toMatchObject([name, expected]);
          const { input = 0, output = 0, tokens = 0 } = await customer.used();
          expect([name, input, output, tokens]).toEqual([name, model.input, model.output, model.input + model.output]);
        }
      });

      test("a 429 in a stream counts what passed", async () => {
        const customer = await models.customer();
        provider.respond = () => events([textEvent("x".repeat(300)), `data: ${JSON.stringify(tooMany)}\n\n`]);
        const stream = await customer.post("chat/completions", { ...chat, stream: true });
        expect(await stream.text()).toContain("rate_limit_exceeded");
        await until(async () => (await customer.used()).requests === 1);
        expect((await customer.used()).output).toBeWithin(100, 130);
        expect((await customer.records())[0].model.basis).toBe("estimated");
      });

      test("a client that leaves a stream pays what has passed, and the provider is cancelled", async () => {
        const estimating = await MeteredModels.deploy(server, "leaving", provider, {
          usage: { onDisconnect: "estimate" },
        });
        const customer = await estimating.customer();
        const { state, respond } = heldStream([textEvent("x".repeat(300))], [textEvent("y".repeat(3000))]);
        provider.respond = respond;
        const leaving = new AbortController();
        const response = await customer.post("chat/completions", { ...chat, stream: true }, { signal: leaving.signal });
        await response.body!.getReader().read();
        leaving.abort();
        await until(() => state.isCancelled);
        await until(async () => (await customer.used()).requests === 1);
        expect((await customer.used()).output).toBe(100);
        expect((await customer.records())[0].model).toMatchObject({ basis: "estimated", output: 100 });
      });

      test("a stream that the provider aborts pays what has passed", async () => {
        const customer = await models.customer();
        provider.respond = () =>
          new Response(
            new ReadableStream({
              async pull(controller) {
                controller.enqueue(new TextEncoder().encode(textEvent("x".repeat(300))));
                await Bun.sleep(0);
                controller.error(new Error("gone"));
              },
            }),
            { headers: { "content-type": "text/event-stream" } },
          );
        const response = await customer.post("chat/completions", { ...chat, stream: true });
        await response.text().catch(() => "");
        await until(async () => (await customer.used()).requests === 1);
        expect((await customer.used()).output).toBe(100);
      });

      test("a client that leaves an unstreamed request pays what the provider reports", async () => {
        const customer = await models.customer();
        const gate = Promise.withResolvers<undefined>();
        const received = Promise.withResolvers<void>();
        provider.respond = () => {
          received.resolve();
          return gate.promise;
        };
        const leaving = new AbortController();
        const sent = customer.post("chat/completions", chat, { signal: leaving.signal }).catch(() => undefined);
        await received.promise;
        leaving.abort();
        await sent;
        await server.client.get("/v1/accounts");
        gate.resolve(undefined);
        await until(async () => (await customer.used()).requests === 1);
        expect(await customer.used()).toMatchObject({ input: 8, cached: 3, output: 5 });
        expect((await customer.records())[0].model).toMatchObject({ basis: "reported", output: 5 });
      });
    });

    test("audio has its own price, also while it is held", async () => {
      const spoken = {
        targets: [
          {
            provider: "openai",
            model: "gpt-spoken",
            price: { currency: "USD", input: "2", output: "10", audioInput: "30", audioOutput: "60" },
          },
        ],
        maxOutputTokens: 100,
      };
      const audio = await MeteredModels.deploy(server, "audio", provider, {
        meters: { usd: { count: "cost" } },
        aliases: { spoken },
      });
      const usage = {
        prompt_tokens: 50,
        completion_tokens: 40,
        total_tokens: 90,
        prompt_tokens_details: { cached_tokens: 10, audio_tokens: 30 },
        completion_tokens_details: { audio_tokens: 25 },
      };
      provider.respond = () => Response.json({ model: "gpt-spoken", choices: [], usage });
      const body = { ...chat, model: "spoken", modalities: ["text", "audio"], audio: { voice: "a", format: "mp3" } };
      const customer = await audio.customer();
      await customer.post("chat/completions", body);
      // Of input 10 are text, 10 are cached as input, and 30 are spoken; of output 15 are text and 25 are spoken.
      const cost = (10 * 2 + 10 * 2 + 30 * 30 + 15 * 10 + 25 * 60) / 1e6;
      await until(async () => (await customer.used()).usd === cost);
      expect((await customer.records())[0].model).not.toHaveProperty("audioInput");
      // 100 tokens of text would cost 0.001, and 100 that are spoken 0.006.
      const poor = await audio.customer({ usd: 0.005 });
      expect((await poor.post("chat/completions", body)).status).toBe(429);
      expect((await poor.post("chat/completions", { ...chat, model: "spoken" })).status).toBe(200);
    });

    test("clampOutput lowers the output limit to what is left, but not below the budget of thinking", async () => {
      const clamped = await MeteredModels.deploy(server, "clamped", provider, { models: { clampOutput: true } });
      const customer = await clamped.customer({ output: 300 });
      expect((await customer.post("chat/completions", { ...chat, max_tokens: 900 })).status).toBe(200);
      const limit = provider.last.body.max_tokens;
      expect(limit).toBeGreaterThan(280);
      expect(limit).toBeLessThanOrEqual(300);
      await until(async () => (await customer.used()).requests === 1);
      const thinking = { type: "enabled", budget_tokens: 600 };
      const rejected = await customer.post("messages", { ...claude, max_tokens: 900, thinking });
      expect(rejected.status).toBe(402);
      expect(await customer.used()).toMatchObject({ requests: 1, output: 5 });
    });

    test("a disconnected stream is read to its end with onDisconnect finish", async () => {
      const finishing = await MeteredModels.deploy(server, "finishing", provider, {
        usage: {},
      });
      const customer = await finishing.customer();
      const usage = { prompt_tokens: 7, completion_tokens: 9, total_tokens: 16 };
      const { state, respond } = heldStream(
        [textEvent("x")],
        [`data: ${JSON.stringify({ choices: [], usage })}\n\n`, "data: [DONE]\n\n"],
      );
      provider.respond = respond;
      const leaving = new AbortController();
      const response = await customer.post("chat/completions", { ...chat, stream: true }, { signal: leaving.signal });
      await response.body!.getReader().read();
      leaving.abort();
      await server.client.get("/v1/accounts");
      state.release();
      await until(async () => (await customer.used()).requests === 1);
      expect(await customer.used()).toMatchObject({ input: 7, output: 9 });
      expect(state.isCancelled).toBe(false);
    });

    test("a meter counts its aliases, and the model that was served has its own price", async () => {
      const meters = {
        usd: { count: "cost" },
        small: { count: "tokens", aliases: ["small"], factor: 0.5 },
        other: { count: "tokens", aliases: ["claude", "embed", "dear"] },
      };
      const dear = {
        targets: [{ provider: "openai", model: "gpt-dear", price: { currency: "USD", input: "100", output: "1000" } }],
        maxOutputTokens: 10,
      };
      const served = await MeteredModels.deploy(server, "served", provider, { meters, aliases: { dear } });
      const customer = await served.customer();
      const usage = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 };
      provider.respond = () => Response.json({ model: "gpt-dear-2026-01-01", choices: [], usage });
      await customer.post("chat/completions", chat);
      await until(async () => (await customer.used()).usd !== undefined);
      expect(await customer.used()).toEqual({ usd: 0.002, small: 5.5 });
      provider.respond = () => Response.json({ model: "gpt-unknown", choices: [], usage });
      await customer.post("chat/completions", chat);
      await until(async () => (await customer.records()).length === 2);
      expect((await customer.used()).usd).toBeCloseTo(0.00203, 9);
      expect((await customer.records())[0].model).toMatchObject({ unpriced: "gpt-unknown", cost: "0.00003" });
    });

    test("the tier that was served has its own price, whatever was requested", async () => {
      const tiers = { flex: { input: "1", output: "5" } };
      const aliases = {
        tiered: {
          targets: [{ provider: "openai", model: "gpt-tiered", price: { ...price, tiers } }],
          maxOutputTokens: 10,
        },
      };
      const served = await MeteredModels.deploy(server, "tiered", provider, { aliases });
      const usage = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 };
      for (const [requested, tier, cost, unpriced] of [
        ["flex", "default", "0.00003", undefined],
        ["default", "flex", "0.000015", undefined],
        ["default", "priority", "0.00003", "gpt-tiered, tier priority"],
      ] as const) {
        const customer = await served.customer();
        provider.respond = () => Response.json({ model: "gpt-tiered", service_tier: tier, choices: [], usage });
        const sent = await customer.post("chat/completions", { ...chat, model: "tiered", service_tier: requested });
        expect(sent.status).toBe(200);
        await until(async () => (await customer.used()).requests === 1);
        const [{ model }] = await customer.records();
        expect([tier, model.cost, model.unpriced]).toEqual([tier, cost, unpriced]);
      }
    });
  }
});
