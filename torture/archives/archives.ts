import { expect } from "bun:test";
import { readdirSync } from "node:fs";
import { type Database, sqlite } from "../../test/support/engines.ts";
import { deploy, requestUpload, settledStatus } from "../../test/support/project.ts";
import { account } from "../../test/support/server-settings.ts";
import { type SpawnedServer, spawnServer } from "../../test/support/spawned-server.ts";
import { tableContent } from "../../test/support/table-content.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { until } from "../../test/support/until.ts";
import type { Part } from "../part.ts";
import { residentMegabytes } from "../process-figures.ts";
import { handlerProject } from "../world.ts";
import { cut, damaged } from "./damage.ts";
import { entries } from "./entries.ts";
import { extensions } from "./extensions.ts";
import type { Outcome } from "./hostile-archive.ts";
import { projects } from "./projects.ts";
import { wholes } from "./wholes.ts";

/** Including the build; most take less than a second. */
const overWithinMs = 20_000;
/** The limit for other requests during an upload: an archive must not block the server. */
const unhinderedMs = 3_000;
const pauseMs = 25;
/** The maximum growth of the server's memory after all of them; the bomb alone unpacks to 240 MiB. */
const maxGrowthMegabytes = 200;

/** The tables of archives and build output. */
const archiveTables = ["deployment_sources", "deployment_source_chunks", "deployment_artifacts", "deployment_versions"];

/** Hostile uploads: each is rejected with its reason or built, and leaves nothing behind. */
export const archives: Part = async ({ random, effort, report }) => {
  const database = await sqlite.migratedDatabase();
  const temporary = await temporaryFolder("archives");
  const server = await spawnServer(sqlite, { database, environment: { TMPDIR: temporary.path } });
  const tally: Record<Exclude<Outcome, "any">, number> = { rejected: 0, built: 0, wrong: 0 };
  let slowestMs = 0;
  let slowestProbeMs = 0;
  const memoryBefore = residentMegabytes(server.processId);

  const corpus = [
    ...entries,
    ...extensions,
    ...wholes,
    ...(await cut()),
    ...(await damaged(effort.damagedArchives, random.branch("archives"))),
    ...projects,
  ];
  for (const [what, expected, bytes] of corpus) {
    const archive = await bytes();
    const started = performance.now();
    try {
      const uploaded = upload(server, database, archive);
      slowestProbeMs = Math.max(slowestProbeMs, await slowestWhile(uploaded, server));
      const outcome = await uploaded;
      if (expected !== "any") expect(outcome).toBe(expected);
      tally[outcome] += 1;
    } catch (error) {
      throw new Error(`Upload of ${what}: ${(error as Error).message}`);
    }
    slowestMs = Math.max(slowestMs, performance.now() - started);
  }
  expect(slowestMs).toBeLessThan(overWithinMs * effort.tolerance);
  expect(slowestProbeMs).toBeLessThan(unhinderedMs * effort.tolerance);
  const isSmall = () => residentMegabytes(server.processId) < memoryBefore + maxGrowthMegabytes;
  await until(isSmall, { withinMs: 30_000, what: () => `${residentMegabytes(server.processId)} MB to become less` });
  const { call } = await deploy(server, { project: "good", branch: "main" }, handlerProject("hello"));
  expect(await (await call("/hello")).text()).toBe("hello");
  const grown = residentMegabytes(server.processId) - memoryBefore;
  await server.stop();
  expect(readdirSync(temporary.path), "files left on the disk").toEqual([]);
  await temporary.remove();
  await database.drop();
  const sum = tally.rejected + tally.built + tally.wrong;
  report(
    `${sum} archives: ${tally.rejected} rejected on upload, ${tally.wrong} found wrong by the builder, ${tally.built} built; ` +
      `the slowest took ${(slowestMs / 1000).toFixed(1)} s, requests meanwhile at most ${slowestProbeMs.toFixed(0)} ms; ` +
      `memory grew by ${grown.toFixed(0)} MB; nothing left in tables or on the disk`,
  );
};

/** Uploads it, waits for the result, and deletes its deployment. */
async function upload(
  { client }: SpawnedServer,
  database: Database,
  archive: Uint8Array,
): Promise<Exclude<Outcome, "any">> {
  const place = { project: "hostile", branch: "main" };
  const { path, statusId } = await requestUpload(client, place);
  const response = await client.anonymous().raw("PUT", path, archive);
  expect([200, 400, 413], response.text).toContain(response.status);
  const status = await settledStatus(client, place, statusId);
  const { body } = await client.get(`/v1/accounts/${account}/projects/${place.project}/deployments`);
  const { name } = body.data[0];
  const outcome = response.status !== 200 ? "rejected" : status.status === "SUCCESS" ? "built" : "wrong";
  if (outcome === "rejected") {
    expect(response.body.code).toBe(response.status === 413 ? "body_too_large" : "archive_refused");
    expect(response.body.detail).toMatch(/^\S.{8,}\.$/s);
    expect(status.steps.upload).toMatchObject({ status: "ERROR", message: response.body.detail });
    await expectNothingKept(database);
  } else if (outcome === "wrong") {
    const failed = Object.values<{ status: string; message?: string }>(status.steps).find(
      (step) => step.status === "ERROR",
    );
    expect(failed?.message).toMatch(/\S/);
    expect(failed?.message).not.toMatch(/interrupted|longer than|ended with code/);
  }
  expect((await client.delete(`/v1/deployments/${name}`)).status).toBe(204);
  await expectNothingKept(database);
  return outcome;
}

async function expectNothingKept(database: Database): Promise<void> {
  for (const table of archiveTables)
    expect(await tableContent(database, table), `what is left in ${table}`).toEqual([]);
}

/** The duration of the slowest other request until the work is over. */
async function slowestWhile(work: Promise<unknown>, { client }: SpawnedServer): Promise<number> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  work.then(end, end);
  let slowest = 0;
  while (!isOver) {
    const started = performance.now();
    expect((await client.get("/v1/who-am-i")).status).toBe(200);
    slowest = Math.max(slowest, performance.now() - started);
    await Bun.sleep(pauseMs);
  }
  return slowest;
}
