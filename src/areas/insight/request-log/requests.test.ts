import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { casesFor, eachEngine, postgres, sqlite } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { type Deployed, deploy, openApi } from "../../../../test/support/project.ts";
import { startServer, type TestServer, useServer } from "../../../../test/support/server.ts";
import { account, adminToken, operatorToken } from "../../../../test/support/server-settings.ts";
import { testedWorkers } from "../../../../test/support/server-with-workers.ts";
import { until } from "../../../../test/support/until.ts";
import { echoUpstream } from "../../../../test/support/versioned-project.ts";
import { type Request as StoredRequest, Tollgate } from "../../../client/index.ts";
import { newId } from "../../../lib/ids.ts";

const upstream = echoUpstream();
afterAll(() => upstream.stop(true));

const project = {
  "openapi.json": openApi({
    "/orders/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      "x-tollgate": { upstream: `${upstream.url.origin}/one` },
    },
    "post /orders": { "x-tollgate": { upstream: `${upstream.url.origin}/one` } },
    "/keyed": { "x-tollgate": { upstream: `${upstream.url.origin}/one`, policies: ["keys"] } },
  }),
  "tollgate.json": { policies: { keys: { type: "api-key", options: { bucket: "main" } } } },
};

let count = 0;
const path = `/v1/accounts/${account}/requests`;

const listed = async (server: TestServer, query: string, listPath = path): Promise<StoredRequest[]> =>
  (await server.client.get(`${listPath}${query}`)).body.data;

