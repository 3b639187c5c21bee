import { afterAll, describe, expect, test } from "bun:test";
import { callerWithRole, strangerOf } from "../../../../test/support/callers.ts";
import type { Client } from "../../../../test/support/client.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import {
  build,
  callHost,
  deploy,
  openApi,
  readStatus,
  rebuild,
  requestUpload,
  settledStatus,
} from "../../../../test/support/project.ts";
import { useServer } from "../../../../test/support/server.ts";
import { account, operatorToken } from "../../../../test/support/server-settings.ts";
import { tableContent } from "../../../../test/support/table-content.ts";
import { until } from "../../../../test/support/until.ts";
import { echoUpstream, versionOf, versionWithCode } from "../../../../test/support/versioned-project.ts";

const tables = [
  "deployment_builds",
  "deployment_sources",
  "deployment_artifacts",
  "deployment_versions",
  "deployment_logs",
];

let count = 0;

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  const upstream = echoUpstream();
  afterAll(() => upstream.stop(true));

  const newPlace = () => ({ project: `project-${++count}`, branch: "main" });
  const listed = async (project: string, caller: Client = client, accountName = account) =>
    (await caller.get(`/v1/accounts/${accountName}/projects/${project}/deployments`)).body.data;
  const nameOfOnly = async (project: string): Promise<string> => (await listed(project))[0].name;

  /** The number of rows of a deployment in each table; 0 everywhere when it is removed completely. */
  async function rowsOf(name: string): Promise<{ seq: unknown; counts: () => Promise<number[]> }> {
    const { seq } = (await tableContent(server.database, "deployments")).find((row) => row.name === name)!;
    const countIn = async (table: string) =>
      (await tableContent(server.database, table)).filter((row) => row.deployment_seq === seq).length;
    return { seq, counts: () => Promise.all(tables.map(countIn)) };
  }

  describe("the list of an account", () => {
    test("has the deployments of all its projects, in pages, and of one by name", async () => {
      const accountName = `lister-${++count}`;
      const caller = await strangerOf(client, accountName);
      for (const project of ["one", "two"]) await requestUpload(caller, { accountName, project, branch: "main" });
      await requestUpload(caller, { accountName, project: "one", branch: "dev" });
      const read = async (query: string) => (await caller.get(`/v1/deployments${query}`)).body;
      const named = ({ data }: { data: { projectName: string; branchName: string }[] }) =>
        data.map(({ projectName, branchName }) => `${projectName}/${branchName}`);
      expect(named(await read(""))).toEqual(["one/main", "two/main", "one/dev"]);
      const page = await read("?limit=1&offset=1");
      expect(page).toMatchObject({ limit: 1, offset: 1, total: 3 });
      expect(named(page)).toEqual(["two/main"]);
      const ofProject = await read("?projectName=one");
      expect(ofProject.total).toBe(2);
      expect(named(ofProject)).toEqual(["one/main", "one/dev"]);
      expect(named(await read("?branchName=main"))).toEqual(["one/main", "two/main"]);
      expect(await read("?projectName=two&branchName=dev")).toMatchObject({ data: [], total: 0 });
    });

    test("is rejected without a token, for a limit that is no number and for a filter that does not exist", async () => {
      expectProblem(await client.get("/v1/deployments?project=one"), 400, "validation_failed", { pointer: "?project" });
      expectProblem(await client.anonymous().get("/v1/deployments"), 401, "unauthenticated");
      expectProblem(await client.get("/v1/deployments?limit=x"), 400, "validation_failed");
    });
  });

  describe("the list", () => {
    test("has the project's branches in the order of their making, and nothing of other projects and accounts", async () => {
      const { project } = newPlace();
      const accountName = `stranger-${++count}`;
      const stranger = await strangerOf(client, accountName);
      await requestUpload(stranger, { accountName, project, branch: "theirs" });
      await requestUpload(client, { project: `${project}-2`, branch: "other" });
      const branches = ["main", "dev", "a-branch"];
      for (const branch of branches) await requestUpload(client, { project, branch });
      const branchesOf = (data: { branchName: string }[]) => data.map(({ branchName }) => branchName);
      expect(branchesOf(await listed(project))).toEqual(branches);
      expect(branchesOf(await listed(project, stranger, accountName))).toEqual(["theirs"]);
    });

    test("is empty for an unknown project", async () => {
      const { status, body } = await client.get(`/v1/accounts/${account}/projects/nothing/deployments`);
      expect([status, body]).toEqual([200, { data: [] }]);
    });

    test("has an ETag that changes with it", async () => {
      const place = newPlace();
      await requestUpload(client, place);
      const path = `/v1/accounts/${account}/projects/${place.project}/deployments`;
      const header = { "if-none-match": (await client.get(path)).headers.get("etag")! };
      expect((await client.get(path, header)).status).toBe(304);
      await build(client, place, versionOf(upstream, "one"));
      const changed = await client.get(path, header);
      expect([changed.status, changed.body.data[0].state]).toEqual([200, "STARTED"]);
    });
  });

  describe("a deployment", () => {
    test("is returned as in the list, and as started once it serves", async () => {
      const place = newPlace();
      await requestUpload(client, place);
      const name = await nameOfOnly(place.project);
      expect((await client.get(`/v1/deployments/${name}`)).body).toEqual((await listed(place.project))[0]);
      server.clock.advance(60_000);
      await deploy(server, place, versionOf(upstream, "one"));
      const { body } = await client.get(`/v1/deployments/${name}`);
      expect(body).toEqual((await listed(place.project))[0]);
      expect(body).toMatchObject({ state: "STARTED", message: "", updatedOn: server.clock.iso() });
      expect(Date.parse(body.createdOn)).toBeLessThan(server.clock.now());
    });

    test("has an ETag that changes with it", async () => {
      const place = newPlace();
      await requestUpload(client, place);
      const path = `/v1/deployments/${await nameOfOnly(place.project)}`;
      const header = { "if-none-match": (await client.get(path)).headers.get("etag")! };
      expect((await client.get(path, header)).status).toBe(304);
      await deploy(server, place, versionOf(upstream, "one"));
      expect((await client.get(path, header)).status).toBe(200);
    });

    test("a deployment that does not exist is 404", async () => {
      for (const path of ["", "/versions", "/logs"])
        expectProblem(await client.get(`/v1/deployments/nothing${path}`), 404, "not_found");
      expectProblem(await client.delete("/v1/deployments/nothing"), 404, "not_found");
      expectProblem(await client.post("/v1/deployments/nothing/deploy"), 404, "not_found");
    });

    test("is served under its host name only", async () => {
      const deployed = await deploy(server, newPlace(), versionOf(upstream, "one"));
      expect(await (await deployed.call("/forwarded")).text()).toBe("one");
      const elsewhere = await fetch(`${server.url}/forwarded`);
      expect(elsewhere.status).toBe(404);
      const unknown = await callHost(server.url, `x${deployed.name}.localhost`, "/forwarded");
      expect(await unknown.json()).toMatchObject({ status: 404, code: "deployment_not_found" });
      expect(unknown.headers.get("content-type")).toBe("application/problem+json");
    });
  });

  describe("delete", () => {
    test("stops it immediately and deletes all of its data", async () => {
      const place = newPlace();
      const deployed = await deploy(server, place, versionWithCode(upstream, "one"));
      await rebuild(client, place, deployed.name);
      for (const path of ["/forwarded", "/handled"]) expect((await deployed.call(path)).status).toBe(200);
      const lines = () => client.get(`/v1/deployments/${deployed.name}/logs?kind=access`);
      await until(async () => (await lines()).body.data.length === 2);
      const { seq, counts } = await rowsOf(deployed.name);
      const [builds, sources, artifacts, versions] = await counts();
      expect([builds, sources, artifacts, versions]).toEqual([2, 1, 1, 2]);
      // Besides the two requests, the lines of the builds, which are written asynchronously.
      await until(async () => (await counts())[4]! > 2);

      const deleted = await client.delete(`/v1/deployments/${deployed.name}`);
      const responses = await Promise.all(["/forwarded", "/handled"].map((path) => deployed.call(path)));
      expect([deleted.status, deleted.text]).toEqual([204, ""]);
      for (const response of responses)
        expect(await response.json()).toMatchObject({ status: 404, code: "deployment_not_found" });
      expect(await counts()).toEqual([0, 0, 0, 0, 0]);
      const left = (await tableContent(server.database, "deployment_sources")).map((row) => row.seq);
      for (const { source_seq } of await tableContent(server.database, "deployment_source_chunks"))
        expect(left).toContain(source_seq);
      expect(await tableContent(server.database, "deployments")).not.toContainEqual(expect.objectContaining({ seq }));

      expect(await listed(place.project)).toEqual([]);
      for (const path of ["", "/versions", "/logs"])
        expectProblem(await client.get(`/v1/deployments/${deployed.name}${path}`), 404, "not_found");
      for (const path of ["/deploy", "/rollback"])
        expectProblem(await client.post(`/v1/deployments/${deployed.name}${path}`), 404, "not_found");
      expectProblem(await readStatus(client, place, deployed.statusId), 404, "not_found");
      expectProblem(await client.delete(`/v1/deployments/${deployed.name}`), 404, "not_found");
    });

    test("checks If-Match first", async () => {
      const deployed = await deploy(server, newPlace(), versionOf(upstream, "one"));
      const path = `/v1/deployments/${deployed.name}`;
      const before = await client.get(path);
      expectProblem(await client.delete(path, { "if-match": '"old"' }), 412, "precondition_failed");
      expect((await client.get(path)).body).toEqual(before.body);
      expect(await (await deployed.call("/forwarded")).text()).toBe("one");
      expect((await client.delete(path, { "if-match": before.headers.get("etag")! })).status).toBe(204);
      expect((await deployed.call("/forwarded")).status).toBe(404);
    });

    test("deploying after a deletion begins anew under the same name", async () => {
      const place = newPlace();
      const { name } = await deploy(server, place, versionOf(upstream, "one"));
      await client.delete(`/v1/deployments/${name}`);
      const deployed = await deploy(server, place, versionOf(upstream, "two"));
      expect(deployed.name).toBe(name);
      expect(await (await deployed.call("/forwarded")).text()).toBe("two");
      expect((await client.get(`/v1/deployments/${name}/versions`)).body.data).toMatchObject([{ number: 1 }]);
    });

    test("deletion of the account stops its deployments too", async () => {
      const accountName = `gone-${++count}`;
      const stranger = await strangerOf(client, accountName);
      const place = { ...newPlace(), accountName };
      const deployed = await deploy({ url: server.url, client: stranger }, place, versionWithCode(upstream, "one"));
      expect((await deployed.call("/handled")).status).toBe(200);
      const { counts } = await rowsOf(deployed.name);
      expect((await client.as(operatorToken).delete(`/v1/accounts/${accountName}`)).status).toBe(204);
      expect(await (await deployed.call("/handled")).json()).toMatchObject({ code: "deployment_not_found" });
      const isGone = async () => (await counts()).slice(0, 4).every((rows) => rows === 0);
      await until(isGone, { what: "what is removed behind the response to go" });
    });
  });

  describe("deploy", () => {
    test("builds the stored source again, as a new version", async () => {
      const place = newPlace();
      const deployed = await deploy(server, place, versionOf(upstream, "one"));
      const { status, body } = await client.post(`/v1/deployments/${deployed.name}/deploy`, {});
      expect([status, body]).toEqual([200, { status: "request enqueued", statusId: expect.any(String) }]);
      expect(body.statusId).not.toBe(deployed.statusId);
      const settled = await settledStatus(client, place, body.statusId);
      expect(settled).toMatchObject({ status: "SUCCESS", steps: { upload: { status: "SUCCESS" } } });
      const versions = (await client.get(`/v1/deployments/${deployed.name}/versions`)).body.data;
      expect(versions).toMatchObject([
        { number: 1, statusId: deployed.statusId, isActive: false },
        { number: 2, statusId: body.statusId, isActive: true },
      ]);
      // The same source results in the same artifact.
      expect(versions[0].artifact).toEqual(versions[1].artifact);
      expect(await (await deployed.call("/forwarded")).text()).toBe("one");
    });

    test("takes the source that was uploaded last, also one that did not build", async () => {
      const place = newPlace();
      const { name } = await deploy(server, place, versionOf(upstream, "one"));
      await build(client, place, { "openapi.json": "{" });
      const { status } = await rebuild(client, place, name);
      expect(status).toMatchObject({ status: "ERROR", buildResult: { errors: [{ file: "openapi.json" }] } });
      expect((await client.get(`/v1/deployments/${name}`)).body).toMatchObject({ message: "BUILD_FAILED" });
    });

    test("before anything was uploaded is 409, and queues nothing", async () => {
      const place = newPlace();
      await requestUpload(client, place);
      const name = await nameOfOnly(place.project);
      const { counts } = await rowsOf(name);
      const before = await counts();
      expectProblem(await client.post(`/v1/deployments/${name}/deploy`), 409, "no_source");
      expect(await counts()).toEqual(before);
      expect((await client.get(`/v1/deployments/${name}`)).body).toMatchObject({ state: "PENDING" });
    });

    test("takes no body", async () => {
      const { name } = await deploy(server, newPlace(), versionOf(upstream, "one"));
      const response = await client.post(`/v1/deployments/${name}/deploy`, { version: 1 });
      expectProblem(response, 400, "validation_failed", { pointer: "/version" });
      expect((await client.get(`/v1/deployments/${name}/versions`)).body.total).toBe(1);
    });

    test("is done once for the same Idempotency-Key", async () => {
      const place = newPlace();
      const { name } = await deploy(server, place, versionOf(upstream, "one"));
      const header = { "idempotency-key": `deploy-${++count}` };
      const first = await client.post(`/v1/deployments/${name}/deploy`, {}, header);
      await settledStatus(client, place, first.body.statusId);
      const again = await client.post(`/v1/deployments/${name}/deploy`, {}, header);
      expect(again.body).toEqual(first.body);
      expect((await client.get(`/v1/deployments/${name}/versions`)).body.total).toBe(2);
    });
  });

  test("roles that may redeploy and roll back", async () => {
    const place = newPlace();
    const { name } = await deploy(server, place, versionOf(upstream, "one"));
    await deploy(server, place, versionOf(upstream, "two"));
    const state = async () => (await client.get(`/v1/deployments/${name}/versions`)).text;
    const before = await state();
    for (const role of ["reader", "verifier"] as const) {
      const caller = await callerWithRole(client, role);
      for (const what of ["deploy", "rollback"])
        expectProblem(await caller.post(`/v1/deployments/${name}/${what}`), 403, "forbidden");
    }
    for (const what of ["deploy", "rollback"])
      expectProblem(await client.anonymous().post(`/v1/deployments/${name}/${what}`), 401, "unauthenticated");
    expect(await state()).toBe(before);

    const callers = [await callerWithRole(client, "editor"), client, client.as(operatorToken)];
    for (const caller of callers) {
      const { body } = await caller.post(`/v1/deployments/${name}/deploy?accountName=${account}`);
      expect(await settledStatus(client, place, body.statusId)).toMatchObject({ status: "SUCCESS" });
      expect((await caller.post(`/v1/deployments/${name}/rollback?accountName=${account}`)).status).toBe(200);
    }
  });

  test("a request to a deployment is not handled by the API, and vice versa", async () => {
    const files = {
      "openapi.json": openApi({ "/v1/who-am-i": { "x-tollgate": { upstream: `${upstream.url.origin}/mine` } } }),
    };
    const deployed = await deploy(server, newPlace(), files);
    expect(await (await deployed.call("/v1/who-am-i")).text()).toBe("mine");
    expect(await (await deployed.call("/metrics")).json()).toMatchObject({ status: 404, code: "no_such_route" });
    expect((await client.get("/v1/who-am-i")).body).toMatchObject({ account });
  });
});
