import { join } from "node:path";
import { startRival } from "../child-process.ts";
import { archiveOf, callDeployed, type Deployed, deploy as deployProject, openApiOf, upload } from "../deployment.ts";
import { createGuard, type Guard, guards } from "../guarded.ts";
import { progress } from "../progress.ts";
import { limit, limitRow, type Row } from "../row.ts";
import { seedDeployments } from "../seed-deployments.ts";
import { call, type RunningServer, residentMegabytes, startServer } from "../server.ts";
import type { Workspace } from "../workspace.ts";

const rounds = 7;
const routeCount = 20;
const deploymentCount = 1_000;
const idleSeconds = 2;
const versionPath = "/version";
const liveWithinMilliseconds = 30_000;

/** The time until new or restored code serves, and the memory of many deployments. */
export async function deploy(workspace: Workspace): Promise<Row[]> {
  await using upstream = await startRival("bench/rivals/fixed-bytes-server.ts", ["1000"]);
  const origin = `http://127.0.0.1:${upstream.port}`;
  return [...(await swaps(workspace, origin)), await memory(workspace, origin)];
}

async function swaps(workspace: Workspace, upstream: string): Promise<Row[]> {
  await using server = await workspace.startServer(workspace.newDirectory("deploy"));
  const project = (version: number) => ({
    "openapi.json": openApiOf({
      ...routesOf("things", routeCount - 1, { upstream }),
      [versionPath]: { handler: "modules/version.ts" },
    }),
    "modules/version.ts": `export default (): Response => new Response("version ${version}");`,
  });
  const deployed = await deployProject(server, "bench", project(1));

  const uploads: number[] = [];
  for (let version = 2; version <= rounds + 1; version++) {
    const archive = await archiveOf(project(version));
    uploads.push(
      await untilServing(server, deployed, version, async () => {
        await upload(server, "bench", archive);
      }),
    );
    progress(`deploy: upload ${version - 1} of ${rounds}: live after ${uploads.at(-1)!.toFixed(0)} ms`);
  }
  const rollbacks: number[] = [];
  for (let version = rounds; version >= 1; version--) {
    rollbacks.push(
      await untilServing(server, deployed, version, async () => {
        await call(server, "POST", `/v1/deployments/${deployed.name}/rollback`, { version });
      }),
    );
    progress(`deploy: rollback to version ${version}: it responds after ${rollbacks.at(-1)!.toFixed(0)} ms`);
  }
  return [
    limitRow(
      {
        what: `upload to live, ${routeCount} routes and a module`,
        against: limit,
        explanation: `From the first byte of the request for an upload address to the first response of the new version; median of ${rounds} uploads.`,
        note: rangeOf(uploads),
      },
      { comparison: "<", value: 1_000, unit: "ms" },
      uploads,
    ),
    limitRow(
      {
        what: "rollback to the first response of the old version",
        against: limit,
        explanation: `From the rollback request to the first response of the old version; median of ${rounds} rollbacks.`,
        note: rangeOf(rollbacks),
      },
      { comparison: "<", value: 200, unit: "ms" },
      rollbacks,
    ),
  ];
}

function rangeOf(milliseconds: number[]): string {
  return `${Math.min(...milliseconds).toFixed(0)} to ${Math.max(...milliseconds).toFixed(0)} ms`;
}

/** The time from the first byte of a change until the version responds. Requests are sent back to back. */
async function untilServing(server: RunningServer, deployed: Deployed, version: number, change: () => Promise<void>) {
  const startedAt = performance.now();
  const changed = change();
  while (performance.now() - startedAt < liveWithinMilliseconds) {
    const response = await callDeployed(server, deployed, versionPath);
    if (response.status !== 200) throw new Error(`the deployment returned ${response.status} while it was changed`);
    if ((await response.text()) === `version ${version}`) {
      const milliseconds = performance.now() - startedAt;
      await changed;
      return milliseconds;
    }
    // An error is reported at once; otherwise polling must not take CPU time from the server.
    await Promise.race([Bun.sleep(2), changed.then(() => Bun.sleep(2))]);
  }
  throw new Error(`version ${version} does not serve`);
}

async function memory(workspace: Workspace, upstream: string): Promise<Row> {
  const dataDirectory = workspace.newDirectory("deployments");
  let guard: Guard;
  let original: Deployed;
  {
    await using server = await startServer(dataDirectory);
    guard = await createGuard(server);
    original = await deployProject(server, "seed-0000", {
      "openapi.json": openApiOf(routesOf("seed-0000", routeCount, { policies: guards })),
      "tollgate.json": { upstream, policies: guard.policies },
    });
  }
  progress(`deploy: seeding ${deploymentCount} deployments`);
  const deployed = seedDeployments(join(dataDirectory, "tollgate.db"), original.name, deploymentCount);
  await using server = await workspace.startServer(dataDirectory);
  const before = residentMegabytes(server.processId);
  for (const { name, project } of deployed) {
    const host = original.host.replace(original.name, name);
    const response = await callDeployed(server, { name, host }, `/${project}/1/of/1`, guard.key);
    if (response.status !== 200) throw new Error(`${name} returned ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  }
  await Bun.sleep(idleSeconds * 1000);
  const megabytes = residentMegabytes(server.processId);
  progress(`deploy: ${deploymentCount} deployments: ${megabytes.toFixed(0)} MB, ${before.toFixed(0)} MB without`);
  return limitRow(
    {
      what: `resident memory, ${deploymentCount.toLocaleString("en")} deployments of ${routeCount} routes`,
      against: limit,
      explanation: `Routes with three policies and no code, in one process, after each deployment has responded once and ${idleSeconds} idle seconds.`,
      note: `${before.toFixed(0)} MB before the first request`,
    },
    { comparison: "<", value: 500, unit: "MB" },
    [megabytes],
  );
}

function routesOf(prefix: string, count: number, route: object): Record<string, object> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`/${prefix}/${index + 1}/of/{owner}`, route]));
}
