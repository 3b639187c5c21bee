import { expect } from "bun:test";
import fc from "fast-check";
import type { Client } from "../../test/support/client.ts";
import { type Engine, postgres, sqlite } from "../../test/support/engines.ts";
import { operatorToken } from "../../test/support/server-settings.ts";
import { type SpawnedServer, spawnServer } from "../../test/support/spawned-server.ts";
import { until } from "../../test/support/until.ts";
import { ChangeDetector, openDatabaseState } from "../database-state.ts";
import { describedBy } from "../described.ts";
import type { Part, Torture } from "../part.ts";
import { furnishWorld } from "../world.ts";
import { sendRaw } from "./raw-requests.ts";
import { type FuzzRequest, requestPlans, requestTo } from "./requests.ts";
import { send } from "./send.ts";

/** After this number, most of an account's data is deleted, and a new account is created. */
const requestsPerWorld = 150;

/** The share of raw requests. */
const rawShare = 0.02;

/** A long run takes more than half an hour, and prints its progress at this interval. */
const requestsPerReport = 50_000;

const maxAccounts = 500;

/** Operations that start a build or a job, which continues after the response. */
const startsWork = new Set(["redeploy", "uploadSource", "promoteDeployment", "reportLeakedKeys", "simulatePlans"]);

/** The only rejection with an effect: the deployment status contains the reason why the archive was rejected. */
const leavesStatus = new Set(["archive_refused"]);

/** Requests generated from /openapi.json: no fault, no timeout, no undescribed response, no effect of a rejection. */
export const fuzz: Part = async (torture) => {
  const onPostgres = Math.floor(torture.effort.fuzzRequests * 0.3);
  await Promise.all([
    fuzzOn(sqlite, torture, torture.effort.fuzzRequests - onPostgres),
    fuzzOn(postgres, torture, onPostgres),
  ]);
};

async function fuzzOn(engine: Engine, { random, report }: Torture, requests: number): Promise<void> {
  const database = await engine.migratedDatabase();
  const server = await spawnServer(engine, { database });
  const operator = server.client.as(operatorToken);
  const state = await openDatabaseState(database);
  const changes = new ChangeDetector(state);
  const plans = requestPlans(await describedBy(server));
  const drawn = random.branch(`fuzz ${engine.name}`);
  const statuses = new Map<string, number>();
  const operations = new Set<string>();
  let raw = 0;
  let last = "nothing";
  const isIdle = async () => !(await state.isWorking());

  for (let sent = 0; sent < requests; ) {
    const number = Math.floor(sent / requestsPerWorld);
    const world = await furnishWorld(operator, `world-${number}`, { isBuilt: number === 0 });
    const seed = drawn.integer(0, 2 ** 31 - 1);
    for (const plan of fc.sample(plans, { seed, numRuns: Math.min(requestsPerWorld, requests - sent) })) {
      sent += 1;
      if (drawn.chance(rawShare)) {
        await sendRaw(server.url, world, drawn);
        raw += 1;
        continue;
      }
      const request = requestTo(plan, world);
      const previous = last;
      last = shown(request);
      await changes.look();
      try {
        const { status, body } = await send(server, request);
        statuses.set(`${status}`, (statuses.get(`${status}`) ?? 0) + 1);
        operations.add(request.operationId);
        if (isWithoutEffect(request, status) && !leavesStatus.has(body?.code))
          expect(await changes.look(), "what a rejection or a read has changed").toEqual([]);
        else if (startsWork.has(request.operationId))
          await until(isIdle, { withinMs: 60_000, what: "builds and jobs to end" });
      } catch (error) {
        throw new Error(
          `Request ${sent} on ${engine.name}, ${shown(request)}: ${(error as Error).message}\nBefore it: ${previous}\n` +
            `${await stateOf(server)}`,
        );
      }
    }
    await operator.delete(`/v1/accounts/${world.account}`);
    await deleteCreatedAccounts(operator);
    const faults = server.takeLog().filter((line) => line.level === "error");
    expect(faults, "faults in the server's log").toEqual([]);
    if (Math.floor(sent / requestsPerReport) > (number * requestsPerWorld) / requestsPerReport)
      report(`${engine.name}: ${sent} of ${requests} requests`);
  }
  await state.close();
  await server.stop();
  await database.drop();
  const counts = [...statuses].sort().map(([status, count]) => `${status} × ${count}`);
  report(
    `${engine.name}: ${requests} requests to ${operations.size} operations, ${raw} of them broken HTTP; ` +
      `responses: ${counts.join(", ")}`,
  );
}

async function stateOf(server: SpawnedServer): Promise<string> {
  const isAlive = await fetch(`${server.url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
  return isAlive
    ? "The server still responds."
    : `The server does not respond any more; it wrote:\n${server.output.join("\n")}`;
}

/**
 * Requests create accounts as well. Many accounts slow down a long run, because every comparison reads all stored data.
 */
async function deleteCreatedAccounts(operator: Client): Promise<void> {
  const { body } = await operator.get("/v1/accounts?limit=1000");
  if (body.total < maxAccounts) return;
  for (const { name } of body.data) if (name !== "default") await operator.delete(`/v1/accounts/${name}`);
}

/** Reading keys with their values writes to the audit log; no other read writes. */
function isWithoutEffect({ method, path }: FuzzRequest, status: number): boolean {
  return status >= 400 || (["GET", "HEAD"].includes(method) && !path.includes("key-format=visible"));
}

function shown({ method, path, headers, body }: FuzzRequest): string {
  return `${method} ${path.slice(0, 500)} ${JSON.stringify(headers)} ${String(body).slice(0, 1000)}`;
}
