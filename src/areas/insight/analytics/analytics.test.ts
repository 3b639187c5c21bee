import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { callerWithRole, strangerOf } from "../../../../test/support/callers.ts";
import { casesFor, type Database, eachEngine, postgres, sqlite } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { callHost, type Deployed, deploy, openApi } from "../../../../test/support/project.ts";
import { startServer, type TestServer, useServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";
import { spawnServer } from "../../../../test/support/spawned-server.ts";
import { until } from "../../../../test/support/until.ts";

const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    const status = Number(new URL(request.url).searchParams.get("status") ?? 200);
    const length = (await request.arrayBuffer()).byteLength;
    // Two pieces, so that the length is not declared.
    if (request.url.includes("stream"))
      return new Response(
        new ReadableStream({
          async pull(controller) {
            controller.enqueue(new TextEncoder().encode("12345"));
            await Bun.sleep(5);
            controller.enqueue(new TextEncoder().encode("67890"));
            controller.close();
          },
        }),
      );
    return new Response(`got ${length}`, { status });
  },
});
afterAll(() => upstream.stop(true));

const project = {
  "tollgate.json": {
    policies: { keys: { type: "api-key", options: { bucket: "main" } }, deny: { type: "modules/deny.ts" } },
  },
  "modules/deny.ts": `export default () => new Response("no", { status: 418 });`,
  "openapi.json": openApi(
    {
      "/orders/{id}": {
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      },
      "post /orders": {},
      "/stream": {},
      "/guarded": { "x-tollgate": { policies: ["keys"] } },
      "/denied": { "x-tollgate": { policies: ["deny"] } },
    },
    { "x-tollgate": { upstream: upstream.url.origin } },
  ),
};

const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;

interface Counted {
  requests: number;
  rejected: number;
  errors: number;
  bytesIn: number;
  bytesOut: number;
  p50Ms: number | null;
}

