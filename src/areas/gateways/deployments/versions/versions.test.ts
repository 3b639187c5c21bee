import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { callerWithRole, strangerOf } from "../../../../../test/support/callers.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import {
  build,
  callHost,
  type Deployed,
  deploy,
  openApi,
  projectArchive,
  requestUpload,
  settledStatus,
  stepsOf,
} from "../../../../../test/support/project.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";
import { echoUpstream, versionOf, versionWithCode } from "../../../../../test/support/versioned-project.ts";

/** Builds, but does not start. */
const broken = {
  "openapi.json": openApi({ "/handled": { "x-tollgate": { handler: "modules/broken.ts" } } }),
  "modules/broken.ts": 'throw new Error("no luck today"); export default () => new Response("broken");',
};

let count = 0;

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  const upstream = echoUpstream();
  afterAll(() => upstream.stop(true));

  const newPlace = () => ({ project: `versions-${++count}`, branch: "main" });
  const versions = async (name: string) => (await client.get(`/v1/deployments/${name}/versions`)).body.data;
  const active = async (name: string) =>
    (await versions(name)).filter((version: { isActive: boolean }) => version.isActive).map(numberOf);
  const numberOf = ({ number }: { number: number }) => number;
  const rollBack = (name: string, body?: unknown, headers?: Record<string, string>) =>
    client.post(`/v1/deployments/${name}/rollback`, body, headers);
  const serving = async ({ call }: Deployed, path = "/forwarded") => {
    const response = await call(path);
    return response.status === 200 ? response.text() : response.status;
  };

  test("the source of each version is downloaded as it was uploaded, by editors alone", async () => {
    const place = newPlace();
    const archives: Uint8Array[] = [];
    // Stored in several pieces: random bytes cannot be compressed.
    for (const noise of ["", randomBytes(2_500_000).toString("base64")]) {
      const archive = await projectArchive({ ...versionOf(upstream, "first"), "README.md": noise });
      const { path, statusId } = await requestUpload(client, place);
      await client.anonymous().raw("PUT", path, archive);
      expect(await settledStatus(client, place, statusId)).toMatchObject({ status: "SUCCESS" });
      archives.push(new Uint8Array(archive));
    }
    const [{ name }] = (await client.get(`/v1/deployments?projectName=${place.project}`)).body.data;
    const path = (number: number | string) => `/v1/deployments/${name}/versions/${number}/source`;
    for (const [index, archive] of archives.entries()) {
      const response = await fetch(server.url + path(index + 1), {
        headers: { authorization: `Bearer ${client.token}` },
      });
      expect(response.headers.get("content-type")).toBe("application/gzip");
      expect(response.headers.get("content-disposition")).toBe(`attachment; filename="${name}-${index + 1}.tar.gz"`);
      const received = await response.bytes();
      expect(received.length).toBe(archive.length);
      expect(Buffer.compare(received, archive)).toBe(0);
    }
    for (const number of [3, 0, "one"]) expectProblem(await client.get(path(number)), 404, "not_found");
    expectProblem(await (await callerWithRole(client, "reader")).get(path(1)), 403, "forbidden");
    expectProblem(await (await strangerOf(client, `source-${engine.name}`)).get(path(1)), 404, "not_found");
    expectProblem(await client.anonymous().get(path(1)), 401, "unauthenticated");
  });

  test("an upload that names the version it is based on is rejected if another one is live or being built", async () => {
    const place = newPlace();
    const files = versionOf(upstream, "first");
    expectProblem(
      await client.post("/v1/deployments/sources", {
        ...{ accountName: account, projectName: place.project, branchName: "main" },
        basedOn: 1,
      }),
      409,
      "conflict",
    );
    const { name } = await deploy(server, place, files);
    expect((await build(client, { ...place, basedOn: 1 }, files)).status).toMatchObject({ status: "SUCCESS" });
    const body = { accountName: account, projectName: place.project, branchName: "main" };
    const late = await client.post("/v1/deployments/sources", { ...body, basedOn: 1 });
    expectProblem(late, 409, "conflict");
    expect(late.body.detail).toBe("Version 2 is live instead of version 1.");

    // Both addresses are given while version 2 is live. The second upload finds the build of the first, or its version.
    const archive = await projectArchive(files);
    const [one, other] = [
      await requestUpload(client, { ...place, basedOn: 2 }),
      await requestUpload(client, { ...place, basedOn: 2 }),
    ];
    expect((await client.anonymous().raw("PUT", one.path, archive)).status).toBe(200);
    expectProblem(await client.anonymous().raw("PUT", other.path, archive), 409, "conflict");
    expect(await settledStatus(client, place, one.statusId)).toMatchObject({ status: "SUCCESS" });
    expectProblem(await client.anonymous().raw("PUT", other.path, archive), 409, "conflict");
    expect(await active(name)).toEqual([3]);
    expect((await client.get(`/v1/deployments/${name}`)).body).toMatchObject({ state: "STARTED", message: "" });
    await rollBack(name, { version: 2 });
    expect((await client.anonymous().raw("PUT", other.path, archive)).status).toBe(200);
    expect(await settledStatus(client, place, other.statusId)).toMatchObject({ status: "SUCCESS" });
    expect(await active(name)).toEqual([4]);
  });

  test("the routes of the serving version and of others are listed, and what policies are set to is not", async () => {
    const guarded = {
      ...versionOf(upstream, "guarded"),
      "tollgate.json": {
        policies: { secretive: { type: "headers", options: { request: { set: { "x-secret": "do-not-show" } } } } },
      },
      "openapi.json": openApi({
        "/guarded": { "x-tollgate": { upstream: `${upstream.url.origin}/guarded`, policies: ["secretive"] } },
      }),
    };
    const place = newPlace();
    await deploy(server, place, versionOf(upstream, "first"));
    const { name } = await deploy(server, place, guarded);
    const path = `/v1/deployments/${name}/routes`;
    const serving = await client.get(path);
    expect(serving.body).toEqual({
      version: 2,
      data: [
        {
          method: "GET",
          path: "/guarded",
          policies: [{ name: "secretive", type: "headers" }],
          target: { upstream: `${upstream.url.origin}/guarded` },
          timeoutSeconds: expect.any(Number),
        },
      ],
    });
    expect(serving.text).not.toContain("do-not-show");
    const first = await client.get(`${path}?version=1`);
    expect(first.body).toMatchObject({ version: 1, data: [{ path: "/forwarded", policies: [] }] });
    expectProblem(await client.get(`${path}?version=3`), 404, "not_found");
    expectProblem(await client.get(`${path}?version=0`), 400, "validation_failed", { pointer: "?version" });
    expectProblem(await client.get(`${path}?versions=1`), 400, "validation_failed", { pointer: "?versions" });
    const versions = path.replace(/routes$/, "versions");
    expectProblem(await client.get(`${versions}?active=true`), 400, "validation_failed", { pointer: "?active" });
    expectProblem(await client.get("/v1/deployments/nothing-main-0000000/routes"), 404, "not_found");
  });

  /** A deployment with the versions `one`, `two` and `three`, of which the last serves when a test begins. */
  let deployment: Deployed;
  beforeAll(async () => {
    const place = newPlace();
    for (const name of ["one", "two", "three"]) deployment = await deploy(server, place, versionOf(upstream, name));
  });
  beforeEach(async () => {
    expect((await rollBack(deployment.name, { version: 3 })).status).toBe(200);
  });

  describe("the list", () => {
    test("has every version in its order, and marks the one that serves", async () => {
      const place = newPlace();
      const one = await build(client, place, versionOf(upstream, "one"));
      const two = await deploy(server, place, versionOf(upstream, "two"));
      const { status, body } = await client.get(`/v1/deployments/${two.name}/versions`);
      expect(status).toBe(200);
      expect(body).toMatchObject({ limit: 1000, offset: 0, total: 2 });
      expect(body.data).toEqual([
        {
          id: expect.stringMatching(/^vrsn_[0-9A-Za-z]{24}$/),
          number: 1,
          createdOn: server.clock.iso(),
          artifact: one.status.buildResult.artifact,
          routes: 1,
          isActive: false,
          statusId: one.statusId,
          author: expect.objectContaining({ type: "token" }),
        },
        expect.objectContaining({ number: 2, isActive: true, statusId: two.statusId }),
      ]);
      expect(body.data[0].artifact.sha256).not.toBe(body.data[1].artifact.sha256);
    });

    test("shows who deployed each version and the note", async () => {
      const place = newPlace();
      const name = "continuous integration";
      const { body: token } = await client.post(`/v1/accounts/${account}/tokens`, { role: "editor", name });
      const editor = client.as(token.token);
      const note = "Limit orders to 100 a minute";
      await build(editor, { ...place, note }, versionOf(upstream, "noted"));
      const { name: deployed } = await deploy(server, place, versionOf(upstream, "without"));
      const rebuilt = await editor.post(`/v1/deployments/${deployed}/deploy`, {});
      await settledStatus(client, place, rebuilt.body.statusId);
      const author = { type: "token", id: token.id, name };
      const listed = await versions(deployed);
      const { body: who } = await client.get("/v1/who-am-i");
      expect(listed).toMatchObject([{ author, note }, { author: { id: who.sub } }, { author }]);
      expect(listed.slice(1).map((version: object) => "note" in version)).toEqual([false, false]);
      expect((await client.get(`/v1/deployments/${deployed}/versions/1`)).body).toMatchObject({ author, note });

      const body = { accountName: account, projectName: place.project, branchName: "main" };
      for (const bad of ["x".repeat(1001), 7, "\0"])
        expectProblem(await editor.post("/v1/deployments/sources", { ...body, note: bad }), 400, "validation_failed", {
          pointer: "/note",
        });
    });

    test("the list of versions has pages", async () => {
      const page = await client.get(`/v1/deployments/${deployment.name}/versions?limit=2`);
      expect(page.body.data.map(numberOf)).toEqual([1, 2]);
      expect(page.headers.get("link")).toContain("offset=2");
      const next = await client.get(`/v1/deployments/${deployment.name}/versions?limit=2&offset=2`);
      expect(next.body.data.map(numberOf)).toEqual([3]);
      expect(next.headers.has("link")).toBe(false);
    });

    test("is empty before the first build", async () => {
      const place = newPlace();
      await requestUpload(client, place);
      const { body } = await client.get(`/v1/accounts/${account}/projects/${place.project}/deployments`);
      expect(await versions(body.data[0].name)).toEqual([]);
    });
  });

  describe("a rollback", () => {
    test("gives the traffic to the version before at the very next request, and so on", async () => {
      expect(await serving(deployment)).toBe("three");
      for (const [body, expected] of [
        [undefined, "two"],
        [{}, "one"],
      ] as const) {
        const response = await rollBack(deployment.name, body);
        expect(await serving(deployment)).toBe(expected);
        expect(response.status).toBe(200);
        expect(response.body).toMatchObject({ name: deployment.name, state: "STARTED", message: "" });
      }
      expect(await active(deployment.name)).toEqual([1]);
    });

    test("goes to any version by its number, also a newer one", async () => {
      for (const [version, expected] of [
        [1, "one"],
        [3, "three"],
        [3, "three"],
        [2, "two"],
      ] as const) {
        expect((await rollBack(deployment.name, { version })).status).toBe(200);
        expect(await serving(deployment)).toBe(expected);
        expect(await active(deployment.name)).toEqual([version]);
      }
    });

    test("a rollback restores the code of the version", async () => {
      const place = newPlace();
      await deploy(server, place, versionWithCode(upstream, "one"));
      const deployment = await deploy(server, place, versionWithCode(upstream, "two"));
      expect([await serving(deployment), await serving(deployment, "/handled")]).toEqual(["two", "two"]);
      expect((await rollBack(deployment.name)).status).toBe(200);
      expect([await serving(deployment, "/handled"), await serving(deployment)]).toEqual(["one", "one"]);
    });

    test("a rollback is still in effect after a restart", async () => {
      await rollBack(deployment.name);
      await server.restart();
      expect(await active(deployment.name)).toEqual([2]);
      expect(await serving(deployment)).toBe("two");
    });

    test("is followed by the next build", async () => {
      const place = newPlace();
      await deploy(server, place, versionOf(upstream, "one"));
      const { name } = await deploy(server, place, versionOf(upstream, "two"));
      await rollBack(name);
      const deployment = await deploy(server, place, versionOf(upstream, "three"));
      expect(await serving(deployment)).toBe("three");
      expect((await versions(name)).map(numberOf)).toEqual([1, 2, 3]);
    });

    test("changes the ETag of the deployment", async () => {
      const path = `/v1/deployments/${deployment.name}`;
      const before = (await client.get(path)).headers.get("etag");
      const after = (await rollBack(deployment.name)).headers.get("etag");
      expect(after).not.toBe(before);
      expect((await client.get(path)).headers.get("etag")).toBe(after);
    });

    test("is done once for the same Idempotency-Key", async () => {
      const header = { "idempotency-key": `rollback-${++count}` };
      const first = await rollBack(deployment.name, {}, header);
      const again = await rollBack(deployment.name, {}, header);
      expect([again.status, again.text]).toEqual([200, first.text]);
      expect(await serving(deployment)).toBe("two");
      await rollBack(deployment.name);
      // Also if there is no version left to roll back to.
      expect((await rollBack(deployment.name, {}, header)).text).toBe(first.text);
      expect(await serving(deployment)).toBe("one");
    });

    describe("is rejected, and the version that serves keeps serving:", () => {
      const bad: [what: string, body: unknown, pointer: string][] = [
        ["a number that no version has", { version: 4 }, "/version"],
        ["zero", { version: 0 }, "/version"],
        ["a number below zero", { version: -1 }, "/version"],
        ["a fraction", { version: 1.5 }, "/version"],
        ["a text", { version: "1" }, "/version"],
        ["null", { version: null }, "/version"],
        ["a number beyond all", { version: 1e300 }, "/version"],
        ["an unknown field", { number: 1 }, "/number"],
        ["a list", [1], ""],
      ];
      test("bad input", async () => {
        const before = await versions(deployment.name);
        for (const [, body, pointer] of bad)
          expectProblem(await rollBack(deployment.name, body), 400, "validation_failed", { pointer });
        expect(await versions(deployment.name)).toEqual(before);
        expect(await serving(deployment)).toBe("three");
      });

      test("no version before", async () => {
        await rollBack(deployment.name, { version: 1 });
        const before = await client.get(`/v1/deployments/${deployment.name}`);
        expectProblem(await rollBack(deployment.name), 409, "no_earlier_version");
        expect((await client.get(`/v1/deployments/${deployment.name}`)).body).toEqual(before.body);
        expect(await serving(deployment)).toBe("one");
      });

      test("a deployment that does not exist, or was never built", async () => {
        expectProblem(await rollBack("nothing-main-1234567"), 404, "not_found");
        const place = newPlace();
        await requestUpload(client, place);
        const { body } = await client.get(`/v1/accounts/${account}/projects/${place.project}/deployments`);
        expectProblem(await rollBack(body.data[0].name), 409, "no_earlier_version");
      });
    });
  });

  describe("the version before keeps serving when", () => {
    test("a build fails, until one succeeds", async () => {
      const place = newPlace();
      const deployment = await deploy(server, place, versionOf(upstream, "one"));
      const { status } = await build(client, place, { "openapi.json": "{" });
      expect(status.status).toBe("ERROR");
      const read = () => client.get(`/v1/deployments/${deployment.name}`);
      expect((await read()).body).toMatchObject({ state: "STARTED", message: "BUILD_FAILED" });
      expect(await serving(deployment)).toBe("one");
      expect((await versions(deployment.name)).map(numberOf)).toEqual([1]);

      await deploy(server, place, versionOf(upstream, "two"));
      expect((await read()).body).toMatchObject({ state: "STARTED", message: "" });
      expect(await serving(deployment)).toBe("two");
    });

    test("the code of the next throws when it is loaded", async () => {
      const place = newPlace();
      const deployment = await deploy(server, place, versionWithCode(upstream, "one"));
      const { status } = await build(client, place, broken);
      expect(status.status).toBe("ERROR");
      expect(stepsOf(status)).toEqual({
        upload: "SUCCESS",
        unpack: "SUCCESS",
        validate: "SUCCESS",
        build: "SUCCESS",
        start: "ERROR",
      });
      expect(status.steps.start.message).toContain("no luck today");
      expect(status.buildResult).toMatchObject({ success: false, errors: [{ message: status.steps.start.message }] });
      const { body } = await client.get(`/v1/deployments/${deployment.name}`);
      expect(body).toMatchObject({ state: "STARTED", message: "START_FAILED" });
      expect([await serving(deployment), await serving(deployment, "/handled")]).toEqual(["one", "one"]);
      expect(await active(deployment.name)).toEqual([1]);
    });

    test("a version that never started is not restored by a rollback", async () => {
      const place = newPlace();
      await deploy(server, place, versionOf(upstream, "one"));
      await build(client, place, broken);
      const deployment = await deploy(server, place, versionOf(upstream, "two"));
      expect((await rollBack(deployment.name)).status).toBe(200);
      expect(await serving(deployment)).toBe("one");
    });
  });

  test("code that exports no function does not start", async () => {
    const { status } = await build(client, newPlace(), {
      "openapi.json": openApi({ "/": { "x-tollgate": { handler: "modules/a.ts" } } }),
      "modules/a.ts": "export default 42 as unknown;",
    });
    expect(status.steps.start.message).toContain("modules/a.ts has no function as its default export");
  });

  test("a deployment whose first version does not start is in error, and serves nothing", async () => {
    const place = newPlace();
    const { status } = await build(client, place, broken);
    expect(status).toMatchObject({ status: "ERROR", steps: { start: { status: "ERROR" } } });
    const { body } = await client.get(`/v1/accounts/${account}/projects/${place.project}/deployments`);
    const [{ name, url, ...deployment }] = body.data;
    expect(deployment).toMatchObject({ state: "ERROR", message: "START_FAILED" });
    expect((await callHost(server.url, new URL(url).hostname, "/handled")).status).toBe(404);
    expect(await versions(name)).toEqual([]);
    expectProblem(await rollBack(name), 409, "no_earlier_version");
  });
});
