import { expect, test } from "bun:test";
import { strangerOf } from "../../../../../test/support/callers.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { deploy, openApi } from "../../../../../test/support/project.ts";
import { useServer } from "../../../../../test/support/server.ts";

const upstream = "http://127.0.0.1:9";

function project({ isNew }: { isNew: boolean }) {
  const guarded = (...policies: string[]) => ({ "x-tollgate": { policies } });
  const limit = isNew ? 20 : 10;
  return {
    "openapi.json": openApi({
      "/orders": isNew ? guarded("key", "limit") : guarded("limit"),
      ...(isNew ? { "/new": guarded("limit") } : { "/old": guarded("limit") }),
    }),
    "tollgate.json": {
      upstream,
      policies: {
        limit: {
          type: "rate-limit",
          ...(isNew && { mode: "observe" }),
          options: { requests: limit, windowSeconds: 60, by: "ip" },
        },
        ...(isNew && { key: { type: "api-key", options: { bucket: "main" } } }),
      },
    },
  };
}

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;

  test("a preview is compared with production, without values of options", async () => {
    const production = await deploy(server, { project: "shop", branch: "main" }, project({ isNew: false }));
    const preview = await deploy(server, { project: "shop", branch: "feature" }, project({ isNew: true }));
    const path = `/v1/deployments/${preview.name}/changes`;
    const { body } = await client.get(path);
    expect(body).toEqual({
      version: 1,
      with: { deploymentName: production.name, version: 1 },
      routes: [
        { method: "GET", path: "/orders", change: "changed", details: ["policies: limit → key, limit"] },
        { method: "GET", path: "/old", change: "removed", details: [] },
        { method: "GET", path: "/new", change: "added", details: ["policies: limit"] },
      ],
      policies: [
        { name: "limit", change: "changed", details: ["other options: requests", "mode: enforce → observe"] },
        { name: "key", change: "added", details: ["type api-key"] },
      ],
      breaking: [{ method: "GET", path: "/old", detail: "is removed" }],
    });
    expect((await client.get(`${path}?with=${production.name}`)).body).toEqual(body);
    // Production has nothing to be compared with, unless another deployment is named.
    const own = `/v1/deployments/${production.name}/changes`;
    expect((await client.get(own)).body).toEqual({ version: 1, routes: [], policies: [], breaking: [] });
    expect((await client.get(`${own}?with=${preview.name}`)).body.routes).toHaveLength(3);
  });

  test("two versions of a deployment are compared, in both directions", async () => {
    const { name } = await deploy(server, { project: "twice", branch: "main" }, project({ isNew: false }));
    await deploy(server, { project: "twice", branch: "main" }, project({ isNew: true }));
    const path = `/v1/deployments/${name}/changes`;
    const { body } = await client.get(`${path}?withVersion=1`);
    expect(body).toMatchObject({ version: 2, with: { deploymentName: name, version: 1 } });
    expect(body.policies).toContainEqual({ name: "key", change: "added", details: ["type api-key"] });
    const back = (await client.get(`${path}?version=1&withVersion=2`)).body;
    expect(back).toMatchObject({ version: 1, with: { version: 2 } });
    expect(back.policies).toContainEqual({ name: "key", change: "removed", details: ["type api-key"] });
    expectProblem(await client.get(`${path}?withVersion=3`), 404, "not_found");
    expectProblem(await client.get(`${path}?version=3`), 404, "not_found");
    for (const query of ["withVersion=0", "withVersion=one", `withVersion=1&with=${name}`])
      expectProblem(await client.get(`${path}?${query}`), 400, "validation_failed", { pointer: "?withVersion" });
  });

  test("documents in YAML are compared and offered as tools, also in flow style and with aliases", async () => {
    const target = `x-tollgate: {upstream: "${upstream}"}`;
    const query = "{name: q, in: query, required: true, schema: {type: string}}";
    const files = (parameters: string) => ({
      "openapi.yaml": `{openapi: 3.1.0, info: {title: T, version: "1"}, paths: {
        /a: {get: {operationId: a, parameters: [&q ${query}], responses: {}, ${target}}},
        /b: {get: {operationId: b, parameters: [${parameters}], responses: {}, ${target}}}}}`,
    });
    const place = { project: "yaml", branch: "main" };
    await deploy(server, place, files(""));
    const { name } = await deploy(server, place, files("*q"));
    const { body } = await client.get(`/v1/deployments/${name}/changes?withVersion=1`);
    expect(body.breaking).toEqual([{ method: "GET", path: "/b", detail: "requires the query parameter q" }]);
    const { data } = (await client.get(`/v1/deployments/${name}/routes?tools=true`)).body;
    expect(data).toMatchObject([{ tool: { bytes: expect.any(Number) } }, { tool: { bytes: expect.any(Number) } }]);
    const { contents } = (await client.get(`/v1/deployments/${name}/versions/2`)).body;
    expect(Object.keys(contents.document)).toEqual(["file", "text"]);
  });

  test("only deployments of the same project can be compared", async () => {
    const files = { "openapi.json": openApi({ "/a": { "x-tollgate": { upstream } } }) };
    const one = await deploy(server, { project: "one", branch: "main" }, files);
    const other = await deploy(server, { project: "other", branch: "main" }, files);
    const path = `/v1/deployments/${one.name}/changes`;
    for (const name of [other.name, one.name, "none", ""])
      expectProblem(await client.get(`${path}?with=${name}`), 400, "validation_failed", { pointer: "?with" });
    expectProblem(await client.get(`${path}?from=${other.name}`), 400, "validation_failed", { pointer: "?from" });
    expectProblem(await client.anonymous().get(path), 401, "unauthenticated");
    expectProblem(await client.get("/v1/deployments/none/changes"), 404, "not_found");
    const stranger = await strangerOf(client, `changes-${engine.name}`);
    expectProblem(await stranger.get(path), 404, "not_found");
  });
});