interface SeriesBody {
  key: string | null;
  isOther?: true;
  totals: Counted;
  points: (Counted & { time: string })[];
}

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;
  let deployed: Deployed;
  let path: string;
  let key: string;
  let keyId: string;
  let sent = 0;

  const call = async (target: string, init?: RequestInit) => {
    const response = await deployed.call(target, init);
    await response.arrayBuffer();
    sent += 1;
    return response.status;
  };
  const series = async (query = "", at = path): Promise<SeriesBody[]> =>
    (await client.get(`${at}${query}`)).body.series;
  const counted = () => until(async () => (await series())[0]!.totals.requests >= sent || undefined);
  const byKey = async (query: string) =>
    Object.fromEntries((await series(query)).map(({ key, totals }) => [String(key), totals.requests]));

  beforeAll(async () => {
    deployed = await deploy(server, { project: "analytics", branch: "main" }, project);
    path = `/v1/deployments/${deployed.name}/analytics`;
    const { body } = await client.post(`${consumers}?with-api-key=true`, { name: "acme" });
    ({ key, id: keyId } = body.apiKeys[0]);
    for (const id of ["1", "2", "3"]) expect(await call(`/orders/${id}`)).toBe(200);
    expect(await call("/orders/4?status=500")).toBe(500);
    expect(await call("/orders/4?status=404")).toBe(404);
    expect(await call("/orders", { method: "POST", body: "1234567" })).toBe(200);
    expect(await call("/stream")).toBe(200);
    expect(await call("/guarded")).toBe(401);
    expect(await call("/guarded", { headers: { authorization: `Bearer ${key}` } })).toBe(200);
    expect(await call("/nowhere")).toBe(404);
    expect(await call("/denied")).toBe(418);
    await counted();
  });

  test("counts every request with its bytes, rejections and errors", async () => {
    await until(async () => (await series())[0]!.totals.bytesOut >= 10 * 3 || undefined);
    const [all] = await series();
    expect(all).toMatchObject({ key: null, totals: { requests: 11, rejected: 2, errors: 1, bytesIn: 7 } });
    expect(all!.totals.p50Ms).toBeGreaterThan(0);
    expect(all!.points.reduce((sum, point) => sum + point.requests, 0)).toBe(11);
    const [streamed] = await series("?route=/stream");
    expect(streamed!.totals).toMatchObject({ requests: 1, bytesOut: 10 });
    const [posted] = await series("?route=/orders");
    expect(posted!.totals).toMatchObject({ requests: 1, bytesIn: 7, bytesOut: 5 });
  });

  test("distinguishes routes, statuses, consumers, keys, versions and deployments", async () => {
    expect(await byKey("?by=route")).toEqual({
      "/orders/{id}": 5,
      "/guarded": 2,
      "/orders": 1,
      "/stream": 1,
      "/denied": 1,
      unknown: 1,
    });
    expect(await byKey("?by=status")).toEqual({ 200: 6, 404: 2, 401: 1, 418: 1, 500: 1 });
    expect(await byKey("?by=consumer")).toEqual({ null: 10, acme: 1 });
    expect(await byKey("?by=key")).toEqual({ null: 10, [keyId]: 1 });
    expect(await byKey("?by=version")).toEqual({ 1: 11 });
    expect(await byKey("?by=deployment")).toEqual({ [deployed.name]: 11 });
  });

  test("filters by route, status and consumer, together too", async () => {
    expect(await byKey("?route=unknown&by=status")).toEqual({ 404: 1 });
    expect(await byKey("?status=4xx&by=status")).toEqual({ 404: 2, 401: 1, 418: 1 });
    expect(await byKey("?status=401&by=route")).toEqual({ "/guarded": 1 });
    expect(await byKey("?consumer=acme&by=route")).toEqual({ "/guarded": 1 });
    expect(await byKey("?consumer=&by=status&route=/guarded")).toEqual({ 401: 1 });
    expect(await byKey("?consumer=acme&status=2xx&by=key")).toEqual({ [keyId]: 1 });
    expect(await byKey("?consumer=acme&status=4xx&by=key")).toEqual({});
    expect(await byKey("?consumer=&by=key&limit=1")).toEqual({ null: 10 });
    expect(await byKey("?consumer=nobody")).toEqual({ null: 0 });
    expect(await byKey("?consumer=nobody&by=route")).toEqual({});
  });

  test("names the largest and sums up the others", async () => {
    const [first, others, ...none] = await series("?by=route&limit=1");
    expect([first!.key, first!.totals.requests]).toEqual(["/orders/{id}", 5]);
    expect(others).toMatchObject({ key: null, isOther: true, totals: { requests: 6, rejected: 2 } });
    expect(none).toEqual([]);
  });

  test("analytics of an account are the sum of its deployments", async () => {
    const ofAccount = `/v1/accounts/${account}/analytics`;
    expect((await series("", ofAccount))[0]!.totals.requests).toBe(11);
    const versions = await series("?by=version", ofAccount);
    expect(versions.map(({ key }) => key)).toEqual([`${deployed.name}@1`]);
  });

  test("returns a point for each step of the range, including the current one", async () => {
    const now = clock.now();
    const steps = async (query: string) => {
      const { body } = await client.get(`${path}${query}`);
      return [body.step, body.series[0].points.length, body.from, body.to];
    };
    expect(await steps("")).toEqual(["1h", 25, "2026-01-14T10:00:00.000Z", "2026-01-15T11:00:00.000Z"]);
    expect(await steps("?from=2026-01-15T09:30:10Z")).toEqual([
      "1m",
      31,
      "2026-01-15T09:30:00.000Z",
      "2026-01-15T10:01:00.000Z",
    ]);
    expect(await steps("?from=2025-12-16T10:00:00Z")).toEqual([
      "1d",
      31,
      "2025-12-16T00:00:00.000Z",
      "2026-01-16T00:00:00.000Z",
    ]);
    expect(await steps("?from=2026-01-15T09:00:00Z&to=2026-01-15T11:00:00Z&step=1h")).toEqual([
      "1h",
      2,
      "2026-01-15T09:00:00.000Z",
      "2026-01-15T11:00:00.000Z",
    ]);
    expect(clock.now()).toBe(now);
  });

  test("analytics are returned as CSV if the client accepts it", async () => {
    const { status, headers, text } = await client.get(`${path}?by=route&step=1d`, { accept: "text/csv" });
    expect([status, headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8; header=present"]);
    const [head, ...rows] = text.trimEnd().split("\r\n");
    expect(head).toBe("time,key,isOther,requests,rejected,errors,p50Ms,p95Ms,p99Ms,bytesIn,bytesOut,observed");
    expect(rows).toHaveLength(12);
    expect(rows.find((row) => row.startsWith("2026-01-15T00:00:00.000Z,/orders/{id},false,5,0,1,"))).toBeDefined();
    const json = await client.get(path, { accept: "text/csv;q=0.5, application/json" });
    expect(json.headers.get("content-type")).toStartWith("application/json");
  });

  test.each(
    casesFor(engine, [
      ["from=yesterday", "?from"],
      ["from=2026-01-15T10:00:00Z&to=2026-01-15T09:00:00Z", "?from"],
      ["from=2026-01-15T10:00:00Z&to=2026-01-15T10:00:00Z", "?from"],
      ["step=5m", "?step"],
      ["step=1m&from=2026-01-13T09:59:00Z", "?step"],
      ["step=1h&from=2025-10-17T09:00:00Z", "?step"],
      ["from=9999-12-31T00:00:00Z&to=9999-12-31T23:59:59Z", "?to"],
      ["from=2023-12-31T00:00:00Z", "?from"],
      ["step=1m&from=2026-01-13T11:00:00Z&to=2026-01-17T11:00:00Z", "?step"],
      ["by=method", "?by"],
      ["limit=0", "?limit"],
      ["limit=101", "?limit"],
      ["limit=ten", "?limit"],
      ["limit=100&by=route&step=1m&from=2026-01-13T11:00:00Z", "?limit"],
      ["status=4x", "?status"],
      ["status=600", "?status"],
      ["route=orders", "?route"],
      ["consumer=*", "?consumer"],
      ["by=key&route=/orders", "?route"],
      ["by=policy&route=/orders", "?route"],
      ["policy=", "?policy"],
      ["policy=plan&route=/orders", "?policy"],
      ["policy=plan&by=key", "?policy"],
      ["policy=plan&by=route", "?policy"],
      ["policy=plan&consumerId=csmr_1", "?policy"],
    ]),
  )("rejects %s", async (query, pointer) => {
    for (const at of [path, `/v1/accounts/${account}/analytics`])
      expectProblem(await client.get(`${at}?${query}`), 400, "validation_failed", { pointer });
  });

  test("only readers of the account can read analytics", async () => {
    const ofAccount = `/v1/accounts/${account}/analytics`;
    const reader = await callerWithRole(client, "reader");
    const verifier = await callerWithRole(client, "verifier");
    const stranger = await strangerOf(client, "strangers");
    for (const at of [path, ofAccount]) {
      expect((await reader.get(at)).status).toBe(200);
      expectProblem(await verifier.get(at), 403, "forbidden");
      expectProblem(await client.anonymous().get(at), 401, "unauthenticated");
      expectProblem(await stranger.get(at), 404, "not_found");
    }
    expectProblem(await client.get("/v1/deployments/missing-main-1234567/analytics"), 404, "not_found");
    const own = await stranger.get("/v1/accounts/strangers/analytics?by=deployment");
    expect(own.body.series).toEqual([]);
  });

  test("series are unchanged after a restart", async () => {
    const before = await series("?by=route");
    await server.restart();
    expect(await series("?by=route")).toEqual(before);
    expect(await call("/orders/5")).toBe(200);
    await counted();
    expect((await byKey("?by=route"))["/orders/{id}"]).toBe(6);
  });
});

