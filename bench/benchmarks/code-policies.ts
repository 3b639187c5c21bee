import { startRival } from "../child-process.ts";
import { callDeployed, type Deployed, deploy } from "../deployment.ts";
import { load, type Turn, takeTurns } from "../measure.ts";
import { comparisonRow, forInformation, type Row } from "../row.ts";
import type { RunningServer } from "../server.ts";
import type { Workspace } from "../workspace.ts";

const turn = { connections: 64, warmSeconds: 0.2, seconds: 0.7 };
const openPath = "/open";
/** As large as the upstream's response. */
const requestBody = "x".repeat(1000);

/** Each module marks what it has seen, so that a policy without effect is detected. */
const modules = {
  head: `export default (request) => {
    const headers = new Headers(request.headers);
    headers.set("x-seen", "1");
    return new Request(request, { headers });
  };`,
  "on-response": `export default () => {};
  export const onResponse = (response) => {
    const headers = new Headers(response.headers);
    headers.set("x-seen", "1");
    return new Response(response.body, { status: response.status, headers });
  };`,
  "buffer-request": `export default async (request) => {
    const text = await request.text();
    if (text.length !== ${requestBody.length}) return new Response(null, { status: 500 });
  };`,
  "buffer-response": `export default () => {};
  export const onResponse = async (response) => {
    const headers = new Headers(response.headers);
    headers.set("x-seen", String((await response.text()).length));
    return new Response("y".repeat(1000), { headers });
  };`,
  "stream-response": `export default () => {};
  export const onResponse = (response) => {
    const headers = new Headers(response.headers);
    headers.set("x-seen", "1");
    return new Response(response.body.pipeThrough(new TransformStream()), { headers });
  };`,
} as const;

type Module = keyof typeof modules;

const bodies: Partial<Record<Module, object>> = {
  "buffer-request": { request: "buffer" },
  "buffer-response": { response: "buffer" },
  "stream-response": { response: "stream" },
};

const words: Record<Module, { what: string; explanation: string }> = {
  head: {
    what: "forward with a policy in code",
    explanation: "One call of the sandbox: code sets a header of the request. No body passes through it.",
  },
  "on-response": {
    what: "forward with code that changes the response's head",
    explanation: "Two calls of the sandbox, one for the request and one for the response, without bodies.",
  },
  "buffer-request": {
    what: "forward a POST with code that reads the request",
    explanation: "`body: {request: buffer}`: code gets the 1,000 bytes of the request.",
  },
  "buffer-response": {
    what: "forward with code that replaces the response",
    explanation: "`body: {response: buffer}`: two calls; code gets 1,000 bytes and returns others.",
  },
  "stream-response": {
    what: "forward with code that streams the response",
    explanation: "`body: {response: stream}`: two calls; the body goes through a `TransformStream`.",
  },
};

/** The cost of policies in code: a route with one against a route without policies, on the same deployment. */
export async function codePolicies(workspace: Workspace): Promise<Row[]> {
  await using upstream = await startRival("bench/rivals/fixed-bytes-server.ts", ["1000"]);
  await using server = await workspace.startServer(workspace.newDirectory("code-policies"));
  const names = Object.keys(modules) as Module[];
  const deployed = await deploy(server, "bench", {
    "openapi.json": openApi(names),
    "tollgate.json": {
      upstream: `http://127.0.0.1:${upstream.port}`,
      policies: Object.fromEntries(
        names.map((name) => [name, { type: `modules/${name}.js`, ...(bodies[name] && { body: bodies[name] }) }]),
      ),
    },
    ...Object.fromEntries(names.map((name) => [`modules/${name}.js`, modules[name]])),
  });
  await checkEffects(server, deployed);

  const send =
    (path: string, body?: string): Turn =>
    () =>
      load(server, { ...turn, method: body === undefined ? "GET" : "POST", path, host: deployed.host, body });
  const contestants: Record<string, Turn> = {
    [openPath]: send(openPath),
    [`POST ${openPath}`]: send(openPath, requestBody),
    ...Object.fromEntries(names.map((name) => [name, send(`/${name}`, isPost(name) ? requestBody : undefined)])),
  };
  const turns = await takeTurns("code-policies", { warmRounds: 1, rounds: 5 }, contestants);
  return names.map((name) =>
    comparisonRow(
      { ...words[name], against: "forward without policies", againstOurselves: true },
      forInformation,
      turns[name]!,
      turns[isPost(name) ? `POST ${openPath}` : openPath]!,
    ),
  );
}

const isPost = (name: Module) => name === "buffer-request";

function openApi(names: readonly Module[]) {
  const operation = (policies: string[]) => ({ responses: {}, "x-tollgate": { policies } });
  const both = (policies: string[]) => ({ get: operation(policies), post: operation(policies) });
  const paths = Object.fromEntries([[openPath, both([])], ...names.map((name) => [`/${name}`, both([name])] as const)]);
  return { openapi: "3.1.0", info: { title: "Bench", version: "1" }, paths };
}

async function checkEffects(server: RunningServer, deployed: Deployed): Promise<void> {
  const expected: Partial<Record<Module, string>> = {
    "on-response": "1",
    "buffer-response": "1000",
    "stream-response": "1",
  };
  for (const [name, seen] of Object.entries(expected)) {
    const response = await callDeployed(server, deployed, `/${name}`);
    await response.arrayBuffer();
    if (response.headers.get("x-seen") !== seen) throw new Error(`the code of /${name} changed nothing`);
  }
  const short = await fetch(`http://127.0.0.1:${server.port}/buffer-request`, {
    method: "POST",
    body: "short",
    headers: { host: deployed.host },
  });
  if (short.status !== 500) throw new Error("the code of /buffer-request did not get the body");
}