/** Follows the requests to a deployment, and adds up the reported omissions. */
async function followedOmissions({ url }: TestServer, deployment: string) {
  const stopped = new AbortController();
  const opened = Promise.withResolvers<void>();
  const omitted = { successes: 0, failures: 0 };
  const requests = new Tollgate({ url, token: adminToken }).requests.follow({
    deployment,
    signal: stopped.signal,
    onOpen: opened.resolve,
    onOmitted: ({ successes, failures }) => {
      omitted.successes += successes;
      omitted.failures += failures;
    },
  });
  const following = Array.fromAsync(requests).catch(() => {});
  await opened.promise;
  return {
    omitted,
    async stop() {
      stopped.abort();
      await following;
    },
  };
}

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;
  let deployed: Deployed;
  beforeAll(async () => {
    // Another server of this process has a clock that is years ahead.
    newId("req", clock.now() + 4 * 365 * 24 * 60 * 60 * 1000);
    deployed = await deploy(server, { project: "requests", branch: "main" }, project);
    const created = await client.post(`/v1/accounts/${account}/key-buckets/main/consumers?with-api-key=true`, {
      name: "acme",
    });
    const key = created.body.apiKeys[0].key;
    const send = (path: string, init: RequestInit = {}) => deployed.call(path, init);
    await send("/orders/1", { headers: { "x-request-id": "first" } });
    await send("/orders", { method: "POST" });
    clock.advance(60_000);
    await send("/keyed", { headers: { authorization: `Bearer ${key}` } });
    await send("/keyed");
    await send("/nothing%25_here");
    await until(async () => (await listed(server, "")).length === 5);
  });

  const paths = (requests: StoredRequest[]) => requests.map(({ method, path }) => `${method} ${path}`);

  test.each<[query: string, expected: string[]]>([
    ["", ["GET /nothing%25_here", "GET /keyed", "GET /keyed", "POST /orders", "GET /orders/1"]],
    ["?status=2xx", ["GET /keyed", "POST /orders", "GET /orders/1"]],
    ["?status=401", ["GET /keyed"]],
    ["?status=4xx", ["GET /nothing%25_here", "GET /keyed"]],
    ["?method=post", ["POST /orders"]],
    ["?route=/orders/{id}", ["GET /orders/1"]],
    ["?route=unknown", ["GET /nothing%25_here"]],
    ["?consumer=acme", ["GET /keyed"]],
    ["?consumer=&status=401", ["GET /keyed"]],
    ["?consumer=&status=2xx", ["POST /orders", "GET /orders/1"]],
    ["?requestId=first", ["GET /orders/1"]],
    ["?requestId=first&status=5xx", []],
    ["?q=orders", ["POST /orders", "GET /orders/1"]],
    ["?q=ORDERS", []],
    ["?q=%25_", []],
    ["?q=5_", ["GET /nothing%25_here"]],
    ["?limit=2", ["GET /nothing%25_here", "GET /keyed"]],
    ["?consumer=nobody", []],
  ])("%s", async (query, expected) => {
    const encoded = query.replaceAll("{", "%7B").replaceAll("}", "%7D");
    expect(paths(await listed(server, encoded))).toEqual(expected);
    expect(paths(await listed(server, encoded, `/v1/deployments/${deployed.name}/requests`))).toEqual(expected);
  });

  test("requests are listed by time range, in pages", async () => {
    const minute = clock.iso();
    expect(paths(await listed(server, `?from=${minute}`))).toHaveLength(3);
    expect(paths(await listed(server, `?to=${minute}`))).toEqual(["POST /orders", "GET /orders/1"]);
    const all = await listed(server, "");
    const first = await listed(server, "?limit=2");
    const second = await listed(server, `?limit=2&before=${first[1]!.id}`);
    const third = await listed(server, `?limit=2&before=${second[1]!.id}`);
    expect([...first, ...second, ...third]).toEqual(all);
    expect(await listed(server, `?before=${third[0]!.id}`)).toEqual([]);
  });

  test.each(
    casesFor(engine, [
      "status=6xx",
      "status=42",
      "method=G%20T",
      "limit=0",
      "limit=x",
      "before=first",
      "from=yesterday",
      "to=2026-01-01",
      "q=",
      "follow=yes",
    ]),
  )("%s is 400", async (query) => {
    const pointer = `?${query.split("=")[0]}`;
    for (const listPath of [path, `/v1/deployments/${deployed.name}/requests`])
      expectProblem(await client.get(`${listPath}?${query}`), 400, "validation_failed", { pointer });
  });

  test("belong to their account, and require read access", async () => {
    const [{ id }] = (await listed(server, "?limit=1")) as [StoredRequest];
    await server.runTasks();
    const operator = client.as(operatorToken);
    await operator.post("/v1/accounts", { name: "other" });
    const { body: other } = await operator.post("/v1/accounts/other/tokens", { role: "admin" });
    const stranger = client.as(other.token);
    expect((await stranger.get("/v1/accounts/other/requests")).body.data).toEqual([]);
    for (const each of [`/v1/accounts/other/requests/${id}`, path, `${path}/${id}`])
      expectProblem(await stranger.get(each), 404, "not_found");
    expectProblem(await stranger.get(`/v1/deployments/${deployed.name}/requests`), 404, "not_found");
    const { body: verifier } = await client.post(`/v1/accounts/${account}/tokens`, { role: "verifier" });
    const { body: reader } = await client.post(`/v1/accounts/${account}/tokens`, { role: "reader" });
    for (const each of [path, `${path}/${id}`, `/v1/deployments/${deployed.name}/requests`]) {
      expectProblem(await client.as(verifier.token).get(each), 403, "forbidden");
      expectProblem(await client.anonymous().get(each), 401, "unauthenticated");
      expect((await client.as(reader.token).get(each)).status).toBe(200);
    }
    expectProblem(await client.get(`${path}/req_000000000000000000000000`), 404, "not_found");
    expectProblem(await client.get("/v1/deployments/nothing/requests"), 404, "not_found");
  });

  test("are followed with the same filters, across a restart of the server", async () => {
    // Missed requests ended after the last request that was seen. The clock is fixed, so earlier requests must be older
    // than the duration of any.
    clock.advance(60_000);
    const tollgate = new Tollgate({ url: server.url, token: adminToken });
    const stop = new AbortController();
    const seen: string[] = [];
    const following = (async () => {
      const options = { status: "4xx", deployment: deployed.name, signal: stop.signal };
      for await (const { path } of tollgate.requests.follow(options)) seen.push(path);
    })().catch(() => {});
    const follows = async () => {
      const before = seen.length;
      await until(async () => {
        await deployed.call("/orders/2");
        await deployed.call(`/followed-${++count}`);
        return seen.length > before;
      });
    };
    await follows();
    await server.restart({ TOLLGATE_PORT: new URL(server.url).port });
    await follows();
    stop.abort();
    await following;
    expect(seen.every((path) => path.startsWith("/followed-"))).toBe(true);
  });

  test("a flood of rejections fills neither list nor disk and hides no success", async () => {
    const busy = await deploy(server, { project: "flood", branch: "main" }, project);
    clock.advance(60_000);
    const failures = 1200;
    const follower = await followedOmissions(server, busy.name);
    await busy.call("/orders/9", { headers: { "x-request-id": "before-the-flood" } });
    const flood = async () => {
      for (let at = 0; at < failures / 20; at++) await (await busy.call(`/${"x".repeat(4000)}`)).arrayBuffer();
    };
    await Promise.all(Array.from({ length: 20 }, flood));
    await busy.call("/orders/9", { headers: { "x-request-id": "after-the-flood" } });
    const listPath = `/v1/deployments/${busy.name}/requests`;
    const feed = await until(async () => {
      const { body } = await client.get(`${listPath}?limit=1000`);
      const isThere = body.data.some(({ requestId }: StoredRequest) => requestId === "after-the-flood");
      return isThere && body.data.length + body.omitted.failures === failures + 2 ? body : undefined;
    });
    expect(feed.omitted).toEqual({ successes: 0, failures: failures - 200 });
    await until(() => follower.omitted.failures === failures - 200);
    await follower.stop();
    expect(feed.data).toHaveLength(202);
    expect(feed.data.map(({ requestId }: StoredRequest) => requestId)).toContain("before-the-flood");
    expect(Math.max(...feed.data.map(({ path }: StoredRequest) => path.length))).toBeLessThanOrEqual(1025);
    const lines = (await client.get(`/v1/deployments/${busy.name}/logs?kind=access&limit=1000`)).body.data;
    expect(lines.map(({ message }: { message: string }) => message)).toContain(
      "1000 lines were dropped: there was too much traffic.",
    );
  });

  test("end with their deployment", async () => {
    const gone = await deploy(server, { project: "gone", branch: "main" }, project);
    await gone.call("/orders/gone");
    const [request] = await until(async () => {
      const found = await listed(server, "?q=/orders/gone");
      return found.length > 0 ? found : undefined;
    });
    await client.delete(`/v1/deployments/${gone.name}`);
    expect(await listed(server, "?q=/orders/gone")).toEqual([]);
    expectProblem(await client.get(`${path}/${request!.id}`), 404, "not_found");
  });
});

