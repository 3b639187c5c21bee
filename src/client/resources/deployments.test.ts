import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sqlite } from "../../../test/support/engines.ts";
import { openApi } from "../../../test/support/project.ts";
import { useServer } from "../../../test/support/server.ts";
import { patiently } from "../../../test/support/slowdown.ts";
import { type TemporaryFolder, temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { clientOf, rejected } from "../../../test/support/tollgate-client.ts";
import { until } from "../../../test/support/until.ts";
import { BuildError, type Deployment, type Tollgate } from "../index.ts";

/** Builds are slow on a busy machine. */
const patienceMs = patiently(120_000);

const upstream = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: (request) => new Response(new URL(request.url).pathname),
});

// The client does not depend on the server's engine.
const server = useServer(sqlite);
let client: Tollgate;
let folder: TemporaryFolder;
let deployment: Deployment;
beforeAll(async () => {
  client = clientOf(server);
  folder = await temporaryFolder("deployments");
  deployment = await client.deploy(await project("one", "/one"), { project: "orders" });
}, patienceMs);
afterAll(async () => {
  await folder.remove();
  await upstream.stop(true);
});

/** A folder with a project that forwards one path. */
async function project(name: string, path: string, more: object = {}): Promise<string> {
  const place = join(folder.path, name);
  await mkdir(place, { recursive: true });
  const route = { "x-tollgate": { upstream: upstream.url.origin, ...more } };
  await writeFile(join(place, "openapi.json"), JSON.stringify(openApi({ [path]: route }), null, 2));
  return place;
}

/** The response of the deployment to a public request. */
async function visit(path: string): Promise<number> {
  const { host } = new URL(deployment.url);
  const response = await fetch(`${server.url}${path}`, { headers: { host } });
  await response.body?.cancel();
  return response.status;
}

describe("a deployed folder", () => {
  test("is live", async () => {
    expect(deployment).toMatchObject({ projectName: "orders", branchName: "main", state: "STARTED", message: "" });
    expect(await visit("/one")).toBe(200);
    expect(await client.deployments.get(deployment.name)).toEqual(deployment);
    expect(await client.deployments.list("orders")).toEqual([deployment]);
    expect(await client.deployments.list("nothing")).toEqual([]);
    expect(await client.deployments.listAll({ project: "orders" }).all()).toEqual([deployment]);
    expect(await rejected(client.deployments.get("nothing"))).toMatchObject({ status: 404 });
  });

  test(
    "keeps serving if the next version has an error, which is reported with its position",
    async () => {
      const seen: string[] = [];
      const wrong = await project("wrong", "/wrong", { policies: ["no-such-policy"] });
      const error = await client
        .deploy(wrong, { project: "orders", onStep: ({ name, status }) => seen.push(`${name} ${status}`) })
        .catch((thrown) => thrown);
      expect(error).toBeInstanceOf(BuildError);
      expect(error).toMatchObject({ step: "validate", errors: [{ file: "openapi.json", line: expect.any(Number) }] });
      expect(error.errors[0].message).toContain("no-such-policy");
      expect(seen).toContain("upload SUCCESS");
      expect(seen.at(-1)).toBe("validate ERROR");
      expect(await visit("/one")).toBe(200);
      expect((await client.deployments.status("orders", error.statusId)).status).toBe("ERROR");
    },
    patienceMs,
  );

  test(
    "is replaced, rolled back and built again",
    async () => {
      await client.deploy(await project("two", "/two"), { project: "orders" });
      expect([await visit("/one"), await visit("/two")]).toEqual([404, 200]);
      const versions = await client.deployments.versions(deployment.name, { limit: 1 }).all();
      expect(versions.map(({ number, isActive }) => [number, isActive])).toEqual([
        [1, false],
        [2, true],
      ]);

      expect(await client.deployments.rollBack(deployment.name, { version: 1 })).toMatchObject({
        name: deployment.name,
      });
      expect([await visit("/one"), await visit("/two")]).toEqual([200, 404]);
      const unknown = client.deployments.rollBack(deployment.name, { version: 9 });
      expect(await rejected(unknown)).toMatchObject({ status: 400, errors: [{ pointer: "/version" }] });

      const { statusId } = await client.deployments.redeploy(deployment.name);
      expect(await client.deployments.waitFor("orders", statusId)).toMatchObject({ status: "SUCCESS" });
      expect([await visit("/one"), await visit("/two")]).toEqual([404, 200]);
      expect(await rejected(client.deployments.redeploy("nothing"))).toMatchObject({ status: 404 });
    },
    patienceMs,
  );

  test(
    "returns stored log lines and streams new ones",
    async () => {
      // A follower receives only new lines, so requests are repeated until one is received.
      let isReceived = false;
      const received = (async () => {
        for await (const line of client.deployments.followLogs(deployment.name, { kind: "access" }))
          if (line.path === "/followed") return line;
      })().finally(() => {
        isReceived = true;
      });
      const visitUntilReceived = async () => (await visit("/followed")) === 404 && isReceived;
      await until(visitUntilReceived, { withinMs: 30_000, what: "a line about the visit" });
      expect(await received).toMatchObject({ kind: "access", method: "GET", status: 404 });

      // The first request may have been received already.
      await visit("/followed");
      const lastTwo = () => client.deployments.logs(deployment.name, { kind: "access", limit: 2 });
      const areBoth = async () => (await lastTwo()).every(({ path }) => path === "/followed");
      await until(areBoth, { withinMs: 30_000, what: "two lines about visits" });
      expect(await lastTwo()).toMatchObject([{ path: "/followed" }, { path: "/followed" }]);
      expect(await rejected(client.deployments.logs("nothing"))).toMatchObject({ status: 404 });
      expect(await rejected(client.deployments.followLogs("nothing").next())).toMatchObject({ status: 404 });
    },
    patienceMs,
  );
});

test(
  "a deployment is deleted, and its address returns 404",
  async () => {
    await client.deployments.delete(deployment.name);
    expect(await visit("/one")).toBe(404);
    expect(await rejected(client.deployments.delete(deployment.name))).toMatchObject({
      status: 404,
      code: "not_found",
    });
  },
  patienceMs,
);

test("a file that is not an archive is rejected, and nothing is deployed", async () => {
  const deploying = client.deploy(new Blob(["no archive"]), { project: "rejected" });
  expect(await rejected(deploying)).toMatchObject({ status: 400, code: "archive_refused" });
});
