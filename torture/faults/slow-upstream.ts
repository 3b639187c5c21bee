import { expect } from "bun:test";
import { sqlite } from "../../test/support/engines.ts";
import { spawnServer } from "../../test/support/spawned-server.ts";
import { until } from "../../test/support/until.ts";
import { GatewayScene, slowRouteSeconds } from "../gateway-scene.ts";
import { openDescriptors } from "../process-figures.ts";
import type { Fault } from "./fault.ts";

const hanging = 150;
/** The limit of a single request on a busy machine; one that waited for the slow ones would take a whole second. */
const unhinderedMs = 700;
/** Between the other requests, which would use a whole core. */
const pauseMs = 10;
/** What idle keep-alive connections may take. */
const idleDescriptors = 20;

export const slowUpstream: Fault = async (promises) => {
  const server = await spawnServer(sqlite);
  const scene = await GatewayScene.open(() => server);
  for (const path of ["/open", "/hello"]) expect(await scene.status(path)).toBe(200);
  const descriptorsBefore = openDescriptors(server.processId);

  const started = performance.now();
  const slow = Promise.all(
    Array.from({ length: hanging }, async () => {
      const response = await scene.call("/slow");
      const { code } = (await response.json()) as { code: string };
      return { status: response.status, code, afterMs: performance.now() - started };
    }),
  );
  await until(() => scene.upstream.waiting > hanging / 2, { what: "requests to hang at the upstream" });
  const timings: number[] = [];
  while (scene.upstream.waiting > 0) {
    for (const path of ["/open", "/hello"]) timings.push(await timed(() => scene.status(path)));
    timings.push(await timed(async () => (await server.client.get("/v1/who-am-i")).status));
    await Bun.sleep(pauseMs);
  }
  for (const { status, code, afterMs } of await slow) {
    expect([status, code]).toEqual([504, "upstream_timeout"]);
    expect(afterMs).toBeGreaterThanOrEqual(slowRouteSeconds * 1000);
  }
  promises.kept("A request gets 504 `upstream_timeout` once the route's `timeoutSeconds` are over.");
  const median = timings.toSorted((one, other) => one - other)[timings.length >> 1]!;
  expect(median).toBeLessThan(unhinderedMs);
  promises.kept("Other routes, code and the management API are not affected.");

  const gone = new AbortController();
  const leaving = Array.from({ length: hanging }, () =>
    scene.call("/slow", { signal: gone.signal }).catch(() => undefined),
  );
  await until(() => scene.upstream.waiting > 0, { what: "requests to hang again" });
  gone.abort();
  await Promise.all(leaving);
  await until(() => scene.upstream.waiting === 0, { what: "the upstream's connections to close" });
  const isTidy = () => openDescriptors(server.processId) <= descriptorsBefore + idleDescriptors;
  await until(isTidy, {
    what: () => `${openDescriptors(server.processId)} descriptors to be closed`,
  });
  promises.kept("No connection stays open, even if the client disconnects first.");

  await scene.close();
  await server.stop();
  return `${2 * hanging} requests that hung; ${timings.length} others meanwhile, median ${median.toFixed(1)} ms`;
};

async function timed(send: () => Promise<number>): Promise<number> {
  const started = performance.now();
  expect(await send()).toBe(200);
  return performance.now() - started;
}
