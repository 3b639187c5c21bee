import { describe, expect, test } from "bun:test";
import { callerWithRole, strangerOf } from "../../../../../test/support/callers.ts";
import type { Client } from "../../../../../test/support/client.ts";
import { casesFor, eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { callHost, readStatus, requestUpload } from "../../../../../test/support/project.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account, operatorToken } from "../../../../../test/support/server-settings.ts";
import { tableContent } from "../../../../../test/support/table-content.ts";

const sources = "/v1/deployments/sources";
const orders = { accountName: account, projectName: "orders", branchName: "main" };

let count = 0;

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;

  const deployments = () => tableContent(server.database, "deployments");
  const builds = () => tableContent(server.database, "deployment_builds");
  const everything = async () => [await deployments(), await builds()];

  /** The only deployment of a project, as it is listed. */
  async function onlyDeployment(caller: Client, project: string, accountName = account) {
    const { body } = await caller.get(`/v1/accounts/${accountName}/projects/${project}/deployments`);
    expect(body.data).toHaveLength(1);
    return body.data[0];
  }

  describe("an upload address", () => {
    test("ends with the status id and a secret, and is where this server is reached", async () => {
      const { status, body } = await client.post(sources, orders);
      expect(status).toBe(200);
      expect(Object.keys(body)).toEqual(["uploadUrl"]);
      expect(body.uploadUrl).toStartWith(`${server.url}${sources}/`);
      expect(body.uploadUrl).toMatch(/\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tar\.gz\?token=[\w-]{20,}$/);
    });

    test("is another one each time", async () => {
      const one = await client.post(sources, orders);
      const other = await client.post(sources, orders);
      expect(one.body.uploadUrl).not.toBe(other.body.uploadUrl);
    });

    test("is not kept in the clear", async () => {
      const { body } = await client.post(sources, orders);
      const secret = new URL(body.uploadUrl).searchParams.get("token")!;
      expect(JSON.stringify(await builds())).not.toContain(secret);
    });

    test("is the same for the same Idempotency-Key, and makes one build", async () => {
      const header = { "idempotency-key": `sources-${++count}` };
      const first = await client.post(sources, orders, header);
      const made = await builds();
      const again = await client.post(sources, orders, header);
      expect(again.body).toEqual(first.body);
      expect(again.headers.get("idempotency-replayed")).toBe("true");
      expect(await builds()).toEqual(made);
      expectProblem(
        await client.post(sources, { ...orders, branchName: "dev" }, header),
        422,
        "idempotency_key_reused",
      );
      expect(await builds()).toEqual(made);
    });
  });

  describe("before anything is uploaded", () => {
    test("the deployment exists and is pending", async () => {
      const place = { project: "early", branch: "main" };
      await requestUpload(client, place);
      expect(await onlyDeployment(client, "early")).toEqual({
        name: expect.stringMatching(/^early-main-[0-9a-f]{7}$/),
        url: expect.any(String),
        label: "main",
        urlParameter: "main",
        createdOn: server.clock.iso(),
        updatedOn: server.clock.iso(),
        loggingId: expect.any(String),
        accountName: account,
        projectName: "early",
        state: "PENDING",
        message: "",
        branchName: "main",
        environmentType: "PRODUCTION",
      });
    });

    test("its address returns 404, and is the one that its status names", async () => {
      const place = { project: "address", branch: "main" };
      const { statusId } = await requestUpload(client, place);
      const { name, url } = await onlyDeployment(client, "address");
      expect(url).toBe(`http://${name}.localhost:${new URL(server.url).port}`);
      expect((await readStatus(client, place, statusId)).body.url).toBe(url);
      const response = await callHost(server.url, new URL(url).hostname, "/");
      expect(await response.json()).toMatchObject({ status: 404, code: "deployment_not_found" });
    });
  });

  describe("a deployment", () => {
    const branches: [branch: string, slug: string, environmentType: string][] = [
      ["main", "main", "PRODUCTION"],
      ["feature/Login-Page", "feature-lo", "PREVIEW"],
      ["Main", "main", "PREVIEW"],
      ["größe ✓", "gr-e", "PREVIEW"],
      ["b".repeat(255), "bbbbbbbbbb", "PREVIEW"],
    ];
    test.each(branches)("a deployment of branch %s has its own name", async (branch, slug, environmentType) => {
      const project = `branches-${++count}`;
      await requestUpload(client, { project, branch });
      const deployment = await onlyDeployment(client, project);
      const code = deployment.name.slice(-7);
      expect(deployment).toMatchObject({
        name: `${project}-${slug}-${code}`,
        label: branch,
        urlParameter: branch,
        branchName: branch,
        loggingId: `${account}::${project}::${branch}::${code}`,
        environmentType,
      });
      expect(code).toMatch(/^[0-9a-f]{7}$/);
    });

    test("keeps its name; another branch, project or account has another", async () => {
      const stranger = await strangerOf(client, `naming-${++count}`);
      const accountName = `naming-${count}`;
      const nameOf = async (caller: Client, place: { accountName?: string; project: string; branch: string }) => {
        const { statusId } = await requestUpload(caller, place);
        const { body } = await readStatus(caller, place, statusId);
        return new URL(body.url).hostname.split(".")[0]!;
      };
      const name = await nameOf(client, { project: "naming", branch: "main" });
      expect(await nameOf(client, { project: "naming", branch: "main" })).toBe(name);
      const others = [
        await nameOf(client, { project: "naming", branch: "main/" }),
        await nameOf(client, { project: "naming-main", branch: "main" }),
        await nameOf(stranger, { accountName, project: "naming", branch: "main" }),
      ];
      expect(new Set([name, ...others]).size).toBe(4);
    });

    test("fits into a host name however long its project and branch are called", async () => {
      const project = "a".repeat(44);
      await requestUpload(client, { project, branch: "b".repeat(255) });
      const { name } = await onlyDeployment(client, project);
      expect(name).toHaveLength(63);
    });

    test("is created once by concurrent requests", async () => {
      const place = { project: "together", branch: "main" };
      await Promise.all(Array.from({ length: 20 }, () => requestUpload(client, place)));
      await onlyDeployment(client, "together");
    });
  });

  describe("is rejected, and makes nothing:", () => {
    const bad: [what: string, body: unknown, pointer: string][] = [
      ["no account", { ...orders, accountName: undefined }, "/accountName"],
      ["no project", { ...orders, projectName: undefined }, "/projectName"],
      ["no branch", { ...orders, branchName: undefined }, "/branchName"],
      ["an account that is a number", { ...orders, accountName: 1 }, "/accountName"],
      ["a project that is null", { ...orders, projectName: null }, "/projectName"],
      ["a branch that is a list", { ...orders, branchName: ["main"] }, "/branchName"],
      ["an unknown field", { ...orders, branch: "main" }, "/branch"],
      ["a project without a name", { ...orders, projectName: "" }, "/projectName"],
      ["a project of 45 characters", { ...orders, projectName: "a".repeat(45) }, "/projectName"],
      ["a project with capitals", { ...orders, projectName: "Orders" }, "/projectName"],
      ["a project with a dot", { ...orders, projectName: "or.ders" }, "/projectName"],
      ["a project that begins with a dash", { ...orders, projectName: "-orders" }, "/projectName"],
      ["a project that ends with a dash", { ...orders, projectName: "orders-" }, "/projectName"],
      ["a project that ends with a line break", { ...orders, projectName: "orders\n" }, "/projectName"],
      ["a branch without a name", { ...orders, branchName: "" }, "/branchName"],
      ["a branch of 256 characters", { ...orders, branchName: "b".repeat(256) }, "/branchName"],
      ["a branch with a line break", { ...orders, branchName: "ma\nin" }, "/branchName"],
      ["a branch with a NUL", { ...orders, branchName: "ma\0in" }, "/branchName"],
      ["a branch with a DEL", { ...orders, branchName: "ma\x7fin" }, "/branchName"],
      ["a branch with half a character", { ...orders, branchName: "ma\ud800in" }, "/branchName"],
      ["no body", undefined, ""],
      ["a list", [orders], ""],
    ];
    test.each(casesFor(engine, bad))("%s", async (_what, body, pointer) => {
      const before = await everything();
      expectProblem(await client.post(sources, body), 400, "validation_failed", { pointer });
      expect(await everything()).toEqual(before);
    });

    test("a body that is not JSON", async () => {
      const before = await everything();
      expectProblem(await client.raw("POST", sources, "{"), 400, "invalid_json");
      expect(await everything()).toEqual(before);
    });

    test("another account's name, as if it did not exist", async () => {
      await strangerOf(client, `other-${++count}`);
      const before = await everything();
      const foreign = await client.post(sources, { ...orders, accountName: `other-${count}` });
      const missing = await client.post(sources, { ...orders, accountName: "nobody" });
      expectProblem(foreign, 404, "not_found");
      expect(foreign.body.detail).toBe(missing.body.detail);
      expect(await everything()).toEqual(before);
    });

    test("no credential", async () => {
      const before = await everything();
      expectProblem(await client.anonymous().post(sources, orders), 401, "unauthenticated");
      expectProblem(await client.as("wrong").post(sources, orders), 401, "unauthenticated");
      expect(await everything()).toEqual(before);
    });

    test.each(["reader", "verifier"] as const)("the role %s", async (role) => {
      const caller = await callerWithRole(client, role);
      const before = await everything();
      expectProblem(await caller.post(sources, orders), 403, "forbidden");
      expect(await everything()).toEqual(before);
    });

    test("an operator who names no account, or two", async () => {
      await strangerOf(client, `operated-${++count}`);
      const operator = client.as(operatorToken);
      const before = await everything();
      const body = { ...orders, accountName: `operated-${count}` };
      expectProblem(await operator.post(sources, body), 400, "validation_failed", { pointer: "?accountName" });
      expectProblem(await operator.post(`${sources}?accountName=${account}`, body), 404, "not_found");
      expectProblem(await operator.post(`${sources}?accountName=nobody`, body), 404, "not_found");
      expect(await everything()).toEqual(before);
    });

    test("other methods", async () => {
      const before = await everything();
      for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
        const response = await client.raw(method, sources);
        expectProblem(response, 405, "method_not_allowed");
        expect(response.headers.get("allow")).toBe("POST");
      }
      expect(await everything()).toEqual(before);
    });
  });

  test("an editor and the operator may request one", async () => {
    const editor = await callerWithRole(client, "editor");
    expect((await editor.post(sources, orders)).status).toBe(200);
    const accountName = `requested-${++count}`;
    await strangerOf(client, accountName);
    const operator = client.as(operatorToken);
    const place = { accountName, project: "requested", branch: "main" };
    await requestUpload(operator, place);
    expect(await onlyDeployment(operator, "requested", accountName)).toMatchObject({ accountName });
  });
});
