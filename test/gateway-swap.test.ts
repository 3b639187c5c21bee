import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Artifact } from "../src/core/artifact/artifact.ts";
import { artifactOf, TestGateway } from "./support/gateway.ts";
import { until } from "./support/until.ts";
import { type RawRequest, RawUpstream, responseText } from "./support/upstream.ts";

let gateway: TestGateway;
let upstream: RawUpstream;
/** Requests to /pending wait here until the test responds. */
let pending: RawRequest[] = [];

beforeEach(async () => {
  pending = [];
  gateway = new TestGateway();
  upstream = await RawUpstream.start((request) => {
    if (request.path.endsWith("/pending")) pending.push(request);
    else request.socket.write(responseText(request.path));
  });
});

afterEach(async () => {
  await gateway.stop();
  await upstream.stop();
});

/** A version whose upstream URL has a distinct base path, so that responses show which version sent them. */
function version(label: string): Artifact {
  const target = { upstream: `${upstream.url}/${label}` };
  return artifactOf([
    { path: "/x", target },
    { path: "/pending", target },
  ]);
}

/** A version that cannot be started. */
const broken = () => artifactOf([{ path: "/x", target: { upstream: upstream.url }, policies: ["missing"] }]);

const textOf = async (path = "/x") => (await gateway.fetch("shop", path)).text();

test("a new version takes over under load, and no request fails", async () => {
  await gateway.deploy("shop", version("v0"));
  let isLoading = true;
  const seen: string[] = [];
  const load = Array.from({ length: 8 }, async () => {
    while (isLoading) {
      const response = await gateway.fetch("shop", "/x");
      seen.push(`${response.status} ${await response.text()}`);
    }
  });
  for (let index = 1; index <= 10; index++) {
    await gateway.deploy("shop", version(`v${index}`));
    expect(await textOf()).toBe(`/v${index}/x`);
  }
  isLoading = false;
  await Promise.all(load);
  expect(seen.length).toBeGreaterThan(20);
  expect(seen.filter((text) => !/^200 \/v\d+\/x$/.test(text))).toEqual([]);
});

test("the old version finishes its requests", async () => {
  await gateway.deploy("shop", version("old"));
  const begun = gateway.fetch("shop", "/pending");
  await until(() => pending.length === 1);
  await gateway.deploy("shop", version("new"));
  expect(await textOf()).toBe("/new/x");
  pending[0]!.socket.write(responseText("late"));
  expect(await (await begun).text()).toBe("late");
  expect(pending[0]!.path).toBe("/old/pending");
});

test("a version that cannot be prepared throws the reason, and the old one serves", async () => {
  await gateway.deploy("shop", version("old"));
  const failing = gateway.gateway.prepare(gateway.deployments.version("shop", broken()));
  await expect(failing).rejects.toThrow("A route names the policy missing, which does not exist.");
  expect(await textOf()).toBe("/old/x");
});

test("a prepared version gets no traffic before it is activated", async () => {
  await gateway.deploy("shop", version("old"));
  await gateway.gateway.prepare(gateway.deployments.version("shop", version("never")));
  await gateway.changed("shop");
  expect(await textOf()).toBe("/old/x");
});

test("another node's activation is applied without preparation on this node", async () => {
  await gateway.deploy("shop", version("old"));
  gateway.deployments.activate(gateway.deployments.version("shop", version("new")));
  await gateway.changed("shop");
  expect(await textOf()).toBe("/new/x");
});

test("a version that fails to start here is retried, while the old one serves", async () => {
  await gateway.deploy("shop", version("old"));
  const next = gateway.deployments.version("shop", version("new"));
  gateway.deployments.artifacts.delete(next.versionSeq);
  gateway.deployments.activate(next);
  await gateway.changed("shop");
  expect(await textOf()).toBe("/old/x");
  await until(() => gateway.logLines.join("").includes("the old one keeps serving"));
  gateway.deployments.artifacts.set(next.versionSeq, next.artifact);
  await until(async () => (await textOf()) === "/new/x", { what: "the new version" });
});

test("a deleted deployment disappears immediately, with its metrics", async () => {
  await gateway.deploy("shop", version("old"));
  await textOf();
  gateway.deployments.live.delete("shop");
  void gateway.changed("shop");
  const response = await gateway.fetch("shop", "/x");
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ code: "deployment_not_found" });
  expect(gateway.metrics.text({ withNames: true })).not.toContain('deployment="shop"');
});

test("fifty first requests load a cold deployment once", async () => {
  gateway.deployments.activate(gateway.deployments.version("shop", version("cold")));
  const texts = await Promise.all(Array.from({ length: 50 }, () => textOf()));
  expect(new Set(texts)).toEqual(new Set(["/cold/x"]));
  expect(gateway.deployments.loads).toBe(1);
});

test("a cold deployment that fails to start is 503, and served after a later start", async () => {
  const cold = gateway.deployments.version("shop", version("cold"));
  gateway.deployments.artifacts.delete(cold.versionSeq);
  gateway.deployments.activate(cold);
  const responses = await Promise.all(Array.from({ length: 20 }, () => gateway.fetch("shop", "/x")));
  expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 503));
  expect(responses[0]!.headers.get("retry-after")).toBe("1");
  expect(await responses[0]!.json()).toMatchObject({ code: "deployment_unavailable" });
  expect(gateway.deployments.loads).toBe(1);
  gateway.deployments.artifacts.set(cold.versionSeq, cold.artifact);
  await until(async () => (await textOf()) === "/cold/x", { what: "the deployment to start" });
});
