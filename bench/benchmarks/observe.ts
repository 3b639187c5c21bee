import { startRival } from "../child-process.ts";
import { deploy, openApiOf } from "../deployment.ts";
import { createGuard } from "../guarded.ts";
import { load, takeTurns, usualTurn } from "../measure.ts";
import { atMost, comparisonRow, type Row } from "../row.ts";
import type { Workspace } from "../workspace.ts";

const rounds = { warmRounds: 3, rounds: 31 };
const turn = { ...usualTurn, seconds: 0.5 };
const guards = ["key", "quota", "limit"];

/** What the mode of policies costs where it is not used: the same requests on a deployment that has it on another route. */
export async function observe(workspace: Workspace): Promise<Row[]> {
  await using upstream = await startRival("bench/rivals/fixed-bytes-server.ts", ["1000"]);
  await using server = await workspace.startServer(workspace.newDirectory("observe"));
  const guard = await createGuard(server);
  const observing = Object.fromEntries(
    ["quota", "limit"].map((name) => [`${name}-observed`, { ...guard.policies[name], mode: "observe" }]),
  );
  const deployed = (project: string, routes: Record<string, object>, policies: object) =>
    deploy(server, project, {
      "openapi.json": openApiOf(routes),
      "tollgate.json": { upstream: `http://127.0.0.1:${upstream.port}`, policies },
    });
  const without = await deployed("without", { "/items": { policies: guards } }, guard.policies);
  const observed = ["key", "quota-observed", "limit-observed"];
  const routes = { "/items": { policies: guards }, "/observed": { policies: observed } };
  const withMode = await deployed("with", routes, { ...guard.policies, ...observing });
  const forward = (host: string, path: string) => () =>
    load(server, { ...turn, method: "GET", path, host, token: guard.key });
  const turns = await takeTurns("observe", rounds, {
    without: forward(without.host, "/items"),
    unused: forward(withMode.host, "/items"),
  });
  const words = {
    what: "forward with api-key, quota and rate-limit, where another route observes: CPU",
    against: "a deployment without observe",
    againstOurselves: true,
    explanation: "Another route of the deployment has policies in observe; this one enforces them.",
  };
  return [comparisonRow(words, atMost(1.05), turns.unused, turns.without, "cpuMicroseconds")];
}
