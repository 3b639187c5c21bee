import { beforeAll, describe, expect, test } from "bun:test";
import { callerWithRole, strangerOf } from "../../../../test/support/callers.ts";
import type { Client } from "../../../../test/support/client.ts";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../test/support/server.ts";
import { account, operatorToken } from "../../../../test/support/server-settings.ts";

let count = 0;

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  const newProject = () => `/v1/accounts/${account}/projects/variables-${++count}/variables`;
  const put = (path: string, body: unknown, headers: Record<string, string> = {}, caller: Client = client) =>
    caller.raw("PUT", path, JSON.stringify(body), { "content-type": "application/json", ...headers });
  const names = async (project: string) =>
    (await client.get(project)).body.data.map(({ name }: { name: string }) => name);

  test("are set, listed, read, replaced and deleted", async () => {
    const project = newProject();
    const created = await put(`${project}/REGION`, { value: "eu" });
    const region = {
      name: "REGION",
      isSecret: false,
      environments: ["production", "preview"],
      value: "eu",
      createdOn: server.clock.iso(),
      updatedOn: server.clock.iso(),
    };
    expect([created.status, created.body]).toEqual([200, region]);
    const { value: _, ...rest } = region;
    const token = { ...rest, name: "TOKEN", isSecret: true, environments: ["production"] };
    expect((await put(`${project}/TOKEN`, { value: "secret-value", isSecret: true })).body).toEqual(token);
    const { body } = await client.get(project);
    expect(body).toEqual({ data: [region, token], limit: 1000, offset: 0, total: 2 });
    expect((await client.get(`${project}?limit=1&offset=1`)).body).toMatchObject({ data: [token], total: 2 });
    expect((await client.get(`${project}/TOKEN`)).body).toEqual(token);

    server.clock.advance(1000);
    const replaced = await put(`${project}/TOKEN`, { value: "x", environments: ["staging"] });
    expect(replaced.body).toEqual({
      ...token,
      isSecret: false,
      environments: ["staging"],
      value: "x",
      updatedOn: server.clock.iso(),
    });
    expect((await client.delete(`${project}/REGION`)).status).toBe(204);
    expectProblem(await client.get(`${project}/REGION`), 404, "not_found");
    expectProblem(await client.delete(`${project}/REGION`), 404, "not_found");
    expect(await names(project)).toEqual(["TOKEN"]);
  });

  test("are changed and deleted only if If-Match matches", async () => {
    const project = newProject();
    const { headers } = await put(`${project}/A`, { value: "1" });
    const etag = headers.get("etag")!;
    expect((await put(`${project}/A`, { value: "2" }, { "if-match": etag })).status).toBe(200);
    expectProblem(await put(`${project}/A`, { value: "3" }, { "if-match": etag }), 412, "precondition_failed");
    expectProblem(await client.delete(`${project}/A`, { "if-match": etag }), 412, "precondition_failed");
    expect((await client.get(`${project}/A`)).body.value).toBe("2");
    expectProblem(await put(`${project}/B`, { value: "1" }, { "if-match": etag }), 412, "precondition_failed");
    expect(await names(project)).toEqual(["A"]);
  });

  test.each(
    casesFor(engine, [
      ["a short secret", "A", { value: "1234567", isSecret: true }],
      ["a secret of spaces", "A", { value: " ".repeat(20), isSecret: true }],
      ["a secret of tabs and line ends", "A", { value: "\t\r\n".repeat(5), isSecret: true }],
      ["no value", "A", { isSecret: true }],
      ["a value that is no text", "A", { value: 1 }],
      ["a long value", "A", { value: "x".repeat(32_769) }],
      ["an unknown member", "A", { value: "1", secret: true }],
      ["no environments", "A", { value: "1", environments: [] }],
      ["an environment twice", "A", { value: "1", environments: ["a", "a"] }],
      ["an environment that is no text", "A", { value: "1", environments: [1] }],
      ["a name with a dash", "A-B", { value: "1" }],
      ["a name with a digit first", "1A", { value: "1" }],
    ]),
  )("reject %s, and nothing changes", async (_, name, body) => {
    const project = newProject();
    const response = await put(`${project}/${name}`, body);
    expect([response.status, response.body.code]).toEqual([400, "validation_failed"]);
    expect(await names(project)).toEqual([]);
  });

  test("a value of spaces may be plain; as a secret it is rejected with the reason", async () => {
    const project = newProject();
    const value = " ".repeat(20);
    expect((await put(`${project}/A`, { value })).body.value).toBe(value);
    expect((await put(`${project}/A`, { value, isSecret: true })).body.errors).toEqual([
      { pointer: "/value", detail: "must not be whitespace alone: such a secret could not be redacted from logs" },
    ]);
  });

  test("reject a project that cannot be", async () => {
    const response = await put(`/v1/accounts/${account}/projects/Not_A_Project/variables/A`, { value: "1" });
    expect([response.status, response.body.code]).toEqual([400, "validation_failed"]);
  });

  test("a project has at most 100 variables", async () => {
    const project = newProject();
    for (let index = 0; index < 100; index++) await put(`${project}/V${index}`, { value: "1" });
    expectProblem(await put(`${project}/ONE_MORE`, { value: "1" }), 409, "too_many_variables");
    expect((await put(`${project}/V99`, { value: "2" })).status).toBe(200);
    expect((await client.get(project)).body.total).toBe(100);
  });

  describe("access", () => {
    let stranger: Client;
    beforeAll(async () => {
      stranger = await strangerOf(client, "variables-stranger");
    });

    test("no credential, another account, and a role that is too weak", async () => {
      const project = newProject();
      await put(`${project}/A`, { value: "1" });
      const reader = await callerWithRole(client, "reader");
      const verifier = await callerWithRole(client, "verifier");
      const editor = await callerWithRole(client, "editor");
      const statuses = async (caller: Client) => [
        (await caller.get(project)).status,
        (await caller.get(`${project}/A`)).status,
        (await put(`${project}/A`, { value: "2" }, {}, caller)).status,
        (await caller.delete(`${project}/A`)).status,
      ];
      expect(await statuses(client.anonymous())).toEqual([401, 401, 401, 401]);
      expect(await statuses(stranger)).toEqual([404, 404, 404, 404]);
      expect(await statuses(reader)).toEqual([200, 200, 403, 403]);
      expect(await statuses(verifier)).toEqual([403, 403, 403, 403]);
      expect((await client.get(`${project}/A`)).body.value).toBe("1");
      expect(await statuses(editor)).toEqual([200, 200, 200, 204]);
    });

    test("each account has its own project of a name", async () => {
      const project = newProject();
      const theirs = project.replace(account, "variables-stranger");
      await put(`${project}/A`, { value: "ours" });
      expect((await stranger.get(theirs)).body.total).toBe(0);
      await put(`${theirs}/A`, { value: "theirs" }, {}, stranger);
      expect((await client.get(`${project}/A`)).body.value).toBe("ours");
    });
  });

  test("variables are deleted with their account", async () => {
    const gone = await strangerOf(client, "variables-gone");
    const path = "/v1/accounts/variables-gone/projects/p/variables";
    await put(`${path}/A`, { value: "1" }, {}, gone);
    expect((await client.as(operatorToken).delete("/v1/accounts/variables-gone")).status).toBe(204);
    const again = await strangerOf(client, "variables-gone");
    expect((await again.get(path)).body.total).toBe(0);
  });
});
