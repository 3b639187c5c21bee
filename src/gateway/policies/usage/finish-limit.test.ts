import { afterAll, beforeAll, expect, test } from "bun:test";
import { sqlite } from "../../../../test/support/engines.ts";
import { HeldTimers } from "../../../../test/support/held-timers.ts";
import { createPlan, newMeteringBucket, subscribe } from "../../../../test/support/metering.ts";
import { type Deployed, deploy, openApi } from "../../../../test/support/project.ts";
import { useServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";
import { until } from "../../../../test/support/until.ts";

const server = useServer(sqlite);
const { client } = server;
let aborted = 0;
/** A stream that reports nothing, and does not end. */
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  fetch(request) {
    request.signal.addEventListener("abort", () => {
      aborted += 1;
    });
    const stream = async function* () {
      yield 'data: {"word":"first"}\n\n';
      await new Promise(() => {});
    };
    return new Response(stream(), { headers: { "content-type": "text/event-stream" } });
  },
});
let bucket: string;
let deployed: Deployed;

beforeAll(async () => {
  bucket = await newMeteringBucket(client);
  const options = {
    bucketId: bucket.split("/").at(-1),
    meters: { tokens: { event: "/usage" } },
    reserve: { tokens: { amount: 20 } },
    onDisconnect: "finish",
  };
  deployed = await deploy(
    server,
    { project: "streams", branch: "main" },
    {
      "openapi.json": openApi({ "/stream": { "x-tollgate": { policies: ["key", "tokens"] } } }),
      "tollgate.json": {
        upstream: upstream.url.origin,
        policies: { key: { type: "api-key", options: { bucket: "main" } }, tokens: { type: "usage", options } },
      },
    },
  );
});
afterAll(() => upstream.stop(true));

test("finish: a response is read for at most 60 s without its client, which then owes the estimate", async () => {
  const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;
  const created = await client.post(`${consumers}?with-api-key=true`, { name: "acme" });
  const plan = await createPlan(client, bucket, { meters: { tokens: { max: 100 } } });
  const { id } = await subscribe(client, bucket, [plan], { customerKey: "acme" });
  const used = async () => {
    await server.catchUp();
    return (await client.get(`${bucket}/subscriptions/${id}/usage`)).body.meters.tokens.used;
  };

  using timers = new HeldTimers(60_000);
  const controller = new AbortController();
  const headers = { authorization: `Bearer ${created.body.apiKeys[0].key}` };
  const response = await deployed.call("/stream", { headers, signal: controller.signal });
  await response.body!.getReader().read();
  const before = timers.pending;
  controller.abort();
  await until(() => timers.pending > before, { what: "the timer of 60 s" });
  expect([aborted, await used()]).toEqual([0, 0]);

  timers.expire();
  await until(() => aborted === 1, { what: "the end of the response" });
  await until(async () => (await used()) === 20);
  const { body } = await client.get(`/v1/accounts/${account}/requests?consumer=acme`);
  expect(body.data[0].decisions[1].detail).toEqual({
    reason: "disconnected",
    amounts: { tokens: 20 },
    missing: ["tokens"],
    held: { tokens: 20 },
  });
});
