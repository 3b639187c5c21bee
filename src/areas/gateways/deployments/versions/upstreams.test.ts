// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${NAME}` is the syntax of variables in projects, not a template literal.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { callerWithRole, strangerOf } from "../../../../../test/support/callers.ts";
import { makeCertificate } from "../../../../../test/support/certificates.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { build, type Deployed, deploy, openApi } from "../../../../../test/support/project.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";
import { TestTarget } from "../../../../../test/support/target.ts";
import { until } from "../../../../../test/support/until.ts";

const certificate = makeCertificate(["127.0.0.1"]);
eachEngine((engine) => {
  let targets: TestTarget[];
  beforeAll(async () => {
    const tls = { cert: certificate.certificate, key: certificate.key };
    targets = await Promise.all([TestTarget.start("one"), TestTarget.start("two"), TestTarget.start("secure", tls)]);
  });
  afterAll(() => Promise.all(targets.map((target) => target.stop())));
  const token = "metrics-token-of-the-tests-1a2b3c";
  const server = useServer(engine, { environment: { TOLLGATE_METRICS_TOKEN: token } });
  const metrics = async () =>
    (await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();
  const { client } = server;
  const place = { project: "upstreams", branch: "main" };
  let deployed: Deployed;

  const setSecret = (name: string, value: string) =>
    client.raw(
      "PUT",
      `/v1/accounts/${account}/projects/upstreams/variables/${name}`,
      JSON.stringify({ value, isSecret: true }),
    );
  const upstreams = (caller = client) => caller.get(`/v1/deployments/${deployed.name}/upstreams`);

  const project = () => ({
    "tollgate.json": {
      upstream: {
        targets: [{ url: targets[0]!.url }, { url: "${SECOND}", weight: 3 }],
        health: { path: "/health", intervalSeconds: 1, unhealthyAfter: 1, healthyAfter: 1 },
        retries: { attempts: 2 },
      },
    },
    "openapi.json": openApi({
      "/orders": {},
      "/secure": { "x-tollgate": { upstream: { targets: [{ url: targets[2]!.url }], tls: { ca: "${CA}" } } } },
      "/plain": { "x-tollgate": { upstream: targets[0]!.url } },
    }),
  });

  beforeAll(async () => {
    await setSecret("SECOND", targets[1]!.url);
    await setSecret("CA", certificate.certificate);
    deployed = await deploy(server, place, project());
  });

  test("lists targets with their health, and never the values of secrets", async () => {
    targets[1]!.health = 500;
    const response = await until(async () => {
      const listed = await upstreams();
      return listed.body.data[0].targets[1].state === "unhealthy" ? listed : undefined;
    });
    expect(response.status).toBe(200);
    expect(response.body.version).toBe(1);
    const [balanced, secure, plain] = response.body.data;
    expect(balanced).toMatchObject({ balance: "round-robin", hasHealthChecks: true, hasRetries: true, routes: 1 });
    expect(balanced.targets).toMatchObject([
      { url: targets[0]!.url, weight: 1, state: "up" },
      { url: "${SECOND}", weight: 3, state: "unhealthy", lastCheck: { passed: false, status: 500 } },
    ]);
    expect(secure).toMatchObject({ usesOwnTls: true, targets: [{ state: "unchecked" }] });
    expect(plain).toMatchObject({ hasRetries: false, targets: [{ url: targets[0]!.url, state: "unchecked" }] });
    for (const text of [response.text, await metrics()]) expect(text).not.toContain(targets[1]!.url);
    targets[1]!.health = 200;
  });

  test("metrics show which targets are up, and their attempts", async () => {
    await deployed.call("/orders");
    const lines = (await metrics()).split("\n");
    const labels = `{deployment="${deployed.name}",target="${targets[0]!.url}"`;
    expect(lines).toContain(`tollgate_upstream_target_up${labels}} 1`);
    expect(
      lines.some((line) => line.startsWith(`tollgate_upstream_attempts_total${labels},outcome="succeeded"}`)),
    ).toBe(true);
  });

  test("a secret CA is used, and one that is no certificate keeps a version from starting", async () => {
    expect(await (await deployed.call("/secure")).text()).toBe("secure");
    await setSecret("CA", "not a certificate");
    try {
      const { status } = await build(client, place, project());
      expect(status.status).toBe("ERROR");
      expect(status.buildResult.errors).toMatchObject([
        { file: "openapi.json", message: expect.stringContaining('"tls.ca" of an upstream must be the PEM text') },
      ]);
      expect((await deployed.call("/secure")).status).toBe(503);
    } finally {
      await setSecret("CA", certificate.certificate);
    }
    await until(async () => (await deployed.call("/secure")).status === 200);
  });

  test("the routes and contents of the version show all targets", async () => {
    const routes = await client.get(`/v1/deployments/${deployed.name}/routes`);
    const orders = routes.body.data.find(({ path }: { path: string }) => path === "/orders");
    expect(orders.target).toEqual({ upstream: targets[0]!.url, targets: [targets[0]!.url, "${SECOND}"] });
    const { body } = await client.get(`/v1/deployments/${deployed.name}/versions/1`);
    expect(body.contents.upstreams[0]).toMatchObject({ balance: "round-robin", retries: { attempts: 2 } });
  });

  test("during a canary release, lists the targets of both versions", async () => {
    const files = { ...project(), "openapi.json": openApi({ "/orders": {} }) };
    files["tollgate.json"].upstream.targets.push({ url: targets[2]!.url });
    await deploy(server, { ...place, activate: false }, files);
    const traffic = `/v1/deployments/${deployed.name}/traffic`;
    const number = (await client.get(`/v1/deployments/${deployed.name}/versions`)).body.data
      .map((version: { number: number }) => version.number)
      .sort((a: number, b: number) => b - a)[0];
    const splits = [
      { versionNumber: 1, weight: 50 },
      { versionNumber: number, weight: 50 },
    ];
    expect((await client.raw("PUT", traffic, JSON.stringify({ splits }))).status).toBe(200);
    try {
      const { body } = await upstreams();
      expect(body.version).toBe(1);
      expect(body.data.map(({ version }: { version: number }) => version)).toEqual([1, 1, 1, number]);
      // The third target is checked, and its certificate is not trusted.
      const third = await until(async () => {
        const { state, lastCheck } = (await upstreams()).body.data[3].targets[2];
        return state === "unhealthy" ? lastCheck : undefined;
      });
      expect(third).toMatchObject({ passed: false });
    } finally {
      await client.delete(traffic);
    }
    expect((await upstreams()).body.data).toHaveLength(3);
  });

  test("reading upstreams requires the role reader of the account", async () => {
    expectProblem(await upstreams(client.anonymous()), 401, "unauthenticated");
    expectProblem(await upstreams(await strangerOf(client, "upstreams-stranger")), 404, "not_found");
    expect((await upstreams(await callerWithRole(client, "reader"))).status).toBe(200);
    expectProblem(await client.get("/v1/deployments/nothing/upstreams"), 404, "not_found");
  });
});
