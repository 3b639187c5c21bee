import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { eachEngine } from "../../../../test/support/engines.ts";
import { createPlan, newMeteringBucket, subscribe } from "../../../../test/support/metering.ts";
import { callHost, type Deployed, deploy, openApi } from "../../../../test/support/project.ts";
import { useServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";
import { until } from "../../../../test/support/until.ts";

const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;

interface ChatRequest {
  model: string;
  messages: { content: string }[];
  max_tokens?: number;
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
}

/** Resolved by a test: streams of the model "slow" wait after their first word. */
let release = Promise.withResolvers<void>();
let streamsAborted = 0;

/** The protocol of chat completions: each word of the prompt and of the reply is a token. */
const model = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/header") return new Response("done", { headers: { "x-units": "2.5" } });
    const body = (await request.json()) as ChatRequest;
    if (body.model === "broken") return Response.json({ error: { message: "overloaded" } }, { status: 503 });
    if (body.model === "silent") return Response.json({ id: "chatcmpl-1", choices: [] });
    const words = body.messages.at(-1)!.content.split(" ");
    const usage = {
      prompt_tokens: words.length,
      completion_tokens: words.length,
      total_tokens: 2 * words.length,
    };
    const shared = { id: "chatcmpl-1", created: 1, model: body.model };
    if (!body.stream) {
      const message = { role: "assistant", content: words.join(" ") };
      return Response.json({
        ...shared,
        object: "chat.completion",
        choices: [{ index: 0, message, finish_reason: "stop" }],
        usage,
      });
    }
    const chunk = (choices: object[], more: object = {}) =>
      `data: ${JSON.stringify({ ...shared, object: "chat.completion.chunk", choices, ...more })}\n\n`;
    request.signal.addEventListener("abort", () => {
      streamsAborted += 1;
    });
    const stream = async function* () {
      for (const [at, word] of words.entries()) {
        yield chunk([{ index: 0, delta: { content: `${word} ` }, finish_reason: null }]);
        if (at === 0 && body.model === "slow") await release.promise;
      }
      if (body.stream_options?.include_usage) yield chunk([], { usage });
      yield "data: [DONE]\n\n";
    };
    return new Response(stream(), { headers: { "content-type": "text/event-stream" } });
  },
});
afterAll(() => model.stop(true));

/** The status of a failed call. */
const statusOf = (sent: PromiseLike<unknown>) =>
  sent.then(
    () => 200,
    (error: { status?: number }) => error.status,
  );

const tokens = { pointer: "/usage/total_tokens", event: "/usage/total_tokens" };

