import { afterAll, beforeAll, expect, test } from "bun:test";
import { callerWithRole, strangerOf } from "../../../../../test/support/callers.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { type Deployed, deploy, openApi } from "../../../../../test/support/project.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";
import { echoUpstream } from "../../../../../test/support/versioned-project.ts";

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  const upstream = echoUpstream();
  const place = { project: "contents", branch: "main" };
  let deployed: Deployed;
  afterAll(() => upstream.stop(true));

  const project = (region: string, code: string) => ({
    "tollgate.json": {
      environment: { REGION: region },
      policies: {
        key: { type: "api-key", options: { bucket: "main" } },
        credential: {
          type: "headers",
          options: { request: { set: { "x-upstream-token": `Bearer \${UPSTREAM_TOKEN}` } } },
        },
      },
    },
    "openapi.json": openApi({
      "/orders": { "x-tollgate": { upstream: upstream.url.origin, policies: ["key", "credential"] } },
      "/hello": { "x-tollgate": { handler: "modules/hello.ts" } },
    }),
    "modules/hello.ts": code,
  });
  const contents = (number: string | number, caller = client) =>
    caller.get(`/v1/deployments/${deployed.name}/versions/${number}`);

  beforeAll(async () => {
    const variable = `/v1/accounts/${account}/projects/contents/variables/UPSTREAM_TOKEN`;
    const secret = { value: "do-not-show-this-secret", isSecret: true };
    await client.raw("PUT", variable, JSON.stringify(secret));
    await deploy(server, place, project("eu", 'export default () => new Response("first");'));
    deployed = await deploy(server, place, project("us", 'export default () => new Response("second");'));
  });

  test("has routes, policies, variables and code as they were built", async () => {
    const [first, second] = [await contents(1), await contents(2)];
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ number: 1, isActive: false, routes: 2 });
    expect(second.body).toMatchObject({ number: 2, isActive: true });
    expect(first.body.contents.environment).toEqual({ REGION: "eu" });
    expect(second.body.contents.environment).toEqual({ REGION: "us" });
    expect(first.body.contents.code).toContain("first");
    expect(second.body.contents.code).toContain("second");
    expect(second.body.contents.document.file).toBe("openapi.json");
    expect(JSON.parse(second.body.contents.document.text).paths["/hello"]).toMatchObject({
      get: { "x-tollgate": { handler: "modules/hello.ts" } },
    });
    expect(second.body.contents.policies.key).toMatchObject({ type: "api-key", options: { bucket: "main" } });
    const orders = second.body.contents.routes.find(({ path }: { path: string }) => path === "/orders");
    expect(orders).toMatchObject({
      method: "GET",
      policies: ["key", "credential"],
      target: { upstream: upstream.url.origin },
    });
  });

  test("shows the name of a secret instead of its value", async () => {
    const { body, text } = await contents(2);
    expect(body.contents.policies.credential.options.request.set["x-upstream-token"]).toBe(`Bearer \${UPSTREAM_TOKEN}`);
    expect(text).not.toContain("do-not-show");
    expect(text).not.toContain("tgsecret");
  });

  test("has another ETag once it serves no more", async () => {
    const before = await contents(2);
    expect((await client.get(`/v1/deployments/${deployed.name}/versions/2`, ifNoneMatch(before))).status).toBe(304);
    await client.post(`/v1/deployments/${deployed.name}/rollback`, { version: 1 });
    expect((await client.get(`/v1/deployments/${deployed.name}/versions/2`, ifNoneMatch(before))).status).toBe(200);
  });

  test.each(["3", "0", "01", "one", "-1", "99999999999999999999"])("there is no version %s", async (number) => {
    expectProblem(await contents(number), 404, "not_found");
  });

  test("requires a role that may deploy", async () => {
    expectProblem(await contents(1, client.anonymous()), 401, "unauthenticated");
    expectProblem(await contents(1, await callerWithRole(client, "reader")), 403, "forbidden");
    expectProblem(await contents(1, await strangerOf(client, "contents-stranger")), 404, "not_found");
    expect((await contents(1, await callerWithRole(client, "editor"))).status).toBe(200);
  });
});

const ifNoneMatch = ({ headers }: { headers: Headers }) => ({ "if-none-match": headers.get("etag")! });
