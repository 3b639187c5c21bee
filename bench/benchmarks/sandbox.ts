import { callDeployed, deploy, openApiOf } from "../deployment.ts";
import { alternate, load } from "../measure.ts";
import { startServer } from "../server.ts";
import { perSecond, type Row } from "../table.ts";
import { startBareWorkerd } from "../workerd.ts";
import type { Workspace } from "../workspace.ts";

const rounds = 9;
const path = "/hello/world";
const answer = '{"hello":"world"}';

const handler = "export default (request, context) => new Response(JSON.stringify({ hello: context.params.name }));";

/** What the gateway does before the handler is called, a worker of its own has to do for itself. */
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

/** A handler behind the gateway against the same handler in a workerd that listens by itself. */
export async function sandbox(workspace: Workspace): Promise<Row[]> {
  await using bare = await startBareWorkerd(workspace.newDirectory("workerd"), bareWorker);
  await using server = await startServer(workspace.newDirectory("sandbox"));
  const deployed = await deploy(server, "bench", {
    "openapi.json": openApiOf({ "/hello/{name}": { handler: "modules/hello.js" } }),
    "modules/hello.js": handler,
  });
  for (const response of [callDeployed(server, deployed, path), fetch(`http://127.0.0.1:${bare.port}${path}`)]) {
    const text = await (await response).text();
    if (text !== answer) throw new Error(`the handler answered ${text}`);
  }

  const rate = (port: number, host?: string) => async () => {
    const plan = { port, path, connections: 64, method: "GET", warmSeconds: 0.5, seconds: 2 };
    return (await load(host === undefined ? plan : { ...plan, host })).perSecond;
  };
  const ours = rate(server.port, deployed.host);
  const theirs = rate(bare.port);
  for (const warm of [ours, theirs, ours, theirs]) await warm();
  const comparison = await alternate("sandbox", rounds, ours, theirs);
  return [
    {
      what: "handler in the sandbox, through the gateway",
      against: "the same handler in bare workerd",
      target: { comparison: ">=", value: 0.7, unit: "×" },
      reached: comparison.ratio,
      rounds: comparison.ratios,
      measured: `${perSecond(comparison.ours)} against ${perSecond(comparison.theirs)}`,
    },
  ];
}
