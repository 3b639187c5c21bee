import { startRival } from "../child-process.ts";
import { deploy } from "../deployment.ts";
import type { LoadedServer, LoadPlan } from "../load-plan.ts";
import { load, type Turn, takeTurns } from "../measure.ts";
import { findOrInstallNginx, howToGetNginx, startNginxProxy } from "../nginx.ts";
import { comparisonRow, forInformation, notMeasuredRow, type Row } from "../row.ts";
import type { Workspace } from "../workspace.ts";

const small = 1_000;
const large = 1_000_000;

/** Requests first: once nginx has freed a buffer of 1 MB, large responses take less than half the CPU time. */
const cases = [
  { what: "forward requests of 1 kB", method: "POST", bytes: small, connections: 64 },
  { what: "forward requests of 1 MB", method: "POST", bytes: large, connections: 16 },
  { what: "forward responses of 1 kB", method: "GET", bytes: small, connections: 64 },
  { what: "forward responses of 1 MB", method: "GET", bytes: large, connections: 16 },
] as const;

const explanations = {
  GET: "A route without policies; the upstream has the response ready.",
  POST: "A route without policies; the upstream counts the bytes and sends a short response.",
};

/** The cost of forwarding request and response bodies, on a route without policies. */
export async function bodies(workspace: Workspace): Promise<Row[]> {
  const nginx = await findOrInstallNginx();
  await using upstream = await startRival("bench/rivals/body-upstream.ts", [String(small), String(large)]);
  await using bareProxy = await startRival("bench/rivals/bare-proxy.ts", [String(upstream.port)]);
  await using server = await workspace.startServer(workspace.newDirectory("bodies"));
  const { host } = await deploy(server, "bench", {
    "openapi.json": openApi(),
    "tollgate.json": { upstream: `http://127.0.0.1:${upstream.port}` },
  });
  await using rivals = new AsyncDisposableStack();
  const passing =
    nginx && rivals.use(await startNginxProxy(nginx, workspace.newDirectory("nginx"), { upstreamPort: upstream.port }));

  const rows: Row[] = [];
  for (const { what, method, bytes, connections } of cases) {
    const file = `${workspace.newDirectory("body")}.slots`;
    await Bun.write(file, "x".repeat(bytes));
    const plan: LoadPlan = {
      connections,
      warmSeconds: 0.2,
      seconds: 0.7,
      method,
      path: `/${bytes}`,
      ...(method === "POST" && { body: "{slot}", slots: { file, width: bytes, order: "rotate" } }),
    };
    const turn = (loaded: LoadedServer, hostOfDeployment?: string) => () =>
      load(loaded, { ...plan, host: hostOfDeployment });
    const contestants: Record<string, Turn> = { ours: turn(server, host), bare: turn(bareProxy) };
    if (passing) contestants.nginx = turn(passing);
    const turns = await takeTurns(`bodies, ${what}`, { warmRounds: 1, rounds: 3 }, contestants);
    const explanation = `${explanations[method]} ${connections} connections.`;
    const words = (against: string) => ({ what, against, explanation });
    rows.push(comparisonRow(words("bare Bun proxy"), forInformation, turns.ours!, turns.bare!));
    const againstNginx = words("one nginx worker, proxy_pass");
    rows.push(
      turns.nginx
        ? comparisonRow(againstNginx, forInformation, turns.ours!, turns.nginx)
        : notMeasuredRow(againstNginx, forInformation, howToGetNginx),
    );
  }
  return rows;
}

function openApi() {
  const operation = { responses: {}, "x-tollgate": {} };
  const paths = Object.fromEntries([small, large].map((bytes) => [`/${bytes}`, { get: operation, post: operation }]));
  return { openapi: "3.1.0", info: { title: "Bench", version: "1" }, paths };
}