describe("off", () => {
  const server = useServer(sqlite, { environment: { TOLLGATE_INSIGHT: "off" } });

  test("nothing is counted, and the series are empty", async () => {
    const open = openApi({ "/open": { "x-tollgate": { upstream: upstream.url.origin } } });
    const deployed = await deploy(server, { project: "off", branch: "main" }, { "openapi.json": open });
    expect((await deployed.call("/open")).status).toBe(200);
    await server.restart();
    const { body } = await server.client.get(`/v1/deployments/${deployed.name}/analytics`);
    expect(body.series[0].totals.requests).toBe(0);
  });
});

describe("two nodes", () => {
  let database: Database;
  let one: TestServer;
  let two: TestServer;

  beforeAll(async () => {
    database = await postgres.migratedDatabase();
    one = await startServer(postgres, { database });
    two = await startServer(postgres, { database });
  });

  afterAll(async () => {
    await one.stop();
    await two.stop();
    await database.drop();
  });

  test("counts of two nodes add up, and both nodes return the same series", async () => {
    const open = openApi({ "/open": { "x-tollgate": { upstream: upstream.url.origin } } });
    const deployed = await deploy(one, { project: "nodes", branch: "main" }, { "openapi.json": open });
    const host = new URL(deployed.url).hostname;
    const send = async ({ url }: { url: string }) => {
      const response = await callHost(url, host, "/open");
      await response.arrayBuffer();
      return response.status;
    };
    await until(async () => (await send(two)) === 200 || undefined);
    for (let each = 0; each < 20; each += 1) expect(await send(each % 2 === 0 ? one : two)).toBe(200);
    const total = async ({ client }: TestServer) => {
      const { body } = await client.get(`/v1/deployments/${deployed.name}/analytics?status=200`);
      return body.series[0].totals.requests as number;
    };
    await until(async () => (await total(one)) >= 21 || undefined);
    expect([await total(one), await total(two)]).toEqual([21, 21]);
  });
});

test("kill -9 loses at most unflushed counts, and counts nothing twice", async () => {
  const database = await sqlite.migratedDatabase();
  const open = openApi({ "/open": { "x-tollgate": { upstream: upstream.url.origin } } });
  let server = await spawnServer(sqlite, { database });
  const deployed = await deploy(server, { project: "killed", branch: "main" }, { "openapi.json": open });
  const host = new URL(deployed.url).hostname;
  const send = async (requests: number) => {
    for (let each = 0; each < requests; each += 1) await (await callHost(server.url, host, "/open")).arrayBuffer();
  };
  const total = async () => {
    const { body } = await server.client.get(`/v1/deployments/${deployed.name}/analytics?step=1m`);
    return body.series[0].totals.requests as number;
  };
  await send(30);
  await until(async () => (await total()) === 30 || undefined);
  await send(5);
  await server.kill("SIGKILL");
  server = await spawnServer(sqlite, { database });
  const kept = await total();
  expect(kept).toBeGreaterThanOrEqual(30);
  expect(kept).toBeLessThanOrEqual(35);
  await send(10);
  await until(async () => (await total()) >= kept + 10 || undefined);
  expect(await total()).toBe(kept + 10);
  await server.stop();
  await database.drop();
});
