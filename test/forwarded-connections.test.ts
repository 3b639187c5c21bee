import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { forwardedConnections } from "../src/server/descriptors.ts";
import { childrenOf } from "./support/child-processes.ts";
import { sqlite } from "./support/engines.ts";
import { rawRequest, talk } from "./support/raw-http.ts";
import { adminToken } from "./support/server-settings.ts";
import { type SpawnedServer, spawnServer } from "./support/spawned-server.ts";
import { until } from "./support/until.ts";

const descriptors = 256;
const maxConnections = forwardedConnections(descriptors, 1);

describe("a worker with few descriptors", () => {
  let server: SpawnedServer;
  let port: number;
  const busy: Socket[] = [];

  beforeAll(async () => {
    const launcher = ["prlimit", `--nofile=${descriptors}:${descriptors}`];
    server = await spawnServer(sqlite, { launcher, environment: { TOLLGATE_WORKERS: "1" } });
    port = Number(new URL(server.url).port);
  });
  afterAll(async () => {
    for (const socket of busy) socket.destroy();
    await server.stop();
  });

  /** Sends requests whose bodies never arrive. */
  async function stallRequests(count: number, localAddress: string): Promise<void> {
    const headers = [`authorization: Bearer ${adminToken}`, "content-type: application/json", "content-length: 9"];
    const request = rawRequest("POST", "localhost", "/v1/accounts/default/key-buckets", headers);
    const sockets = Array.from({ length: count }, () => {
      const socket = connect({ port, host: "127.0.0.1", localAddress }, () => socket.write(request));
      socket.on("error", () => {});
      return socket.resume();
    });
    busy.push(...sockets);
    await until(() => sockets.every((socket) => !socket.connecting));
  }

  /** The connections that the primary has accepted from the worker. */
  function forwarded(): number {
    const [primary] = childrenOf(server.processId, "primary-process");
    const [options] = /\{.*\}/.exec(readFileSync(`/proc/${primary}/cmdline`, "utf8"))!;
    const path: string = JSON.parse(options).paths.listeners.main;
    const connected = /^\S+ \S+ \S+ \S+ 0001 03 /;
    const lines = readFileSync("/proc/net/unix", "utf8").split("\n");
    return lines.filter((line) => line.endsWith(` ${path}`) && connected.test(line)).length;
  }

  const get = (path: string, from: string) =>
    talk(port, rawRequest("GET", "localhost", path, ["connection: close"]), () => false, from).then(({ text }) => text);

  test("forwards requests of one address over half of its connections, and of others over the rest", async () => {
    await stallRequests(maxConnections - 4, "127.0.0.2");
    await until(() => forwarded() === maxConnections / 2);
    expect(await get("/openapi.json", "127.0.0.3")).toStartWith("HTTP/1.1 200");
    expect(forwarded()).toBeLessThanOrEqual(maxConnections / 2 + 1);
  });

  test("has no more connections to the primary than its share, and health checks pass", async () => {
    await stallRequests(maxConnections - 4, "127.0.0.3");
    await until(() => forwarded() === maxConnections);
    expect(await get("/healthz", "127.0.0.4")).toStartWith("HTTP/1.1 200");
    expect(await get("/readyz", "127.0.0.4")).toStartWith("HTTP/1.1 200");
    const waiting = get("/openapi.json", "127.0.0.4");
    // More than the worker accepts.
    await stallRequests(descriptors, "127.0.0.5");
    expect(await get("/healthz", "127.0.0.5")).toStartWith("HTTP/1.1 200");
    expect(forwarded()).toBeLessThanOrEqual(maxConnections + 2);
    for (const socket of busy.splice(0)) socket.destroy();
    expect(await waiting).toStartWith("HTTP/1.1 200");
  });
});
