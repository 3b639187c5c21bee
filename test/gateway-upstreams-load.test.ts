import { afterEach, beforeEach, expect, test } from "bun:test";
import type { ArtifactUpstream } from "../src/core/artifact/upstream-schema.ts";
import { artifactOf, TestGateway } from "./support/gateway.ts";
import { TestTarget } from "./support/target.ts";
import { until } from "./support/until.ts";

const requests = 1_500;
const workers = 30;

let gateway: TestGateway;
let targets: TestTarget[];

beforeEach(async () => {
  gateway = new TestGateway();
  targets = await Promise.all(["a", "b", "c"].map((name) => TestTarget.start(name)));
});

/** `perTrySeconds` is longer than a busy machine delays the response of a target that works. */
async function deployShop(perTrySeconds: number): Promise<void> {
  const upstream: ArtifactUpstream = {
    targets: targets.map(({ url }) => ({ url, weight: 1 })),
    balance: "round-robin",
    ejection: { consecutiveErrors: 3, seconds: 1, maxShare: 0.5 },
    retries: { attempts: 3, on: ["connect", "reset", "502", "503", "504"], perTrySeconds },
  };
  const target = { upstream: targets[0]!.url, balanced: 0 };
  const routes = ["GET", "POST", "PUT"].map((method) => ({ path: "/{id}", method, target, timeoutSeconds: 30 }));
  await gateway.deploy("shop", artifactOf(routes, { upstreams: [upstream] }));
}

afterEach(async () => {
  await gateway.stop();
  await Promise.all(targets.map((target) => target.stop()));
});

/** Sends requests over a number of connections, and returns the number of responses by status. */
async function load(
  init: (index: number) => BunFetchRequestInit,
  atThird: () => unknown,
): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  let sent = 0;
  const work = async () => {
    while (sent < requests) {
      const index = sent++;
      if (index === requests / 3) void atThird();
      const response = await gateway.fetch("shop", `/${index}`, init(index));
      await response.text();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return statuses;
}

/** Requests that may be sent to another target. */
const repeatable = (index: number): BunFetchRequestInit =>
  index % 3 === 0 ? { method: "PUT", body: `body ${index}` } : {};

test.each<[string, perTrySeconds: number, (target: TestTarget) => unknown, (target: TestTarget) => unknown]>([
  ["is killed", 30, (target) => target.kill(), (target) => target.revive()],
  [
    "hangs",
    2,
    (target) => {
      target.treatment = "hang";
    },
    (target) => {
      target.treatment = 200;
    },
  ],
  [
    "returns 503",
    30,
    (target) => {
      target.treatment = 503;
    },
    (target) => {
      target.treatment = 200;
    },
  ],
])(
  "no request fails under load while one of three targets %s, and it returns afterwards",
  async (_, perTrySeconds, fail, recover) => {
    const [, b] = targets;
    await deployShop(perTrySeconds);
    expect(await load(repeatable, () => fail(b!))).toEqual(new Map([[200, requests]]));
    await recover(b!);
    b!.requests.length = 0;
    await until(async () => {
      await (await gateway.fetch("shop", "/1")).text();
      return b!.requests.length > 3;
    });
  },
);

test("no POST fails under load if one of three targets does not accept connections", async () => {
  await deployShop(30);
  await targets[1]!.kill();
  const post = (index: number) => ({ method: "POST", body: `body ${index}` });
  expect(await load(post, () => {})).toEqual(new Map([[200, requests]]));
  const received = targets.flatMap(({ requests: all }) => all);
  expect(new Set(received).size).toBe(requests);
  expect(received.length).toBe(requests);
});
