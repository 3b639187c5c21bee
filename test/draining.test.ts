import { describe, expect, test } from "bun:test";
import { sqlite } from "./support/engines.ts";
import { type SpawnedServer, spawnServer } from "./support/spawned-server.ts";
import { until } from "./support/until.ts";

/** Longer than the test needs, so that only a second signal ends it sooner. */
const longSeconds = "300";
/** Signals within half a second count as one. */
const otherSignalMilliseconds = 500;

const spawn = (workers: string, seconds: string) =>
  spawnServer(sqlite, { environment: { TOLLGATE_WORKERS: workers, TOLLGATE_DRAIN_SECONDS: seconds } });

async function get(server: SpawnedServer, path: string) {
  const response = await fetch(server.url + path, { headers: { connection: "keep-alive" } });
  return { status: response.status, connection: response.headers.get("connection"), body: await response.json() };
}

describe.each(["0", "2"])("with %s workers", (workers) => {
  test("after SIGTERM the server serves, and asks clients to leave, until a second signal", async () => {
    const server = await spawn(workers, longSeconds);
    await until(async () => (await get(server, "/readyz")).status === 200);
    expect(await get(server, "/v1/who-am-i")).toMatchObject({ status: 401, connection: null });
    const since = performance.now();
    process.kill(server.processId, "SIGTERM");
    // Each request may be served by another worker.
    await until(async () => {
      for (let round = 0; round < 10; round++) if ((await get(server, "/readyz")).status !== 503) return false;
      return true;
    });
    expect(await get(server, "/readyz")).toEqual({
      status: 503,
      connection: "close",
      body: { status: "unready", reason: "stopping" },
    });
    for (const path of ["/healthz", "/storagez"])
      expect(await get(server, path)).toMatchObject({ status: 200, connection: "close" });
    expect((await server.client.get("/v1/who-am-i")).status).toBe(200);
    expect(server.log.filter(({ msg }) => msg === "draining")).toHaveLength(1);
    await until(() => performance.now() - since > otherSignalMilliseconds);
    expect(await server.kill("SIGTERM")).toBe(0);
    await server.stop();
  });

  test("it stops when the time is over, and SIGINT does not wait", async () => {
    for (const [signal, seconds, drains] of [
      ["SIGTERM", "1", true],
      ["SIGINT", longSeconds, false],
    ] as const) {
      const server = await spawn(workers, seconds);
      expect(await server.kill(signal)).toBe(0);
      expect(server.log.some(({ msg }) => msg === "draining")).toBe(drains);
      await server.stop();
    }
  });
});
