import { startRival } from "../child-process.ts";
import { deploy } from "../deployment.ts";
import { createGuard, createKey } from "../guarded.ts";
import { load, type Turn, takeTurns } from "../measure.ts";
import { usedOf } from "../metering.ts";
import { origin, type PolicyRoute, permission, policies, routes } from "../policy-routes.ts";
import { comparisonRow, forInformation, type Row } from "../row.ts";
import type { RunningServer } from "../server.ts";
import type { Workspace } from "../workspace.ts";

const turn = { connections: 64, warmSeconds: 0.15, seconds: 0.6 };
const openPath = "/open";
/** All requests are equal on every route, except for a required key. */
const query = "?limit=10";
const limit = { name: "limit", in: "query", required: true, schema: { type: "integer", minimum: 1, maximum: 100 } };

/** What each policy costs: a route that has it alone against one that has none, on the same deployment. */
export async function policyCosts(workspace: Workspace): Promise<Row[]> {
  await using upstream = await startRival("bench/rivals/fixed-bytes-server.ts", ["1000"]);
  await using server = await workspace.startServer(workspace.newDirectory("policies"));
  const guard = await createGuard(server);
  const permittedKey = await createKey(server, "permitted", { permissions: [permission] });
  const { host } = await deploy(server, "bench", {
    "openapi.json": openApi(),
    "tollgate.json": {
      upstream: `http://127.0.0.1:${upstream.port}`,
      policies: { ...guard.policies, usage: guard.usage, ...policies },
    },
  });
  await checkEffects(server, host);

  const send = ({ path, policies, authorize, isPermitted, body, status }: Partial<PolicyRoute>) => {
    const needsKey = authorize ?? policies?.includes("key");
    const key = isPermitted ? permittedKey : guard.key;
    const headers = {
      Origin: origin,
      ...(needsKey && { Authorization: authorize?.(key) ?? `Bearer ${key}` }),
    };
    const method = body === undefined ? "GET" : "POST";
    const plan = { ...turn, method, path: path + query, host, headers, body, status };
    return () => load(server, plan);
  };
  const rivalOf = ({ body }: PolicyRoute) => (body === undefined ? openPath : `POST ${openPath}`);
  const contestants: Record<string, Turn> = { [openPath]: send({ path: openPath }) };
  for (const route of routes) {
    contestants[rivalOf(route)] ??= send({ path: openPath, body: route.body! });
    contestants[route.path] = send(route);
  }
  const turns = await takeTurns("policies", { warmRounds: 1, rounds: 5 }, contestants);
  if ((await usedOf(server, guard.metered)) === 0) throw new Error("the requests were not counted");
  return routes.map((route) => {
    const { path, what, explanation } = route;
    const words = { what, against: "forward without policies", againstOurselves: true, explanation };
    return comparisonRow(words, forInformation, turns[path]!, turns[rivalOf(route)]!);
  });
}

function openApi() {
  const paths: Record<string, object> = { [openPath]: operation([]) };
  for (const { path, policies } of routes) paths[path] = operation(policies);
  return { openapi: "3.1.0", info: { title: "Bench", version: "1" }, paths };
}

function operation(policyNames: readonly string[]) {
  const responses = { 200: { description: "", content: { "application/json": { example: "x".repeat(998) } } } };
  const shared = { parameters: [limit], responses, "x-tollgate": { policies: policyNames } };
  return { get: shared, post: shared };
}

/** A policy without effect would look cheap. */
async function checkEffects(server: RunningServer, host: string): Promise<void> {
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { host, origin } });
    await response.arrayBuffer();
    return response;
  };
  const rejections = {
    [`/api-key${query}`]: 401,
    [`/basic-auth${query}`]: 401,
    [`/jwt${query}`]: 401,
    [`/permission${query}`]: 401,
    [`/quota${query}`]: 401,
    "/validate?limit=0": 400,
  };
  for (const [path, expected] of Object.entries(rejections)) {
    const { status } = await get(path);
    if (status !== expected) throw new Error(`${path} returned ${status} and not ${expected}`);
  }
  // A cached response has an age.
  const marks = {
    "/rate-limit": "ratelimit-remaining",
    "/rate-limit-sliding": "ratelimit",
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
