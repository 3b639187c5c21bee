import { startRival } from "../child-process.ts";
import { deploy, openApiOf } from "../deployment.ts";
import { createGuard, guards } from "../guarded.ts";
import type { LoadedServer } from "../load-plan.ts";
import { load, takeTurns, usualTurn } from "../measure.ts";
import { progress } from "../progress.ts";
import { atMost, comparisonRow, type Row } from "../row.ts";
import { seedTraffic } from "../seed-traffic.ts";
import { adminToken, type RunningServer, startServer } from "../server.ts";
import type { Workspace } from "../workspace.ts";

const path = "/guarded/things";
const fewRequests = 1_000_000;
const manyRequests = 100_000_000;
const day = 24 * 60 * 60 * 1000;

/** The cost of counting every request, and of reading the counts by range and volume. */
export async function analytics(workspace: Workspace): Promise<Row[]> {
  return [await costOfCounting(workspace), ...(await costOfReading(workspace))];
}

async function costOfCounting(workspace: Workspace): Promise<Row> {
  await using upstream = await startRival("bench/rivals/fixed-bytes-server.ts", ["1000"]);
  await using counting = await workspace.startServer(workspace.newDirectory("insight-on"));
  await using plain = await workspace.startServer(workspace.newDirectory("insight-off"), { TOLLGATE_INSIGHT: "off" });
  const turnOf = async (server: RunningServer) => {
    const { key, policies } = await createGuard(server);
    const upstreamUrl = `http://127.0.0.1:${upstream.port}`;
    const { host } = await deploy(server, "bench", {
      "openapi.json": openApiOf({ [path]: { policies: guards } }),
      "tollgate.json": { upstream: upstreamUrl, policies },
    });
    return () => load(server, { ...usualTurn, method: "GET", token: key, path, host });
  };
  const contestants = { counting: await turnOf(counting), plain: await turnOf(plain) };
  const turns = await takeTurns("analytics", { warmRounds: 2, rounds: 13 }, contestants);
  return comparisonRow(
    {
      what: "guarded forward with insight",
      against: "TOLLGATE_INSIGHT=off",
      againstOurselves: true,
      explanation: "CPU time of one request with api-key, quota and rate-limit: what counting and recording it adds.",
    },
    atMost(1.05),
    turns.counting,
    turns.plain,
    "cpuMicroseconds",
  );
}

async function costOfReading(workspace: Workspace): Promise<Row[]> {
  const few = await seeded(workspace, fewRequests);
  const many = await seeded(workspace, manyRequests);
  await using serverOfFew = await workspace.startServer(few.dataDirectory);
  await using serverOfMany = await workspace.startServer(many.dataDirectory);
  const read = (server: LoadedServer, name: string, days: number) => () => {
    const from = new Date(Date.now() - days * day).toISOString();
    const target = `/v1/deployments/${name}/analytics?by=consumer&from=${from}`;
    return load(server, {
      connections: 1,
      warmSeconds: 0.2,
      seconds: 0.8,
      method: "GET",
      path: target,
      token: adminToken,
    });
  };
  const turns = await takeTurns(
    "analytics: reading",
    { warmRounds: 1, rounds: 9 },
    {
      month: read(serverOfMany, many.name, 30),
      day: read(serverOfMany, many.name, 1),
      few: read(serverOfFew, few.name, 30),
    },
  );
  const about = { againstOurselves: true, explanation: "Median latency of reading the top ten of 200 consumers." };
  return [
    comparisonRow(
      { what: "read analytics of 30 days", against: "of a day", ...about },
      atMost(3),
      turns.month,
      turns.day,
      "p50Microseconds",
    ),
    comparisonRow(
      { what: "read analytics, 100,000,000 requests behind it", against: "1,000,000 requests", ...about },
      atMost(1.2),
      turns.month,
      turns.few,
      "p50Microseconds",
    ),
  ];
}

async function seeded(workspace: Workspace, requests: number) {
  const dataDirectory = workspace.newDirectory(`traffic-${requests}`);
  let name: string;
  {
    await using server = await startServer(dataDirectory);
    const files = {
      "openapi.json": openApiOf({ [path]: {} }),
      "tollgate.json": { upstream: "http://127.0.0.1:9" },
    };
    name = (await deploy(server, "bench", files)).name;
  }
  progress(`analytics: writing a month of ${requests.toLocaleString("en")} requests`);
  await seedTraffic(dataDirectory, requests);
  return { dataDirectory, name };
}
