import { startProgram, startRival } from "../child-process.ts";
import { callDeployed, deploy, openApiOf } from "../deployment.ts";
import { createGuard, guards } from "../guarded.ts";
import type { LoadedServer } from "../load-plan.ts";
import { load, takeTurns, usualTurn } from "../measure.ts";
import { installNpmRivals, npmRivalsFolder } from "../npm-rivals.ts";
import { comparisonRow, forInformation, notMeasuredRow, type Row } from "../row.ts";
import { findFreePort } from "../server.ts";
import type { Workspace } from "../workspace.ts";

const path = "/guarded/things";

const words = {
  what: "forward with api-key, quota and rate-limit",
  against: "@fastify/http-proxy on Node, key checked",
  explanation:
    "Responses of 1 kB; the rival is one process and finds the key in a Map by its SHA-256; it has no quota, no rate limit and no log.",
};

/** Guarded forwarding against the usual proxy of the Node world. */
export async function fastify(workspace: Workspace): Promise<Row[]> {
  const node = Bun.which("node");
  if (node === null) return [notMeasuredRow(words, forInformation, "there is no Node to run the rival on")];
  const failed = await installNpmRivals();
  if (failed) return [notMeasuredRow(words, forInformation, failed.problem)];

  await using upstream = await startRival("bench/rivals/fixed-bytes-server.ts", ["1000"]);
  await using server = await workspace.startServer(workspace.newDirectory("fastify"));
  const { key, policies } = await createGuard(server);
  const deployed = await deploy(server, "bench", {
    "openapi.json": openApiOf({ [path]: { policies: guards } }),
    "tollgate.json": { upstream: `http://127.0.0.1:${upstream.port}`, policies },
  });
  const port = findFreePort();
  const script = `${npmRivalsFolder}/fastify-proxy.js`;
  await using proxy = await startProgram([node, script, String(port), String(upstream.port), key], port);
  for (const rejected of [await callDeployed(server, deployed, path), await fetch(`http://127.0.0.1:${port}${path}`)]) {
    if (rejected.status !== 401) throw new Error(`without a key ${rejected.url} returned ${rejected.status}`);
  }

  const turn = (loaded: LoadedServer, host?: string) => () =>
    load(loaded, { ...usualTurn, method: "GET", token: key, path, host });
  const turns = await takeTurns(
    "fastify",
    { warmRounds: 1, rounds: 5 },
    { ours: turn(server, deployed.host), fastify: turn(proxy) },
  );
  return [comparisonRow(words, forInformation, turns.ours, turns.fastify)];
}
