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

/** The requests that wait for their response, by path. */
const waiting = new Map<string, PromiseWithResolvers<Response>>();
let aborted = 0;
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  async fetch(request) {
    request.signal.addEventListener("abort", () => {
      aborted += 1;
    });
    await request.text();
    const response = Promise.withResolvers<Response>();
    waiting.set(new URL(request.url).pathname, response);
    return response.promise;
  },
});
afterAll(() => upstream.stop(true));

const json = () => Response.json({ usage: 7 });
async function* events() {
  yield 'data: {"usage":1}\n\n';
  await Bun.sleep(1);
  yield 'data: {"usage":9}\n\n';
}
const stream = () => new Response(events(), { headers: { "content-type": "text/event-stream" } });

const paths = ["plain", "balanced", "handler", "twice", "estimated"];
let bucket: string;
let deployed: Deployed;

beforeAll(async () => {
  bucket = await newMeteringBucket(client);
  const options = {
    bucketId: bucket.split("/").at(-1),
    meters: { tokens: { pointer: "/usage", event: "/usage" } },
    reserve: { tokens: { amount: 20 } },
    statuses: ["2xx"],
  };
  const usage = (onDisconnect: string) => ({ type: "usage", options: { ...options, onDisconnect } });
  const route = (path: string) => ({
    "x-tollgate": {
      policies: ["key", ...(path === "estimated" ? ["estimate"] : path === "twice" ? ["finish", "again"] : ["finish"])],
      ...(path === "handler" && { handler: "modules/handler.ts" }),
      ...(path === "balanced" && { upstream: { targets: [{ url: upstream.url.origin }], ejection: {} } }),
    },
  });
  deployed = await deploy(
    server,
    { project: "answers", branch: "main" },
    {
      "openapi.json": openApi(Object.fromEntries(paths.map((path) => [`post /${path}`, route(path)]))),
      "modules/handler.ts": `export default async () => fetch("${upstream.url.origin}/handler", { method: "POST" });`,
      "tollgate.json": {
        upstream: upstream.url.origin,
        policies: {
          key: { type: "api-key", options: { bucket: "main" } },
          finish: usage("finish"),
          again: usage("finish"),
          estimate: usage("estimate"),
        },
      },
    },
  );
});

/** Sends a request, and disconnects when the target has it. */
async function disconnect(path: string, name: string) {
  const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;
  const created = await client.post(`${consumers}?with-api-key=true`, { name });
  const plan = await createPlan(client, bucket, { planExternalId: name, meters: { tokens: { max: 100 } } });
  const { id } = await subscribe(client, bucket, [plan], { customerKey: name, subscriptionExternalId: name });
  const controller = new AbortController();
  waiting.clear();
  const headers = { authorization: `Bearer ${created.body.apiKeys[0].key}` };
  const sent = deployed.call(`/${path}`, { method: "POST", body: "{}", headers, signal: controller.signal });
  await until(() => waiting.has(`/${path}`), { what: "the request at the target" });
  controller.abort();
  await sent.catch(() => undefined);
  const used = async (): Promise<number> => {
    await server.catchUp();
    return (await client.get(`${bucket}/subscriptions/${id}/usage`)).body.meters.tokens.used;
  };
  const recorded = async () => {
    await server.catchUp();
    const { body } = await client.get(`/v1/accounts/${account}/requests?consumer=${name}`);
    return body.data as { status: number; decisions: { detail?: { reason: string } }[] }[];
  };
  return { used, recorded, respond: (response: Response) => waiting.get(`/${path}`)!.resolve(response) };
}

test.each([
  ["plain", json, 7],
  ["plain", stream, 9],
  ["balanced", json, 7],
  ["balanced", stream, 9],
  ["handler", json, 7],
  ["handler", stream, 9],
  ["twice", stream, 18],
])("finish: %s counts the response although the client left before its head", async (path, response, amount) => {
  const before = aborted;
  using timers = new HeldTimers(60_000);
  const { used, recorded, respond } = await disconnect(path, `${path}-${response === json ? "json" : "stream"}`);
  await until(() => timers.pending > 0, { what: "the gateway to notice the disconnect" });
  respond(response());
  await until(async () => (await used()) === amount);
  await until(async () => (await recorded()).length === 1);
  expect((await recorded())[0]!.decisions[1]!.detail).toMatchObject({ reason: "counted" });
  expect(aborted).toBe(before);
  expect(timers.pending).toBe(0);
});

test("finish: a response that does not count, or a failure of the target, counts nothing", async () => {
  for (const [path, status] of [
    ["plain", 400],
    ["balanced", 404],
  ] as const) {
    using timers = new HeldTimers(60_000);
    const { used, recorded, respond } = await disconnect(path, `${path}-${status}`);
    await until(() => timers.pending > 0, { what: "the gateway to notice the disconnect" });
    respond(Response.json({ usage: 7 }, { status }));
    await until(async () => (await recorded()).length === 1);
    expect([(await recorded())[0]!.status, await used(), timers.pending]).toEqual([status, 0, 0]);
  }
});

test("finish: the wait for the head ends after 60 s, and the estimate counts", async () => {
  for (const path of ["plain", "balanced", "handler"]) {
    using timers = new HeldTimers(60_000);
    const { used, recorded } = await disconnect(path, `${path}-late`);
    await until(() => timers.pending > 0, { what: "the gateway to notice the disconnect" });
    expect(await used()).toBe(0);
    timers.expire();
    await until(async () => (await used()) === 20);
    await until(async () => (await recorded()).length === 1);
    expect((await recorded())[0]).toMatchObject({
      status: 499,
      decisions: [{}, { detail: { reason: "disconnected" } }],
    });
  }
});

test("estimate: the request to the target is aborted at once", async () => {
  const before = aborted;
  const { used } = await disconnect("estimated", "estimated");
  await until(() => aborted === before + 1);
  await until(async () => (await used()) === 20);
});