describe("settings", () => {
  test.each<[Record<string, string>, boolean]>([
    [{ TOLLGATE_REQUEST_DAYS: "0" }, false],
    [{ TOLLGATE_INSIGHT: "off" }, false],
    [{}, true],
  ])("%j keeps requests: %p", async (environment, areKept) => {
    const server = await startServer(sqlite, { environment });
    try {
      const deployed = await deploy(server, { project: "off", branch: "main" }, project);
      expect((await deployed.call("/orders/1")).status).toBe(200);
      // A stop writes the last requests.
      await server.restart();
      expect(await listed(server, "")).toHaveLength(areKept ? 1 : 0);
      expect((await server.client.get(`/v1/deployments/${deployed.name}/logs?kind=access`)).body.data).toHaveLength(
        areKept ? 1 : 0,
      );
    } finally {
      await server.stop();
    }
  });

  test.each<[string, string | undefined]>([
    ["prefix", "127.0.0.0/24"],
    ["none", undefined],
  ])("TOLLGATE_CLIENT_ADDRESSES=%s", async (TOLLGATE_CLIENT_ADDRESSES, ip) => {
    const server = await startServer(sqlite, { environment: { TOLLGATE_CLIENT_ADDRESSES } });
    try {
      const deployed = await deploy(server, { project: "addresses", branch: "main" }, project);
      await deployed.call("/orders/1");
      await server.restart();
      expect((await listed(server, ""))[0]!.ip).toBe(ip as string);
    } finally {
      await server.stop();
    }
  });
});

const workers = testedWorkers();

test("two nodes show each other's requests, and add their omitted requests", async () => {
  const one = await startServer(postgres);
  const other = await startServer(postgres, { database: one.database, clock: one.clock });
  try {
    const deployed = await deploy(one, { project: "nodes", branch: "main" }, project);
    const host = new URL(deployed.url).hostname;
    const send = (server: TestServer, path: string) => fetch(server.url + path, { headers: { host } });
    for (const server of [one, other]) for (let at = 0; at < 250; at++) await (await send(server, "/nothing")).text();
    await send(one, "/orders/of-one");
    await send(other, "/orders/of-other");
    const omittedFailures = async (server: TestServer) => {
      const { data, omitted } = (await server.client.get(`${path}?limit=1000`)).body;
      return data.length + omitted.failures === 502 && omitted.failures;
    };
    for (const server of [one, other]) {
      const omitted = await until(() => omittedFailures(server));
      // A worker records its share of the rate of its node, and one connection is served by one worker.
      if (workers === 0) expect(omitted).toBe(100);
      else expect(omitted).toBeGreaterThanOrEqual(100);
      const found = (await listed(server, "?status=2xx")).map(({ path }) => path);
      expect(found.toSorted()).toEqual(["/orders/of-one", "/orders/of-other"]);
    }
  } finally {
    await other.stop();
    await one.stop();
  }
});
