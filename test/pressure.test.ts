import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { makeCertificate } from "./support/certificates.ts";
import { sqlite } from "./support/engines.ts";
import { rawRequest, talk } from "./support/raw-http.ts";
import { type SpawnedServer, spawnServer } from "./support/spawned-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

const descriptors = 256;

/** Clients that connect and send nothing, or the given bytes. */
async function connectClients(port: number, count: number, text = ""): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.on("error", () => {});
    socket.resume();
    return socket;
  });
  await until(() => sockets.every((socket) => !socket.connecting));
  return sockets;
}

function disconnect(sockets: Socket[]): void {
  for (const socket of sockets) socket.destroy();
}

describe("with few descriptors", () => {
  let server: SpawnedServer;
  let port: number;
  beforeAll(async () => {
    server = await spawnServer(sqlite, { launcher: ["prlimit", `--nofile=${descriptors}:${descriptors}`] });
    port = Number(new URL(server.url).port);
  });
  afterAll(() => server.stop());

  const get = (path: string) =>
    talk(port, rawRequest("GET", "localhost", path, ["connection: close"]), () => false).then(({ text }) => text);
  const open = async () => (await readdir(`/proc/${server.processId}/fd`)).length;
  /** CPU time in clock ticks of 10 ms. */
  const cpu = async () => {
    const fields = (await readFile(`/proc/${server.processId}/stat`, "utf8")).split(") ")[1]!.split(" ");
    return Number(fields[11]) + Number(fields[12]);
  };

  test("idle clients make room for new ones, and the process has descriptors left", async () => {
    const before = await open();
    const idle = await connectClients(port, 400);
    expect(await get("/healthz")).toStartWith("HTTP/1.1 200");
    expect(await open()).toBeLessThan(descriptors - 50);
    await until(async () => (await get("/openapi.json")).startsWith("HTTP/1.1 200"));
    const ticks = await cpu();
    await Bun.sleep(500);
    expect((await cpu()) - ticks).toBeLessThan(30);
    disconnect(idle);
    await until(async () => (await open()) <= before + 2);
  });

  test("clients whose requests are in progress keep their connections; new ones get 503, and the health check 200", async () => {
    // The body never arrives: the connections are busy.
    const busy = await connectClients(
      port,
      400,
      rawRequest("POST", "localhost", "/v1/accounts", ["content-length: 9"]),
    );
    // Until the server has accepted them and read their requests, idle ones make room.
    const rejected = await until(async () => {
      const response = await get("/openapi.json");
      return response.startsWith("HTTP/1.1 503") ? response : undefined;
    });
    expect(rejected.toLowerCase()).toContain("retry-after: 1\r\n");
    expect(rejected.toLowerCase()).toContain("connection: close\r\n");
    expect(rejected).toContain('"code":"too_many_connections"');
    expect(await get("/healthz")).toStartWith("HTTP/1.1 200");
    disconnect(busy);
    await until(async () => (await get("/openapi.json")).startsWith("HTTP/1.1 200"));
    const metrics = await get("/metrics");
    expect(Number(/^tollgate_connections_rejected_total (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(300);
  });
});

test("with few descriptors and TLS: clients with unfinished handshakes are closed for new ones, and all resources are released", async () => {
  const folder = await temporaryFolder("certificate");
  const files = { TOLLGATE_TLS_CERT: join(folder.path, "a.crt"), TOLLGATE_TLS_KEY: join(folder.path, "a.key") };
  const { certificate, key } = makeCertificate(["127.0.0.1"]);
  await writeFile(files.TOLLGATE_TLS_CERT, certificate);
  await writeFile(files.TOLLGATE_TLS_KEY, key);
  const launcher = ["prlimit", `--nofile=${descriptors}:${descriptors}`];
  const server = await spawnServer(sqlite, { launcher, environment: files });
  try {
    const port = Number(new URL(server.url).port);
    const open = async () => (await readdir(`/proc/${server.processId}/fd`)).length;
    const status = (path: string) =>
      fetch(server.url + path, { tls: { ca: certificate }, headers: { connection: "close" } }).then(
        (response) => response.status,
        () => 0,
      );
    expect(await status("/healthz")).toBe(200);
    const before = await open();
    const silent = await connectClients(port, 300);
    // The first bytes of a ClientHello.
    const halfway = await connectClients(port, 300, "\x16\x03\x01\x02\x00");
    expect(await open()).toBeLessThan(descriptors - 50);
    await until(async () => (await status("/openapi.json")) === 200);
    disconnect([...silent, ...halfway]);
    await until(async () => (await open()) <= before + 2);
  } finally {
    await server.stop();
    await folder.remove();
  }
});
