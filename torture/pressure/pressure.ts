import { expect } from "bun:test";
import { sqlite } from "../../test/support/engines.ts";
import { rawRequest, talk } from "../../test/support/raw-http.ts";
import { type SpawnedServer, spawnServer } from "../../test/support/spawned-server.ts";
import { until } from "../../test/support/until.ts";
import { GatewayScene } from "../gateway-scene.ts";
import type { Part, Torture } from "../part.ts";
import { openDescriptors } from "../process-figures.ts";
import { Crowd, type Habit, type Outcome } from "./crowd.ts";

const descriptors = 256;
/** What may stay open: idle keep-alive connections to upstreams. */
const idleDescriptors = 20;
/** Enough to reach the limit of all connections, and few enough to reach that of an address too. */
const addresses = 30;
/** Clients join in groups, so that requests of all kinds overlap. */
const joinAtOnce = 50;
const settledWithinMs = 60_000;
/** Of each ten clients, what they do. */
const habits: Habit[] = [
  "idle",
  "half-head",
  "half-body",
  "request",
  "request",
  "request",
  "idle",
  "request",
  "half-body",
  "request",
];

/** Many more clients than descriptors, most of them hostile. */
export const pressure: Part = async (torture) => {
  const limit = `--nofile=${descriptors}:${descriptors}`;
  const server = await spawnServer(sqlite, { launcher: ["prlimit", limit] });
  const scene = await GatewayScene.open(() => server);
  try {
    for (const path of ["/open", "/guarded"]) expect(await scene.status(path)).toBe(200);
    const before = openDescriptors(server.processId);
    const figures = await crowd(server, scene, torture);
    await until(() => openDescriptors(server.processId) <= before + idleDescriptors, {
      withinMs: settledWithinMs,
      what: () => `${openDescriptors(server.processId) - before} descriptors to be closed`,
    });
    expect(await scene.status("/guarded")).toBe(200);
    expect(server.log.filter(({ level }) => level === "error")).toEqual([]);
    torture.report(figures);
  } finally {
    await scene.close();
    await server.stop();
  }
};

async function crowd(server: SpawnedServer, scene: GatewayScene, { random, effort }: Torture): Promise<string> {
  const port = Number(new URL(server.url).port);
  const host = `${scene.name}.localhost`;
  const headers = [`authorization: Bearer ${scene.key.value}`];
  // Counts are written later.
  await until(async () => (await scene.used()) === 1, { withinMs: settledWithinMs, what: "the first request's count" });
  const clients = new Crowd({ port, host, path: "/guarded", headers });
  let max = 0;
  let probes = 0;
  for (let joined = 0; joined < effort.pressureClients; joined += joinAtOnce) {
    for (let index = 0; index < joinAtOnce; index++)
      clients.join(random.pick(habits), `127.0.0.${random.integer(2, addresses)}`);
    const { text } = await talk(port, rawRequest("GET", "localhost", "/healthz", ["connection: close"]), () => false);
    expect(text).toStartWith("HTTP/1.1 200");
    probes += 1;
    max = Math.max(max, openDescriptors(server.processId));
  }
  expect(max).toBeLessThan(descriptors);
  const outcomes = await Promise.all(clients.outcomes);
  clients.leave();

  const count = (wanted: Outcome) => outcomes.filter((outcome) => outcome === wanted).length;
  // Every request got a response, and the counts equal what was served.
  expect(count("closed")).toBe(0);
  expect(count(200) + count(503) + count("closed before a late request")).toBe(outcomes.length);
  expect(count(200)).toBeGreaterThan(0);
  await until(async () => (await scene.used()) === 1 + count(200), {
    withinMs: settledWithinMs,
    what: `${count(200)} requests to be counted`,
  });
  return (
    `${effort.pressureClients} clients and ${descriptors} descriptors, of which ${max} were open; ${count(200)} requests served, ` +
    `${count(503)} rejected, ${probes} health checks passed`
  );
}
