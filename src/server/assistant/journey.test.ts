import { afterAll, beforeAll, expect, test } from "bun:test";
import { Client as Mcp, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as EarlierMcp } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as EarlierTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { sqlite } from "../../../test/support/engines.ts";
import { createPlan, newMeteringBucket, subscribe } from "../../../test/support/metering.ts";
import { type Deployed, deploy, openApi } from "../../../test/support/project.ts";
import { useServer } from "../../../test/support/server.ts";
import { account, adminToken } from "../../../test/support/server-settings.ts";
import { until } from "../../../test/support/until.ts";

// biome-ignore lint/suspicious/noExplicitAny: results are read as they are expected.
type Json = any;

const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;
const upstream = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("ok") });
const info = { name: "journey", version: "1.0.0" };

// The tests of the assistant run on both engines.
const server = useServer(sqlite, { environment: { TOLLGATE_MCP_WRITES: "1" } });
const { client, clock } = server;
let deployed: Deployed;
let key: string;
let bucketId: string;

beforeAll(async () => {
  const { body } = await client.post(consumers, { name: "acme", description: "Acme Inc.", apiKeys: [{}] });
  key = body.apiKeys[0].key;
  const bucket = await newMeteringBucket(client);
  bucketId = bucket.split("/").at(-1)!;
  const gold = await createPlan(client, bucket, { meters: { requests: { label: "Requests", max: 2 } } });
  await subscribe(client, bucket, [gold], { customerKey: "acme", quotaResetAnchor: "2026-01-01T00:00:00.000Z" });
  deployed = await deploy(
    server,
    { project: "shop", branch: "main" },
    {
      "openapi.json": openApi({ "/orders": { "x-tollgate": { policies: ["keys", "plan"] } } }),
      "tollgate.json": {
        upstream: upstream.url.origin,
        policies: {
          keys: { type: "api-key", options: { bucket: "main" } },
          plan: { type: "quota", options: { bucketId, meters: { requests: 1 } } },
        },
      },
    },
  );
  const statuses = [await order(), await order(), await order()];
  expect(statuses).toEqual([200, 200, 429]);
  await until(async () => {
    await server.catchUp();
    return (await client.get(`/v1/accounts/${account}/requests?status=429`)).body.data.length === 1;
  });
});
afterAll(() => upstream.stop(true));

async function order(): Promise<number> {
  const response = await deployed.call("/orders", { headers: { authorization: `Bearer ${key}` } });
  await response.arrayBuffer();
  return response.status;
}

interface Connected {
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<Json>;
}

/** Finds an operation by words, and calls it. */
async function ask(mcp: Connected, query: string, operationId: string, given: object): Promise<Json> {
  const found = await mcp.callTool({ name: "search", arguments: { query } });
  const ids = JSON.parse(found.content[0].text).operations.map((each: { operationId: string }) => each.operationId);
  expect({ query, ids }).toEqual({ query, ids: expect.arrayContaining([operationId]) });
  return mcp.callTool({ name: "call", arguments: { operationId, arguments: given } });
}

/** What an operator asks an assistant about a customer. */
async function investigate(mcp: Connected): Promise<void> {
  const customers = await ask(mcp, "find a customer", "listConsumers", { bucketName: "main", q: "ac" });
  expect(customers.structuredContent.data).toMatchObject([{ name: "acme", description: "Acme Inc." }]);

  const rejected = await ask(mcp, "why was a request rejected", "listRequests", { status: "429", consumer: "acme" });
  expect(rejected.structuredContent.data).toHaveLength(1);
  expect(rejected.structuredContent.data[0].explanation).toMatch(
    /^429: consumer acme has used 2 of 2 requests of plan Gold in this period; it resets on /,
  );

  const subscriptions = await ask(mcp, "subscriptions of a customer", "listSubscriptions", {
    bucketId,
    customerKey: "acme",
  });
  const [{ id: subscriptionId, planIds }] = subscriptions.structuredContent.data;
  const usage = await ask(mcp, "compare usage with the plan", "getUsage", { bucketId, subscriptionId });
  expect(usage.structuredContent.meters.requests).toMatchObject({ used: 2, max: 2 });
  const plan = await ask(mcp, "read plan", "getPlan", { bucketId, planId: planIds[0] });
  expect(plan.structuredContent).toMatchObject({ label: "Gold", meters: { requests: { max: 2 } } });
}

const address = () => new URL(`${server.url}/mcp`);
const requestInit = { headers: { authorization: `Bearer ${adminToken}` } };

test.each(["legacy", "auto"] as const)("an assistant with the client of version 2 investigates (%s)", async (mode) => {
  const mcp = new Mcp(info, { versionNegotiation: { mode } });
  await mcp.connect(new StreamableHTTPClientTransport(address(), { requestInit }));
  await investigate(mcp as unknown as Connected);
  await mcp.close();
});

test("an assistant with the client of version 1 investigates, and changes nothing", async () => {
  const mcp = new EarlierMcp(info, { capabilities: { elicitation: {} } });
  await mcp.connect(new EarlierTransport(address(), { requestInit }) as Parameters<typeof mcp.connect>[0]);
  await investigate(mcp);
  const given = { bucketName: "main", consumerName: "acme", expiresOn: clock.iso() };
  const rolled = await mcp.callTool({ name: "call", arguments: { operationId: "rollKey", arguments: given } });
  expect(rolled).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("2026-07-28") }] });
  expect((await client.get(`${consumers}/acme/keys`)).body.total).toBe(1);
  await mcp.close();
});

test("rolls a key when the person has confirmed it", async () => {
  const asked: string[] = [];
  let confirms = false;
  const mcp = new Mcp(info, { capabilities: { elicitation: {} }, versionNegotiation: { mode: { pin: "2026-07-28" } } });
  mcp.setRequestHandler("elicitation/create", async ({ params }) => {
    asked.push(params.message);
    return confirms ? { action: "accept", content: { confirm: true } } : { action: "decline" };
  });
  await mcp.connect(new StreamableHTTPClientTransport(address(), { requestInit }));
  const roll = () =>
    ask(mcp as unknown as Connected, "roll the key of a customer", "rollKey", {
      bucketName: "main",
      consumerName: "acme",
      expiresOn: clock.iso(),
    });

  expect(await roll()).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("did not confirm") }],
  });
  expect((await client.get(`${consumers}/acme/keys`)).body.total).toBe(1);
  expect(await order()).toBe(429);

  confirms = true;
  const rolled = await roll();
  expect(rolled.isError).toBeUndefined();
  expect(rolled.content[0].text).toContain(`${consumers}/acme/keys/key_`);
  expect(asked).toHaveLength(2);
  expect(asked[1]).toContain(`POST ${consumers}/acme/roll-key`);
  expect((await client.get(`${consumers}/acme/keys`)).body.total).toBe(2);
  // The old key has ended.
  expect(await order()).toBe(401);
  const { body } = await client.get(`/v1/accounts/${account}/audit-log?action=key.rolled`);
  expect(body.data).toMatchObject([{ assistant: "journey 1.0.0", actor: { type: "token" } }]);
  await mcp.close();
});
