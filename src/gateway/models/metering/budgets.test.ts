import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  invoicesOf,
  linesOf,
  monthly,
  moveTo,
  newTestBucket,
  ok,
  perUnit,
  setProfile,
} from "../../../../test/support/billing.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { MeteredModels, type ModelCustomer } from "../../../../test/support/metered-models.ts";
import { events, ModelProvider } from "../../../../test/support/model-provider.ts";
import { useServer } from "../../../../test/support/server.ts";
import { until } from "../../../../test/support/until.ts";

const chat = { model: "small", messages: [{ role: "user", content: "Hi" }] };
const step = 256;

/** Streams of 12 events with 50 tokens of text each. A tenth is cut by the provider, and a tenth is an error. */
class Streams {
  /** The tokens that the provider has sent. */
  sent = 0;
  #count = 0;

  respond = (): Response => {
    const index = this.#count++;
    if (index % 10 === 4) return Response.json({ error: { message: "overloaded" } }, { status: 500 });
    const event = new TextEncoder().encode(
      `data: ${JSON.stringify({ choices: [{ delta: { content: "x".repeat(150) } }] })}\n\n`,
    );
    let left = 12;
    const body = new ReadableStream({
      pull: async (controller) => {
        await Bun.sleep(0);
        if (index % 10 === 9 && left === 6) {
          controller.close();
          return;
        }
        if (left-- === 0) {
          controller.enqueue(new TextEncoder().encode("data: [DONE]\n\n"));
          controller.close();
          return;
        }
        this.sent += 50;
        controller.enqueue(event);
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}

async function stream(customer: ModelCustomer, isLeaving: boolean): Promise<string> {
  const leaving = new AbortController();
  const response = await customer.post("chat/completions", { ...chat, stream: true }, { signal: leaving.signal });
  if (response.status !== 200) return String(response.status);
  if (!isLeaving) return (await response.text()).includes("quota_exceeded") ? "ended" : "served";
  const reader = response.body!.getReader();
  await reader.read();
  await reader.read();
  leaving.abort();
  return "left";
}

eachEngine((engine) => {
  const server = useServer(engine);
  let provider: ModelProvider;
  beforeAll(async () => {
    provider = new ModelProvider();
    await setProfile(server.client, { termsDays: 365 });
  });
  beforeEach(() => provider.reset());
  afterAll(() => provider.stop());

  describe("500 streams on one budget, a third cancelled, with a provider that fails:", () => {
    const meters = { output: { count: "output" }, requests: { count: "requests" } };
    const send = async (customer: ModelCustomer) => {
      const streams = new Streams();
      provider.respond = streams.respond;
      const results: string[] = [];
      // Sent in groups, because the test client has a limited number of connections.
      for (let group = 0; group < 10; group++)
        results.push(
          ...(await Promise.all(Array.from({ length: 50 }, (_, index) => stream(customer, index % 3 === 0)))),
        );
      // Responses with 5xx do not count, a tenth of all.
      const counted = results.filter((result) => result !== "429" && result !== "500").length;
      await until(async () => ((await customer.used()).requests ?? 0) === counted);
      return { results, sent: streams.sent };
    };
    let models: MeteredModels;
    beforeAll(async () => {
      models = await MeteredModels.deploy(server, "budgets", provider, { meters });
    });

    test("the budget is exceeded by at most a step for each", async () => {
      const max = 20_000;
      const customer = await models.customer({ output: max });
      const { results, sent } = await send(customer);
      expect(results).toContain("429");
      expect(results).toContain("served");
      const { output = 0 } = await customer.used();
      expect(output).toBeLessThanOrEqual(max + 50 * step);
      // What was counted is what the provider has sent, except what was under way to clients that left.
      expect(output).toBeLessThanOrEqual(sent);
      expect(output).toBeGreaterThan(max - 50 * step);
    });

    test("no request within the budget is rejected, and all holds are released", async () => {
      const max = 500 * 1000;
      const customer = await models.customer({ output: max });
      const { results, sent } = await send(customer);
      expect(results.filter((result) => result === "429" || result === "ended")).toEqual([]);
      const { output = 0 } = await customer.used();
      expect(output).toBeLessThanOrEqual(sent);
      expect(output).toBeGreaterThan(0);
      // Nothing is held any more: all that is left can be taken.
      const meters = { output: max - output };
      const taken = await server.client.post(`${customer.subscription}/quotas/consume`, { meters });
      expect([taken.status, taken.text]).toEqual([200, taken.text]);
      expect((await customer.used()).output).toBe(max);
    });
  });

  test("cost plus 20 % reaches the invoice: 5 USD are included, and the rest is billed", async () => {
    const bucket = await newTestBucket(server.client, "2031-01-01T00:00:00.000Z");
    const meters = { usd: { count: "cost", factor: 1.2 } };
    const models = await MeteredModels.deploy(server, "invoiced", provider, { meters, bucket });
    const plan = { ...monthly("0.00", "USD"), rates: { usd: perUnit("1.00") } };
    const customer = await models.customer({ usd: 5 }, plan);
    // 1,000,000 tokens of input for 2 USD, and 800,000 of output for 8 USD.
    const usage = { prompt_tokens: 1_000_000, completion_tokens: 800_000, total_tokens: 1_800_000 };
    provider.respond = () => Response.json({ model: "gpt-real", choices: [], usage });
    expect((await customer.post("chat/completions", chat)).status).toBe(200);
    await until(async () => (await customer.used()).usd === 12);
    await moveTo(server.client, bucket, "2031-02-01T01:00:00.000Z");
    const invoices = await invoicesOf(server.client, bucket);
    expect(invoices.map(({ total, currency }) => [total, currency])).toEqual([["7.00", "USD"]]);
    expect(invoices.flatMap(linesOf)).toMatchObject([["overage", "7.00"]]);
  });

  describe("prepaid rates:", () => {
    const prepaid = (unitAmount: string) => ({ ...perUnit(unitAmount), overage: "prepaid" });
    const large = { model: "large", max_tokens: 100, messages: chat.messages };
    let models: MeteredModels;
    beforeAll(async () => {
      const meters = { output: { count: "output" }, usd: { count: "cost" } };
      const target = (output: string) => ({
        targets: [{ provider: "openai", model: "gpt-real", price: { currency: "USD", input: "0", output } }],
        maxOutputTokens: 1000,
      });
      const aliases = { small: target("10000"), large: target("20000") };
      models = await MeteredModels.deploy(server, "prepaid-rates", provider, { meters, aliases });
    });
    const grantsOf = ({ name }: ModelCustomer) => `${models.bucket}/customers/${name}/grants`;
    /** A customer who pays for one of the meters from money. */
    const paying = async (meter: "output" | "usd", unitAmount: string, amount: string) => {
      const plan = { ...monthly("0.00", "USD"), rates: { [meter]: prepaid(unitAmount) } };
      const customer = await models.customer({ [meter]: 0 }, plan);
      await ok(server.client.post(grantsOf(customer), { currency: "USD", amount, funding: "promotional" }));
      return customer;
    };
    const balanceOf = async (customer: ModelCustomer) =>
      (await ok(server.client.get(grantsOf(customer)))).data[0].balance;
    const produce = (tokens: number) => {
      const usage = { prompt_tokens: 7, completion_tokens: tokens, total_tokens: 7 + tokens };
      provider.respond = () => Response.json({ model: "gpt-real", choices: [], usage });
    };
    const expectRejected = async (response: Response) => {
      expect(response.status).toBe(402);
      expect(await response.json()).toMatchObject({ error: { code: "credit_exhausted" } });
    };

    test("each model takes its own price, and what is held and not used returns", async () => {
      const customer = await paying("usd", "1.00", "5.00");
      produce(100);
      expect((await customer.post("chat/completions", { ...large, model: "small" })).status).toBe(200);
      expect((await customer.post("chat/completions", large)).status).toBe(200);
      await until(async () => (await customer.used()).usd === 3);
      expect(await balanceOf(customer)).toBe("2.00");
      // 101 tokens could cost 2.02, of which the provider produces a part.
      await expectRejected(await customer.post("chat/completions", { ...large, max_tokens: 101 }));
      expect(await balanceOf(customer)).toBe("2.00");
      produce(40);
      expect((await customer.post("chat/completions", large)).status).toBe(200);
      await until(async () => (await customer.used()).usd === 3.8);
      expect(await balanceOf(customer)).toBe("1.20");
      const before = provider.requests.length;
      await expectRejected(await customer.post("chat/completions", large));
      expect(provider.requests.length).toBe(before);
    });

    test("of concurrent requests, only those that the credit covers are served", async () => {
      const customer = await paying("usd", "1.00", "5.00");
      produce(100);
      const sent = Array.from({ length: 12 }, () => customer.post("chat/completions", { ...large, model: "small" }));
      const statuses = (await Promise.all(sent)).map(({ status }) => status).toSorted();
      expect(statuses).toEqual([...Array(5).fill(200), ...Array(7).fill(402)]);
      await until(async () => (await customer.used()).usd === 5);
      expect(await balanceOf(customer)).toBe("0.00");
    });

    test("a stream is served as far as money covers it, and its exact price is taken", async () => {
      const customer = await paying("output", "0.01", "10.00");
      provider.respond = new Streams().respond;
      const first = await customer.post("chat/completions", { ...chat, stream: true });
      expect(await first.text()).toContain("[DONE]");
      await until(async () => (await customer.used()).output === 600);
      expect(await balanceOf(customer)).toBe("4.00");
      const second = await customer.post("chat/completions", { ...chat, stream: true });
      expect(second.status).toBe(200);
      const text = await second.text();
      expect(text).toContain("credit_exhausted");
      expect(text).not.toContain("[DONE]");
      await until(async () => (await customer.used()).output! > 600);
      const { output } = await customer.used();
      expect(output).toBeGreaterThanOrEqual(600 + step);
      const left = Math.max(1000 - output!, 0);
      expect(await balanceOf(customer)).toBe((left / 100).toFixed(2));
      await expectRejected(await customer.post("chat/completions", { ...chat, stream: true }));
      // Nothing is held any more: all that is left can be taken, and not a token more.
      const consume = async (amount: number) =>
        ok(server.client.post(`${customer.subscription}/quotas/consume`, { meters: { output: amount } }));
      expect(await consume(left + 1)).toMatchObject({ allowed: false });
      if (left > 0) expect(await consume(left)).toMatchObject({ allowed: true });
      expect(await balanceOf(customer)).toBe("0.00");
    });
  });

  describe("output that is not shown", () => {
    const limit = 50_000;
    const streamed = { model: "thinker", messages: chat.messages, stream: true };
    const hiddenUsage = { prompt_tokens: 7, completion_tokens: limit, total_tokens: 7 + limit };
    const usageEvent = `data: ${JSON.stringify({ model: "gpt-5-real", choices: [], usage: hiddenUsage })}\n\n`;
    const textEvent = `data: ${JSON.stringify({ model: "gpt-5-real", choices: [{ delta: { content: "x" } }] })}\n\n`;
    const aliasOf = (model: string, more: object = {}) => ({
      targets: [{ provider: "openai", model, price: { currency: "USD", input: "0.001", output: "10" } }],
      maxOutputTokens: limit,
      ...more,
    });
    const aliases = {
      thinker: aliasOf("gpt-5-real"),
      named: aliasOf("own-model", { reasoning: true }),
      plain: aliasOf("gpt-5-real", { reasoning: false }),
      other: aliasOf("own-model"),
    };
    const meters = { usd: { count: "cost" } };
    let models: MeteredModels;
    let estimating: MeteredModels;
    beforeAll(async () => {
      models = await MeteredModels.deploy(server, "hidden", provider, { meters, aliases });
      estimating = await MeteredModels.deploy(server, "hidden-estimate", provider, {
        meters,
        aliases,
        usage: { onDisconnect: "estimate" },
      });
    });

    /** A provider that sends nothing before `next` is called for each of its parts: the head, then events. */
    function partial(parts: readonly string[]) {
      const gates = [...parts, "end"].map(() => Promise.withResolvers<void>());
      const received = Promise.withResolvers<void>();
      provider.respond = async () => {
        received.resolve();
        await gates[0]!.promise;
        let at = 0;
        const body = new ReadableStream({
          async pull(controller) {
            await gates[at]!.promise;
            const part = parts[at++];
            if (part === undefined) controller.close();
            else controller.enqueue(new TextEncoder().encode(part));
          },
        });
        return new Response(body, { headers: { "content-type": "text/event-stream" } });
      };
      const open = (count: number) => {
        for (const gate of gates.slice(0, count)) gate.resolve();
      };
      return { received: received.promise, open, openAll: () => open(gates.length) };
    }

    test.each(["thinker", "named"])("190 streams of %s that are left stay within the budget", async (model) => {
      provider.respond = () => events([textEvent, usageEvent, "data: [DONE]\n\n"]);
      const customer = await models.customer({ usd: 5 });
      const statuses = await Promise.all(
        Array.from({ length: 190 }, async () => {
          const leaving = new AbortController();
          const response = await customer.post("chat/completions", { ...streamed, model }, { signal: leaving.signal });
          await response.body!.getReader().read();
          leaving.abort();
          return response.status;
        }),
      );
      expect(provider.requests.length).toBe(statuses.filter((status) => status === 200).length);
      await until(async () => ((await customer.used()).usd ?? 0) >= 0.5 * provider.requests.length);
      expect(provider.requests.length).toBeWithin(1, 10);
      expect((await customer.used()).usd).toBeLessThanOrEqual(5);
    });

    const moments: [string, parts: number][] = [
      ["before the response", 0],
      ["in the middle of the text", 1],
      ["before the event with the usage", 2],
    ];
    const texts = [textEvent, textEvent, usageEvent, "data: [DONE]\n\n"];
    async function leave(customer: ModelCustomer, parts: number, model: string): Promise<ReturnType<typeof partial>> {
      const stream = partial(texts);
      const leaving = new AbortController();
      const sent = customer.post("chat/completions", { ...streamed, model }, { signal: leaving.signal });
      await stream.received;
      stream.open(parts);
      if (parts > 0) {
        const response = await sent;
        await response.body!.getReader().read();
      }
      leaving.abort();
      await sent.catch(() => undefined);
      return stream;
    }

    test.each(moments)("a client that leaves %s pays what is reported later", async (_, parts) => {
      for (const model of ["thinker", "other"]) {
        const customer = await models.customer({ usd: 5 });
        const stream = await leave(customer, parts, model);
        await customer.get("models");
        stream.openAll();
        await until(async () => (await customer.records()).length === 2);
        expect((await customer.used()).usd).toBeCloseTo(0.5, 6);
      }
    });

    test.each(moments)("without a report, a client that leaves %s pays what is held", async (_, parts) => {
      const customer = await estimating.customer({ usd: 5 });
      const stream = await leave(customer, parts, "thinker");
      await until(async () => (await customer.records()).length === 1);
      expect((await customer.used()).usd).toBeCloseTo(0.5, 6);
      expect((await customer.records())[0].model).toMatchObject({ basis: "estimated", output: limit });
      // Models that show everything count what has passed.
      const other = await leave(customer, parts, "plain");
      await until(async () => (await customer.records()).length === 2);
      expect((await customer.used()).usd).toBeLessThan(0.501);
      stream.openAll();
      other.openAll();
    });

    test("a stream that the provider ends without a report counts what is held, and one with a report that", async () => {
      const customer = await models.customer({ usd: 5 });
      provider.respond = () => events([textEvent, "data: [DONE]\n\n"]);
      await (await customer.post("chat/completions", streamed)).text();
      await until(async () => (await customer.used()).usd !== undefined);
      expect((await customer.used()).usd).toBeCloseTo(0.5, 6);
      const usage = { prompt_tokens: 7, completion_tokens: 1, total_tokens: 8 };
      provider.respond = () => events([textEvent, `data: ${JSON.stringify({ choices: [], usage })}\n\n`]);
      await (await customer.post("chat/completions", streamed)).text();
      await until(async () => (await customer.records()).length === 2);
      expect((await customer.used()).usd).toBeCloseTo(0.50001, 6);
    });

    test.each<[string, object]>([
      ["chat/completions", { model: "other", reasoning_effort: "high", messages: chat.messages }],
      ["chat/completions", { model: "other", audio: { voice: "a", format: "mp3" }, messages: chat.messages }],
      ["responses", { model: "other", reasoning: { effort: "high" }, input: "Hi" }],
      ["messages", { model: "claude", thinking: { type: "adaptive" }, max_tokens: 1000, messages: chat.messages }],
    ])("a request of %s that asks for it holds the output limit: %j", async (operation, body) => {
      // Less than the output limit costs: 50,000 tokens, or 1,000.
      const customer = await models.customer({ usd: operation === "messages" ? 0.009 : 0.4 });
      expect((await customer.post(operation, { ...body, stream: true })).status).toBe(429);
      const {
        thinking: _,
        reasoning: __,
        reasoning_effort: ___,
        audio: ____,
        ...plain
      } = body as Record<string, unknown>;
      expect((await customer.post(operation, { ...plain, stream: true })).status).toBe(200);
    });
  });

  test("a burst of streams with large events stays within the budget, and uses it up", async () => {
    const aliases = {
      large: {
        targets: [{ provider: "openai", model: "m", price: { currency: "USD", input: "0.001", output: "10" } }],
        maxOutputTokens: 1_000_000,
      },
    };
    const models = await MeteredModels.deploy(server, "bursts", provider, {
      meters: { usd: { count: "cost" } },
      aliases,
    });
    const customer = await models.customer({ usd: 5 });
    const event = `data: ${JSON.stringify({ choices: [{ delta: { content: "x".repeat(30_000) } }] })}\n\n`;
    provider.respond = () => events([...Array(20).fill(event), "data: [DONE]\n\n"]);
    const results = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const response = await customer.post("chat/completions", { ...chat, model: "large", stream: true });
        const text = await response.text();
        return response.status === 429 ? "rejected" : text.includes("quota_exceeded") ? "ended" : "served";
      }),
    );
    expect(results).toContain("ended");
    await until(async () => (await customer.records()).length === 40);
    const { usd } = await customer.used();
    expect(usd).toBeLessThanOrEqual(5);
    expect(usd).toBeGreaterThan(4.99);
    expect((await customer.post("chat/completions", { ...chat, model: "large" })).status).toBe(429);
  });

  test("a meter of which a request takes nothing does not reject it", async () => {
    const aliases = { gratis: { targets: [{ provider: "openai", model: "own", price: "free" }], maxOutputTokens: 10 } };
    const meters = {
      usd: { count: "cost" },
      output: { count: "output" },
      cached: { count: "cached" },
      tokens: { count: "tokens" },
    };
    const models = await MeteredModels.deploy(server, "nothing", provider, { meters, aliases });
    const statusOf = async (maxima: Record<string, number>, operation: string, model: string) => {
      const customer = await models.customer(maxima);
      const body = operation === "embeddings" ? { model, input: "Hi" } : { ...chat, model };
      const { status } = await customer.post(operation, body);
      await until(async () => (await customer.records()).length === 1);
      return [status, (await customer.used()).tokens];
    };
    expect(await statusOf({ usd: 0 }, "chat/completions", "gratis")).toEqual([200, 16]);
    expect(await statusOf({ usd: 0 }, "chat/completions", "small")).toEqual([429, undefined]);
    expect(await statusOf({ output: 0, cached: 0 }, "embeddings", "embed")).toEqual([200, 4]);
    expect(await statusOf({ output: 0 }, "chat/completions", "gratis")).toEqual([429, undefined]);
    expect(await statusOf({ cached: 0 }, "chat/completions", "gratis")).toEqual([429, undefined]);
    expect(await statusOf({ tokens: 0 }, "embeddings", "embed")).toEqual([429, undefined]);
    const only = await MeteredModels.deploy(server, "only-usd", provider, { meters: { usd: meters.usd }, aliases });
    const customer = await only.customer({ usd: 0 });
    expect((await customer.post("chat/completions", { ...chat, model: "gratis" })).status).toBe(200);
    await server.client.patch(customer.subscription, { status: "canceled" });
    await until(async () => (await customer.post("chat/completions", { ...chat, model: "gratis" })).status === 403);
  });

  test("without a rate the budget is a limit, and a grant extends it", async () => {
    const models = await MeteredModels.deploy(server, "prepaid", provider, { meters: { usd: { count: "cost" } } });
    const plan = { ...monthly("0.00", "USD"), rates: { usd: perUnit("1.00") } };
    const customer = await models.customer(
      { usd: 0 },
      { ...plan, rates: { usd: { ...perUnit("1.00"), overage: "block" } } },
    );
    const rejected = await customer.post("chat/completions", chat);
    expect([402, 429]).toContain(rejected.status);
    const grants = `${models.bucket}/customers/${customer.name}/grants`;
    const granted = await server.client.post(grants, { meter: "usd", amount: 1, funding: "promotional", priority: 1 });
    expect(granted.status).toBe(200);
    expect((await customer.post("chat/completions", chat)).status).toBe(200);
    await until(async () => (await customer.used()).usd === 0.0000666);
  });
});
