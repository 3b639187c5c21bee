import { describe, expect, test } from "bun:test";
import { childrenOf } from "./support/child-processes.ts";
import { sqlite } from "./support/engines.ts";
import { serverEnvironment } from "./support/server-settings.ts";
import { type SpawnedServer, spawnServer } from "./support/spawned-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { TollgateProcess } from "./support/tollgate-process.ts";
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
    process.kill(server.processId, "SIGTERM");
    // Each request may be served by another worker.
    await until(async () => {
      for (let round = 0; round < 10; round++) if ((await get(server, "/readyz")).status !== 503) return false;
      return true;
    });
    // The server counts from when it received the signal, which on a busy machine is later than when it was sent.
    const since = performance.now();
    expect(await get(server, "/readyz")).toEqual({
      status: 503,
      connection: "close",
      body: { status: "unready", reason: "stopping" },
    });
    // HAProxy tells draining from failing by the status.
    expect(await get(server, "/readyz?stopping=404")).toMatchObject({ status: 404, connection: "close" });
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
      expect({ signal, status: await server.kill(signal), output: server.output }).toMatchObject({ signal, status: 0 });
      expect(server.log.some(({ msg }) => msg === "draining")).toBe(drains);
      await server.stop();
    }
  });
});

test("a server with workers that is stopped while it starts drains and ends without a failure", async () => {
  const database = await sqlite.migratedDatabase();
  const folder = await temporaryFolder("data");
  const environment = { TOLLGATE_WORKERS: "2", TOLLGATE_DRAIN_SECONDS: "1" };
  const starting = new TollgateProcess(["serve"], serverEnvironment(database, folder.path, environment));
  // The supervisor handles signals before it starts the primary, which then takes longer than this signal.
  await until(() => childrenOf(starting.processId, "primary-process").length > 0);
  expect(await starting.kill("SIGTERM")).toBe(0);
  expect(starting.stdout.some((line) => line.includes('"msg":"draining"'))).toBe(true);
  await folder.remove();
  await database.drop();
});
