import { startRival } from "../child-process.ts";
import { deploy } from "../deployment.ts";
import { createKey } from "../guarded.ts";
import { load, takeTurns } from "../measure.ts";
import { subscribe } from "../metering.ts";
import { atMost, comparisonRow, type Row } from "../row.ts";
import { call } from "../server.ts";
import type { Workspace } from "../workspace.ts";

const customer = "models";
const events = 200;

const cases = [
  {
    what: "stream a response of a model",
    body: { model: "small", stream: true, messages: [{ role: "user", content: "Hi" }] },
    target: atMost(3),
    explanation: `CPU time of a stream of ${events} events on a models route with a \`cost\` meter, against forwarding the same stream.`,
  },
  {
    what: "forward a response of a model",
    body: { model: "small", messages: [{ role: "user", content: "Hi" }] },
    // See docs/decisions/models.md.
    target: atMost(3),
    explanation:
      "CPU time of a response in one piece on a models route with a `cost` meter, against forwarding the same response.",
  },
];

/** The CPU cost of metering what models produce: against plain forwarding, with a key on both routes. */
export async function models(workspace: Workspace): Promise<Row[]> {
  await using upstream = await startRival("bench/rivals/model-provider.ts", [String(events)]);
  await using server = await workspace.startServer(workspace.newDirectory("models"));
  const key = await createKey(server, customer, {});
  const { id: bucketId } = await call<{ id: string }>(server, "POST", "/v1/metering");
  await subscribe(server, `/v1/metering/${bucketId}`, customer, { meters: { usd: { max: 1_000_000_000 } } });
  const url = `http://127.0.0.1:${upstream.port}`;
  const price = { currency: "USD", input: "2", output: "10" };
  const { host } = await deploy(server, "bench", {
    "openapi.json": {
      openapi: "3.1.0",
      info: { title: "Bench", version: "1" },
      paths: {
        "/plain/chat/completions": { post: { responses: {}, "x-tollgate": { upstream: url, policies: ["key"] } } },
        "/v1/{path+}": { "x-tollgate-any": { "x-tollgate": { handler: "models", policies: ["key", "usage"] } } },
      },
    },
    "tollgate.json": {
      models: {
        providers: { bench: { api: "openai", url, credential: "sk-bench" } },
        aliases: {
          small: { targets: [{ provider: "bench", model: "bench-model", price }], maxOutputTokens: 1000 },
        },
      },
      policies: {
        key: { type: "api-key", options: { bucket: "bench" } },
        usage: { type: "usage", options: { bucketId, meters: { usd: { count: "cost", factor: 1.2 } } } },
      },
    },
  });
  const rows: Row[] = [];
  for (const { what, body, target, explanation } of cases) {
    const send = (path: string) => () =>
      load(server, {
        connections: 16,
        warmSeconds: 0.2,
        seconds: 1,
        method: "POST",
        path,
        host,
        token: key,
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      });
    const turns = await takeTurns(
      `models, ${what}`,
      // The compilers are done after about six rounds.
      { warmRounds: 6, rounds: 11 },
      { metered: send("/v1/chat/completions"), plain: send("/plain/chat/completions") },
    );
    const words = { what, against: "plain forwarding", againstOurselves: true, explanation };
    rows.push(comparisonRow(words, target, turns.metered, turns.plain, "cpuMicroseconds"));
  }
  return rows;
}
