import { startRival } from "../child-process.ts";
import { deploy } from "../deployment.ts";
import { createGuard } from "../guarded.ts";
import { load, type Turn, takeTurns } from "../measure.ts";
import { usedOf } from "../metering.ts";
import { comparisonRow, forInformation, type Row } from "../row.ts";
import type { RunningServer } from "../server.ts";
import type { Workspace } from "../workspace.ts";

const turn = { connections: 64, warmSeconds: 0.15, seconds: 0.6 };
const origin = "https://app.example.com";
/** All requests are alike, whichever route they take, but for the key where one is required. */
const query = "?limit=10";
const limit = { name: "limit", in: "query", required: true, schema: { type: "integer", minimum: 1, maximum: 100 } };

const policies = {
  validate: { type: "validate" },
  cors: { type: "cors", options: { origins: [origin] } },
  headers: {
    type: "headers",
    options: { request: { set: { "x-from": "bench" } }, response: { set: { "x-by": "bench" } } },
  },
  cache: { type: "cache", options: { seconds: 3600 } },
};

interface PolicyRoute {
  readonly path: string;
  /** By name, in their order. */
  readonly policies: readonly string[];
  readonly what: string;
  readonly explanation: string;
}

const openPath = "/open";
const routes: readonly PolicyRoute[] = [
  {
    path: "/api-key",
    policies: ["key"],
    what: "forward with api-key",
    explanation: "The key is hashed and found in memory, and headers name the caller to the upstream.",
  },
  {
    path: "/quota",
    policies: ["key", "quota"],
    what: "forward with api-key and quota",
    explanation: "The consumer's quota is taken from in memory and written behind in groups.",
  },
  {
    path: "/rate-limit",
    policies: ["limit"],
    what: "forward with rate-limit",
    explanation: "Every request is counted for its address.",
  },
  {
    path: "/validate",
    policies: ["validate"],
    what: "forward with validate",
    explanation: "One query parameter is validated against its schema.",
  },
  {
    path: "/cors",
    policies: ["cors"],
    what: "forward with cors",
    explanation: "Every request names an allowed origin, as a browser does.",
  },
  {
    path: "/headers",
    policies: ["headers"],
    what: "forward with headers",
    explanation: "One header is set on the request, and one on the response.",
  },
  {
    path: "/cache",
    policies: ["cache"],
    what: "response from the cache",
    explanation: "Every response is a hit: nothing is forwarded.",
  },
];

/** What each policy costs: a route that has it alone against one that has none, on the same deployment. */
export async function policyCosts(workspace: Workspace): Promise<Row[]> {
  await using upstream = await startRival("bench/rivals/fixed-bytes-server.ts", ["1000"]);
  await using server = await workspace.startServer(workspace.newDirectory("policies"));
  const guard = await createGuard(server);
  const { host } = await deploy(server, "bench", {
    "openapi.json": openApi(),
    "tollgate.json": { upstream: `http://127.0.0.1:${upstream.port}`, policies: { ...guard.policies, ...policies } },
  });
  await checkEffects(server, host);

  const forward = (path: string, token?: string) => () =>
    load(server, { ...turn, method: "GET", path: path + query, host, headers: { Origin: origin }, token });
  const contestants: Record<string, Turn> = { [openPath]: forward(openPath) };
  for (const { path, policies } of routes) {
    contestants[path] = forward(path, policies.includes("key") ? guard.key : undefined);
  }
  const turns = await takeTurns("policies", { warmRounds: 1, rounds: 5 }, contestants);
  if ((await usedOf(server, guard.metered)) === 0) throw new Error("the requests were not counted");
  return routes.map(({ path, what, explanation }) => {
    const words = { what, against: "forward without policies", againstOurselves: true, explanation };
    return comparisonRow(words, forInformation, turns[path]!, turns[openPath]!);
  });
}

function openApi() {
  const paths: Record<string, object> = { [openPath]: operation([]) };
  for (const { path, policies } of routes) paths[path] = operation(policies);
  return { openapi: "3.1.0", info: { title: "Bench", version: "1" }, paths };
}

function operation(policyNames: readonly string[]) {
  return { get: { parameters: [limit], responses: {}, "x-tollgate": { policies: policyNames } } };
}

/** A policy that does nothing would look cheap. */
async function checkEffects(server: RunningServer, host: string): Promise<void> {
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { host, origin } });
    await response.arrayBuffer();
    return response;
  };
  const rejections = { [`/api-key${query}`]: 401, [`/quota${query}`]: 401, "/validate?limit=0": 400 };
  for (const [path, expected] of Object.entries(rejections)) {
    const { status } = await get(path);
    if (status !== expected) throw new Error(`${path} returned ${status} and not ${expected}`);
  }
  // A cached response has an age.
  const marks = {
    "/rate-limit": "ratelimit-remaining",
    "/cors": "access-control-allow-origin",
    "/headers": "x-by",
    "/cache": "age",
  };
  for (const [path, mark] of Object.entries(marks)) {
    await get(path + query);
    const { headers } = await get(path + query);
    if (!headers.has(mark)) throw new Error(`a response of ${path} has no ${mark}`);
  }
}
