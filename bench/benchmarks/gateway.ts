import { startRival } from "../child-process.ts";
import { callDeployed, deploy, openApiOf } from "../deployment.ts";
import { createGuard, guards } from "../guarded.ts";
import type { LoadPlan } from "../load-plan.ts";
import { alternate, type Comparison, load } from "../measure.ts";
import { usedOf } from "../metering.ts";
import { findOrInstallNginx, howToGetNginx, type Nginx, startNginxProxy } from "../nginx.ts";
import { type RunningServer, startServer } from "../server.ts";
import { perSecond, type Row } from "../table.ts";
import type { Workspace } from "../workspace.ts";

const rounds = 9;
const roundsForInformation = 5;
/** A short start is enough for each turn: the compilers are done after the turns that are not measured. */
const timing = { warmSeconds: 0.3, seconds: 1.5 };
const answerBytes = 1_000;

const guardedPath = "/guarded/things";
const openPath = "/open/things";
const guarded = "forward with api-key, quota and rate-limit";

type Rate = () => Promise<number>;

/**
 * Forwarding to an upstream that answers 1 kB at once. Behind a bare proxy the fixed-bytes server and static routes of
 * Bun.serve cost it about alike, 5 to 7 µs of CPU time a request, nginx with `return` 9; the bare proxy itself 22 to 33.
 */
export async function gateway(workspace: Workspace): Promise<Row[]> {
  await using upstream = await startRival("bench/rivals/fixed-bytes-server.ts", [String(answerBytes)]);
  await using bareProxy = await startRival("bench/rivals/bare-proxy.ts", [String(upstream.port)]);
  await using server = await startServer(workspace.newDirectory("gateway"));
  const { key, host, metered } = await prepare(server, upstream.port);

  const rate = (plan: Pick<LoadPlan, "port" | "path" | "host">): Rate => {
    return async () => (await load({ connections: 64, method: "GET", token: key, ...timing, ...plan })).perSecond;
  };
  const ours = rate({ port: server.port, host, path: guardedPath });
  const oursUnguarded = rate({ port: server.port, host, path: openPath });
  const bare = rate({ port: bareProxy.port, path: guardedPath });
  for (const warm of [ours, oursUnguarded, bare, ours, bare]) await warm();

  const rows: Row[] = [
    row(guarded, "bare Bun proxy", 0.85, await alternate("gateway, bare Bun proxy", rounds, ours, bare)),
    row(
      "forward without policies",
      "bare Bun proxy",
      undefined,
      await alternate("gateway without policies", roundsForInformation, oursUnguarded, bare),
    ),
    ...(await againstNginx(await findOrInstallNginx(), workspace, { upstreamPort: upstream.port, key }, ours, rate)),
  ];
  if ((await usedOf(server, metered)) === 0) throw new Error("the requests were not counted");
  return rows;
}

/** A deployment with one route that the policies guard, and one without any. */
async function prepare(server: RunningServer, upstreamPort: number) {
  const { key, metered, policies } = await createGuard(server);
  const deployed = await deploy(server, "bench", {
    "openapi.json": openApiOf({ [guardedPath]: { policies: guards }, [openPath]: {} }),
    "tollgate.json": { upstream: `http://127.0.0.1:${upstreamPort}`, policies },
  });
  const refused = await callDeployed(server, deployed, guardedPath);
  if (refused.status !== 401) throw new Error(`without a key the deployment answered ${refused.status}`);
  return { key, metered, host: deployed.host };
}

async function againstNginx(
  nginx: Nginx | undefined,
  workspace: Workspace,
  { upstreamPort, key }: { upstreamPort: number; key: string },
  ours: Rate,
  rate: (plan: Pick<LoadPlan, "port" | "path">) => Rate,
): Promise<Row[]> {
  const withLua = "one nginx worker, key checked in Lua";
  const plain = "one nginx worker, proxy_pass";
  if (!nginx) return [notMeasured(withLua, 0.5), notMeasured(plain, undefined)];
  await using checking = await startNginxProxy(nginx, workspace.newDirectory("nginx"), { upstreamPort, key });
  await using passing = await startNginxProxy(nginx, workspace.newDirectory("nginx"), { upstreamPort });
  const refused = await fetch(`http://127.0.0.1:${checking.port}${guardedPath}`);
  if (refused.status !== 401) throw new Error(`without a key nginx answered ${refused.status}`);
  const checkingRate = rate({ port: checking.port, path: guardedPath });
  const passingRate = rate({ port: passing.port, path: guardedPath });
  return [
    row(guarded, withLua, 0.5, await alternate("gateway, nginx with Lua", rounds, ours, checkingRate)),
    row(guarded, plain, undefined, await alternate("gateway, nginx", roundsForInformation, ours, passingRate)),
  ];
}

function row(
  what: string,
  against: string,
  target: number | undefined,
  { ratio, ratios, ours, theirs }: Comparison,
): Row {
  return {
    what,
    against,
    target: targetOf(target),
    reached: ratio,
    rounds: ratios,
    measured: `${perSecond(ours)} against ${perSecond(theirs)}`,
  };
}

function notMeasured(against: string, target: number | undefined): Row {
  return { what: guarded, against, target: targetOf(target), reached: undefined, rounds: [], measured: howToGetNginx };
}

function targetOf(value: number | undefined): Row["target"] {
  return value === undefined ? { comparison: "none", unit: "×" } : { comparison: ">=", value, unit: "×" };
}
