import { callDeployed, deploy, openApiOf } from "../deployment.ts";
import { load, takeTurns, usualTurn } from "../measure.ts";
import { atLeast, comparisonRow, type Row } from "../row.ts";
import { startBareWorkerd } from "../workerd.ts";
import type { Workspace } from "../workspace.ts";

const path = "/hello/world";
const expected = '{"hello":"world"}';

const handler = "export default (request, context) => new Response(JSON.stringify({ hello: context.params.name }));";

/** A plain worker has to do itself what the gateway does before it calls the handler. */
const bareWorker = `
const route = /^\\/hello\\/([^/]+)$/;
export default {
  fetch(request) {
    const found = route.exec(new URL(request.url).pathname);
    if (found === null) return new Response(null, { status: 404 });
    return new Response(JSON.stringify({ hello: decodeURIComponent(found[1]) }));
  },
};
`;

/** A handler behind the gateway against the same handler in a workerd that listens directly. */
export async function sandbox(workspace: Workspace): Promise<Row[]> {
  await using bare = await startBareWorkerd(workspace.newDirectory("workerd"), bareWorker);
  await using server = await workspace.startServer(workspace.newDirectory("sandbox"));
  const deployed = await deploy(server, "bench", {
    "openapi.json": openApiOf({ "/hello/{name}": { handler: "modules/hello.js" } }),
    "modules/hello.js": handler,
  });
  for (const response of [callDeployed(server, deployed, path), fetch(`http://127.0.0.1:${bare.port}${path}`)]) {
    const text = await (await response).text();
    if (text !== expected) throw new Error(`the handler returned ${text}`);
  }

  const plan = { ...usualTurn, path, method: "GET" };
  const turns = await takeTurns(
    "sandbox",
    { warmRounds: 2, rounds: 9 },
    { ours: () => load(server, { ...plan, host: deployed.host }), bare: () => load(bare, plan) },
  );
  return [
    comparisonRow(
      {
        what: "handler in the sandbox, through the gateway",
        against: "the same handler in bare workerd",
        explanation:
          "The gateway finds the route and calls the handler in a separate workerd; the rival is a workerd that accepts the connections and matches the path itself.",
      },
      atLeast(0.7),
      turns.ours,
      turns.bare,
    ),
  ];
}
