import { startRival } from "../child-process.ts";
import { callDeployed, deploy, openApiOf } from "../deployment.ts";
import { createGuard, guards } from "../guarded.ts";
import type { LoadedServer } from "../load-plan.ts";
import { type Turn, takeTurns } from "../measure.ts";
import { usedOf } from "../metering.ts";
import { findOrInstallNginx, howToGetNginx, startNginxProxy } from "../nginx.ts";
import { atLeast, atMost, comparisonRow, forInformation, notMeasuredRow, type Row, type RowWords } from "../row.ts";
import type { Figure } from "../sample.ts";
import type { RunningServer } from "../server.ts";
import type { Workspace } from "../workspace.ts";
import { findOrInstallWrk, howToGetWrk, loadWithWrk } from "../wrk/wrk.ts";

const responseBytes = 1_000;
const guardedPath = "/guarded/things";
const openPath = "/open/things";
const balancedPath = "/balanced/things";
const guarded = "forward with api-key, quota and rate-limit";

const words = {
  bare: {
    what: guarded,
    against: "bare Bun proxy",
    explanation: "Responses of 1 kB; the rival passes each request to fetch, without checks, counts and logs.",
  },
  open: {
    what: "forward without policies",
    against: "bare Bun proxy",
    explanation: "The same on a route without policies: only routing, forwarding and logging.",
  },
  lua: {
    what: guarded,
    against: "one nginx worker, key checked in Lua",
    explanation: "The rival finds the key in a shared dictionary; it has no quota, no rate limit and no log.",
  },
  luaCpu: {
    what: `${guarded}: CPU`,
    against: "one nginx worker, key checked in Lua",
    explanation: "CPU time of all processes of the server for one request, against that of the same nginx.",
  },
  counting: {
    what: guarded,
    against: "one nginx worker, the same work in Lua",
    explanation:
      "The rival finds the key, counts a quota and a fixed window in shared dictionaries, and writes a log line. " +
      "Its counts are lost with the process, and no other node has them.",
  },
  countingCpu: {
    what: `${guarded}: CPU`,
    against: "one nginx worker, the same work in Lua",
    explanation: "CPU time of all processes of the server for one request, against that of the same nginx.",
  },
  countingP99: {
    what: `${guarded}: p99`,
    against: "one nginx worker, the same work in Lua",
    explanation: "The slowest of a hundred requests, against that of the same nginx.",
  },
  nginx: {
    what: guarded,
    against: "one nginx worker, proxy_pass",
    explanation: "The rival only forwards.",
  },
  balanced: {
    what: "forward to one of two targets: CPU",
    against: "one upstream without options",
    againstOurselves: true,
    explanation: "CPU time for one request to an upstream with two targets, ejection and retries.",
  },
} satisfies Record<string, RowWords>;
const names = Object.keys(words) as (keyof typeof words)[];

const targets = {
  bare: atLeast(0.85),
  open: forInformation,
  lua: atLeast(0.5),
  // A JIT compiler's code costs more on arm64, where memory and system calls weigh more as well.
  luaCpu: atMost(process.arch === "arm64" ? 2.0 : 1.4),
  counting: atLeast(0.85),
  countingCpu: atMost(1.2),
  countingP99: atMost(1.6),
  nginx: forInformation,
  balanced: atMost(1.25),
} as const;

/**
 * Forwarding to an upstream that returns 1 kB at once. Behind a bare proxy the fixed-bytes server and static routes of
 * Bun.serve cost it about alike, 5 to 7 µs of CPU time a request, nginx with `return` 9; the bare proxy itself 22 to 33.
 */
export async function gateway(workspace: Workspace): Promise<Row[]> {
  const nginx = await findOrInstallNginx();
  if (!(await findOrInstallWrk())) return names.map((name) => notMeasuredRow(words[name], targets[name], howToGetWrk));
  await using upstream = await startRival("bench/rivals/fixed-bytes-server.ts", [String(responseBytes)]);
  await using bareProxy = await startRival("bench/rivals/bare-proxy.ts", [String(upstream.port)]);
  await using server = await workspace.startServer(workspace.newDirectory("gateway"));
  const { key, host, metered } = await prepare(server, upstream.port);
  await using rivals = new AsyncDisposableStack();

  const turn = (loaded: LoadedServer, path: string, hostOfDeployment?: string) => () =>
    loadWithWrk(loaded, { connections: 64, seconds: 2, token: key, path, host: hostOfDeployment });
  const contestants: Record<string, Turn> = {
    guarded: turn(server, guardedPath, host),
    bare: turn(bareProxy, guardedPath),
    open: turn(server, openPath, host),
    balanced: turn(server, balancedPath, host),
  };
  if (nginx) {
    const ports = { upstreamPort: upstream.port };
    const checking = rivals.use(await startNginxProxy(nginx, workspace.newDirectory("nginx"), { ...ports, key }));
    const counting = rivals.use(
      await startNginxProxy(nginx, workspace.newDirectory("nginx"), { ...ports, key, counts: true }),
    );
    const passing = rivals.use(await startNginxProxy(nginx, workspace.newDirectory("nginx"), ports));
    for (const { port } of [checking, counting]) {
      const rejected = await fetch(`http://127.0.0.1:${port}${guardedPath}`);
      if (rejected.status !== 401) throw new Error(`without a key nginx returned ${rejected.status}`);
    }
    contestants.lua = turn(checking, guardedPath);
    contestants.counting = turn(counting, guardedPath);
    contestants.nginx = turn(passing, guardedPath);
  }
  // Memory that stays with the process is touched for the first time during about 20 s of load (docs/decisions/http.md).
  const turns = await takeTurns("gateway", { warmRounds: 6, rounds: 9 }, contestants);
  if ((await usedOf(server, metered)) === 0) throw new Error("the requests were not counted");
  const row = (name: keyof typeof words, ours: string, theirs: string, figure?: Figure) =>
    turns[theirs]
      ? comparisonRow(words[name], targets[name], turns[ours]!, turns[theirs], figure)
      : notMeasuredRow(words[name], targets[name], howToGetNginx);
  return [
    row("bare", "guarded", "bare"),
    row("open", "open", "bare"),
    row("lua", "guarded", "lua"),
    row("luaCpu", "guarded", "lua", "cpuMicroseconds"),
    row("counting", "guarded", "counting"),
    row("countingCpu", "guarded", "counting", "cpuMicroseconds"),
    row("countingP99", "guarded", "counting", "p99Microseconds"),
    row("nginx", "guarded", "nginx"),
    row("balanced", "balanced", "open", "cpuMicroseconds"),
  ];
}

/** A deployment with one route that the policies guard, one without any, and one to two targets. */
async function prepare(server: RunningServer, upstreamPort: number) {
  const { key, metered, policies } = await createGuard(server);
  const hosts = ["127.0.0.1", "localhost"].map((name) => ({ url: `http://${name}:${upstreamPort}` }));
  const upstream = { targets: hosts, ejection: {}, retries: {} };
  const deployed = await deploy(server, "bench", {
    "openapi.json": openApiOf({ [guardedPath]: { policies: guards }, [openPath]: {}, [balancedPath]: { upstream } }),
    "tollgate.json": { upstream: `http://127.0.0.1:${upstreamPort}`, policies },
  });
  const rejected = await callDeployed(server, deployed, guardedPath);
  if (rejected.status !== 401) throw new Error(`without a key the deployment returned ${rejected.status}`);
  return { key, metered, host: deployed.host };
}
