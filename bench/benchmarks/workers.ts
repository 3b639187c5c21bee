import { startRival } from "../child-process.ts";
import { deploy, openApiOf } from "../deployment.ts";
import { createGuard, guards } from "../guarded.ts";
import { load, type Turn, takeTurns } from "../measure.ts";
import { cpuMicrosecondsOfChild, cpuMicrosecondsOfTree } from "../process-cpu.ts";
import { comparisonRow, forInformation, type Row, type RowWords } from "../row.ts";
import { median } from "../sample.ts";
import { adminToken, type RunningServer } from "../server.ts";
import type { Workspace } from "../workspace.ts";

/** With more workers than cores, each event loop turn has fewer requests, and a request costs more. */
const counts = [2, 4];
const turn = { connections: 64, warmSeconds: 0.3, seconds: 1 };
const path = "/guarded/things";

const kinds = ["forward", "verify"] as const;
type Kind = (typeof kinds)[number];

const words: Record<Kind, string> = {
  forward: "forward with api-key, quota and rate-limit",
  verify: "verify-key",
};

/** CPU of all processes of a machine with workers, and the share of the primary, which counts for all of them. */
export async function workerCosts(workspace: Workspace): Promise<Row[]> {
  const rows: Row[] = [];
  for (const count of counts) rows.push(...(await costsWith(workspace, count)));
  return rows;
}

async function costsWith(workspace: Workspace, workers: number): Promise<Row[]> {
  await using upstream = await startRival("bench/rivals/fixed-bytes-server.ts", ["1000"]);
  const alone = await contestant(workspace, upstream.port, 0);
  await using aloneServer = alone.server;
  const together = await contestant(workspace, upstream.port, workers);
  await using server = together.server;
  const shares: Record<Kind, number[]> = { forward: [], verify: [] };
  const measured = (kind: Kind): Turn => {
    return async () => {
      const primary = () => cpuMicrosecondsOfChild(server.processId, "primary-process");
      const before = [primary(), cpuMicrosecondsOfTree(server.processId)] as const;
      const sample = await together.send[kind]();
      const all = cpuMicrosecondsOfTree(server.processId) - before[1];
      shares[kind].push((primary() - before[0]) / all);
      return sample;
    };
  };
  const turns = await takeTurns(
    `${workers} workers`,
    { warmRounds: 2, rounds: 5 },
    {
      "forward, one process": alone.send.forward,
      forward: measured("forward"),
      "verify, one process": alone.send.verify,
      verify: measured("verify"),
    },
  );
  void aloneServer;
  return kinds.flatMap((kind) => {
    const about: RowWords = {
      what: `${words[kind]} with ${workers} workers: CPU`,
      against: "one process",
      againstOurselves: true,
      explanation: "CPU time of all processes for one request, with and without workers.",
    };
    const share: Row = {
      what: `${words[kind]} with ${workers} workers: the primary's CPU`,
      against: "all processes",
      againstOurselves: true,
      explanation: "The primary decides about quotas and rate limits for all workers.",
      target: forInformation,
      reached: median(shares[kind].slice(2)),
      rounds: shares[kind].slice(2),
    };
    return [comparisonRow(about, forInformation, turns[kind], turns[`${kind}, one process`], "cpuMicroseconds"), share];
  });
}

async function contestant(workspace: Workspace, upstreamPort: number, count: number) {
  const directory = workspace.newDirectory(`workers-${count}`);
  const server: RunningServer = await workspace.startServer(directory, { TOLLGATE_WORKERS: String(count) });
  const guard = await createGuard(server);
  const { host } = await deploy(server, "bench", {
    "openapi.json": openApiOf({ [path]: { policies: guards } }),
    "tollgate.json": { upstream: `http://127.0.0.1:${upstreamPort}`, policies: guard.policies },
  });
  const headers = { Authorization: `Bearer ${guard.key}` };
  const verify = {
    ...turn,
    method: "POST",
    path: "/v1/accounts/default/key-buckets/bench/verify-key",
    token: adminToken,
    body: JSON.stringify({ key: guard.key }),
  };
  const send: Record<Kind, Turn> = {
    forward: () => load(server, { ...turn, method: "GET", path, host, headers }),
    verify: () => load(server, verify),
  };
  return { server, send };
}
