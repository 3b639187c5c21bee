// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${NAME}` is the syntax of variables in projects, not a template literal.
import { afterAll, describe, expect, test } from "bun:test";
import { eachEngine, postgres } from "../../../../test/support/engines.ts";
import { build, deploy, openApi } from "../../../../test/support/project.ts";
import { startServer, useServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";
import { until } from "../../../../test/support/until.ts";

let count = 0;
const newPlace = () => ({ project: `secrets-${++count}`, branch: "main" });
const pathOf = (project: string, name: string) => `/v1/accounts/${account}/projects/${project}/variables/${name}`;

/** Returns the values that it received. */
const upstream = Bun.serve({
  port: 0,
  fetch: (request) =>
    Response.json({ path: new URL(request.url).pathname, authorization: request.headers.get("authorization") }),
});
const origin = `http://127.0.0.1:${upstream.port}`;
afterAll(() => upstream.stop(true));

/** The values that an upstream or code reports. */
const jsonOf = async (response: Response | Promise<Response>) =>
  (await (await response).json()) as Record<string, string>;

const forwarding = {
  "openapi.json": openApi({ "/forwarded": {} }),
  "tollgate.json": {
    upstream: `${origin}/base/\${PATH_SECRET}`,
    defaultPolicies: ["token"],
    policies: {
      token: { type: "headers", options: { request: { set: { authorization: "Bearer ${UPSTREAM_TOKEN}" } } } },
    },
  },
};

const code = {
  "openapi.json": openApi({ "/env": { "x-tollgate": { handler: "modules/env.ts" } } }),
  "tollgate.json": { environment: { COMBINED: "<${API_TOKEN}|${PLAIN}>" } },
  "modules/env.ts": `export default (_request, context) => {
    console.log("it is", context.environment.API_TOKEN, "in the log");
    return Response.json(context.environment);
  };`,
};

const byPlace = (one: { file: string; line: number }, other: { file: string; line: number }) =>
  one.file.localeCompare(other.file) || one.line - other.line;

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  const secret = (project: string, name: string, value: string, environments?: string[]) =>
    client.raw("PUT", pathOf(project, name), JSON.stringify({ value, isSecret: true, environments }));
  const plain = (project: string, name: string, value: string) =>
    client.raw("PUT", pathOf(project, name), JSON.stringify({ value }));

  test("a header and an upstream have the current secret, from the next request after a change", async () => {
    const place = newPlace();
    expect((await secret(place.project, "UPSTREAM_TOKEN", "token-number-1")).status).toBe(200);
    await secret(place.project, "PATH_SECRET", "path-number-1");
    const { call } = await deploy(server, place, forwarding);
    const seen = () => jsonOf(call("/forwarded"));
    expect(await seen()).toEqual({ path: "/base/path-number-1/forwarded", authorization: "Bearer token-number-1" });
    for (let round = 2; round < 6; round++) {
      await secret(place.project, "UPSTREAM_TOKEN", `token-number-${round}`);
      await secret(place.project, "PATH_SECRET", `path-number-${round}`);
      expect(await seen()).toEqual({
        path: `/base/path-number-${round}/forwarded`,
        authorization: `Bearer token-number-${round}`,
      });
    }
  });

  test("an upstream may be a secret as a whole", async () => {
    const place = newPlace();
    await secret(place.project, "UPSTREAM", origin);
    const project = { "openapi.json": openApi({ "/a": { "x-tollgate": { upstream: "${UPSTREAM}/v1/" } } }) };
    const { call } = await deploy(server, place, project);
    expect((await jsonOf(call("/a"))).path).toBe("/v1/a");
    await secret(place.project, "UPSTREAM", "ftp://not.an.origin/");
    expect((await call("/a")).status).toBe(503);
    await secret(place.project, "UPSTREAM", `${origin}/v2`);
    expect((await jsonOf(call("/a"))).path).toBe("/v2/v1/a");
  });

  test("a rollback brings back plain variables, and no rotated secret", async () => {
    const place = newPlace();
    await secret(place.project, "API_TOKEN", "first-secret-value");
    await plain(place.project, "PLAIN", "first");
    await deploy(server, place, code);
    await secret(place.project, "API_TOKEN", "second-secret-value");
    await plain(place.project, "PLAIN", "second");
    const { call, name } = await deploy(server, place, code);
    const seen = () => jsonOf(call("/env"));
    expect(await seen()).toEqual({
      API_TOKEN: "second-secret-value",
      PLAIN: "second",
      COMBINED: "<second-secret-value|second>",
    });
    expect((await client.post(`/v1/deployments/${name}/rollback`, { version: 1 })).status).toBe(200);
    expect(await seen()).toEqual({
      API_TOKEN: "second-secret-value",
      PLAIN: "first",
      COMBINED: "<second-secret-value|first>",
    });
  });

  test("running code sees a changed, new or deleted secret in its next request", async () => {
    const place = newPlace();
    await secret(place.project, "API_TOKEN", "value-of-the-start");
    await plain(place.project, "PLAIN", "p");
    const { call, name } = await deploy(server, place, code);
    const seen = () => jsonOf(call("/env"));
    expect((await seen()).API_TOKEN).toBe("value-of-the-start");
    for (let round = 0; round < 5; round++) {
      await secret(place.project, "API_TOKEN", `value-of-round-${round}`);
      const responses = await Promise.all([seen(), seen(), seen()]);
      for (const response of responses) expect(response.API_TOKEN).toBe(`value-of-round-${round}`);
    }
    await secret(place.project, "ANOTHER", "another-secret-value");
    expect((await seen()).ANOTHER).toBe("another-secret-value");
    await client.delete(pathOf(place.project, "ANOTHER"));
    expect(await seen()).not.toHaveProperty("ANOTHER");
    await client.delete(pathOf(place.project, "API_TOKEN"));
    expect(await seen()).toEqual({ PLAIN: "p" });
    const lines = await until(async () => {
      const { body } = await client.get(`/v1/deployments/${name}/logs?kind=console`);
      return body.data.length >= 5 ? body.data : undefined;
    });
    expect(lines[0].message).toBe("it is [API_TOKEN] in the log");
    expect(JSON.stringify(lines)).not.toContain("value-of-");
  });

  test("routes that use a deleted secret respond with 503, others continue, and a restart changes nothing", async () => {
    const place = newPlace();
    await secret(place.project, "UPSTREAM_TOKEN", "token-to-delete");
    const project = {
      "openapi.json": openApi({ "/with": { "x-tollgate": { policies: ["token"] } }, "/without": {} }),
      "tollgate.json": { ...forwarding["tollgate.json"], upstream: origin, defaultPolicies: [] },
    };
    const { call, name } = await deploy(server, place, project);
    const statuses = async () => [(await call("/with")).status, (await call("/without")).status];
    expect(await statuses()).toEqual([200, 200]);
    await client.delete(pathOf(place.project, "UPSTREAM_TOKEN"));
    expect(await statuses()).toEqual([503, 200]);
    await server.restart();
    expect(await statuses()).toEqual([503, 200]);
    const rollback = await client.post(`/v1/deployments/${name}/rollback`, { version: 1 });
    expect([rollback.status, rollback.body.detail]).toEqual([
      409,
      "Version 1 does not start: The secret UPSTREAM_TOKEN is not set for this environment.",
    ]);
    await secret(place.project, "UPSTREAM_TOKEN", "token-that-is-back");
    expect(await statuses()).toEqual([200, 200]);
  });

  test("secrets whose values do not fit fail the start, each once where the project uses it", async () => {
    const place = newPlace();
    await secret(place.project, "UPSTREAM", "no address at all");
    await secret(place.project, "UPSTREAM_TOKEN", "two lines\nof a token");
    const project = {
      "openapi.json": openApi({ "/a": {}, "/b": {}, "/c": { "x-tollgate": { upstream: "https://${UPSTREAM}/v1/" } } }),
      "tollgate.json": { ...forwarding["tollgate.json"], upstream: "${UPSTREAM}/" },
    };
    const { status } = await build(client, place, project);
    expect(status.buildResult.errors.toSorted(byPlace)).toEqual([
      {
        file: "openapi.json",
        line: 22,
        column: 23,
        message:
          "The upstream https://${UPSTREAM}/v1 is not an http or https origin; `tollgate variables set UPSTREAM --secret` corrects that.",
      },
      {
        file: "tollgate.json",
        line: 2,
        column: 15,
        message:
          "The upstream ${UPSTREAM} is not an http or https origin; `tollgate variables set UPSTREAM --secret` corrects that.",
      },
      {
        file: "tollgate.json",
        line: 12,
        column: 30,
        message:
          "The options of the policy token are not valid with the current values of its secrets; `tollgate variables set UPSTREAM_TOKEN --secret` corrects that.",
      },
    ]);
    const [first] = status.buildResult.errors;
    expect(status.steps.start.message).toBe(
      `${first!.file}:${first!.line}:${first!.column}: ${first!.message} (and 2 more)`,
    );
    expect(JSON.stringify(status)).not.toMatch(/no address|two lines/);
  });

  test("a secret that is not set for the branch is a build error where it is used", async () => {
    const place = newPlace();
    await secret(place.project, "UPSTREAM_TOKEN", "only-in-production");
    await secret(place.project, "PATH_SECRET", "everywhere-else", ["production", "feature/x"]);
    const ok = await build(client, place, forwarding);
    expect(ok.status.status).toBe("SUCCESS");
    const { status } = await build(client, { ...place, branch: "feature/x" }, forwarding);
    expect(status.buildResult.errors).toEqual([
      {
        file: "tollgate.json",
        line: 12,
        column: 30,
        message:
          'the variable "UPSTREAM_TOKEN" is not set for preview (branch "feature/x"), only for production: set it with `tollgate variables set UPSTREAM_TOKEN --secret --environment production --environment preview`',
      },
    ]);
    const named = await build(client, { ...place, branch: "production" }, forwarding);
    expect(named.status.buildResult.errors).toHaveLength(2);
  });

  test("a project that makes another branch production takes its secrets along", async () => {
    const place = newPlace();
    await secret(place.project, "API_TOKEN", "secret-of-production");
    await plain(place.project, "PLAIN", "p");
    const withBranch = { ...code, "tollgate.json": { productionBranch: "trunk" } };
    const main = await deploy(server, place, { ...code, "tollgate.json": {} });
    expect((await jsonOf(main.call("/env"))).API_TOKEN).toBe("secret-of-production");
    const trunk = await deploy(server, { ...place, branch: "trunk" }, withBranch);
    expect((await jsonOf(trunk.call("/env"))).API_TOKEN).toBe("secret-of-production");
    await until(async () => (await jsonOf(main.call("/env"))).API_TOKEN === undefined);
  });

  test("a branch that makes itself production starts with the secrets of production", async () => {
    const place = newPlace();
    await secret(place.project, "UPSTREAM_TOKEN", "token-of-production", ["production"]);
    await secret(place.project, "PATH_SECRET", "path-of-production", ["production"]);
    const trunk = await deploy(
      server,
      { ...place, branch: "trunk" },
      { ...forwarding, "tollgate.json": { ...forwarding["tollgate.json"], productionBranch: "trunk" } },
    );
    expect(await jsonOf(trunk.call("/forwarded"))).toEqual({
      path: "/base/path-of-production/forwarded",
      authorization: "Bearer token-of-production",
    });
  });
});

describe("two nodes", () => {
  test("follow a changed secret", async () => {
    await using stack = new AsyncDisposableStack();
    const one = await startServer(postgres);
    stack.defer(() => one.stop());
    const two = await startServer(postgres, { database: one.database, clock: one.clock });
    stack.defer(() => two.stop());
    const place = newPlace();
    const set = (name: string, value: string) =>
      one.client.raw("PUT", pathOf(place.project, name), JSON.stringify({ value, isSecret: true }));
    await set("API_TOKEN", "token-number-1");
    await set("PLAIN", "plain-enough");
    const { call, url } = await deploy(one, place, code);
    const callTwo = () => fetch(`${two.url}/env`, { headers: { host: new URL(url).host } });
    const tokenAt = async (call: () => Promise<Response>) => (await jsonOf(call())).API_TOKEN;
    expect(await tokenAt(() => call("/env"))).toBe("token-number-1");
    expect(await tokenAt(callTwo)).toBe("token-number-1");
    await set("API_TOKEN", "token-number-2");
    expect(await tokenAt(() => call("/env"))).toBe("token-number-2");
    await until(async () => (await tokenAt(callTwo)) === "token-number-2");
  });
});
