import { describe, expect, test } from "bun:test";
import { childrenOf } from "./support/child-processes.ts";
import { eachEngine } from "./support/engines.ts";
import { MeteredModels, type ModelCustomer } from "./support/metered-models.ts";
import { ModelProvider, type ProviderRequest } from "./support/model-provider.ts";
import { spawnServer } from "./support/spawned-server.ts";
import { until } from "./support/until.ts";

const groups = 3;
const groupSize = 100;
const killedGroup = 1;
/** Each stream has 12 events with 50 tokens of text. */
const eventTokens = 50;
const step = 256;

type Kind = "served" | "left" | "failing";
type Result = Kind | "broken";

const kindOf = (index: number): Kind => (index % 3 === 0 ? "left" : index % 10 === 4 ? "failing" : "served");

/** The streams of a provider, which knows how much of each it has sent. */
class Streams {
  readonly sent = new Map<number, number>();
  /** The streams that will be read to their end, and wait for `resume`. */
  paused = 0;
  readonly #resumed = Promise.withResolvers<void>();
  resume = this.#resumed.resolve;

  respond = ({ body }: ProviderRequest): Response => {
    const index = Number(body.messages[0].content);
    if (kindOf(index) === "failing") return Response.json({ error: { message: "overloaded" } }, { status: 500 });
    const isPaused = Math.floor(index / groupSize) === killedGroup;
    const event = `data: ${JSON.stringify({ choices: [{ delta: { content: "x".repeat(eventTokens * 3) } }] })}\n\n`;
    let left = 12;
    const stream = new ReadableStream({
      pull: async (controller) => {
        await Bun.sleep(0);
        if (isPaused && left === 4) {
          if (kindOf(index) === "served") this.paused += 1;
          await this.#resumed.promise;
        }
        const text = left-- === 0 ? "data: [DONE]\n\n" : event;
        if (text === event) this.sent.set(index, (this.sent.get(index) ?? 0) + eventTokens);
        controller.enqueue(new TextEncoder().encode(text));
        if (text !== event) controller.close();
      },
    });
    return new Response(stream, { headers: { "content-type": "text/event-stream" } });
  };
}

async function stream(customer: ModelCustomer, index: number): Promise<Result> {
  const leaving = new AbortController();
  const body = { model: "small", stream: true, messages: [{ role: "user", content: String(index) }] };
  try {
    const response = await customer.post("chat/completions", body, { signal: leaving.signal });
    if (response.status === 500) return "failing";
    expect(response.status).toBe(200);
    if (kindOf(index) === "served") return (await response.text()).includes("[DONE]") ? "served" : "broken";
    await response.body!.getReader().read();
  } catch (error) {
    if ((error as Error).name === "AssertionError") throw error;
    return "broken";
  }
  leaving.abort();
  return "left";
}

eachEngine((engine) => {
  describe("300 streams on one budget, a third cancelled, with a provider that fails, when a worker is killed:", () => {
    test("what counts is what the provider has sent, less at most a step of each stream that was killed", async () => {
      const database = await engine.migratedDatabase();
      const server = await spawnServer(engine, { database, environment: { TOLLGATE_WORKERS: "2" } });
      const running = () => childrenOf(server.processId, "worker-process");
      const provider = new ModelProvider();
      try {
        await until(() => running().length === 2);
        const { client, url } = server;
        await client.post("/v1/accounts/default/key-buckets", { name: "main" });
        const meters = { output: { count: "output" }, requests: { count: "requests" } };
        const models = await MeteredModels.deploy({ client, url, catchUp: async () => {} }, "killed", provider, {
          meters,
        });
        const max = 500_000;
        const customer = await models.customer({ output: max });
        const streams = new Streams();
        provider.respond = streams.respond;
        const results: Result[] = [];
        for (let group = 0; group < groups; group++) {
          const started = Array.from({ length: groupSize }, (_, index) => stream(customer, group * groupSize + index));
          if (group === killedGroup) {
            const isRead = (index: number) => kindOf(group * groupSize + index) === "served";
            await Promise.all(started.filter((_, index) => !isRead(index)));
            await until(() => streams.paused === started.filter((_, index) => isRead(index)).length);
            const [killed] = running();
            process.kill(killed!, "SIGKILL");
            await until(() => running().length === 2 && !running().includes(killed!));
            streams.resume();
          }
          results.push(...(await Promise.all(started)));
        }
        const broken = results.filter((result) => result === "broken").length;
        expect(broken).toBeGreaterThan(0);
        expect(broken).toBeLessThan(groupSize);
        const bounds = results.map((result, index) => {
          const sent = streams.sent.get(index) ?? 0;
          return [result === "served" ? sent : result === "broken" ? sent - step : 0, sent] as const;
        });
        const [least, most] = [0, 1].map((bound) => bounds.reduce((sum, each) => sum + each[bound]!, 0));
        // Failed requests do not count.
        const counted = results.filter((result) => result !== "failing").length;
        await until(async () => ((await customer.used()).requests ?? 0) >= counted);
        const { output = 0, requests } = await customer.used();
        expect(requests).toBe(counted);
        expect(output).toBeLessThanOrEqual(most!);
        expect(output).toBeGreaterThanOrEqual(least!);
        // Nothing is held any more: all that is left can be taken.
        const rest = { meters: { output: max - output } };
        expect((await client.post(`${customer.subscription}/quotas/consume`, rest)).status).toBe(200);
      } finally {
        await server.stop();
        await provider.stop();
        await database.drop();
      }
    });
  });
});
