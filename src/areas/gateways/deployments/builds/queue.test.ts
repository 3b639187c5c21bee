import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { inChunks } from "../../../../../test/support/archives.ts";
import { childrenOf, isRunning } from "../../../../../test/support/child-processes.ts";
import type { Client } from "../../../../../test/support/client.ts";
import { eachEngine, postgres } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { FakeClock } from "../../../../../test/support/fake-clock.ts";
import { HalfUpload } from "../../../../../test/support/half-upload.ts";
import { HeldBuilder } from "../../../../../test/support/held-builder.ts";
import {
  type Branch,
  callHost,
  deploy,
  type ProjectFiles,
  projectArchive,
  readStatus,
  requestUpload,
  settledStatus,
  stepsOf,
} from "../../../../../test/support/project.ts";
import { builder as builderCommand } from "../../../../../test/support/run-folder.ts";
import { startServer, type TestServer, useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";
import { type SpawnedServer, spawnServer } from "../../../../../test/support/spawned-server.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import { tableContent } from "../../../../../test/support/table-content.ts";
import { until } from "../../../../../test/support/until.ts";
import { echoUpstream, versionOf } from "../../../../../test/support/versioned-project.ts";

import { createAccount } from "../../../access/accounts/accounts.ts";
import { builderProcess } from "./build-process.ts";
import * as buildStore from "./build-store.ts";
import { requestUpload as newUpload } from "./uploads.ts";

const upstream = echoUpstream();
afterAll(() => upstream.stop(true));

let count = 0;
const newPlace = (): Branch => ({ project: `queue-${++count}`, branch: "main" });

/** Returns the status id as soon as the archive is stored. */
async function upload(client: Client, place: Branch, files: ProjectFiles): Promise<string> {
  const { path, statusId } = await requestUpload(client, place);
  expect((await client.raw("PUT", path, await projectArchive(files))).status).toBe(200);
  return statusId;
}

async function deploymentOf(client: Client, { project }: Branch) {
  return (await client.get(`/v1/accounts/${account}/projects/${project}/deployments`)).body.data[0];
}

async function versionsOf(client: Client, place: Branch): Promise<{ number: number; statusId: string }[]> {
  const { name } = await deploymentOf(client, place);
  return (await client.get(`/v1/deployments/${name}/versions`)).body.data;
}

async function serving(server: { url: string; client: Client }, place: Branch): Promise<string | number> {
  const { url } = await deploymentOf(server.client, place);
  const response = await callHost(server.url, new URL(url).hostname, "/forwarded");
  return response.status === 200 ? response.text() : response.status;
}

eachEngine((engine) => {
  describe("while a build is in progress", () => {
    const builder = new HeldBuilder();
    const server = useServer(engine, { runBuilder: builder.run });
    afterEach(() => builder.release());

    /** Uploads, and waits until the build has begun. */
    async function held(place: Branch, files: ProjectFiles): Promise<string> {
      const runs = builder.runs;
      builder.hold();
      const statusId = await upload(server.client, place, files);
      await builder.startedTimes(runs + 1);
      return statusId;
    }

    test("the status shows it, and the deployment is building", async () => {
      const { client } = server;
      const place = newPlace();
      const statusId = await held(place, versionOf(upstream, "one"));
      const { body } = await readStatus(client, place, statusId);
      expect(body).toMatchObject({ status: "IN_PROGRESS", buildResult: {} });
      expect(stepsOf(body)).toMatchObject({ upload: "SUCCESS", unpack: "IN_PROGRESS", validate: "PENDING" });
      expect(await deploymentOf(client, place)).toMatchObject({ state: "BUILDING", message: "" });
      expect(await serving(server, place)).toBe(404);
      builder.release();
      expect(await settledStatus(client, place, statusId)).toMatchObject({ status: "SUCCESS" });
      expect(await serving(server, place)).toBe("one");
    });

    test("a newer upload supersedes one that is still queued, not the one that is being built", async () => {
      const { client } = server;
      const place = newPlace();
      const runs = builder.runs;
      const one = await held(place, versionOf(upstream, "one"));
      const two = await upload(client, place, versionOf(upstream, "two"));
      const three = await upload(client, place, versionOf(upstream, "three"));
      const superseded = (await readStatus(client, place, two)).body;
      expect(superseded).toMatchObject({ status: "ERROR", buildResult: {} });
      expect(superseded.steps.unpack).toMatchObject({ status: "ERROR", message: expect.stringContaining("newer") });
      expect((await readStatus(client, place, three)).body).toMatchObject({ status: "IN_PROGRESS" });

      builder.release();
      expect(await settledStatus(client, place, one)).toMatchObject({ status: "SUCCESS" });
      expect(await settledStatus(client, place, three)).toMatchObject({ status: "SUCCESS" });
      expect((await versionsOf(client, place)).map(({ statusId }) => statusId)).toEqual([one, three]);
      expect(builder.runs).toBe(runs + 2);
      expect(await serving(server, place)).toBe("three");
      expect(await deploymentOf(client, place)).toMatchObject({ state: "STARTED", message: "" });
    });

    test("other deployments are built too", async () => {
      const [slow, quick] = [newPlace(), newPlace()];
      const runs = builder.runs;
      const first = await held(slow, versionOf(upstream, "one"));
      const second = await upload(server.client, quick, versionOf(upstream, "one"));
      await builder.startedTimes(runs + 2);
      builder.release();
      for (const [place, statusId] of [
        [slow, first],
        [quick, second],
      ] as const)
        expect(await settledStatus(server.client, place, statusId)).toMatchObject({ status: "SUCCESS" });
    });

    test("its deployment may be deleted, and nothing comes of the build", async () => {
      const { client } = server;
      const place = newPlace();
      const statusId = await held(place, versionOf(upstream, "one"));
      const { name, url } = await deploymentOf(client, place);
      expect((await client.delete(`/v1/deployments/${name}`)).status).toBe(204);
      builder.release();
      await builder.ended();
      // The queue continues.
      const other = newPlace();
      const otherId = await upload(client, other, versionOf(upstream, "other"));
      expect(await settledStatus(client, other, otherId)).toMatchObject({ status: "SUCCESS" });
      expectProblem(await readStatus(client, place, statusId), 404, "not_found");
      expect((await callHost(server.url, new URL(url).hostname, "/forwarded")).status).toBe(404);
      const builds = await tableContent(server.database, "deployment_builds");
      expect(builds.map(({ id }) => id)).not.toContain(statusId);
    });

    test("a server that stops releases the build, and claims it again when it starts", async () => {
      const { client } = server;
      const place = newPlace();
      const runs = builder.runs;
      const statusId = await held(place, versionOf(upstream, "one"));
      await server.restart();
      await builder.startedTimes(runs + 2);
      builder.release();
      expect(await settledStatus(client, place, statusId)).toMatchObject({ status: "SUCCESS" });
      expect(await versionsOf(client, place)).toMatchObject([{ number: 1, statusId }]);
      expect(await serving(server, place)).toBe("one");
    });

    test("any number of clean stops do not use up its attempts", async () => {
      const { client } = server;
      const place = newPlace();
      const runs = builder.runs;
      const statusId = await held(place, versionOf(upstream, "one"));
      for (let stops = 1; stops <= 4; stops++) {
        await server.restart();
        await builder.startedTimes(runs + 1 + stops);
      }
      builder.release();
      expect(await settledStatus(client, place, statusId)).toMatchObject({ status: "SUCCESS" });
    });
  });

  test("a builder that crashes is retried a few times, and the build then fails", async () => {
    const server = await startServer(engine, { runBuilder: builderProcess(["/bin/sh", "-c", "exit 3"], "any") });
    try {
      const { client } = server;
      const place = newPlace();
      const statusId = await upload(client, place, versionOf(upstream, "one"));
      const status = await settledStatus(client, place, statusId);
      expect(status.status).toBe("ERROR");
      expect(status.steps.build).toMatchObject({ status: "ERROR", message: expect.stringContaining("interrupted") });
      expect(await deploymentOf(client, place)).toMatchObject({ state: "ERROR", message: "BUILD_FAILED" });
      expect(await versionsOf(client, place)).toEqual([]);
    } finally {
      await server.stop();
    }
  });

  test("the next server resumes a build whose server was killed, once, and accepts an interrupted upload again", async () => {
    const database = await engine.migratedDatabase();
    const killed = await spawnServer(engine, { database });
    const interrupted = newPlace();
    const archive = await projectArchive(versionOf(upstream, "one"));
    const uploaded = await requestUpload(killed.client, interrupted);
    const half = await HalfUpload.open(killed.url, uploaded.path, archive.length);
    half.send(archive.subarray(0, archive.length >> 1));
    const { place, statusId, builder } = await stoppedBuild(killed);
    await until(async () =>
      (await tableContent(database, "deployment_builds")).some(
        ({ id, state }) => id === uploaded.statusId && state === "uploading",
      ),
    );
    await killed.kill("SIGKILL");
    process.kill(builder, "SIGKILL");
    await killed.stop();
    half.abort();

    // On SQLite no other node can be running it. On PostgreSQL the lease of the dead node must have expired.
    const lease = engine.name === "sqlite" ? 0 : 11_000;
    const clock = new FakeClock(new Date(Date.now() + lease).toISOString());
    const server = await startServer(engine, { database, clock });
    const { client } = server;
    try {
      expect(await settledStatus(client, place, statusId)).toMatchObject({ status: "SUCCESS" });
      expect(await versionsOf(client, place)).toMatchObject([{ number: 1, statusId }]);
      expect(await serving(server, place)).toBe("one");
      expect((await client.raw("PUT", uploaded.path, archive)).status).toBe(200);
      expect(await settledStatus(client, interrupted, uploaded.statusId)).toMatchObject({ status: "SUCCESS" });
    } finally {
      await server.stop();
      await database.drop();
    }
  });

  describe("a lease", () => {
    const storage = useStorage(engine);

    test("is renewed only by its holder and before it expires, without a change of the status", async () => {
      const { open, clock } = storage;
      const now = clock.now();
      const account = await open.write((transaction) => createAccount(transaction, { actor: "test", now }, "lease"));
      const { statusId: id } = await open.write((transaction) =>
        newUpload(transaction, { account, actor: "test", now }, { project: "project", branch: "main" }),
      );
      const build = async () => (await buildStore.findBuild(open.reads, id))!;
      await open.write((transaction) =>
        buildStore.updateBuild(transaction, id, now, { state: "running", worker: "one", worker_until: now + 10_000 }),
      );
      const before = await build();
      const renew = (worker: string, at: number) =>
        open.write((transaction) =>
          buildStore.renewBuildLease(transaction, { id, worker, now: at, until: at + 10_000 }),
        );
      await renew("another", now + 1);
      expect(await build()).toEqual(before);
      await renew("one", now + 10_000);
      expect(await build()).toEqual({ ...before, worker_until: now + 20_000 });
      await renew("one", now + 20_001);
      expect((await build()).worker_until).toBe(now + 20_000);
    });
  });
});

test("a report that cannot be read, or is too large, is an error of its own", async () => {
  const variables = { branch: "main", productionBranch: undefined, variables: [] };
  const errorOf = async (script: string) => {
    const run = builderProcess(["/bin/sh", "-c", script], "any");
    const report = await run(inChunks(new Uint8Array(9)), variables, new AbortController().signal);
    expect(report).toMatchObject({ failedStep: "build", warnings: [] });
    return report.errors.map(({ message }) => message);
  };
  expect(await errorOf(`cat >/dev/null; printf '{"durations"'`)).toEqual([
    expect.stringContaining("The build's report of 12 bytes cannot be read: "),
  ]);
  expect(await errorOf("head -c 70000000 /dev/zero")).toEqual(["The build's report exceeds 64 MiB."]);
});

test("the process of a builder ends when its server stops", async () => {
  const stopping = new AbortController();
  let processId: number | undefined;
  async function* archive() {
    processId = await until(() => childrenOf(process.pid, "86123")[0]);
    stopping.abort(new Error("stopped"));
    yield new Uint8Array(1);
  }
  const run = builderProcess(["/bin/sh", "-c", "exec sleep 86123"], "any");
  const variables = { branch: "main", productionBranch: undefined, variables: [] };
  await expect(run(archive(), variables, stopping.signal)).rejects.toThrow("stopped");
  expect(isRunning(processId!)).toBe(false);
});

/** Uploads until a builder could be stopped in its work: one may end before it is found. */
async function stoppedBuild({ client, processId }: SpawnedServer) {
  for (;;) {
    const place = newPlace();
    const statusId = await upload(client, place, versionOf(upstream, "one"));
    const hasEnded = async () => (await readStatus(client, place, statusId)).body.status !== "IN_PROGRESS";
    const builder = await until(
      async () =>
        childrenOf(processId, builderCommand.at(-1))[0] ?? ((await hasEnded()) ? ("ended" as const) : undefined),
    );
    try {
      if (builder !== "ended" && process.kill(builder, "SIGSTOP")) return { place, statusId, builder };
    } catch {
      // It has ended meanwhile.
    }
  }
}

describe("two nodes on one database", () => {
  const builder = new HeldBuilder();
  let one: TestServer;
  let other: TestServer;
  beforeAll(async () => {
    one = await startServer(postgres, { runBuilder: builder.run });
    const { database, clock } = one;
    other = await startServer(postgres, { database, clock, runBuilder: builder.run });
  });
  afterEach(() => builder.release());
  afterAll(async () => {
    await other.stop();
    await one.stop();
  });

  test("build each upload exactly once", async () => {
    const places = Array.from({ length: 8 }, newPlace);
    const runs = builder.runs;
    builder.hold();
    const uploads = places.map(async (place, at) => {
      const { client } = at % 2 === 0 ? one : other;
      return { place, statusId: await upload(client, place, versionOf(upstream, "one")) };
    });
    const uploaded = await Promise.all(uploads);
    // Both nodes build: one alone builds two at once.
    await builder.startedTimes(runs + 4);
    builder.release();
    for (const { place, statusId } of uploaded) {
      expect(await settledStatus(one.client, place, statusId)).toMatchObject({ status: "SUCCESS" });
      expect(await versionsOf(other.client, place)).toMatchObject([{ number: 1, statusId }]);
    }
    expect(builder.runs).toBe(runs + places.length);
  });

  test("serve what one of them built within a second, and follow a rollback and a deletion", async () => {
    const place = newPlace();
    const first = await deploy(one, place, versionOf(upstream, "one"));
    await until(async () => (await serving(other, place)) === "one");
    expect(await serving(one, place)).toBe("one");
    await deploy(other, place, versionOf(upstream, "two"));
    for (const node of [one, other]) await until(async () => (await serving(node, place)) === "two");
    expect((await one.client.post(`/v1/deployments/${first.name}/rollback`)).status).toBe(200);
    for (const node of [other, one]) await until(async () => (await serving(node, place)) === "one");
    const { url } = await deploymentOf(one.client, place);
    expect((await other.client.delete(`/v1/deployments/${first.name}`)).status).toBe(204);
    const call = (node: TestServer) => callHost(node.url, new URL(url).hostname, "/forwarded");
    for (const node of [one, other]) await until(async () => (await call(node)).status === 404);
  });

  test("leave a build to the node that runs it, and take it over when its lease has not been renewed for ten seconds", async () => {
    const place = newPlace();
    const runs = builder.runs;
    builder.hold();
    const statusId = await upload(one.client, place, versionOf(upstream, "one"));
    await builder.startedTimes(runs + 1);
    one.clock.advance(10_001);
    await builder.startedTimes(runs + 2);
    builder.release();
    expect(await settledStatus(one.client, place, statusId)).toMatchObject({ status: "SUCCESS" });
    // The node that lost its lease has written nothing.
    expect(await versionsOf(other.client, place)).toMatchObject([{ number: 1, statusId }]);
    for (const node of [one, other]) await until(async () => (await serving(node, place)) === "one");
  });
});