function project(bucketId: string) {
  const guarded = (...policies: string[]) => ({ "x-tollgate": { policies } });
  const usage = (options: object) => ({ type: "usage", options: { bucketId, meters: { tokens }, ...options } });
  const chat = (name: string) => [`post /${name}/chat/completions`, guarded("key", name, "strip")] as const;
  return {
    "openapi.json": openApi({
      ...Object.fromEntries(["plain", "reserved", "finished", "fixed"].map(chat)),
      "/header": guarded("key", "header"),
    }),
    "tollgate.json": {
      upstream: model.url.origin,
      policies: {
        key: { type: "api-key", options: { bucket: "main" } },
        strip: { type: "headers", options: { request: { set: { "x-from": "gateway" } } } },
        plain: usage({ meters: { tokens: { ...tokens, default: 7 } } }),
        reserved: usage({ reserve: { tokens: { pointer: "/max_tokens", factor: 2, maximum: 50 } } }),
        finished: usage({ reserve: { tokens: { amount: 20 } }, onDisconnect: "finish" }),
        fixed: usage({ reserve: { tokens: { amount: 10 } }, statuses: ["2xx"] }),
        header: usage({ meters: { tokens: { header: "x-units" } } }),
      },
    },
  };
}

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  let deployed: Deployed;
  let bucket: string;
  let count = 0;

  beforeAll(async () => {
    bucket = await newMeteringBucket(client);
    deployed = await deploy(server, { project: "models", branch: "main" }, project(bucket.split("/").at(-1)!));
  });

  /** A customer with a budget of tokens, and the official client with their key. */
  async function customer(max: number) {
    const name = `customer-${++count}`;
    const created = await client.post(`${consumers}?with-api-key=true`, { name });
    const [{ key }] = created.body.apiKeys;
    const plan = await createPlan(client, bucket, { planExternalId: name, meters: { tokens: { max } } });
    const subscription = await subscribe(client, bucket, [plan], { customerKey: name, subscriptionExternalId: name });
    const host = new URL(deployed.url).hostname;
    const route = (path: string) =>
      new OpenAI({
        apiKey: key,
        baseURL: `${server.url}/${path}`,
        maxRetries: 0,
        fetch: (url, init) => {
          const { pathname } = new URL(String(url));
          return callHost(server.url, host, pathname, init as RequestInit);
        },
      });
    const used = async (): Promise<number> => {
      await server.catchUp();
      return (await client.get(`${bucket}/subscriptions/${subscription.id}/usage`)).body.meters.tokens.used;
    };
    return { name, key, route, used };
  }

  const chat = (words: number, more: object = {}) => ({
    model: "small",
    messages: [{ role: "user" as const, content: Array.from({ length: words }, () => "word").join(" ") }],
    ...more,
  });
  const detailsOf = async (name: string) => {
    await server.catchUp();
    const { body } = await client.get(`/v1/accounts/${account}/requests?consumer=${name}`);
    return body.data.map(({ decisions }: { decisions: { detail?: object }[] }) => decisions[1]!.detail);
  };

  test("counted tokens are reported tokens", async () => {
    const { route, used, name } = await customer(1000);
    const openai = route("plain");
    const reply = await openai.chat.completions.create(chat(5));
    expect(reply.usage?.total_tokens).toBe(10);
    await until(async () => (await used()) === 10);
    expect(await detailsOf(name)).toEqual([{ reason: "counted", amounts: { tokens: 10 } }]);
  });

  test("a stream is counted too, and not delayed", async () => {
    const { route, used } = await customer(1000);
    release = Promise.withResolvers();
    const stream = await route("plain").chat.completions.create(
      chat(4, {
        model: "slow",
        stream: true as const,
        stream_options: { include_usage: true },
      }) as OpenAI.ChatCompletionCreateParamsStreaming,
    );
    let reported = 0;
    let words = 0;
    for await (const chunk of stream) {
      if (chunk.choices.length > 0) words += 1;
      if (words === 1) release.resolve();
      reported = chunk.usage?.total_tokens ?? reported;
    }
    expect([words, reported]).toEqual([4, 8]);
    await until(async () => (await used()) === 8);
  });

  test("a missing amount counts as the default, which is recorded", async () => {
    const { route, used, name } = await customer(1000);
    await route("plain").chat.completions.create(chat(1, { model: "silent" }));
    await until(async () => (await used()) === 7);
    expect(await detailsOf(name)).toEqual([{ reason: "amount_missing", amounts: { tokens: 7 }, missing: ["tokens"] }]);
    const without = await customer(1000);
    await without.route("reserved").chat.completions.create(chat(1, { model: "silent" }));
    await until(async () => (await detailsOf(without.name)).length === 1);
    expect(await detailsOf(without.name)).toEqual([
      { reason: "amount_missing", amounts: { tokens: 0 }, missing: ["tokens"], held: { tokens: 50 } },
    ]);
    expect(await without.used()).toBe(0);
  });

  test("an amount in a header", async () => {
    const { key, used } = await customer(10);
    const response = await deployed.call("/header", { headers: { authorization: `Bearer ${key}` } });
    expect(response.status).toBe(200);
    await until(async () => (await used()) === 2.5);
  });

  test("a status that does not count releases the reservation, and so does a failed upstream", async () => {
    const { route, used } = await customer(10);
    for (let round = 0; round < 3; round++)
      expect(await statusOf(route("fixed").chat.completions.create(chat(1, { model: "broken" })))).toBe(503);
    expect((await route("fixed").chat.completions.create(chat(2))).usage?.total_tokens).toBe(4);
    await until(async () => (await used()) === 4);
    expect(await statusOf(route("fixed").chat.completions.create(chat(2)))).toBe(429);
  });

  describe("reserve", () => {
    test("reserves the requested amount up to the maximum, and settles the used amount", async () => {
      const { route, used, name } = await customer(60);
      const openai = route("reserved");
      await openai.chat.completions.create(chat(3, { max_tokens: 1_000_000 }));
      await until(async () => (await used()) === 6);
      expect(await detailsOf(name)).toEqual([{ reason: "counted", amounts: { tokens: 6 }, held: { tokens: 50 } }]);
      // More than the reservation counts, too.
      await openai.chat.completions.create(chat(10, { max_tokens: 1 }));
      await until(async () => (await used()) === 26);
      expect(await statusOf(openai.chat.completions.create(chat(1)))).toBe(429);
      // The factor is 2, and 34 are left.
      expect(await statusOf(openai.chat.completions.create(chat(1, { max_tokens: 18 })))).toBe(429);
      await openai.chat.completions.create(chat(1, { max_tokens: 17 }));
      await until(async () => (await used()) === 28);
    });

    test("a duplicate or negative member is rejected", async () => {
      const { key, used } = await customer(60);
      const send = (body: string) =>
        deployed.call("/reserved/chat/completions", {
          method: "POST",
          body,
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        });
      for (const members of [
        '"max_tokens":1,"max_tokens":50',
        '"max_tokens":1,"max\\u005ftokens":50',
        '"max_tokens":-5',
      ]) {
        const response = await send(`{"model":"small","messages":[{"content":"a"}],${members}}`);
        expect(await response.json()).toMatchObject({
          status: 400,
          code: "request_invalid",
          errors: [{ pointer: "/max_tokens" }],
        });
      }
      expect(await used()).toBe(0);
    });

    test("500 concurrent requests on a budget for 10 exceed it by at most the error of their estimates", async () => {
      const { route, used } = await customer(100);
      const openai = route("fixed");
      // Each reserves 10 and uses 12.
      const statuses = await Promise.all(
        Array.from({ length: 500 }, () => statusOf(openai.chat.completions.create(chat(6)))),
      );
      const admitted = statuses.filter((status) => status === 200).length;
      expect(statuses.filter((status) => status === 429)).toHaveLength(500 - admitted);
      // The last is admitted while at least 10 are left.
      expect(admitted).toBeWithin(8, 11);
      await until(async () => (await used()) === admitted * 12);
    });

    test("reservations are released when a third of the clients cancel", async () => {
      const { route, used } = await customer(30 * 10);
      release = Promise.withResolvers();
      const openai = route("fixed");
      const controllers = Array.from({ length: 30 }, () => new AbortController());
      const streams = await Promise.all(
        controllers.map(({ signal }) =>
          openai.chat.completions.create(
            chat(2, {
              model: "slow",
              stream: true,
              stream_options: { include_usage: true },
            }) as OpenAI.ChatCompletionCreateParamsStreaming,
            { signal },
          ),
        ),
      );
      expect(await statusOf(openai.chat.completions.create(chat(1)))).toBe(429);
      const before = streamsAborted;
      for (const controller of controllers.slice(0, 10)) controller.abort();
      await until(() => streamsAborted >= before + 10);
      release.resolve();
      for (const stream of streams.slice(10)) for await (const _ of stream);
      // Twenty used 4 each; ten are charged the estimate of 10, as nothing was reported.
      await until(async () => (await used()) === 20 * 4 + 10 * 10);
      expect((await openai.chat.completions.create(chat(5))).usage?.total_tokens).toBe(10);
    });
  });

  test("finish: the response is read to its end without the client", async () => {
    const { route, used, name } = await customer(100);
    release = Promise.withResolvers();
    const controller = new AbortController();
    const stream = await route("finished").chat.completions.create(
      chat(3, {
        model: "slow",
        stream: true,
        stream_options: { include_usage: true },
      }) as OpenAI.ChatCompletionCreateParamsStreaming,
      { signal: controller.signal },
    );
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    controller.abort();
    await until(async () => (await used()) >= 0);
    release.resolve();
    await until(async () => (await used()) === 6);
    await until(async () => (await detailsOf(name)).length === 1);
    expect(await detailsOf(name)).toEqual([{ reason: "counted", amounts: { tokens: 6 }, held: { tokens: 20 } }]);
  });

  test("finish: at most a hundred responses at a time; further clients owe the estimate", async () => {
    const { route, used } = await customer(101 * 20);
    release = Promise.withResolvers();
    const openai = route("finished");
    const controllers = Array.from({ length: 101 }, () => new AbortController());
    await Promise.all(
      controllers.map(({ signal }) =>
        openai.chat.completions.create(
          chat(3, {
            model: "slow",
            stream: true,
            stream_options: { include_usage: true },
          }) as OpenAI.ChatCompletionCreateParamsStreaming,
          { signal },
        ),
      ),
    );
    for (const controller of controllers) controller.abort();
    await until(async () => (await used()) === 20);
    release.resolve();
    await until(async () => (await used()) === 20 + 100 * 6);
  });
});
